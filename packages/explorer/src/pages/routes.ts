import type { Context } from 'koa';
import type { Sealer } from '../crypto/seal.ts';
import { changesPage } from './changes.ts';
import { dealPage } from './deal.ts';
import { filtersOf } from './deal-filters.ts';
import { dealsPage } from './deals.ts';
import { type DownloadDeps, download, type Format } from './download.ts';
import { facilityPage } from './facility.ts';
import { matches } from './matches.ts';
import { movementsPage } from './movements.ts';
import { news } from './news.ts';
import { partiesPage } from './parties.ts';
import { partyPage } from './party.ts';
import { portfolioPage } from './portfolio.ts';
import { rollForwardPage } from './roll-forward.ts';
import { type UsageDeps, usagePage } from './usage.ts';
import { type Visit, visited } from './visit.ts';

export type BalanceRoutesDeps = DownloadDeps & UsageDeps & { readonly sealer: Sealer };

/** Every page of what the API serves, by method and path. */
export function balanceRoutes(deps: BalanceRoutesDeps) {
  const page = (show: (visit: Visit) => Promise<void>) => visited(deps, show, { hasForms: true });
  const file = (send: (visit: Visit) => Promise<void>) => visited(deps, send, { hasForms: false });
  return {
    'GET /portfolio': page((visit) => portfolioPage(deps, visit)),
    'GET /news': (ctx: Context) => news(deps, ctx),
    'GET /matches': (ctx: Context) => matches(deps, ctx),
    'GET /usage': (ctx: Context) => usagePage(deps, ctx),
    'GET /changes': page((visit) => changesPage(deps, visit)),
    'GET /deals': page((visit) => dealsPage(deps, visit)),
    'GET /deals.xlsx': file((visit) => dealsDownload(deps, visit, 'xlsx')),
    'GET /deals.csv': file((visit) => dealsDownload(deps, visit, 'csv')),
    'GET /deals.ndjson': file((visit) => dealsDownload(deps, visit, 'ndjson')),
    'GET /facilities.csv': file((visit) => finerDownload(deps, visit, 'facility', 'facilities')),
    'GET /positions.xlsx': file((visit) =>
      finerDownload(deps, visit, 'position', 'positions', 'xlsx'),
    ),
    'GET /positions.csv': file((visit) => finerDownload(deps, visit, 'position', 'positions')),
    'GET /deals/{id}': page((visit) => dealPage(deps, visit)),
    'GET /deals/{id}/roll-forward': page((visit) => rollForwardPage(deps, visit)),
    'GET /deals/{id}/roll-forward.csv': file((visit) =>
      // As on the page: what was repaid has moved, too.
      dealDownload(deps, visit, 'roll-forward', '/balances/principal', {
        level: 'facility',
        includeZero: 'true',
      }),
    ),
    'GET /deals/{id}/movements': page((visit) => movementsPage(deps, visit)),
    'GET /deals/{id}/movements.csv': file((visit) =>
      dealDownload(deps, visit, 'postings', '/balances/principal/movements', {}),
    ),
    'GET /borrowers': page((visit) => partiesPage(deps, visit, 'borrower')),
    'GET /lenders': page((visit) => partiesPage(deps, visit, 'lender')),
    'GET /borrowers/{id}': page((visit) => partyPage(deps, visit, 'borrower')),
    'GET /lenders/{id}': page((visit) => partyPage(deps, visit, 'lender')),
    'GET /facilities/{id}': page((visit) => facilityPage(deps, visit)),
  };
}

function dealsDownload(deps: DownloadDeps, visit: Visit, format: Format): Promise<void> {
  const sort = visit.query.get('sort') ?? undefined;
  const question = { ...filtersOf(visit.query), sort, level: 'deal' };
  return download(deps, visit, { name: 'deals', path: '/balances', question, format });
}

/** What the same filters find of a finer level, in the order of the API. */
function finerDownload(
  deps: DownloadDeps,
  visit: Visit,
  level: string,
  name: string,
  format: Format = 'csv',
): Promise<void> {
  const dealId = visit.query.getAll('dealId');
  const question = { ...filtersOf(visit.query), dealId, level };
  return download(deps, visit, { name, path: '/balances', question, format });
}

function dealDownload(
  deps: DownloadDeps,
  visit: Visit,
  name: string,
  path: string,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  const { query, parts } = visit;
  const question = { ...more, dealId: parts['id'], fromDate: query.get('fromDate') ?? undefined };
  return download(deps, visit, { name, path, question, format: 'csv' });
}

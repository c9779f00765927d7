import { type Html, html } from '@cls/shared/http/html';
import type { Context } from 'koa';
import type { ApiClient } from '../balances/api-client.ts';
import type { BalanceItem, Caller, List, Single } from '../balances/shapes.ts';
import type { KeepSessions } from '../sessions/keep-sessions.ts';
import { OF_THE_VISIT, pageAddress } from '../web/address.ts';
import { countryName } from '../web/countries.ts';
import type { Pages } from '../web/page.ts';
import type { Text } from '../web/text.ts';
import { viewerOf } from '../web/viewers.ts';
import { answerScript } from './script-answers.ts';
import { countrySearched, toCountry } from './search-help.ts';
import { lendersToName, namedBySearch } from './search-named.ts';
import { type AskedAt, timesAsked } from './show.ts';
import { askerOf, timesIn } from './visit.ts';

export interface MatchesDeps {
  readonly sessions: Pick<KeepSessions, 'use'>;
  readonly api: ApiClient;
  readonly pages: Pages;
}

/**
 * `/matches?q=`: where a search leads first, as options of the list below its field. The rules are those of
 * the search in the list of deals, the times those of the page; filters of a list do not count.
 */
export function matches(deps: MatchesDeps, ctx: Context): Promise<void> {
  const { sessions, api, pages } = deps;
  return answerScript(ctx, sessions.use, async (session) => {
    Object.assign(ctx.state, { subject: session.subject, address: ctx.ip });
    const sent = [...new URLSearchParams(ctx.querystring)];
    const query = new URLSearchParams(sent.filter(([name]) => TAKEN.includes(name)));
    const viewer = viewerOf(session.subject);
    if ((query.get('viewer') ?? viewer) !== viewer) {
      // Somebody else signed in since the page was shown: the next page says so.
      ctx.status = 409;
      return;
    }
    const asker = askerOf(ctx, session);
    const { data: caller, meta } = await api.read<Single<Caller>>(asker, '/me');
    const usual = timesIn(meta);
    const [asOf, knownAt] = [query.get('asOf'), query.get('knownAt')];
    const times = { asOf: asOf ?? usual.asOf, knownAt: knownAt ?? usual.knownAt };
    const asked: AskedAt = { asker, query, times };
    const [items, lenders, country] = await Promise.all([
      readDeals(deps, asked),
      lendersToName(deps, asked, caller),
      countrySearched(deps, asked),
    ]);
    const { text } = pages.frame(ctx);
    const options = [
      ...(country === undefined ? [] : [countryOption(country, query, text)]),
      ...dealOptions(items, query, text),
      ...namedBySearch(query, items, lenders, caller, text).map(({ kind, name, href }) => {
        return { name, href, about: text.t(KINDS[kind]) };
      }),
    ];
    const said =
      options.length === 0
        ? text.t('matches.none')
        : text.t('matches.some', { count: text.number(options.length) });
    ctx.status = 200;
    ctx.body = { said, options: options.map(optionHtml).join('') };
  });
}

const TAKEN: readonly string[] = ['q', ...OF_THE_VISIT];
const KINDS = { borrower: 'column.borrower', lender: 'column.lender', page: 'match.page' } as const;

type Deal = Pick<BalanceItem, 'deal' | 'borrower'>;

/** As many items as a list of deals has: the borrowers are found among them. */
async function readDeals(
  { api }: MatchesDeps,
  { asker, query, times }: AskedAt,
): Promise<readonly Deal[]> {
  const question = { ...timesAsked({ times }), q: query.get('q') ?? '', level: 'deal' };
  const least = { include: 'none', fields: ['deal', 'borrower'], limit: '100' };
  return (await api.read<List<Deal>>(asker, '/balances', { ...question, ...least })).data;
}

interface Option {
  readonly name: string;
  readonly about: string;
  readonly href: string;
}

const DEALS_MAX = 6;

function dealOptions(
  items: readonly Deal[],
  query: URLSearchParams,
  text: Text,
): readonly Option[] {
  // A deal of two currencies is two items.
  const deals = new Map(items.map((item) => [item.deal.id, item]));
  return [...deals.values()].slice(0, DEALS_MAX).map(({ deal, borrower }) => ({
    name: `${deal.dealNumber} ${deal.name}`,
    about: `${text.t('column.deal')} · ${borrower.name}`,
    href: pageAddress(`/deals/${deal.id}`, query),
  }));
}

function countryOption(country: string, query: URLSearchParams, text: Text): Option {
  return {
    name: countryName(country, text.locale),
    about: text.t('filter.country'),
    href: pageAddress('/deals', query, toCountry(country, query)),
  };
}

function optionHtml({ name, about, href }: Option, at: number): Html {
  return html`<a role="option" id="match-${at}" href="${href}" tabindex="-1">${name} <small>${about}</small></a>`;
}

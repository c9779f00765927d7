import { type Html, html } from '@cls/shared/http/html';
import { ApiRefused } from '../balances/api-client.ts';
import type { Deal, Series, Single } from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import { problemPage } from './problem-page.ts';
import { type PageDeps, whoAsks } from './show.ts';
import type { Times, Visit } from './visit.ts';

/**
 * Nothing is there on the date of the visit. Where the deal begins later, the page says when; a deal
 * that was not granted reads as one that does not exist.
 */
export async function absent(deps: PageDeps, visit: Visit, dealId: string): Promise<void> {
  const { ctx, query, times } = visit;
  const begins = await beginOf(deps, visit, dealId);
  const { asOf } = times;
  ctx.state['refused'] = 'absent';
  deps.pages.show(
    ctx,
    404,
    begins === undefined || begins <= asOf
      ? problemPage('not_found', { href: pageAddress('/deals', query) })
      : problemPage('not_yet', {
          dates: { asOf, begins },
          href: sameWith(ctx.path, query, { asOf: begins, cursor: undefined, carried: undefined }),
        }),
  );
}

/** The first date on which the book has a deal that the reader sees, as known at the visit. */
async function beginOf(deps: PageDeps, visit: Visit, dealId: string): Promise<string | undefined> {
  const { known } = await whoAsks(deps, visit);
  return dealBegins(deps, visit, dealId, { ...visit.times, asOf: known.asOf });
}

const NONE = [400, 404];

/** The same at times; undefined where the deal is not there then. */
export async function dealBegins(
  deps: PageDeps,
  visit: Visit,
  dealId: string,
  times: Times,
): Promise<string | undefined> {
  const { asOf, knownAt } = times;
  const path = `/deals/${dealId}`;
  const deal = deps.api.read<Single<Deal>>(visit.asker, path, { asOf, knownAt });
  return (await ifThere(deal))?.dataFrom;
}

/** A deal at times, with what its pages show of it. */
export function readDeal(
  { api }: PageDeps,
  { asker }: Visit,
  dealId: string,
  { asOf, knownAt }: Times,
): Promise<Single<Deal>> {
  return api.read(asker, `/deals/${dealId}`, { asOf, knownAt, expand: 'terms' });
}

/** The same; undefined where it is not there then. */
export async function dealAt(
  deps: PageDeps,
  visit: Visit,
  dealId: string,
  times: Times,
): Promise<Deal | undefined> {
  return ifThere(readDeal(deps, visit, dealId, times));
}

async function ifThere<T>(answer: Promise<Single<T>>): Promise<T | undefined> {
  try {
    return (await answer).data;
  } catch (error) {
    if (error instanceof ApiRefused && NONE.includes(error.status)) return undefined;
    throw error;
  }
}

/**
 * The first date on which there is anything that the reader may see; undefined where nothing is.
 *
 * @param last the last date with data, as known at the visit.
 */
export async function beginOfAll(
  deps: PageDeps,
  { asker, times }: Visit,
  last: string,
): Promise<string | undefined> {
  if (times.asOf >= last) return undefined;
  const question = { asOf: last, knownAt: times.knownAt, interval: 'event' };
  const { data } = await deps.api.read<Series>(asker, '/balances/principal/series', question);
  return data.map(({ from }) => from).sort()[0];
}

/** Nothing is found without a filter: there is nothing yet, or nothing was granted. */
export function nothingText(
  { ctx, query, times }: Visit,
  begins: string | undefined,
  text: Text,
): Html {
  if (begins === undefined || begins <= times.asOf) {
    return html`<p>${text.t('deals.none')}</p><p>${text.t('deals.noneGranted')}</p>`;
  }
  const dates = { asOf: text.date(times.asOf), begins: text.date(begins) };
  const href = sameWith(ctx.path, query, { asOf: begins });
  return html`<p>${text.t('deals.beginsLater', dates)} <a href="${href}">${text.t('time.showFirst', dates)}</a></p>`;
}

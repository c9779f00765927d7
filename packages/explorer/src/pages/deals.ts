import { type Html, html } from '@cls/shared/http/html';
import type { BalanceItem, Caller, List, Total } from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import { apiCall } from './api-call.ts';
import { type Column, countCell, figureCell, table, type Was } from './cells.ts';
import {
  comparedAnswer,
  comparedTimes,
  comparedWith,
  compareForm,
  comparisonAsked,
  partThen,
  wasOf,
} from './compare.ts';
import { chosenColumns, columnHead, columnsForm, sortLink } from './deal-columns.ts';
import { chips, filterForm, filtersInWords, filtersOf } from './deal-filters.ts';
import { facetLists, namesOf, readFacets } from './facets.ts';
import { beginOfAll, nothingText } from './not-yet.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import { sumsBeside } from './sums-then.ts';
import type { Visit } from './visit.ts';

const PAGE_SIZES = ['50', '100', '250'];
/** A row that compares has up to three numbers where another has one. */
const USUAL_SIZE = { alone: '100', compared: '50' };

/** `/deals`: an item per deal and currency, with totals of all that was found. */
export async function dealsPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, query } = visit;
  const usual = USUAL_SIZE[comparedTimes(visit) === undefined ? 'alone' : 'compared'];
  const limit = PAGE_SIZES.find((size) => size === query.get('limit')) ?? usual;
  const question = {
    ...timesAsked(visit),
    ...comparisonAsked(visit),
    ...filtersOf(query),
    level: 'deal',
    include: 'totals',
    limit,
    sort: query.get('sort') ?? undefined,
    cursor: query.get('cursor') ?? undefined,
  };
  const [list, who, facets] = await Promise.all([
    deps.api.read<List<BalanceItem>>(asker, '/balances', question),
    whoAsks(deps, visit),
    readFacets(deps, visit),
  ]);
  const then = comparedAnswer(visit, list);
  const isEmpty = list.data.length === 0 && query.get('cursor') === null;
  const begins =
    isEmpty && !hasFilters(query) ? await beginOfAll(deps, visit, who.known.asOf) : undefined;
  const names = new Map([...partiesOf(list.data), ...namesOf(facets)]);
  showPage(deps, visit, {
    title: (text) => text.t('deals.title'),
    detail: (text) => filtersInWords(visit, names, text),
    place: 'deals',
    who,
    meta: list.meta,
    body: (text) => [
      filterForm(visit, text),
      facetLists(visit, facets, text),
      chips(visit, names, text),
      columnsForm(visit, text),
      compareForm(visit, list.meta.dataFrom, text),
      comparedWith(visit, then, list.meta.dataFrom, text),
      isEmpty
        ? nothing(visit, who.data, begins, text)
        : [rowsTable(visit, list, text, apiCall(deps, list, text), then), pager(visit, list, text)],
      totalsTable(
        list.totals ?? [],
        text,
        apiCall(deps, list, text),
        wasOf(then, ({ comparedTotals }) => comparedTotals),
      ),
      downloads(visit, who.data, text),
    ],
  });
}

function hasFilters(query: URLSearchParams): boolean {
  return Object.keys(filtersOf(query)).length > 0;
}

/** Of how many deals the filters leave none. */
function maySee(count: number, text: Text): string {
  return count === 1
    ? text.t('deals.maySeeOne')
    : text.t('deals.maySee', { count: text.number(count) });
}

/** Who is in the deals that were found: the names of filters by party. */
function partiesOf(items: readonly BalanceItem[]): ReadonlyMap<string, string> {
  const parties = items.flatMap(({ borrower, lenders }) => [
    borrower,
    ...lenders.map(({ lender }) => lender),
  ]);
  return new Map(parties.map(({ id, name }) => [id, name]));
}

function nothing(
  visit: Visit,
  { dealCount, hasMoreDeals }: Caller,
  begins: string | undefined,
  text: Text,
): Html {
  const { ctx, query } = visit;
  if (!hasFilters(query)) {
    const withZero = sameWith(ctx.path, query, { includeZero: 'true' });
    return html`<div class="notice empty">${nothingText(visit, begins, text)}
<p><a href="${withZero}">${text.t('deals.showZero')}</a></p></div>`;
  }
  const hidesZero = query.get('includeZero') !== 'true';
  return html`<div class="notice empty"><p>${text.t('deals.nothingFound')} ${hasMoreDeals !== true && maySee(dealCount, text)}</p>${hidesZero && html`<p><a href="${sameWith(ctx.path, query, { includeZero: 'true' })}">${text.t('deals.showZero')}</a></p>`}</div>`;
}

function rowsTable(
  visit: Visit,
  { data }: List<BalanceItem>,
  text: Text,
  call: Html | undefined,
  was: Was<List<BalanceItem>> | undefined,
): Html {
  const chosen = chosenColumns(
    visit,
    data.some(({ share }) => share !== null),
  );
  const columns: readonly Column[] = [
    { label: text.t('column.deal'), sort: sortLink(visit, 'dealNumber') },
    ...chosen.map((column) => columnHead(visit, column, text)),
  ];
  const rows = data.map((item) => {
    const then = partThen(item, was);
    // Said once for the row: none of its numbers was there.
    const isNew = then !== undefined && then.before === undefined;
    return html`
<tr><th scope="row"><a href="${dealAddress(visit, item)}">${item.deal.dealNumber}</a> ${item.deal.name}${isNew && html` <small>${text.t('compare.notThere')}</small>`}</th>${chosen.map(({ cell }) => cell(item, isNew ? undefined : then, text))}</tr>`;
  });
  const shown = text.t('deals.shown', { count: text.number(data.length) });
  return table({ caption: shown, columns, rows, call, id: 'deals' });
}

export function dealAddress({ query }: Visit, { deal }: Pick<BalanceItem, 'deal'>): string {
  return pageAddress(`/deals/${deal.id}`, query);
}

/** To the next page, and back to the first one; the address of each page is its own. */
export function pager<T>({ ctx, query }: Visit, { page }: List<T>, text: Text, more = {}): Html {
  const none = { cursor: undefined, carried: undefined };
  const first = query.has('cursor') && sameWith(ctx.path, query, none);
  const { nextCursor } = page;
  const next = page.hasMore && typeof nextCursor === 'string';
  return html`<nav class="pager" aria-label="${text.t('pager.label')}">${first !== false && html`<a class="button" href="${first}">${text.t('pager.first')}</a>`}${next && html`<a class="button" rel="next" href="${sameWith(ctx.path, query, { ...more, cursor: nextCursor })}">${text.t('pager.next')}</a>`}</nav>`;
}

const TOTALS = ['principalOutstanding', 'unfunded', 'interestAccrued', 'feesAccrued'] as const;

/** Per currency: two currencies are never added up. */
function totalsTable(
  totals: readonly Total[],
  text: Text,
  call: Html | undefined,
  was: Was<readonly Total[]> | undefined,
): Html | undefined {
  if (totals.length === 0) return undefined;
  const columns = [
    { label: text.t('column.currency') },
    { label: text.t('column.count'), numeric: true },
    { label: text.t('column.outstanding'), numeric: true },
    { label: text.t('column.unfunded'), numeric: true },
    { label: text.t('column.interestAccrued'), numeric: true },
    { label: text.t('column.feesAccrued'), numeric: true },
  ];
  const rows = sumsBeside(totals, was).map(({ sum: total, was: then }) => {
    const amounts = TOTALS.map((name) => {
      const before = wasOf(then, (one) => one[name]);
      return figureCell(name, total[name], text, before);
    });
    const count = wasOf(then, (one) => one.count);
    return html`
<tr><th scope="row">${total.currency}</th>${countCell(total.count, text, count)}${amounts}</tr>`;
  });
  return html`<h2>${text.t('totals.title')}</h2>${table({ caption: text.t('totals.caption'), columns, rows, call, id: 'totals' })}`;
}

function downloads({ query }: Visit, { roles }: Caller, text: Text): Html {
  const filters = filtersOf(query);
  const positions = roles.some((role) => role !== 'borrower');
  const more = { ...filters, sort: query.get('sort') ?? undefined };
  return html`<p class="downloads">${text.t('download.label')} <a href="${pageAddress('/deals.csv', query, more)}">CSV</a> <a href="${pageAddress('/deals.ndjson', query, more)}">NDJSON</a> <a href="${pageAddress('/facilities.csv', query, filters)}">${text.t('download.facilities')}</a>${positions && html` <a href="${pageAddress('/positions.csv', query, filters)}">${text.t('download.positions')}</a>`}</p>
<p class="hint downloads">${text.t('download.whole')}</p>`;
}

import { type Html, html } from '@cls/shared/http/html';
import type { BalanceItem, Caller, List, Total } from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import { amountText, countCell, figureCell, type ListHead, table, type Was } from './cells.ts';
import {
  comparedAnswer,
  comparedTimes,
  comparedWith,
  comparisonAsked,
  partThen,
  wasOf,
} from './compare.ts';
import {
  chosenColumns,
  columnHead,
  columnsForm,
  type DealColumn,
  readTerms,
  sortLink,
  type TermsOfDeals,
} from './deal-columns.ts';
import { chips, filterForm, filtersInWords, filtersOf } from './deal-filters.ts';
import { facetLists, namesOf, readFacets } from './facets.ts';
import { beginOfAll, nothingText } from './not-yet.ts';
import { countrySearched, meantBy, searchedCountry, toCountry } from './search-help.ts';
import { lendersToName, namedBySearch, namedLinks } from './search-named.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import { sumsBeside } from './sums-then.ts';
import type { Visit } from './visit.ts';

const PAGE_SIZES = ['50', '100', '250'];
/** A row that compares has up to three numbers where another has one. */
const USUAL_SIZE = { alone: '50', compared: '40' };

/** `/deals`: an item per deal and currency, with totals of all that was found. */
export async function dealsPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, query } = visit;
  const country = await countrySearched(deps, visit);
  if (country !== undefined) {
    return visit.ctx.redirect(sameWith(visit.ctx.path, query, toCountry(country, query)));
  }
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
  // A page may have no items though more are to come.
  const isEmpty = list.data.length === 0 && !list.page.hasMore && query.get('cursor') === null;
  const begins =
    isEmpty && !hasFilters(query) ? await beginOfAll(deps, visit, who.known.asOf) : undefined;
  const meant = isEmpty && query.has('q') ? await meantBy(deps, visit) : undefined;
  const [terms, lenders] = await Promise.all([
    readTerms(deps, visit, list.data),
    lendersToName(deps, visit, who.data),
  ]);
  const names = new Map([...partiesOf(list.data), ...namesOf(facets)]);
  const chosen = chosenColumns(
    visit,
    list.data.some(({ share }) => share !== null),
  );
  const head = (text: Text) => listHead(visit, chosen, text);
  showPage(deps, visit, {
    title: (text) => text.t('deals.title'),
    detail: (text) => filtersInWords(visit, names, text),
    place: 'deals',
    who,
    meta: list.meta,
    compares: true,
    answers: [list],
    lists: (text) => (isEmpty ? [] : [head(text)]),
    body: (text) => [
      html`<div class="toolbar">${found(visit, list.totals, who.data, text)}${chips(visit, names, text)}<div class="menus">${filterForm(visit, facetLists(visit, facets, text), text)}${columnsForm(visit, text)}${downloads(visit, who.data, text)}</div></div>`,
      searchedCountry(visit, text),
      namedLinks(namedBySearch(query, list.data, lenders, who.data, text), text),
      comparedWith(visit, then, list.meta.dataFrom, text),
      isEmpty
        ? nothing(visit, who.data, begins, meant, text)
        : [
            rowsTable(visit, list, chosen, head(text), { terms, then }, text),
            pager(visit, list, text),
          ],
      totalsTable(
        list.totals ?? [],
        text,
        wasOf(then, ({ comparedTotals }) => comparedTotals),
      ),
    ],
  });
}

/** How many deals were found; of several currencies how many rows. Nothing where they are not counted. */
function found(
  { ctx, query }: Visit,
  totals: readonly Total[] | undefined,
  { dealCount, hasMoreDeals }: Caller,
  text: Text,
) {
  if (totals === undefined) return undefined;
  const count = totals.reduce((sum, one) => sum + one.count, 0);
  const values = { count: text.number(count), all: text.number(dealCount) };
  const isAll = hasMoreDeals === true || count >= dealCount;
  const words = totals.length > 1 ? 'deals.rows' : isAll ? 'deals.found' : 'deals.foundOf';
  const isWhole = isAll || query.has('includeZero') || hasFilters(query);
  const zero = sameWith(ctx.path, query, { includeZero: 'true', cursor: undefined });
  return html`<p class="found">${text.t(words, values)}${!isWhole && html` <small>${text.t('deals.withoutZero')} <a href="${zero}">${text.t('deals.showZero')}</a></small>`}</p>`;
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
  meant: string | undefined,
  text: Text,
): Html {
  const { ctx, query } = visit;
  if (!hasFilters(query)) {
    const withZero = sameWith(ctx.path, query, { includeZero: 'true' });
    return html`<div class="notice empty">${nothingText(visit, begins, text)}
<p><a href="${withZero}">${text.t('deals.showZero')}</a></p></div>`;
  }
  const hidesZero = query.get('includeZero') !== 'true';
  const instead =
    meant !== undefined &&
    html`<p>${text.t('search.meant')} <a href="${sameWith(ctx.path, query, { q: meant })}">${meant}</a></p>`;
  return html`<div class="notice empty">${instead}<p>${text.t('deals.nothingFound')} ${hasMoreDeals !== true && maySee(dealCount, text)}</p>${hidesZero && html`<p><a href="${sameWith(ctx.path, query, { includeZero: 'true' })}">${text.t('deals.showZero')}</a></p>`}</div>`;
}

function listHead(visit: Visit, chosen: readonly DealColumn[], text: Text): ListHead {
  const deal = { label: text.t('column.deal'), sort: sortLink(visit, 'dealNumber') };
  return { id: 'deals', columns: [deal, ...chosen.map((one) => columnHead(visit, one, text))] };
}

/** What the rows of a list need beside their items. */
interface Beside {
  readonly terms: TermsOfDeals | undefined;
  readonly then: Was<List<BalanceItem>> | undefined;
}

function rowsTable(
  visit: Visit,
  { data, totals = [] }: List<BalanceItem>,
  chosen: readonly DealColumn[],
  listed: ListHead,
  { terms, then: was }: Beside,
  text: Text,
): Html {
  const rows = data.map((item) => {
    const then = partThen(item, was);
    // Said once for the row: none of its numbers was there.
    const isNew = then !== undefined && then.before === undefined;
    return html`
<tr><th scope="row"><a href="${dealAddress(visit, item)}">${item.deal.dealNumber}</a> ${item.deal.name}${isNew && html` <small>${text.t('compare.notThere')}</small>`}</th>${chosen.map(({ cell }) => cell(item, isNew ? undefined : then, text, { query: visit.query, terms }))}</tr>`;
  });
  const shown = text.t('deals.shown', { count: text.number(data.length) });
  const sums = totals.length > SUMS_MAX ? [] : totals;
  const head = sums.map(
    (sum) => html`
<tr class="sum"><th scope="row">${text.t('totals.of', { count: text.number(sum.count) })}</th>${chosen.map(({ total, numeric }) => sumCell(total === 'currency' ? sum.currency : total && sum[total], numeric, text))}</tr>`,
  );
  return table({ ...listed, caption: shown, rows, head, isList: true });
}

/** More would leave no place for the rows below them. */
const SUMS_MAX = 3;

function sumCell(total: string | null | undefined, numeric: true | undefined, text: Text): Html {
  return html`<td>${numeric === undefined ? (total ?? '') : amountText(total, text)}</td>`;
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
  return html`<details${totals.length > SUMS_MAX && html` open`}><summary>${text.t('totals.title')}</summary>${table({ caption: text.t('totals.caption'), columns, rows, id: 'totals' })}</details>`;
}

function downloads({ query }: Visit, { roles }: Caller, text: Text): Html {
  const filters = filtersOf(query);
  const positions = roles.some((role) => role !== 'borrower');
  const more = { ...filters, sort: query.get('sort') ?? undefined };
  const files = [
    [text.t('download.workbook'), pageAddress('/deals.xlsx', query, more)],
    [text.t('download.exact'), pageAddress('/deals.xlsx', query, { ...more, amounts: 'text' })],
    ['CSV', pageAddress('/deals.csv', query, more)],
    ['NDJSON', pageAddress('/deals.ndjson', query, more)],
    [text.t('download.facilities'), pageAddress('/facilities.csv', query, filters)],
    ...(positions
      ? [
          [text.t('download.lenders'), pageAddress('/positions.xlsx', query, filters)],
          [text.t('download.positions'), pageAddress('/positions.csv', query, filters)],
        ]
      : []),
  ] as const;
  return html`<details class="menu downloads"><summary>${text.t('download.title')}</summary><div class="panel"><p>${text.t('download.label')}</p><ul>${files.map(([name, href]) => html`<li><a href="${href}">${name}</a></li>`)}</ul><p class="hint">${text.t('download.whole')}</p></div></details>`;
}

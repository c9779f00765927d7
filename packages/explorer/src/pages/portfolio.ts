import { type Html, html } from '@cls/shared/http/html';
import type { GroupSum, GroupTotal, Sum, Totals } from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import { apiCall } from './api-call.ts';
import { barChart } from './bars.ts';
import { countCell, figureCell, table, type Was, wordOf } from './cells.ts';
import { daysBefore } from './changes.ts';
import {
  comparedAnswer,
  comparedWith,
  compareForm,
  comparisonAsked,
  partThen,
  wasOf,
} from './compare.ts';
import { beginOfAll, nothingText } from './not-yet.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import { sumsBeside } from './sums-then.ts';
import type { Visit } from './visit.ts';

/** By what a person may look at the whole; a lender’s parts are those of the lender alone. */
const GROUPS = ['borrower', 'country', 'facilityType', 'status', 'lender'] as const;
type Group = (typeof GROUPS)[number];
const TOP = '10';

/** `/portfolio`: what all comes to per currency, when it matures, and by whom or what. */
export async function portfolioPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, query } = visit;
  const by = GROUPS.find((group) => group === query.get('by')) ?? 'borrower';
  // Of positions a lender sees its own alone.
  const own = query.get('view') === 'own';
  const level = own ? { level: 'position' } : {};
  const read = (more: Record<string, string>) =>
    deps.api.read<Totals>(asker, '/balances/totals', {
      ...timesAsked(visit),
      ...comparisonAsked(visit),
      ...level,
      ...more,
    });
  const [ladder, groups, who] = await Promise.all([
    read({ groupBy: 'maturityYear', top: '100' }),
    read({ groupBy: by, top: TOP }),
    whoAsks(deps, visit),
  ]);
  const [ladderThen, groupsThen] = [comparedAnswer(visit, ladder), comparedAnswer(visit, groups)];
  const isEmpty = currenciesOf(ladder).length === 0;
  const begins = isEmpty ? await beginOfAll(deps, visit, who.known.asOf) : undefined;
  showPage(deps, visit, {
    title: (text) => text.t('portfolio.title'),
    place: 'portfolio',
    who,
    meta: ladder.meta,
    body: (text) =>
      isEmpty
        ? nothing(visit, begins, text)
        : [
            whose(visit, own, who.data.roles, text),
            compareForm(visit, ladder.meta.dataFrom, text),
            comparedWith(visit, ladderThen, ladder.meta.dataFrom, text, { all: true }),
            pointers(visit, text),
            totalsTable(ladder, own, text, apiCall(deps, ladder, text), ladderThen),
            html`<h2>${text.t('portfolio.ladder')}</h2>`,
            currenciesOf(ladder).map((currency) =>
              ladderOf(currency, ladder, text, apiCall(deps, ladder, text), ladderThen),
            ),
            html`<h2 id="by">${text.t('portfolio.by')}</h2>`,
            groupLinks(visit, by, text),
            groupTable(visit, by, groups, text, apiCall(deps, groups, text), groupsThen),
          ],
  });
}

function nothing(visit: Visit, begins: string | undefined, text: Text): Html {
  return html`<div class="notice empty">${nothingText(visit, begins, text)}<p><a href="${pageAddress('/deals', visit.query, { includeZero: 'true' })}">${text.t('deals.showZero')}</a></p></div>`;
}

/** To what wants a look: each is a list that the filters of the deals, or a day, leave. */
function pointers({ query, times }: Visit, text: Text): Html {
  const links = [
    ['portfolio.pastDue', pageAddress('/deals', query, { pastDue: 'true' })],
    ['portfolio.restated', pageAddress('/deals', query, { restated: 'true' })],
    ['portfolio.changed', pageAddress('/changes', query, { since: daysBefore(times.knownAt, 1) })],
  ] as const;
  return html`<ul class="links">${links.map(([key, href]) => html`<li><a href="${href}">${text.t(key)}</a></li>`)}</ul>`;
}

/** A lender changes between its share and the global amounts of the same deals. */
function whose({ ctx, query }: Visit, own: boolean, roles: readonly string[], text: Text) {
  if (!own && !roles.includes('lender')) return undefined;
  const links = [
    { view: 'own', label: text.t('portfolio.own'), chosen: own },
    { view: 'global', label: text.t('portfolio.global'), chosen: !own },
  ].map(({ view, label, chosen }) =>
    chosen
      ? html`<li><span class="chosen">${label}</span></li>`
      : html`<li><a href="${sameWith(ctx.path, query, { view })}">${label}</a></li>`,
  );
  return html`<ul class="presets">${links}</ul>`;
}

const AMOUNTS = [
  'principalOutstanding',
  'pastDue',
  'commitment',
  'available',
  'interestAccrued',
  'feesAccrued',
] as const;
const LABELS = {
  principalOutstanding: 'column.outstanding',
  pastDue: 'column.pastDue',
  commitment: 'column.commitment',
  available: 'column.available',
  interestAccrued: 'column.interestAccrued',
  feesAccrued: 'column.feesAccrued',
} as const;

function amountColumns(text: Text) {
  return AMOUNTS.map((name) => ({ label: text.t(LABELS[name]), numeric: true }));
}

/** The number of items, and the amounts of a group. */
function sumCells(sum: Sum, text: Text, was?: Was<Sum>): readonly Html[] {
  const amounts = AMOUNTS.map((name) => {
    const then = wasOf(was, (before) => before[name]);
    return figureCell(name, sum[name], text, then);
  });
  const count = wasOf(was, (before) => before.count);
  return [countCell(sum.count, text, count), ...amounts];
}

/** A row per currency: they are never added up. */
function totalsTable(
  { totals }: Totals,
  own: boolean,
  text: Text,
  call: Html | undefined,
  then: Was<Totals> | undefined,
): Html {
  const was = wasOf(then, ({ comparedTotals }) => comparedTotals);
  const columns = [
    { label: text.t('column.currency') },
    { label: text.t('column.facilities'), numeric: true },
    ...amountColumns(text),
  ];
  const rows = sumsBeside(totals, was).map(
    (beside) => html`
<tr><th scope="row">${beside.sum.currency}</th>${sumCells(beside.sum, text, beside.was)}</tr>`,
  );
  return table({
    caption: text.t(own ? 'portfolio.ownTotals' : 'portfolio.totals'),
    columns,
    rows,
    call,
    id: 'portfolio',
  });
}

/** Those of both times, where the page compares. */
function currenciesOf({ totals, comparedTotals = [] }: Totals): readonly string[] {
  return [...new Set([...totals, ...comparedTotals].map(({ currency }) => currency))];
}

/** What is outstanding by the year in which it matures: a picture, and the table behind it. */
function ladderOf(
  currency: string,
  { data }: Totals,
  text: Text,
  call: Html | undefined,
  then: Was<Totals> | undefined,
): Html {
  const years = data
    .filter((group) => group.currency === currency)
    .sort((a, b) => ((a.value ?? '9999') < (b.value ?? '9999') ? -1 : 1));
  const bars = years.map(({ value, principalOutstanding }) => ({
    label: value ?? text.t('portfolio.noMaturity'),
    amount: principalOutstanding,
  }));
  const columns = [
    { label: text.t('portfolio.year') },
    { label: text.t('column.facilities'), numeric: true },
    ...amountColumns(text),
  ];
  const rows = years.map(
    (year) => html`
<tr><th scope="row">${year.value ?? text.t('portfolio.noMaturity')}</th>${sumCells(year, text, groupThen(year, then))}</tr>`,
  );
  const caption = text.t('portfolio.ladderCaption', { currency });
  const numbers = table({ caption, columns, rows, call, id: `ladder-${currency}` });
  const picture = barChart(bars, caption, text);
  if (picture === undefined) return numbers;
  return html`${picture}<details><summary>${text.t('chart.table')}</summary>${numbers}</details>`;
}

function groupLinks({ ctx, query }: Visit, by: Group, text: Text): Html {
  const links = GROUPS.map((group) => {
    const label = text.t(`group.${group}`);
    return group === by
      ? html`<li><span class="chosen">${label}</span></li>`
      : html`<li><a href="${`${sameWith(ctx.path, query, { by: group })}#by`}">${label}</a></li>`;
  });
  return html`<ul class="presets">${links}</ul>`;
}

/** The greatest groups of each currency, and what the others come to: together they are the total. */
function groupTable(
  visit: Visit,
  by: Group,
  groups: Totals,
  text: Text,
  call: Html | undefined,
  then: Was<Totals> | undefined,
): Html {
  const columns = [
    { label: text.t(`group.${by}`) },
    { label: text.t('column.currency') },
    { label: text.t('column.facilities'), numeric: true },
    ...amountColumns(text),
  ];
  const rows = groups.data.map(
    (group) => html`
<tr><th scope="row">${groupName(visit, by, group, text)}</th><td>${group.currency}</td>${sumCells(group, text, groupThen(group, then))}</tr>`,
  );
  const rest = groups.rest.map(
    (sum) => html`
<tr><th scope="row">${text.t('portfolio.rest')}</th><td>${sum.currency}</td>${sumCells(sum, text, groupThen(sum, then))}</tr>`,
  );
  const caption = text.t('portfolio.byCaption', { group: text.t(`group.${by}`) });
  return table({ caption, columns, rows: [...rows, ...rest], call, id: 'groups' });
}

const FILTER_OF: Readonly<Record<Group, string | undefined>> = {
  borrower: 'borrowerId',
  country: 'country',
  // Of facilities: the list of deals has no filter for the one, and filters by the deal’s status.
  facilityType: undefined,
  status: undefined,
  lender: 'lenderId',
};

/** A group without an item was not there then. */
function groupThen(group: GroupSum, then: Was<unknown> | undefined): Was<Sum> | undefined {
  const was = partThen<Sum>(group, then);
  return was?.before?.count === 0 ? { before: undefined } : was;
}

/** Leads to its deals, where the list can be filtered by it. */
function groupName({ query }: Visit, by: Group, { value, name, currency }: GroupTotal, text: Text) {
  if (value === null) return text.t('portfolio.none');
  const label = name ?? wordOf(by, value, text);
  const filter = FILTER_OF[by];
  if (filter === undefined) return label;
  return html`<a href="${pageAddress('/deals', query, { [filter]: value, currency })}">${label}</a>`;
}

import { type Html, html } from '@cls/shared/http/html';
import type { GroupSum, GroupTotal, Series, Sum, Totals } from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import { difference, isZero, sumOf } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { amountCell, countCell, figureCell, table, type Was } from './cells.ts';
import { partThen, wasOf } from './compare.ts';
import { type Figure, figures } from './figures.ts';
import { bars, MARKS_MAX, type Mark, steps } from './picture.ts';
import { sumsBeside } from './sums-then.ts';
import { dayAfter } from './time-presets.ts';
import type { Visit } from './visit.ts';

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

type SumName = (typeof AMOUNTS)[number];
/** What a picture of maturities shows, and what of it should be repaid already. */
const OF_LADDER: readonly SumName[] = ['principalOutstanding', 'pastDue'];

/** The number of items, and the amounts of a group. */
export function sumColumns(text: Text, names: readonly SumName[] = AMOUNTS) {
  const amounts = names.map((name) => ({ label: text.t(LABELS[name]), numeric: true }));
  return [{ label: text.t('column.facilities'), numeric: true }, ...amounts];
}

/** @param whole of which the outstanding principal is a part. */
export function sumCells(
  sum: Sum,
  text: Text,
  was?: Was<Sum>,
  whole?: string,
  names: readonly SumName[] = AMOUNTS,
): readonly Html[] {
  const amounts = names.map((name) => {
    const then = wasOf(was, (before) => before[name]);
    if (name === 'principalOutstanding') return amountCell(sum[name], text, then, whole);
    return figureCell(name, sum[name], text, then);
  });
  const count = wasOf(was, (before) => before.count);
  return [countCell(sum.count, text, count), ...amounts];
}

/** A row per currency: they are never added up. */
export function totalsTable(
  { totals }: Totals,
  caption: string,
  text: Text,
  then: Was<Totals> | undefined,
): Html {
  const was = wasOf(then, ({ comparedTotals }) => comparedTotals);
  const rows = sumsBeside(totals, was).map(
    (beside) => html`
<tr><th scope="row">${beside.sum.currency}</th>${sumCells(beside.sum, text, beside.was)}</tr>`,
  );
  const columns = [{ label: text.t('column.currency') }, ...sumColumns(text)];
  return table({ caption, columns, rows, id: 'portfolio' });
}

/** Those of both times, where the page compares; that of most facilities first. */
export function currenciesOf({ totals, comparedTotals = [] }: Totals): readonly string[] {
  const all = [...totals, ...comparedTotals].sort((a, b) => b.count - a.count);
  return [...new Set(all.map(({ currency }) => currency))];
}

/** Days from the date of the visit, in which what matures is told. */
export const SOON = [30, 90] as const;
/** The dates of such days, as filters. What matures on the date itself is past due from the next day on. */
export function maturing({ times }: Pick<Visit, 'times'>, days: number) {
  return { maturityFrom: times.asOf, maturityTo: dayAfter(times.asOf, days) };
}

/**
 * What matters of one currency, at a glance.
 *
 * @param soon what matures in each of `SOON`.
 * @param filters of the lists that the figures lead to; undefined: they lead nowhere.
 */
export function sumFigures(
  visit: Visit,
  { sum, was }: { sum: Sum; was?: Was<Sum> | undefined },
  soon: readonly Totals[],
  filters: Readonly<Record<string, string>> | undefined,
  text: Text,
): Html {
  const { currency } = sum;
  const to = (more: Readonly<Record<string, string>>) =>
    filters && pageAddress('/deals', visit.query, { ...filters, currency, ...more });
  const all: Figure[] = [
    {
      label: text.t('column.outstanding'),
      amount: sum.principalOutstanding,
      href: to({ sort: '-outstanding' }),
      was: wasOf(was, ({ principalOutstanding }) => principalOutstanding),
    },
    {
      label: text.t('column.unfunded'),
      amount: sum.unfunded ?? null,
      href: to({ sort: '-available' }),
      note: text.t('figure.available', { amount: text.short(sum.available) }),
      was: wasOf(was, ({ unfunded }) => unfunded),
    },
    {
      label: text.t('column.pastDue'),
      amount: sum.pastDue,
      href: to({ pastDue: 'true' }),
      note: text.t('figure.pastDue'),
      was: wasOf(was, ({ pastDue }) => pastDue),
      isAlarming: true,
      isGrowing: true,
    },
    ...soon.flatMap(({ totals }, at): readonly Figure[] => {
      const days = SOON[at] ?? 0;
      const own = totals.find((one) => one.currency === currency);
      const zero = difference(sum.principalOutstanding, sum.principalOutstanding);
      return [
        {
          label: text.t('figure.maturing', { days }),
          amount: own?.principalOutstanding ?? zero,
          href: to({ ...maturing(visit, days), sort: 'maturityDate' }),
          note: text.t('figure.facilities', { count: text.number(own?.count ?? 0) }),
        },
      ];
    }),
  ];
  return figures(currency, all, text);
}

const COLUMNS = 8;

/** What is outstanding by the year in which it matures: a picture, and the table behind it. */
export function ladderOf(
  visit: Visit,
  currency: string,
  { data }: Totals,
  filters: Readonly<Record<string, string>> | undefined,
  text: Text,
  then: Was<Totals> | undefined,
): Html {
  const years = data
    .filter((group) => group.currency === currency)
    .sort((a, b) => ((a.value ?? '9999') < (b.value ?? '9999') ? -1 : 1));
  const columns = [{ label: text.t('portfolio.year') }, ...sumColumns(text, OF_LADDER)];
  const rows = years.map(
    (year) => html`
<tr><th scope="row">${year.value ?? text.t('portfolio.noMaturity')}</th>${sumCells(year, text, groupThen(year, then), undefined, OF_LADDER)}</tr>`,
  );
  const caption = text.t('portfolio.ladderCaption', { currency });
  const numbers = table({ caption, columns, rows, id: `ladder-${currency}` });
  const picture = bars(barsOf(visit, currency, years, filters, text), caption, text);
  if (picture === undefined) return numbers;
  return html`<div class="pictured">${picture}<details><summary>${text.t('chart.table')}</summary>${numbers}</details></div>`;
}

/** Years that stand for one column, so that a few columns reach the last maturity. */
const SPANS = [1, 2, 5, 10];

/** What should be repaid already, and the years to come, as many to a column as it takes. */
function barsOf(
  visit: Visit,
  currency: string,
  years: readonly GroupTotal[],
  filters: Readonly<Record<string, string>> | undefined,
  text: Text,
) {
  const now = new Date(`${visit.times.asOf}T00:00:00Z`).getUTCFullYear();
  const isWithin = ({ value }: GroupTotal, end: number) => value === null || value < `${end}`;
  const span =
    SPANS.find((one) => years.every((year) => isWithin(year, now + COLUMNS * one))) ?? 20;
  const column = (label: string, from: string, end: string, href: string | undefined): Mark => {
    const own = years.filter(({ value }) => value !== null && value >= from && value < end);
    const amount = sumOf(own.map((year) => year.principalOutstanding)) ?? '0';
    return { label, amount, href };
  };
  const to = (dates: Readonly<Record<string, string>>) =>
    filters && pageAddress('/deals', visit.query, { ...filters, currency, ...dates });
  const next = Array.from({ length: COLUMNS }, (_, at) => {
    const [from, end] = [now + at * span, now + (at + 1) * span];
    const label = span === 1 ? `${from}` : `${from}–${`${end - 1}`.slice(2)}`;
    const dates = { maturityFrom: `${from}-01-01`, maturityTo: `${end - 1}-12-31` };
    return column(label, `${from}`, `${end}`, to(dates));
  });
  const before = to({ maturityTo: `${now - 1}-12-31` });
  const undated = years.filter(({ value }) => value === null);
  return [
    column(text.t('portfolio.earlier'), '', `${now}`, before),
    ...next,
    ...undated.map(({ principalOutstanding: amount }) => ({
      ...{ label: text.t('portfolio.noMaturity'), amount },
    })),
  ];
}

/** The course of what was outstanding, by the last intervals; each leads to its day. */
export function courseOf(visit: Visit, currency: string, { data }: Series, text: Text) {
  const all = data.filter((point) => point.currency === currency);
  const begins = all.findIndex(({ opening, closing }) => !isZero(opening) || !isZero(closing));
  const points = all.slice(Math.max(begins, 0)).slice(-MARKS_MAX);
  if (points.length < 2) return undefined;
  const what = text.t('portfolio.course', { currency });
  const columns = [
    { label: text.t('series.until') },
    { label: text.t('column.outstanding'), numeric: true },
  ];
  const rows = points.map(
    ({ date, closing }) => html`
<tr><th scope="row">${text.date(date)}</th>${amountCell(closing, text)}</tr>`,
  );
  const marks = points.map(({ date, closing }) => ({
    label: date,
    amount: closing,
    href: sameWith(visit.ctx.path, visit.query, { asOf: date }),
  }));
  return html`<div class="pictured">${steps(marks, what, text)}<details><summary>${text.t('chart.table')}</summary>${table({ caption: what, columns, rows, id: `course-${currency}` })}</details></div>`;
}

/** A group without an item was not there then. */
export function groupThen(group: GroupSum, then: Was<unknown> | undefined): Was<Sum> | undefined {
  const was = partThen<Sum>(group, then);
  return was?.before?.count === 0 ? { before: undefined } : was;
}

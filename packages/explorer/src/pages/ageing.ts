import { type Html, html } from '@cls/shared/http/html';
import type { GroupTotal, Sum, Totals } from '../balances/shapes.ts';
import { pageAddress } from '../web/address.ts';
import { difference } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { amountCell, countCell, figureCell, table, type Was, wordOf } from './cells.ts';
import { wasOf } from './compare.ts';
import { groupThen } from './exposure.ts';
import { bars } from './picture.ts';
import type { Visit } from './visit.ts';

/** Ranges of the days past due, as the API names them. */
export const AGES = ['0', '1-30', '31-60', '61-90', 'over-90'] as const;

/**
 * For how long something of one currency is past due: a picture, and the table behind it. Undefined where
 * nothing is, and nothing was.
 *
 * @param ages totals of all items, grouped by days past due.
 * @param filters of the lists that the ranges lead to; undefined: they lead nowhere.
 */
export function ageingOf(
  visit: Visit,
  currency: string,
  ages: Totals,
  filters: Readonly<Record<string, string>> | undefined,
  text: Text,
  then: Was<Totals> | undefined,
): Html | undefined {
  const own = (one: Sum) => one.currency === currency;
  const groups = AGES.flatMap((age) =>
    ages.data.filter((group) => own(group) && group.value === age),
  );
  if (groups.every(({ value }) => value === '0')) return undefined;
  const to = ({ value }: GroupTotal) =>
    filters &&
    pageAddress('/deals', visit.query, { ...filters, currency, daysPastDue: value ?? '' });
  const name = ({ value }: GroupTotal) => wordOf('daysPastDue', value ?? '', text);
  const [zero = '0'] = groups.map(({ principalOutstanding: any }) => difference(any, any));
  const marks = AGES.slice(1).map((age) => {
    const group = groups.find(({ value }) => value === age);
    const label = wordOf('daysPastDue', age, text);
    return { label, amount: group?.pastDue ?? zero, href: group && to(group) };
  });
  const row = (head: Html, sum: Sum, was: Was<Sum> | undefined) => {
    const count = wasOf(was, (before) => before.count);
    const pastDue = wasOf(was, (before) => before.pastDue);
    const principal = wasOf(was, (before) => before.principalOutstanding);
    return html`
<tr><th scope="row">${head}</th>${countCell(sum.count, text, count)}${figureCell('pastDue', sum.pastDue, text, pastDue)}${amountCell(sum.principalOutstanding, text, principal)}</tr>`;
  };
  const rows = groups.map((group) => {
    const href = to(group);
    const head =
      href === undefined ? html`${name(group)}` : html`<a href="${href}">${name(group)}</a>`;
    return row(head, group, groupThen(group, then));
  });
  const foot = ages.totals.filter(own).map((sum) => {
    const was = wasOf(then, ({ comparedTotals = [] }) => comparedTotals.find(own));
    return row(html`${text.t('totals.title')}`, sum, was);
  });
  const columns = [
    { label: text.t('filter.daysPastDue') },
    { label: text.t(filters === undefined ? 'column.facilities' : 'column.count'), numeric: true },
    { label: text.t('column.pastDue'), numeric: true },
    { label: text.t('column.outstanding'), numeric: true },
  ];
  const caption = text.t('ageing.caption', { currency });
  const numbers = table({ caption, columns, rows, foot, id: `ageing-${currency}` });
  const isKnown = groups.every(({ pastDue }) => pastDue !== null);
  const picture = isKnown ? bars(marks, caption, text) : undefined;
  return html`<div class="pictures">${picture !== undefined && html`<div class="pictured">${picture}</div>`}${numbers}</div>`;
}

import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import type { BalanceItem, Terms } from '../balances/shapes.ts';
import { difference, isNegative, isZero, MINUS, readableAmount } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { shareBar } from './picture.ts';
import { dayAfter } from './time-presets.ts';

type Amount = string | null | undefined;

/** What something was at the other time of a comparison; `before` is undefined where it was not there. */
export interface Was<T> {
  readonly before: T | undefined;
}

/**
 * An amount in a table: every digit of the API's, right-aligned; negative is said to a reader too.
 *
 * @param was where the page compares: below an amount that was another one stand that, and the difference.
 * @param whole a bar shows how much of this the amount is.
 */
export function amountCell(
  amount: Amount,
  text: Text,
  was?: Was<string | null>,
  whole?: string,
): Html {
  const bar = whole !== undefined && amount != null && shareBar(amount, whole);
  return html`<td>${amountText(amount, text)}${bar}${beforeText(amount, text, was)}</td>`;
}

/** The amounts that grow with the days: after the last date with data they are projected. */
const GROWING = ['pastDue', 'interestAccrued', 'pikAccrued', 'feesAccrued', 'totalOutstanding'];

/** A named amount in a table, marked where it is projected. */
export function figureCell(
  name: string,
  amount: Amount,
  text: Text,
  was?: Was<string | null>,
): Html {
  return markedCell(amount, GROWING.includes(name), text, was);
}

/** What accrued until a day, which does not count: projected where days after the data do. */
export function accruedCell(amount: string, end: string, text: Text): Html {
  const { projectedAfter } = text;
  return markedCell(
    amount,
    projectedAfter !== undefined && end > dayAfter(projectedAfter, 1),
    text,
  );
}

function markedCell(amount: Amount, grows: boolean, text: Text, was?: Was<string | null>): Html {
  const isMarked = grows && amount != null && !isZero(amount);
  return html`<td>${amountText(amount, text)}${isMarked && projectedMark(text)}${beforeText(amount, text, was)}</td>`;
}

export function projectedMark(text: Text): Html | undefined {
  return text.projectedAfter === undefined
    ? undefined
    : html` <small class="tag">${text.t('mark.projected')}</small>`;
}

/** What an amount was, and the difference; nothing where it is the same, or the page compares nothing. */
export function beforeText(amount: Amount, text: Text, was: Was<string | null> | undefined) {
  if (was === undefined || amount === undefined) return undefined;
  const { before: then } = was;
  if (then === undefined) return html`<small>${text.t('compare.notThere')}</small>`;
  if (then === amount) return undefined;
  const shown = html`<small>${text.t('compare.before')} ${amountText(then, text)}</small>`;
  // Of what is not summed at one of the times there is no difference.
  if (amount === null || then === null) return shown;
  const change = difference(then, amount);
  return html`${shown}<b>Δ ${!isNegative(change) && '+'}${readableAmount(change, text.locale)}</b>`;
}

/** A count in a table, compared as amounts are. */
export function countCell(count: number, text: Text, was?: Was<number>): Html {
  const shown = (value: number) => (value < 0 ? MINUS : '') + text.number(Math.abs(value));
  if (was === undefined || was.before === count) return html`<td>${text.number(count)}</td>`;
  const { before: then } = was;
  const change = count - (then ?? 0);
  const below =
    then === undefined
      ? html`<small>${text.t('compare.notThere')}</small>`
      : html`<small>${text.t('compare.before')} ${text.number(then)}</small><b>Δ ${change > 0 && '+'}${shown(change)}</b>`;
  return html`<td>${text.number(count)}${below}</td>`;
}

export function amountText(amount: Amount, text: Text): Html {
  if (amount === undefined) return html``;
  if (amount === null) return html`<span class="none">${text.t('amount.notSummed')}</span>`;
  const shown = readableAmount(amount, text.locale);
  if (!isNegative(amount)) return html`${shown}`;
  return html`<span class="negative"><span class="unseen">${text.t('amount.negative')} </span>${shown}</span>`;
}

/** A date or an instant: on one line. */
export function dateCell(shown: HtmlValue): Html {
  return html`<td class="d">${shown}</td>`;
}

/** An instant, in UTC; the page's script shows it in the reader's own time, and UTC where it is pointed at. */
export function instantText(instant: string, text: Text): Html {
  return html`<time datetime="${instant}">${text.dateTime(instant)}</time>`;
}

export interface Column {
  readonly label: string;
  readonly numeric?: boolean;
  /** Sorting by it; absent where the API cannot. */
  readonly sort?: { readonly href: string; readonly order: 'ascending' | 'descending' | undefined };
}

export interface Table {
  readonly caption: string;
  /** The heading above says the same: the caption is for readers who hear it. */
  readonly underHeading?: true;
  readonly columns: readonly Column[];
  /** Rows of cells, made with `html`. */
  readonly rows: HtmlValue;
  readonly foot?: HtmlValue;
  /** Rows of totals below the names of the columns: both stay in sight. */
  readonly head?: HtmlValue;
  /** As long as it may be: it scrolls within itself, and on a phone each row is a card. */
  readonly isList?: true;
  /** Names the region that scrolls to the side. */
  readonly id: string;
}

/** What a list is known by, and its columns. */
export type ListHead = Pick<Table, 'id' | 'columns'>;

const FEW_COLUMNS = 4;
const MANY_COLUMNS = 8;

/** A table that scrolls within itself on a narrow screen, and not the page. */
export function table(spec: Table): Html {
  const { caption, underHeading, columns, rows, foot, head, isList, id } = spec;
  const heads = columns.map(({ label, numeric, sort }) => {
    const order = sort?.order;
    return html`<th scope="col"${numeric && html` class="n"`}${order !== undefined && html` aria-sort="${order}"`}>${
      sort === undefined
        ? label
        : html`<a href="${sort.href}">${label}${order !== undefined && html` <span aria-hidden="true">${order === 'ascending' ? '▲' : '▼'}</span>`}</a>`
    }</th>`;
  });
  const few = columns.length <= FEW_COLUMNS && html` slim`;
  const many = columns.length >= MANY_COLUMNS && html` wide`;
  const said = underHeading ? html`<span class="unseen">${caption}</span>` : caption;
  return html`<div class="scroll${few}${many}${isList && ' list'}" role="region" tabindex="0" aria-labelledby="${id}"><table${numbersIn(columns)}>
<caption id="${id}">${said}</caption>
<thead><tr>${heads}</tr>${head}</thead>
<tbody>${rows}</tbody>${foot !== undefined && html`\n<tfoot>${foot}</tfoot>`}
</table></div>`;
}

/** Which columns are numbers, where not all are that follow the first: said once, for cells are many. */
function numbersIn(columns: readonly Column[]): Html {
  const [, ...others] = columns;
  if (others.every(({ numeric }) => numeric)) return html` class="n"`;
  const names = columns.flatMap(({ numeric }, at) => (numeric ? [`n${at + 1}`] : []));
  return html` class="${names.join(' ')}"`;
}

/**
 * The name of its column beside each cell of a list, where a row is a card: rules of the page, which
 * say each name once. The style sheet shows them.
 */
export function labelsOf(lists: readonly ListHead[]): string {
  return lists
    .flatMap(({ id, columns }) =>
      columns.slice(1).map(({ label }, at) => {
        return `#${id}~* td:nth-child(${at + 2}){--label:${cssString(label)}}`;
      }),
    )
    .join('');
}

/** Neither ends the string, nor the element that the rule stands in. */
function cssString(text: string): string {
  const safe = text.replace(/[^\p{L}\p{N} ]/gu, (one) => `\\${one.codePointAt(0)?.toString(16)} `);
  return `"${safe}"`;
}

/** Pairs of a name and a value; those without a value are left out. */
export function facts(pairs: readonly (readonly [string, HtmlValue])[]): Html {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== '');
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A name of global amounts: it says so to a reader who has a share of its own. */
export function globalName(name: string, share: object | null, text: Text): string {
  return share === null ? name : text.t('deal.globalOf', { name });
}

/** A word of the API (`term_loan`) in the reader's language, where there is one. */
export function wordOf(kind: string, value: string, text: Text): string {
  const key = `${kind}.${value}`;
  return text.has(key) ? text.t(key) : value.replaceAll('_', ' ');
}

type Marked = Pick<BalanceItem, 'provenance' | 'warnings' | 'global'>;

/**
 * What is remarkable about an item: a word each.
 *
 * @param restated to what was reported before
 * @param currency where items of several stand together
 */
export function marks(
  { provenance, warnings, global: { principal } }: Marked,
  text: Text,
  restated?: string,
  currency?: string,
): Html {
  const word = text.t('mark.restated');
  const words = [
    ...(provenance.restated
      ? [restated === undefined ? word : html`<a href="${restated}">${word}</a>`]
      : []),
    ...warnings.map((warning) =>
      warning === 'past_maturity' && !isZero(principal.exchangeAdjustment)
        ? text.t('warning.past_maturity_adjusted', {
            adjustment: text.short(principal.exchangeAdjustment),
            obligation: text.short(principal.obligation),
          })
        : wordOf('warning', warning, text),
    ),
  ];
  return html`${words.map((one) => html` <span class="tag">${one}${currency !== undefined && ` (${currency})`}</span>`)}`;
}

/** The rate that a statement states for a loan. Some write 0 for a loan of several rates, so 0 is not shown. */
export function statedRate(terms: Terms | undefined): string | undefined {
  const rate = terms?.allInRate ?? '0';
  return isZero(rate) ? undefined : rate;
}

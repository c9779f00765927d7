import { type Html, html } from '@cls/shared/http/html';
import { rollup } from 'd3-array';
import type { BalanceItem, Line } from '../balances/shapes.ts';
import { type Changes, pageAddress, sameWith } from '../web/address.ts';
import { difference, isNegative, roundedPercent } from '../web/amounts.ts';
import { countryName } from '../web/countries.ts';
import type { MessageKey, Text } from '../web/text.ts';
import {
  amountCell,
  type Column,
  dateCell,
  figureCell,
  instantText,
  marks,
  projectedMark,
  statedRate,
  type Was,
  wordOf,
} from './cells.ts';
import { wasOf } from './compare.ts';
import { ownShare } from './deal.ts';
import { listsOfDeals, type PageDeps } from './show.ts';
import type { Visit } from './visit.ts';

type Before = Was<BalanceItem> | undefined;

/** What a cell needs beside its item. */
interface Beside {
  readonly query: URLSearchParams;
  readonly terms: TermsOfDeals | undefined;
}

export interface DealColumn {
  readonly label: MessageKey;
  readonly numeric?: true;
  /** What the API calls it when it sorts; absent where the API does not sort by it. */
  readonly sort?: string;
  /** Among those that a list without a choice has. */
  readonly usual?: true;
  /** What the totals have in this column. */
  readonly total?:
    | 'currency'
    | 'principalOutstanding'
    | 'unfunded'
    | 'interestAccrued'
    | 'feesAccrued';
  readonly cell: (item: BalanceItem, was: Before, text: Text, beside: Beside) => Html;
}

/** What stands on the loans of deals, by deal and currency. */
export type TermsOfDeals = ReadonlyMap<string, TermsOfDeal>;
interface TermsOfDeal {
  /** The next one; of a deal past all of them the last. */
  readonly maturity: string | undefined;
  /** Decimal fractions, the lowest first. */
  readonly rates: readonly string[];
}

export function keyOf({ deal, currency }: Pick<BalanceItem, 'deal' | 'currency'>): string {
  return `${deal.id} ${currency}`;
}

/** The columns that need what stands on the facilities or contracts of the deals, with what they ask. */
const OF_LOANS: Readonly<Record<string, Changes>> = {
  maturity: { level: 'facility', fields: ['deal.id', 'facility.maturityDate'] },
  rate: { level: 'contract', expand: 'terms' },
};

/** What the columns tell of the loans of a page’s deals; undefined where no column needs it. */
export async function readTerms(
  deps: PageDeps,
  visit: Visit,
  items: readonly BalanceItem[],
): Promise<TermsOfDeals | undefined> {
  const names = chosenNames(visit);
  const asked = Object.entries(OF_LOANS).filter(([name]) => names.includes(name));
  if (items.length === 0 || asked.length === 0) return undefined;
  const includeZero = visit.query.get('includeZero') ?? undefined;
  const lists = await Promise.all(
    asked.map(([, more]) =>
      listsOfDeals<BalanceItem>(deps, visit, items, {
        path: '/balances',
        question: { ...more, includeZero, include: 'none' },
        atOnce: FILTER_VALUES_MAX,
      }),
    ),
  );
  const loans = lists.flat().flatMap(({ data }) => data);
  return rollup(loans, (some) => termsIn(some, visit), keyOf);
}

/** As many as the API takes of a filter. */
const FILTER_VALUES_MAX = 100;

function termsIn(loans: readonly BalanceItem[], { times }: Visit): TermsOfDeal {
  const days = loans
    .flatMap(({ contract, facility }) => (contract == null && facility?.maturityDate) || [])
    .sort();
  const rates = loans.flatMap(({ terms }) => terms?.rate?.allIn ?? statedRate(terms) ?? []);
  return {
    maturity: days.find((day) => day >= times.asOf) ?? days.at(-1),
    rates: rates.sort((a, b) => (isNegative(difference(a, b)) ? 1 : -1)),
  };
}

function amount(name: string, of: (line: Line) => string) {
  return {
    numeric: true,
    cell: (item: BalanceItem, was: Before, text: Text) =>
      figureCell(
        name,
        of(item.global),
        text,
        wasOf(was, ({ global }) => of(global)),
      ),
  } as const;
}

/** What a list of deals can show of each, in this order; the deal and its currency are always there. */
const COLUMNS: Readonly<Record<string, DealColumn>> = {
  borrower: {
    label: 'column.borrower',
    sort: 'borrower',
    usual: true,
    cell: ({ borrower }, _, text, { query }) =>
      html`<td><a href="${pageAddress(`/borrowers/${borrower.id}`, query)}">${borrower.name}</a> <small>${countryName(borrower.country, text.locale)}</small></td>`,
  },
  currency: {
    total: 'currency',
    label: 'column.currencyShort',
    usual: true,
    cell: ({ currency }) => html`<td>${currency}</td>`,
  },
  own: {
    label: 'column.ownOutstanding',
    numeric: true,
    usual: true,
    cell: ({ share }, was, text) => {
      const then = wasOf(wasOf(was, ownShare), ({ principal }) => principal.outstanding);
      return amountCell(share?.principal.outstanding, text, then);
    },
  },
  outstanding: {
    total: 'principalOutstanding',
    label: 'column.outstanding',
    sort: 'outstanding',
    usual: true,
    ...amount('outstanding', ({ principal }) => principal.outstanding),
  },
  commitment: {
    label: 'column.commitment',
    sort: 'commitment',
    usual: true,
    ...amount('commitment', ({ commitment }) => commitment.current),
  },
  unfunded: {
    total: 'unfunded',
    label: 'column.unfunded',
    sort: 'unfunded',
    ...amount('unfunded', ({ commitment }) => commitment.unfunded),
  },
  available: {
    label: 'column.available',
    sort: 'available',
    usual: true,
    ...amount('available', ({ commitment }) => commitment.available),
  },
  letterOfCredit: {
    label: 'column.letterOfCredit',
    ...amount('letterOfCredit', ({ commitment }) => commitment.letterOfCredit),
  },
  pastDue: {
    label: 'column.pastDue',
    sort: 'pastDue',
    usual: true,
    ...amount('pastDue', ({ total }) => total.pastDue),
  },
  interestAccrued: {
    total: 'interestAccrued',
    label: 'column.interestAccrued',
    sort: 'interestAccrued',
    usual: true,
    ...amount('interestAccrued', ({ interest }) => interest.accrued),
  },
  interestDue: {
    label: 'column.interestDue',
    ...amount('interestDue', ({ interest }) => interest.due),
  },
  feesAccrued: {
    total: 'feesAccrued',
    label: 'column.feesAccrued',
    ...amount('feesAccrued', ({ fees }) => fees.accrued),
  },
  feesDue: { label: 'column.feesDue', ...amount('feesDue', ({ fees }) => fees.due) },
  totalOutstanding: {
    label: 'column.totalOutstanding',
    ...amount('totalOutstanding', ({ total }) => total.outstanding),
  },
  maturity: {
    label: 'column.maturity',
    sort: 'maturityDate',
    usual: true,
    cell: (item, _, text, { terms }) => {
      const day = terms?.get(keyOf(item))?.maturity;
      return dateCell(day !== undefined && text.date(day));
    },
  },
  rate: {
    label: 'column.rate',
    cell: (item, _, text, { terms }) => {
      const rates = terms?.get(keyOf(item))?.rates ?? [];
      const ends = [...new Set([rates[0], rates.at(-1)])].flatMap((rate) => rate ?? []);
      return html`<td class="d">${ends.map((rate) => roundedPercent(rate, text.locale)).join(' – ')}</td>`;
    },
  },
  posted: {
    label: 'column.posted',
    sort: 'lastPostedAt',
    cell: ({ provenance: { lastPostedAt } }, _, text) =>
      dateCell(lastPostedAt !== null && instantText(lastPostedAt, text)),
  },
  status: {
    label: 'column.status',
    usual: true,
    cell: (item, _, text) =>
      html`<td>${wordOf('status', item.status.deal, text)}${days(item, text)}${marks(item, text)}</td>`,
  },
};
/** Amounts say nothing without their currency; a lender always sees its own share. */
const ALWAYS = ['currency', 'own'];

function days({ status: { daysPastDue = 0 } }: BalanceItem, text: Text) {
  return (
    daysPastDue > 0 &&
    html` · ${text.t('deals.daysPastDue', { days: text.number(daysPastDue) })}${projectedMark(text)}`
  );
}

/** The columns that the address names, or the usual ones. */
function chosenNames({ query }: Visit): readonly string[] {
  const asked = query.getAll('column').filter((name) => Object.hasOwn(COLUMNS, name));
  return Object.keys(COLUMNS).filter((name) =>
    asked.length === 0 ? COLUMNS[name]?.usual : asked.includes(name) || ALWAYS.includes(name),
  );
}

/** Whose share an item has: of a list of one lender's deals it is that lender's, whoever reads it. */
export function shareLabel(isOfLender: boolean): MessageKey {
  return isOfLender ? 'column.lenderOutstanding' : 'column.ownOutstanding';
}

/** @param withOwn whether the reader has a share in one of the items. */
export function chosenColumns(visit: Visit, withOwn: boolean): readonly DealColumn[] {
  const names = chosenNames(visit).filter((name) => withOwn || name !== 'own');
  return names.flatMap((name): readonly DealColumn[] => {
    const column = COLUMNS[name];
    if (column === undefined) return [];
    return name === 'own'
      ? [{ ...column, label: shareLabel(visit.query.has('lenderId')) }]
      : [column];
  });
}

export function columnHead(visit: Visit, { label, numeric, sort }: DealColumn, text: Text): Column {
  return {
    label: text.t(label),
    ...(numeric ? { numeric } : {}),
    ...(sort === undefined ? {} : { sort: sortLink(visit, sort) }),
  };
}

/** Another click turns the order round. */
export function sortLink({ ctx, query }: Visit, name: string): NonNullable<Column['sort']> {
  const now = query.get('sort') ?? '';
  const order = now === name ? 'ascending' : now === `-${name}` ? 'descending' : undefined;
  const next = order === 'ascending' ? `-${name}` : name;
  return { href: sameWith(ctx.path, query, { sort: next, cursor: undefined }), order };
}

/** Which columns the list has; the choice is part of the address. */
export function columnsForm(visit: Visit, text: Text): Html {
  const { ctx, query } = visit;
  const chosen = chosenNames(visit);
  const kept = [...query].filter(([name]) => !['column', 'lang'].includes(name));
  const hidden = kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const boxes = Object.entries(COLUMNS)
    .filter(([name]) => !ALWAYS.includes(name))
    .map(
      ([name, { label }]) =>
        html`<label class="check"><input type="checkbox" name="column" value="${name}"${chosen.includes(name) && html` checked`}> ${text.t(label)}</label>`,
    );
  const usual = sameWith(ctx.path, query, { column: undefined });
  return html`<details class="menu"><summary>${text.t('columns.title')}</summary><div class="panel">
<form method="get" action="${ctx.path}">${hidden}${boxes}
<button class="button">${text.t('time.show')}</button>${query.has('column') && html` <a href="${usual}">${text.t('columns.usual')}</a>`}</form></div></details>`;
}

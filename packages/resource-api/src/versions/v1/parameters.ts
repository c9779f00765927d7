import { DATES_RANGE } from '../../ledger/business-date.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { FACILITY_TYPES } from '../../ledger/facility-type.ts';
import { INTERVALS } from '../../ledger/interval.ts';
import { AMOUNT_MAX_MINOR } from '../../ledger/money.ts';
import {
  FACETS,
  GROUPINGS,
  type Grouping,
  LEVELS,
  type Level,
  PAST_DUE_AGES,
  SORTS,
} from '../../questions/ask/balance-store.ts';
import type { FilterName } from '../../questions/ask/filters.ts';
import { EXTERNAL_ID } from '../../questions/ask/filters.ts';
import { EXPANSIONS, type Expansion } from '../../questions/page/read-balances.ts';
import type { ParameterRule } from '../parameter-rule.ts';
import type { Endpoint } from './query.ts';

export const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;
/** How many values a parameter takes that takes several. */
export const VALUES_MAX = 100;
/** Of a series of principal. */
export const SERIES_INTERVALS = [...INTERVALS, 'event'] as const;
/** How many groups are told one by one. */
export const TOP_DEFAULT = 100;
const CURSOR_MAX_CHARS = 16_384;
const STATUSES = ['pending', 'active', 'matured', 'terminated', 'repaid', 'written_off'];

export const DEFAULT_LEVEL = {
  balances: 'facility',
  principal: 'contract',
  movements: 'contract',
  balance: 'facility',
  deal: 'deal',
  me: 'deal',
  totals: 'facility',
  series: 'contract',
  facets: 'facility',
} as const satisfies Readonly<Record<Endpoint, Level>>;

const oneOf = (values: readonly string[]) => ({
  schema: { type: 'string', enum: values },
  expected: `one of ${values.join(', ')}`,
});
const id = (prefix: string, noun: string) =>
  ({
    many: true,
    schema: { type: 'string', pattern: `^(?:${prefix}_[0-9A-Z]{26}|${EXTERNAL_ID})$` },
    expected: `${noun} id, ${prefix}_… or ext:SOURCE:ID`,
  }) as const;
const flag = { schema: { type: 'boolean', default: false }, expected: 'true or false' } as const;
const day = {
  schema: { type: 'string', format: 'date' },
  expected: 'a date as YYYY-MM-DD',
  hint: (value: string) => (/^00\d\d-\d\d-\d\d$/.test(value) ? `, ${DATES_RANGE}` : ''),
  code: 'invalid_date',
} as const;
const instant = {
  schema: { type: 'string', format: 'date-time' },
  expected: 'an instant as 2025-04-01T00:00:00Z',
  code: 'invalid_instant',
} as const;
const amount = {
  schema: { type: 'string', pattern: '^-?\\d{1,18}(\\.\\d{1,30})?$' },
  expected: `a plain decimal such as 1000.00, with no more decimals than its currency has, of at most ${AMOUNT_MAX_MINOR} minor units`,
} as const;
const currency = {
  schema: { type: 'string', pattern: '^[A-Z]{3}$' },
  accepts: (value: string) => minorUnitDigits(value) !== undefined,
  expected: 'an ISO 4217 code such as USD',
};

/** Two letters or digits together, accents aside, and nothing that no keyboard has. */
function isSearch(value: string): boolean {
  const plain = value.normalize('NFKD').replace(/\p{M}/gu, '');
  return /[\p{L}\p{N}]{2}/u.test(plain) && !/\p{C}/u.test(value);
}

/** Every parameter: what the reader refuses by, and what the contract says. */
export const PARAMETERS = {
  dealId: { ...id('deal', 'a deal'), description: 'Only what belongs to these deals.' },
  facilityId: { ...id('fac', 'a facility'), description: 'Only what belongs to these facilities.' },
  contractId: { ...id('ctr', 'a contract'), description: 'Only these loan contracts.' },
  borrowerId: { ...id('pty', 'a party'), description: 'Only the loans of these borrowers.' },
  lenderId: {
    ...id('pty', 'a party'),
    description:
      'Only what these lenders have a share of. With one of them, `share` is that lender’s.',
  },
  currency: { ...currency, many: true, description: 'Only what is owed in these currencies.' },
  country: {
    many: true,
    schema: { type: 'string', pattern: '^[A-Z0-9]{2}$' },
    expected: 'a two-character country code such as IN',
    description: 'Only deals of these countries, as `borrower.country` shows them.',
  },
  facilityType: {
    ...oneOf(FACILITY_TYPES),
    many: true,
    description: 'Only facilities of these types.',
  },
  status: {
    ...oneOf(STATUSES),
    many: true,
    description: 'Only items that have this status themselves, at the date.',
  },
  includeZero: {
    ...flag,
    description: 'Also list items that owe nothing and on which nothing can be drawn.',
  },
  minOutstanding: {
    ...amount,
    description:
      'Only items with at least this outstanding principal; needs exactly one `currency`.',
  },
  maxOutstanding: {
    ...amount,
    description:
      'Only items with at most this outstanding principal; needs exactly one `currency`.',
  },
  q: {
    schema: { type: 'string', maxLength: 100 },
    accepts: isSearch,
    expected: 'at most 100 characters with a word of two letters or digits or more',
    description:
      'Words that begin words of the names: of deal, borrower and facility, and external ids.',
  },
  maturityFrom: { ...day, description: 'First date on which an item may mature, inclusive.' },
  maturityTo: { ...day, description: 'Last date on which an item may mature, inclusive.' },
  pastDue: {
    ...flag,
    description: 'Only items of which something is past due; of a position, to its lender.',
  },
  daysPastDue: {
    ...oneOf(PAST_DUE_AGES),
    many: true,
    description: 'Only items whose `status.daysPastDue` is in one of these ranges.',
  },
  restated: {
    ...flag,
    description: 'Only items whose `provenance.restated` is true.',
  },
  updatedSince: {
    ...instant,
    description:
      'Only what differs from an earlier answer: its `meta.knownAt`. For keeping a copy.',
  },
  sinceAsOf: {
    ...day,
    description: 'The `meta.asOf` of that earlier answer; with `updatedSince`.',
  },
  asOf: {
    ...day,
    description:
      'The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for.',
  },
  knownAt: {
    ...instant,
    description:
      'Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now.',
  },
  compareAsOf: {
    ...day,
    description:
      'Each item, or group, and the totals are compared with this date. Without it, where `compareKnownAt` is given, with the date of the balances.',
  },
  compareKnownAt: {
    ...instant,
    description:
      'Each item, or group, and the totals are compared with what was known then. Without it, where `compareAsOf` is given, with what the answer knows.',
  },
  fromDate: {
    ...day,
    description: 'The first day of the period. Without it, the period begins with the loan.',
  },
  toDate: {
    ...day,
    description: 'The last day of the period: another word for `asOf`. Give one of them.',
  },
  level: {
    ...oneOf(LEVELS),
    description: 'What an item is a balance of: the finer, the more items.',
  },
  sort: {
    schema: { type: 'string', enum: SORTS.flatMap((name) => [name, `-${name}`]) },
    expected: `one of ${SORTS.join(', ')}, or with - before it`,
    description:
      'Order of the items; descending with `-` before the name. Amounts are sorted within a currency, and currencies come in the order of their codes.',
  },
  fields: {
    many: true,
    schema: { type: 'string', pattern: '^[a-zA-Z]+(\\.[a-zA-Z]+)*$' },
    expected: 'a path such as global.principal.outstanding',
    description:
      'Only these fields of each item, by path; `object`, `id` and `currency` are always there.',
  },
  expand: {
    ...oneOf(EXPANSIONS),
    many: true,
    description:
      'What is added to each item: how accrued amounts come about, its loan contracts, its movements, its interest rates.',
  },
  include: {
    schema: { type: 'string', enum: ['totals', 'none'] },
    expected: 'totals or none',
    description:
      'Whether totals over the whole filter come with the page. Without it, they come where they cost little.',
  },
  reportingCurrency: {
    ...currency,
    description: 'Adds the main amounts in this currency, and the rate that was taken.',
  },
  fxDate: {
    ...day,
    description:
      'The day of the exchange rate; with `reportingCurrency`. Without it, the date of the balances.',
  },
  groupBy: {
    ...oneOf(GROUPINGS),
    description:
      'What items are grouped by, beside the currency; `lender` at level position alone.',
  },
  interval: {
    schema: { type: 'string', enum: SERIES_INTERVALS, default: 'month' },
    expected: `one of ${SERIES_INTERVALS.join(', ')}`,
    description: 'How far apart points are; `event`: one for each day with a movement.',
  },
  top: {
    schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: TOP_DEFAULT },
    expected: `a whole number from 1 to ${LIMIT_MAX}`,
    description: 'How many groups of each currency are listed one by one; the others are added up.',
  },
  limit: {
    schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    expected: `a whole number from 1 to ${LIMIT_MAX}`,
    description: `How many items a page has at most; no more than ${LIMIT_DEFAULT} with contracts, movements or rates expanded.`,
  },
  cursor: {
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: CURSOR_MAX_CHARS },
    expected: 'a cursor from page.nextCursor, unchanged',
    code: 'invalid_cursor',
    description:
      'Gets the next page: `page.nextCursor` of the one before. It has the whole question in it.',
  },
  kind: {
    schema: { type: 'string', enum: ['statement', 'journals'], default: 'statement' },
    expected: 'statement or journals',
    description: 'What the file is: a sender’s statement, or a journal file.',
  },
  profile: {
    schema: { type: 'string', pattern: '^[a-z0-9-]{1,100}$' },
    expected: 'the name of a registered profile',
    description: 'How the columns of a statement are read; required for one.',
  },
  apply: {
    ...flag,
    description: 'Posts the file when it has no faults. Without it, the file is only checked.',
  },
  rows: {
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999 },
    expected: 'a whole number from 0 to 999999999',
    description: 'The statement’s number of rows, as its sender states it.',
  },
  control: {
    many: true,
    schema: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.]{0,59}(:[A-Z]{3})?=-?[0-9.]{1,40}$' },
    expected: 'column=sum, such as due=283040726064.12',
    description:
      'The sum of a column of the statement, as its sender states it, in a statement of several currencies with one of them (`due:EUR`); repeat it for more columns.',
  },
  withoutTotals: {
    schema: { type: 'string', maxLength: 500 },
    accepts: (value: string) => value.trim() !== '',
    expected: 'a reason of 1 to 500 characters, without NUL and half surrogate pairs',
    description: 'Why a statement is applied without `rows` and `control`.',
  },
  accept: {
    many: true,
    schema: { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,59}:.{1,500}$' },
    expected: 'NAME:reason, with a reason of 1 to 500 characters in one line',
    description:
      'A check that refused the file, by its name, and the reason why the file is right; repeat it for more. For a journal file, `warnings:reason` accepts its warnings.',
  },
} as const satisfies Readonly<Record<string, ParameterRule>>;
export type ParameterName = keyof typeof PARAMETERS;

export const PAGE_PARAMETERS = ['limit', 'cursor'] as const;
const TIMES = ['asOf', 'knownAt'] as const;
/** Other times to compare with, beside the times of the answer. */
export const COMPARISON = ['compareAsOf', 'compareKnownAt'] as const;
const PERIOD = ['fromDate', 'toDate'] as const;
const REPORTING = ['reportingCurrency', 'fxDate'] as const;
const PRESENTATION = ['level', 'sort', 'fields', 'expand', 'include', ...REPORTING] as const;
/** What callers ask by; the service alone asks by the others. */
export type CallersFilter = Exclude<FilterName, 'changedAfter' | 'itemKeys'>;
/** The parameter of each filter. */
export const FILTER_PARAMETERS = {
  dealIds: 'dealId',
  facilityIds: 'facilityId',
  contractIds: 'contractId',
  borrowerIds: 'borrowerId',
  lenderIds: 'lenderId',
  currencies: 'currency',
  countries: 'country',
  facilityTypes: 'facilityType',
  statuses: 'status',
  includeZero: 'includeZero',
  minOutstandingMinor: 'minOutstanding',
  maxOutstandingMinor: 'maxOutstanding',
  maturityFrom: 'maturityFrom',
  maturityTo: 'maturityTo',
  pastDue: 'pastDue',
  pastDueAges: 'daysPastDue',
  restated: 'restated',
  search: 'q',
} as const satisfies Readonly<Record<CallersFilter, ParameterName>>;
const FILTERS = Object.values(FILTER_PARAMETERS);
// Items at zero count in a series: they may have moved before.
const OF_SERIES = FILTERS.filter((name) => name !== 'includeZero');
const COPY = ['updatedSince', 'sinceAsOf'] as const;

/** Which parameters each endpoint takes. */
export const TAKEN: Readonly<Record<Endpoint, readonly ParameterName[]>> = {
  balances: [...FILTERS, ...COPY, ...TIMES, ...COMPARISON, ...PRESENTATION, ...PAGE_PARAMETERS],
  principal: [...FILTERS, ...COPY, ...TIMES, ...PERIOD, ...PRESENTATION, ...PAGE_PARAMETERS],
  movements: [
    ...(['dealId', 'facilityId', 'contractId', 'borrowerId', 'lenderId', 'currency', 'q'] as const),
    ...TIMES,
    ...PERIOD,
    ...PAGE_PARAMETERS,
  ],
  balance: [...TIMES, 'fields', 'expand', ...REPORTING],
  deal: [...TIMES, 'expand', ...REPORTING],
  me: [],
  totals: [...FILTERS, ...TIMES, ...COMPARISON, 'level', 'groupBy', 'top'],
  facets: [...FILTERS, ...TIMES, 'level', 'fields', 'top'],
  series: [...OF_SERIES, ...TIMES, ...PERIOD, 'level', 'interval'],
};

/** What a file is posted with. */
export const IMPORT_PARAMETERS = [
  'kind',
  'profile',
  'apply',
  'asOf',
  'rows',
  'control',
  'withoutTotals',
  'accept',
] as const satisfies readonly ParameterName[];

export const USAGE_PARAMETERS = [
  ...PERIOD,
  ...PAGE_PARAMETERS,
] as const satisfies readonly ParameterName[];

/** Whether values of a field are counted: facilities of a deal may have several types. */
export function isCounted(field: string, level: Level): boolean {
  return FACETS.some((name) => name === field) && (field !== 'facilityType' || level !== 'deal');
}

/** Whether each item of a level has one such value. */
export function isGroupable(groupBy: Grouping, level: Level): boolean {
  if (groupBy === 'lender') return level === 'position';
  return groupBy !== 'facilityType' || level !== 'deal';
}

export function isExpandable(name: Expansion, resource: Endpoint, level: Level): boolean {
  switch (name) {
    case 'lenders':
      return true;
    case 'terms':
    case 'accrual':
      return resource === 'balances' || resource === 'balance' || resource === 'deal';
    case 'rates':
      return level === 'contract' && resource === 'balances';
    case 'contracts':
      return level === 'deal' || level === 'facility';
    case 'movements':
      return resource === 'principal';
  }
}

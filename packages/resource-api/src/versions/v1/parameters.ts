import {
  GROUPINGS,
  type Grouping,
  LEVELS,
  type Level,
  SORTS,
} from '../../balances/balance-store.ts';
import { EXTERNAL_ID } from '../../balances/external-ids.ts';
import { EXPANSIONS, type Expansion } from '../../balances/read-balances.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { FACILITY_TYPES } from '../../ledger/facility-type.ts';
import type { ParameterRule } from '../parameter-rule.ts';
import type { Endpoint } from './query.ts';

export const LIMIT_DEFAULT = 100;
export const LIMIT_MAX = 1_000;
/** How many values a parameter takes that takes several. */
export const VALUES_MAX = 100;
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
} as const satisfies Readonly<Record<Endpoint, Level>>;

const oneOf = (values: readonly string[]) => ({
  schema: { type: 'string', enum: values },
  expected: `one of ${values.join(', ')}`,
});
const id = (prefix: string, noun: string) => {
  const external = EXTERNAL_ID.source.replace(/^\^|\$$/g, '');
  return {
    many: true,
    schema: { type: 'string', pattern: `^(?:${prefix}_[0-9A-Z]{26}|${external})$` },
    expected: `${noun} id, ${prefix}_… or ext:SOURCE:ID`,
  } as const;
};
const day = {
  schema: { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  expected: 'a date as YYYY-MM-DD',
  code: 'invalid_date',
} as const;
/** RFC 3339, to the microsecond, as the ledger keeps it. */
const instant = {
  schema: {
    type: 'string',
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,6})?(Z|[+-]\\d{2}:\\d{2})$',
  },
  expected: 'an instant as 2025-04-01T00:00:00Z',
  code: 'invalid_instant',
} as const;
const amount = {
  schema: { type: 'string', pattern: '^-?\\d{1,18}(\\.\\d{1,30})?$' },
  expected: 'a plain decimal such as 1000.00',
} as const;
const currency = {
  schema: { type: 'string', pattern: '^[A-Z]{3}$' },
  accepts: (value: string) => minorUnitDigits(value) !== undefined,
  expected: 'an ISO 4217 code such as USD',
};

/** Every parameter: what the reader refuses by, and what the contract says. */
export const PARAMETERS = {
  dealId: { ...id('deal', 'a deal'), description: 'Deals, by id.' },
  facilityId: { ...id('fac', 'a facility'), description: 'Facilities, by id.' },
  contractId: { ...id('ctr', 'a contract'), description: 'Loan contracts, by id.' },
  borrowerId: { ...id('pty', 'a party'), description: 'Borrowers, by id.' },
  lenderId: { ...id('pty', 'a party'), description: 'Lenders, by id.' },
  currency: { ...currency, many: true, description: 'Currencies, as ISO 4217 codes.' },
  country: {
    many: true,
    schema: { type: 'string', pattern: '^[A-Z0-9]{2}$' },
    expected: 'a two-character country code such as IN',
    description: 'Countries of the deals.',
  },
  facilityType: { ...oneOf(FACILITY_TYPES), many: true, description: 'Types of facility.' },
  status: { ...oneOf(STATUSES), many: true, description: 'The status of the item itself.' },
  includeZero: {
    schema: { type: 'boolean', default: false },
    expected: 'true or false',
    description: 'Also list items that owe nothing and on which nothing can be drawn.',
  },
  minOutstanding: {
    ...amount,
    description: 'Least outstanding principal, inclusive; needs exactly one `currency`.',
  },
  maxOutstanding: {
    ...amount,
    description: 'Greatest outstanding principal, inclusive; needs exactly one `currency`.',
  },
  updatedSince: {
    ...instant,
    description: 'Only what differs from the answer whose `meta.knownAt` was this.',
  },
  sinceAsOf: { ...day, description: 'The `meta.asOf` of that answer; with `updatedSince`.' },
  asOf: {
    ...day,
    description: 'Effective date, inclusive; default: the last date that the book has data for.',
  },
  knownAt: { ...instant, description: 'What had been posted by then; default: now.' },
  fromDate: { ...day, description: 'First day of a roll-forward; default: since inception.' },
  toDate: { ...day, description: 'Another word for `asOf`; give one of them.' },
  level: { ...oneOf(LEVELS), description: 'What an item is.' },
  sort: {
    schema: { type: 'string', enum: SORTS.flatMap((name) => [name, `-${name}`]) },
    expected: `one of ${SORTS.join(', ')}, or with - before it`,
    description: 'Order of the items; descending with `-` before the name.',
  },
  fields: {
    many: true,
    schema: { type: 'string', pattern: '^[a-zA-Z]+(\\.[a-zA-Z]+)*$' },
    expected: 'a path such as global.principal.outstanding',
    description: 'Only these fields, by path; `object`, `id` and `currency` are always there.',
  },
  expand: { ...oneOf(EXPANSIONS), many: true, description: 'What is added to each item.' },
  include: {
    schema: { type: 'string', enum: ['totals', 'none'] },
    expected: 'totals or none',
    description: 'Totals over the whole filter; without it they come where they are cheap.',
  },
  reportingCurrency: { ...currency, description: 'Adds amounts in this currency.' },
  fxDate: { ...day, description: 'Day of the exchange rate; with `reportingCurrency`.' },
  groupBy: {
    ...oneOf(GROUPINGS),
    description:
      'What items are grouped by, beside the currency; `lender` at level position alone.',
  },
  top: {
    schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: TOP_DEFAULT },
    expected: `a whole number from 1 to ${LIMIT_MAX}`,
    description: 'Groups of each currency that are told one by one.',
  },
  limit: {
    schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    expected: `a whole number from 1 to ${LIMIT_MAX}`,
    description: `Items of a page; at most ${LIMIT_DEFAULT} with contracts or movements expanded.`,
  },
  cursor: {
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: CURSOR_MAX_CHARS },
    expected: 'a cursor from page.nextCursor, unchanged',
    code: 'invalid_cursor',
    description: 'The next page, from `page.nextCursor`.',
  },
} as const satisfies Readonly<Record<string, ParameterRule>>;
export type ParameterName = keyof typeof PARAMETERS;

export const PAGE_PARAMETERS = ['limit', 'cursor'] as const satisfies readonly ParameterName[];
const TIMES = ['asOf', 'knownAt'] as const;
const PERIOD = ['fromDate', 'toDate'] as const;
const PRESENTATION = [
  ...(['sort', 'fields', 'expand', 'include', 'reportingCurrency', 'fxDate'] as const),
];
export const LIST_FILTERS = [
  ...(['dealId', 'facilityId', 'contractId', 'borrowerId', 'lenderId', 'currency'] as const),
  ...(['country', 'facilityType', 'status'] as const),
];
export type ListFilter = (typeof LIST_FILTERS)[number];
const FILTERS = [
  ...LIST_FILTERS,
  ...(['includeZero', 'minOutstanding', 'maxOutstanding'] as const),
];
const COPY = ['updatedSince', 'sinceAsOf'] as const;

/** Which parameters each endpoint takes. */
export const TAKEN: Readonly<Record<Endpoint, readonly ParameterName[]>> = {
  balances: [...FILTERS, ...COPY, ...TIMES, 'level', ...PRESENTATION, ...PAGE_PARAMETERS],
  principal: [
    ...FILTERS,
    ...COPY,
    ...TIMES,
    ...PERIOD,
    'level',
    ...PRESENTATION,
    ...PAGE_PARAMETERS,
  ],
  movements: [
    ...(['dealId', 'facilityId', 'contractId', 'borrowerId', 'lenderId', 'currency'] as const),
    ...TIMES,
    ...PERIOD,
    ...PAGE_PARAMETERS,
  ],
  balance: [...TIMES, 'fields', 'expand', 'reportingCurrency', 'fxDate'],
  deal: [...TIMES, 'expand', 'reportingCurrency', 'fxDate'],
  me: [],
  totals: [...FILTERS, ...TIMES, 'level', 'groupBy', 'top'],
};

/** Whether each item of a level has one such value. */
export function isGroupable(groupBy: Grouping, level: Level): boolean {
  if (groupBy === 'lender') return level === 'position';
  return groupBy !== 'facilityType' || level !== 'deal';
}

export function isExpandable(name: Expansion, resource: Endpoint, level: Level): boolean {
  switch (name) {
    case 'lenders':
      return true;
    case 'accrual':
      return resource === 'balances' || resource === 'balance' || resource === 'deal';
    case 'contracts':
      return level === 'deal' || level === 'facility';
    case 'movements':
      return resource === 'principal';
  }
}

import {
  type BalanceFilter,
  LEVELS,
  type Level,
  SORTS,
  type Sort,
} from '../../balances/balance-store.ts';
import { EXTERNAL_ID } from '../../balances/external-ids.ts';
import { EXPANSIONS, type Expansion, type TotalsWish } from '../../balances/read-balances.ts';
import type { CopyTimes } from '../../balances/snapshot.ts';
import { type BusinessDate, parseBusinessDate } from '../../ledger/business-date.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { FACILITY_TYPES } from '../../ledger/facility-type.ts';
import { parseAmount } from '../../ledger/money.ts';
import { QueryReader } from './query-reader.ts';

/** What is asked for: each resource takes the parameters of its own. */
export type Resource = 'balances' | 'principal' | 'movements';

/** The parameters of a question, checked. */
export interface BalancesQuery {
  readonly level: Level;
  readonly asOf: BusinessDate | undefined;
  /** RFC 3339. */
  readonly knownAt: string | undefined;
  readonly fromDate: BusinessDate | undefined;
  /** What a copy was made from, where its changes are asked for. */
  readonly copy: CopyTimes | undefined;
  readonly filter: BalanceFilter;
  readonly sort: Sort | undefined;
  readonly totals: TotalsWish;
  readonly expand: ReadonlySet<Expansion>;
  /** Dotted paths; undefined: all. */
  readonly fields: readonly string[] | undefined;
  readonly reporting:
    | { readonly currency: string; readonly date: BusinessDate | undefined }
    | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
  /**
   * Resource and question in one spelling, and whether any of it was given: beside a cursor they
   * must be the walk's own.
   */
  readonly canonical: string;
  readonly narrows: boolean;
}

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;
const CURSOR_MAX_CHARS = 16_384;
const DEFAULT_LEVEL = {
  balances: 'facility',
  principal: 'contract',
  movements: 'contract',
} as const;

const STATUSES = ['pending', 'active', 'matured', 'terminated', 'repaid', 'written_off'];

const id = (prefix: string, noun: string) => {
  const shape = new RegExp(`^${prefix}_[0-9A-Z]{26}$`);
  return {
    accepts: (value: string) => shape.test(value) || EXTERNAL_ID.test(value),
    expected: `${noun} id, ${prefix}_… or ext:SOURCE:ID`,
  };
};
const oneOf = (values: readonly string[]) => ({
  accepts: (value: string) => values.includes(value),
  expected: `one of ${values.join(', ')}`,
});
/** Filters that take several values, repeated or separated by commas. */
const LISTS = {
  dealId: id('deal', 'a deal'),
  facilityId: id('fac', 'a facility'),
  contractId: id('ctr', 'a contract'),
  borrowerId: id('pty', 'a party'),
  lenderId: id('pty', 'a party'),
  currency: {
    accepts: (value: string) => minorUnitDigits(value) !== undefined,
    expected: 'an ISO 4217 code such as USD',
  },
  country: {
    accepts: (value: string) => /^[A-Z0-9]{2}$/.test(value),
    expected: 'a two-character country code such as IN',
  },
  facilityType: oneOf(FACILITY_TYPES),
  status: oneOf(STATUSES),
} as const;
type ListName = keyof typeof LISTS;

const PAGE_PARAMETERS = ['limit', 'cursor'];
const TIMES = ['asOf', 'knownAt'];
const PERIOD = ['fromDate', 'toDate'];
const PRESENTATION = ['sort', 'fields', 'expand', 'include', 'reportingCurrency', 'fxDate'];
const FILTERS = [
  ...Object.keys(LISTS),
  'includeZero',
  'minOutstanding',
  'maxOutstanding',
  'updatedSince',
  'sinceAsOf',
];
/** Which parameters each resource takes. */
const KNOWN: Readonly<Record<Resource, readonly string[]>> = {
  balances: [...FILTERS, ...TIMES, 'level', ...PRESENTATION, ...PAGE_PARAMETERS],
  principal: [...FILTERS, ...TIMES, ...PERIOD, 'level', ...PRESENTATION, ...PAGE_PARAMETERS],
  movements: [
    'dealId',
    'facilityId',
    'contractId',
    'borrowerId',
    'lenderId',
    'currency',
    ...TIMES,
    ...PERIOD,
    ...PAGE_PARAMETERS,
  ],
};
/** Filters that a coarser level cannot use. */
const TOO_FINE: Readonly<Record<Level, readonly ListName[]>> = {
  deal: ['facilityId', 'contractId', 'facilityType'],
  facility: ['contractId'],
  contract: [],
  position: ['contractId'],
};

/**
 * @param whole an export: everything, without pages.
 * @throws {Refusal} with every fault at once.
 */
export function parseBalancesQuery(
  text: string,
  resource: Resource,
  { whole = false } = {},
): BalancesQuery {
  const read = new QueryReader(text, KNOWN[resource]);
  for (const name of whole ? PAGE_PARAMETERS : []) {
    if (read.has(name)) read.fault(name, 'contradictory', 'an export has no pages: leave this out');
  }
  const level =
    read.one('level', (value) => LEVELS.find((name) => name === value), oneOf(LEVELS).expected) ??
    DEFAULT_LEVEL[resource];
  const day = (name: string) =>
    read.one(name, parseBusinessDate, 'a date as YYYY-MM-DD', 'invalid_date');
  const instant = (name: string) =>
    read.one(name, parseInstant, 'an instant as 2025-04-01T00:00:00Z', 'invalid_instant');
  const asOf = day('asOf');
  const toDate = day('toDate');
  const fromDate = day('fromDate');
  if (asOf !== undefined && toDate !== undefined) {
    read.fault('toDate', 'contradictory', 'toDate and asOf say the same: give one of them');
  }
  const knownAt = instant('knownAt');
  const updatedSince = instant('updatedSince');
  const sinceAsOf = day('sinceAsOf');
  if (updatedSince === undefined && sinceAsOf !== undefined) {
    read.fault('sinceAsOf', 'contradictory', 'allowed only with updatedSince');
  }
  const lists = Object.fromEntries(
    (Object.keys(LISTS) as ListName[]).map((name) => [name, read.list(name, LISTS[name])]),
  ) as Record<ListName, readonly string[]>;
  for (const name of resource === 'movements' ? [] : TOO_FINE[level]) {
    if (lists[name].length > 0) {
      read.fault(
        name,
        'contradictory',
        `cannot be combined with level=${level}: the filter is finer than the level`,
      );
    }
  }
  const digits = lists.currency.length === 1 ? minorUnitDigits(lists.currency[0] ?? '') : undefined;
  const amount = (name: string) => {
    const value = read.one(
      name,
      (raw) => parseLimitAmount(raw, digits ?? 4),
      'a plain decimal such as 1000.00',
    );
    if (value !== undefined && digits === undefined) {
      read.fault(name, 'currency_required', 'an amount needs its currency: give one `currency`');
    }
    return value;
  };
  const minOutstandingMinor = amount('minOutstanding');
  const maxOutstandingMinor = amount('maxOutstanding');
  if (
    minOutstandingMinor !== undefined &&
    maxOutstandingMinor !== undefined &&
    minOutstandingMinor > maxOutstandingMinor
  ) {
    read.fault('minOutstanding', 'contradictory', 'expected at most maxOutstanding');
  }
  const expand = new Set(read.list('expand', oneOf(EXPANSIONS)) as readonly Expansion[]);
  for (const name of expand) {
    if (!isExpandable(name, resource, level)) {
      read.fault(
        'expand',
        'contradictory',
        `${name} is not available for ${resource} with level=${level}`,
        name,
      );
    }
  }
  const limit = read.one('limit', parseLimit, `a whole number from 1 to ${LIMIT_MAX}`);
  const heavy = expand.has('contracts') || expand.has('movements');
  if (heavy && limit !== undefined && limit > LIMIT_DEFAULT) {
    const message = `at most ${LIMIT_DEFAULT} with contracts or movements expanded`;
    read.fault('limit', 'contradictory', message, `${limit}`);
  }
  const reportingCurrency = read.one(
    'reportingCurrency',
    (value) => (minorUnitDigits(value) === undefined ? undefined : value),
    LISTS.currency.expected,
  );
  const fxDate = day('fxDate');
  if (fxDate !== undefined && reportingCurrency === undefined) {
    read.fault('fxDate', 'contradictory', 'allowed only with reportingCurrency');
  }
  const reporting =
    reportingCurrency === undefined ? undefined : { currency: reportingCurrency, date: fxDate };
  const sort = read.one('sort', parseSort, `one of ${SORTS.join(', ')}, or with - before it`);
  if (updatedSince !== undefined) {
    if (sort !== undefined)
      read.fault('sort', 'contradictory', 'changes have a fixed order: leave out sort');
    for (const [name, values] of Object.entries(lists)) {
      if (values.some((value) => value.startsWith('ext:'))) {
        // Another record may have got the name since.
        read.fault(
          name,
          'contradictory',
          'external ids cannot be combined with updatedSince; give ids',
        );
      }
    }
  }
  const query = {
    level,
    asOf: asOf ?? toDate,
    knownAt,
    fromDate,
    copy:
      updatedSince === undefined
        ? undefined
        : { updatedSince, sinceAsOf, asOf: asOf ?? toDate, reporting },
    filter: {
      dealIds: lists.dealId,
      facilityIds: lists.facilityId,
      contractIds: lists.contractId,
      borrowerIds: lists.borrowerId,
      lenderIds: lists.lenderId,
      currencies: lists.currency,
      countries: lists.country,
      facilityTypes: lists.facilityType,
      statuses: lists.status,
      includeZero: read.one('includeZero', parseFlag, 'true or false') ?? false,
      minOutstandingMinor,
      maxOutstandingMinor,
    },
    sort,
    // Over the whole filter: more than most changes cost.
    totals:
      read.one('include', parseInclude, 'totals or none') ??
      (updatedSince === undefined ? 'where cheap' : 'none'),
    expand,
    fields: read.has('fields') ? read.list('fields', FIELD_PATH) : undefined,
    reporting,
    limit: limit ?? LIMIT_DEFAULT,
    cursor: read.one(
      'cursor',
      parseCursor,
      'a cursor from page.nextCursor, unchanged',
      'invalid_cursor',
    ),
    canonical: read.canonical(resource, PAGE_PARAMETERS),
    narrows: read.hasOtherThan(PAGE_PARAMETERS),
  };
  read.done();
  return query;
}

function isExpandable(name: Expansion, resource: Resource, level: Level): boolean {
  switch (name) {
    case 'lenders':
      return true;
    case 'accrual':
      return resource === 'balances';
    case 'contracts':
      return level === 'deal' || level === 'facility';
    case 'movements':
      return resource === 'principal';
  }
}

/** Resource and text of a canonical question, for a walk that continues. */
export function splitCanonical(canonical: string): { resource: string; text: string } {
  const mark = canonical.indexOf('?');
  return { resource: canonical.slice(0, mark), text: canonical.slice(mark + 1) };
}

const FIELD_PATH = {
  accepts: (value: string) => /^[a-zA-Z]+(\.[a-zA-Z]+)*$/.test(value),
  expected: 'a path such as global.principal.outstanding',
};

/** RFC 3339, to the microsecond, as the ledger keeps it. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/;

/** In UTC, so that one instant has one spelling. */
function parseInstant(value: string): string | undefined {
  const [, fraction = '.'] = INSTANT.exec(value) ?? [];
  const whole = new Date(value.replace(/\.\d+/, ''));
  const exists = parseBusinessDate(value.slice(0, 10)) !== undefined;
  if (!INSTANT.test(value) || !exists || Number.isNaN(whole.getTime())) return undefined;
  return whole.toISOString().replace('.000Z', `${fraction.padEnd(7, '0')}Z`);
}

function parseLimitAmount(value: string, digits: number): bigint | undefined {
  const parsed = parseAmount(value, digits);
  return parsed === undefined || parsed.rounded ? undefined : parsed.amountMinor;
}

function parseSort(value: string): Sort | undefined {
  const by = SORTS.find((name) => name === value.replace(/^-/, ''));
  return by === undefined ? undefined : { by, descending: value.startsWith('-') };
}

function parseInclude(value: string): TotalsWish | undefined {
  return value === 'totals' ? 'asked' : value === 'none' ? 'none' : undefined;
}

function parseFlag(value: string): boolean | undefined {
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

function parseLimit(value: string): number | undefined {
  const limit = /^[1-9]\d{0,3}$/.test(value) ? Number(value) : 0;
  return limit >= 1 && limit <= LIMIT_MAX ? limit : undefined;
}

function parseCursor(value: string): string | undefined {
  return /^[A-Za-z0-9_-]+$/.test(value) && value.length <= CURSOR_MAX_CHARS ? value : undefined;
}

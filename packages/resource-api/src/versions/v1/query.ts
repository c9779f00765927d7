import {
  type AnySort,
  type BalanceFilter,
  FACETS,
  GROUPINGS,
  type Grouping,
  LEVELS,
  type Level,
  SORTS,
} from '../../balances/balance-store.ts';
import type { Expansion, TotalsWish } from '../../balances/read-balances.ts';
import type { ComparedTimes, CopyTimes } from '../../balances/snapshot.ts';
import { type BusinessDate, parseBusinessDate } from '../../ledger/business-date.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import type { Interval } from '../../ledger/interval.ts';
import { parseAmount } from '../../ledger/money.ts';
import {
  COMPARISON,
  DEFAULT_LEVEL,
  isCounted,
  isExpandable,
  isGroupable,
  LIMIT_DEFAULT,
  LIST_FILTERS,
  type ListFilter,
  PAGE_PARAMETERS,
  type ParameterName,
  SERIES_INTERVALS,
  TAKEN,
  TOP_DEFAULT,
} from './parameters.ts';
import { QueryReader } from './query-reader.ts';

/** A list with pages and exports. */
export type Resource = 'balances' | 'principal' | 'movements';
/** What is answered by one document, without pages. */
export type DocumentName = 'balance' | 'deal' | 'me' | 'totals' | 'series' | 'facets';
/** What is asked for: each endpoint takes the parameters of its own. */
export type Endpoint = Resource | DocumentName;

/** Below `/api/v1`. */
export const PATHS: Readonly<Record<Resource, `/${string}`>> = {
  balances: '/cls/balances',
  principal: '/cls/balances/principal',
  movements: '/cls/balances/principal/movements',
};

export const DOCUMENT_PATHS: Readonly<Record<DocumentName, `/${string}`>> = {
  balance: '/cls/balances/{id}',
  deal: '/cls/deals/{id}',
  me: '/cls/me',
  totals: '/cls/balances/totals',
  facets: '/cls/facets',
  series: '/cls/balances/principal/series',
};

/** The parameters of a question, checked. */
export interface BalancesQuery {
  readonly level: Level;
  readonly asOf: BusinessDate | undefined;
  /** RFC 3339. */
  readonly knownAt: string | undefined;
  readonly fromDate: BusinessDate | undefined;
  /** What a copy was made from, where its changes are asked for. */
  readonly copy: CopyTimes | undefined;
  /** What the answer is compared with, where that is asked for. */
  readonly compare: ComparedTimes | undefined;
  readonly filter: BalanceFilter;
  readonly sort: AnySort | undefined;
  readonly totals: TotalsWish;
  readonly expand: ReadonlySet<Expansion>;
  /** Dotted paths; undefined: all. */
  readonly fields: readonly string[] | undefined;
  readonly reporting:
    | { readonly currency: string; readonly date: BusinessDate | undefined }
    | undefined;
  readonly groupBy: Grouping | undefined;
  readonly top: number;
  readonly interval: Interval | 'event';
  readonly limit: number;
  readonly cursor: string | undefined;
  /**
   * Resource and question in one spelling, and whether any of it was given: beside a cursor they
   * must be the walk's own.
   */
  readonly canonical: string;
  readonly narrows: boolean;
}

/** Filters that a coarser level cannot use. */
const TOO_FINE: Readonly<Record<Level, readonly ListFilter[]>> = {
  deal: ['facilityId', 'contractId', 'facilityType'],
  facility: ['contractId'],
  contract: [],
  position: ['contractId'],
};

/**
 * @param whole an export: everything, without pages.
 * @param level where something else than the parameter says it.
 * @throws {Refusal} with every fault at once.
 */
export function parseBalancesQuery(
  text: string,
  resource: Endpoint,
  { whole = false, level: given }: { whole?: boolean; level?: Level | undefined } = {},
): BalancesQuery {
  const read = new QueryReader(text, TAKEN[resource]);
  for (const name of whole ? PAGE_PARAMETERS : []) {
    if (read.has(name)) read.fault(name, 'contradictory', 'an export has no pages: leave this out');
  }
  for (const name of whole ? COMPARISON : []) {
    if (!read.has(name)) continue;
    read.fault(name, 'contradictory', 'an export compares nothing: export each time by itself');
  }
  const groupBy = read.one('groupBy', (value) => GROUPINGS.find((name) => name === value));
  const level =
    given ??
    read.one('level', (value) => LEVELS.find((name) => name === value)) ??
    // A facility has many lenders, and a position one.
    (groupBy === 'lender' ? 'position' : DEFAULT_LEVEL[resource]);
  if (groupBy !== undefined && !isGroupable(groupBy, level)) {
    read.fault('groupBy', 'contradictory', `${groupBy} is not available with level=${level}`);
  }
  const day = (name: ParameterName) => read.one(name, parseBusinessDate);
  const instant = (name: ParameterName) => read.one(name, parseInstant);
  const asOf = day('asOf');
  const toDate = day('toDate');
  const fromDate = day('fromDate');
  if (asOf !== undefined && toDate !== undefined) {
    read.fault('toDate', 'contradictory', 'toDate and asOf say the same: give one of them');
  }
  const knownAt = instant('knownAt');
  const compare = { asOf: day('compareAsOf'), knownAt: instant('compareKnownAt') };
  const updatedSince = instant('updatedSince');
  const sinceAsOf = day('sinceAsOf');
  if (updatedSince === undefined && sinceAsOf !== undefined) {
    read.fault('sinceAsOf', 'contradictory', 'allowed only with updatedSince');
  }
  const lists = Object.fromEntries(LIST_FILTERS.map((name) => [name, read.list(name)])) as Record<
    ListFilter,
    readonly string[]
  >;
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
  const amount = (name: ParameterName) => {
    const value = read.one(name, (raw) => parseLimitAmount(raw, digits ?? 4));
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
  const maturityFrom = day('maturityFrom');
  const maturityTo = day('maturityTo');
  if (maturityFrom !== undefined && maturityTo !== undefined && maturityFrom > maturityTo) {
    read.fault('maturityFrom', 'contradictory', 'expected at most maturityTo', maturityFrom);
  }
  const isTrue = (name: ParameterName) => read.one(name, (value) => value === 'true') || undefined;
  const expand = new Set(read.list('expand') as readonly Expansion[]);
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
  for (const name of resource === 'facets' && read.has('fields') ? read.list('fields') : []) {
    if (!isCounted(name, level)) {
      const message = `expected some of ${FACETS.filter((one) => isCounted(one, level)).join(', ')}`;
      read.fault('fields', 'invalid_parameter', message, name);
    }
  }
  const limit = read.one('limit', Number);
  const heavy = expand.has('contracts') || expand.has('movements');
  if (heavy && limit !== undefined && limit > LIMIT_DEFAULT) {
    const message = `at most ${LIMIT_DEFAULT} with contracts or movements expanded`;
    read.fault('limit', 'contradictory', message, `${limit}`);
  }
  const reportingCurrency = read.one('reportingCurrency', asIs);
  const fxDate = day('fxDate');
  if (fxDate !== undefined && reportingCurrency === undefined) {
    read.fault('fxDate', 'contradictory', 'allowed only with reportingCurrency');
  }
  const reporting =
    reportingCurrency === undefined ? undefined : { currency: reportingCurrency, date: fxDate };
  const sort = read.one('sort', parseSort);
  if (updatedSince !== undefined) {
    if (sort !== undefined)
      read.fault('sort', 'contradictory', 'changes have a fixed order: leave out sort');
    if (expand.has('terms')) {
      // Names and dates of terms are no part of what is compared.
      const message = 'terms cannot be combined with updatedSince';
      read.fault('expand', 'contradictory', message, 'terms');
    }
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
    compare: compare.asOf === undefined && compare.knownAt === undefined ? undefined : compare,
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
      includeZero: read.one('includeZero', (value) => value === 'true') ?? false,
      minOutstandingMinor,
      maxOutstandingMinor,
      maturityFrom,
      maturityTo,
      search: read.one('q', asIs),
      pastDue: isTrue('pastDue'),
      restated: isTrue('restated'),
    },
    sort,
    // Over the whole filter: more than most changes cost.
    totals:
      read.one('include', parseInclude) ?? (updatedSince === undefined ? 'where cheap' : 'none'),
    expand,
    fields: read.has('fields') ? read.list('fields') : undefined,
    reporting,
    groupBy,
    interval:
      read.one('interval', (value) => SERIES_INTERVALS.find((name) => name === value)) ?? 'month',
    top: read.one('top', Number) ?? TOP_DEFAULT,
    limit: limit ?? LIMIT_DEFAULT,
    cursor: read.one('cursor', asIs),
    canonical: read.canonical(resource, PAGE_PARAMETERS),
    narrows: read.hasOtherThan(PAGE_PARAMETERS),
  };
  read.done();
  return query;
}

/** Resource and text of a canonical question, for a walk that continues. */
export function splitCanonical(canonical: string): { resource: string; text: string } {
  const mark = canonical.indexOf('?');
  return { resource: canonical.slice(0, mark), text: canonical.slice(mark + 1) };
}

/**
 * In UTC, so that one instant has one spelling. The ledger's times have microseconds, so what is
 * finer changes no answer.
 */
function parseInstant(value: string): string | undefined {
  const [fraction = '.'] = /\.\d{1,6}/.exec(value) ?? [];
  const whole = new Date(value.replace(/\.\d+/, '').replace(/(?<=T.*[+-]\d{2})(?=\d{2}$)/, ':'));
  const exists = parseBusinessDate(value.slice(0, 10)) !== undefined;
  if (!exists || Number.isNaN(whole.getTime())) return undefined;
  const text = whole.toISOString().replace('.000Z', `${fraction.padEnd(7, '0')}Z`);
  // In UTC it may be of the year 10000, or of year 99.
  return parseBusinessDate(text.slice(0, 10)) === undefined ? undefined : text;
}

function parseLimitAmount(value: string, digits: number): bigint | undefined {
  const parsed = parseAmount(value, digits);
  return parsed === undefined || parsed.rounded ? undefined : parsed.amountMinor;
}

function parseSort(value: string): AnySort | undefined {
  const by = SORTS.find((name) => name === value.replace(/^-/, ''));
  return by === undefined ? undefined : { by, descending: value.startsWith('-') };
}

function parseInclude(value: string): TotalsWish {
  return value === 'totals' ? 'asked' : 'none';
}

function asIs(value: string): string {
  return value;
}

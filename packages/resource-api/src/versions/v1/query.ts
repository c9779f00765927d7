import { parseBusinessDate } from '../../ledger/business-date.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import type { Interval } from '../../ledger/interval.ts';
import { parseAmount } from '../../ledger/money.ts';
import {
  type AnySort,
  type BalanceFilter,
  FACETS,
  GROUPINGS,
  type Grouping,
  LEVELS,
  type Level,
  NO_FILTER,
  SORTS,
} from '../../questions/ask/balance-store.ts';
import type { ComparedTimes, CopyTimes } from '../../questions/ask/snapshot.ts';
import {
  type BalanceQuestion,
  EXPANSIONS,
  type Expansion,
  type TotalsWish,
} from '../../questions/page/read-balances.ts';
import {
  type CallersFilter,
  COMPARISON,
  DEFAULT_LEVEL,
  FILTER_PARAMETERS,
  isCounted,
  isExpandable,
  isGroupable,
  LIMIT_DEFAULT,
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
export interface BalancesQuery extends Omit<BalanceQuestion, 'ledger' | 'position'> {
  /** What a copy was made from, where its changes are asked for. */
  readonly copy: CopyTimes | undefined;
  /** What the answer is compared with, where that is asked for. */
  readonly compare: ComparedTimes | undefined;
  /** Dotted paths; undefined: all. */
  readonly fields: readonly string[] | undefined;
  readonly groupBy: Grouping | undefined;
  readonly top: number;
  readonly interval: Interval | 'event';
  readonly cursor: string | undefined;
  /** Resource and question in one spelling: beside a cursor, what is given must be the walk's own. */
  readonly canonical: string;
}

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
  if (whole) refuseInExport(read);
  const groupBy = read.one('groupBy', (value) => GROUPINGS.find((name) => name === value));
  const level =
    given ??
    read.one('level', (value) => LEVELS.find((name) => name === value)) ??
    // A facility has many lenders, and a position one.
    (groupBy === 'lender' ? 'position' : DEFAULT_LEVEL[resource]);
  if (groupBy !== undefined && !isGroupable(groupBy, level)) {
    read.fault('groupBy', 'contradictory', `${groupBy} is not available with level=${level}`);
  }
  const { updatedSince, sinceAsOf, ...times } = readTimes(read);
  const lists = readLists(read, level);
  const bounds = readBounds(read, lists.currencies);
  const expand = readExpansions(read, resource, level);
  if (resource === 'facets' && read.has('fields')) checkCounted(read, level);
  const limit = readLimit(read, expand);
  const reporting = readReporting(read);
  const sort = read.one('sort', parseSort);
  if (updatedSince !== undefined) checkCopy(read, { sort, expand, lists });
  const filter: { readonly [Name in CallersFilter]: BalanceFilter[Name] } = {
    ...lists,
    ...bounds,
    includeZero: read.one('includeZero', isTrue) ?? false,
    search: read.one('q', asIs),
    pastDue: read.one('pastDue', isTrue),
    restated: read.one('restated', isTrue),
  };
  const query = {
    ...times,
    level,
    copy:
      updatedSince === undefined
        ? undefined
        : { updatedSince, sinceAsOf, asOf: times.asOf, reporting },
    filter,
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
  };
  read.done();
  return query;
}

function refuseInExport(read: QueryReader): void {
  for (const name of PAGE_PARAMETERS) {
    if (read.has(name)) read.fault(name, 'contradictory', 'an export has no pages: leave this out');
  }
  for (const name of COMPARISON) {
    if (!read.has(name)) continue;
    read.fault(name, 'contradictory', 'an export compares nothing: export each time by itself');
  }
}

function readTimes(read: QueryReader) {
  const day = (name: ParameterName) => read.one(name, parseBusinessDate);
  const instant = (name: ParameterName) => read.one(name, parseInstant);
  const [asOf, toDate, fromDate] = [day('asOf'), day('toDate'), day('fromDate')];
  if (asOf !== undefined && toDate !== undefined) {
    read.fault('toDate', 'contradictory', 'toDate and asOf say the same: give one of them');
  }
  const knownAt = instant('knownAt');
  const compared = { asOf: day('compareAsOf'), knownAt: instant('compareKnownAt') };
  const isCompared = compared.asOf !== undefined || compared.knownAt !== undefined;
  const compare = isCompared ? compared : undefined;
  const [updatedSince, sinceAsOf] = [instant('updatedSince'), day('sinceAsOf')];
  if (updatedSince === undefined && sinceAsOf !== undefined) {
    read.fault('sinceAsOf', 'contradictory', 'allowed only with updatedSince');
  }
  return { asOf: asOf ?? toDate, knownAt, fromDate, compare, updatedSince, sinceAsOf };
}

type Lists = {
  readonly [Name in CallersFilter as BalanceFilter[Name] extends readonly string[]
    ? Name
    : never]: readonly string[];
};
const LISTS = (Object.keys(FILTER_PARAMETERS) as CallersFilter[]).filter(
  (name): name is keyof Lists => Array.isArray(NO_FILTER[name]),
);

/** Levels whose items are coarser than what the filter names. */
const TOO_FINE_FOR: Readonly<Partial<Record<keyof Lists, readonly Level[]>>> = {
  facilityIds: ['deal'],
  contractIds: ['deal', 'facility', 'position'],
  facilityTypes: ['deal'],
};

function readLists(read: QueryReader, level: Level): Lists {
  const lists = LISTS.map((name) => [name, read.list(FILTER_PARAMETERS[name])] as const);
  for (const [name, values] of lists) {
    if (values.length === 0 || !TOO_FINE_FOR[name]?.includes(level)) continue;
    const message = `cannot be combined with level=${level}: the filter is finer than the level`;
    read.fault(FILTER_PARAMETERS[name], 'contradictory', message);
  }
  return Object.fromEntries(lists) as Lists;
}

function readBounds(read: QueryReader, currencies: readonly string[]) {
  const digits = currencies.length === 1 ? minorUnitDigits(currencies[0] ?? '') : undefined;
  const amount = (name: ParameterName) => {
    const value = read.one(name, (raw) => parseLimitAmount(raw, digits ?? 4));
    if (value !== undefined && digits === undefined) {
      read.fault(name, 'currency_required', 'an amount needs its currency: give one `currency`');
    }
    return value;
  };
  const [least, most] = [amount('minOutstanding'), amount('maxOutstanding')];
  if (least !== undefined && most !== undefined && least > most) {
    read.fault('minOutstanding', 'contradictory', 'expected at most maxOutstanding');
  }
  const maturityFrom = read.one('maturityFrom', parseBusinessDate);
  const maturityTo = read.one('maturityTo', parseBusinessDate);
  if (maturityFrom !== undefined && maturityTo !== undefined && maturityFrom > maturityTo) {
    read.fault('maturityFrom', 'contradictory', 'expected at most maturityTo', maturityFrom);
  }
  return { minOutstandingMinor: least, maxOutstandingMinor: most, maturityFrom, maturityTo };
}

function readExpansions(read: QueryReader, resource: Endpoint, level: Level) {
  const expand = new Set(read.list('expand') as readonly Expansion[]);
  for (const name of EXPANSIONS.filter((one) => expand.has(one))) {
    if (isExpandable(name, resource, level)) continue;
    const message = `${name} is not available for ${resource} with level=${level}`;
    read.fault('expand', 'contradictory', message, name);
  }
  return expand;
}

function checkCounted(read: QueryReader, level: Level): void {
  for (const name of read.list('fields')) {
    if (isCounted(name, level)) continue;
    const message = `expected some of ${FACETS.filter((one) => isCounted(one, level)).join(', ')}`;
    read.fault('fields', 'invalid_parameter', message, name);
  }
}

/** Whether each item has much in it. */
export function isHeavy(expand: ReadonlySet<Expansion>): boolean {
  return expand.has('contracts') || expand.has('movements') || expand.has('rates');
}

function readLimit(read: QueryReader, expand: ReadonlySet<Expansion>): number | undefined {
  const limit = read.one('limit', Number);
  if (limit !== undefined && limit > LIMIT_DEFAULT && isHeavy(expand)) {
    const message = `at most ${LIMIT_DEFAULT} with contracts, movements or rates expanded`;
    read.fault('limit', 'contradictory', message, `${limit}`);
  }
  return limit;
}

function readReporting(read: QueryReader): BalancesQuery['reporting'] {
  const currency = read.one('reportingCurrency', asIs);
  const date = read.one('fxDate', parseBusinessDate);
  if (date !== undefined && currency === undefined) {
    read.fault('fxDate', 'contradictory', 'allowed only with reportingCurrency');
  }
  return currency === undefined ? undefined : { currency, date };
}

function checkCopy(
  read: QueryReader,
  { sort, expand, lists }: Pick<BalancesQuery, 'sort' | 'expand'> & { readonly lists: Lists },
): void {
  if (sort !== undefined) {
    read.fault('sort', 'contradictory', 'changes have a fixed order: leave out sort');
  }
  for (const name of ['terms', 'rates'] as const) {
    if (!expand.has(name)) continue;
    // Names and dates of terms are no part of what is compared.
    const message = `${name} cannot be combined with updatedSince`;
    read.fault('expand', 'contradictory', message, name);
  }
  for (const name of LISTS) {
    if (!lists[name].some((value) => value.startsWith('ext:'))) continue;
    // Another record may have got the name since.
    const message = 'external ids cannot be combined with updatedSince; give ids';
    read.fault(FILTER_PARAMETERS[name], 'contradictory', message);
  }
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

function isTrue(value: string): boolean {
  return value === 'true';
}

function asIs(value: string): string {
  return value;
}

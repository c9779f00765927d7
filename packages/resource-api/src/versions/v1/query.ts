import type { BalanceFilter, Level } from '../../balances/balance-store.ts';
import { type ParameterFault, Refusal } from '../../http/refusal.ts';
import { type BusinessDate, parseBusinessDate } from '../../ledger/business-date.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';

/** The parameters of both balance resources, checked. */
export interface BalancesQuery {
  readonly asOf: BusinessDate | undefined;
  readonly filter: BalanceFilter;
  readonly limit: number;
  readonly cursor: string | undefined;
  /**
   * Resource, filter and date in one spelling, and whether any of it was given: beside a cursor
   * they must be the walk's own.
   */
  readonly canonical: string;
  readonly narrows: boolean;
}

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;
const VALUES_MAX = 100;
const RECEIVED_MAX_CHARS = 60;
const CURSOR_MAX_CHARS = 16_384;

const PARTY_ID = /^pty_[0-9A-Z]{26}$/;
const DEAL_ID = /^deal_[0-9A-Z]{26}$/;
const FACILITY_ID = /^fac_[0-9A-Z]{26}$/;

interface ListParameter {
  readonly accepts: (value: string) => boolean;
  readonly expected: string;
}
const LISTS = {
  dealId: { accepts: (value) => DEAL_ID.test(value), expected: 'a deal id, deal_…' },
  facilityId: { accepts: (value) => FACILITY_ID.test(value), expected: 'a facility id, fac_…' },
  borrowerId: { accepts: (value) => PARTY_ID.test(value), expected: 'a party id, pty_…' },
  currency: {
    accepts: (value) => minorUnitDigits(value) !== undefined,
    expected: 'an ISO 4217 code such as USD',
  },
  country: {
    accepts: (value) => /^[A-Z0-9]{2}$/.test(value),
    expected: 'a two-character country code such as IN',
  },
} satisfies Record<string, ListParameter>;
type ListName = keyof typeof LISTS;
const LIST_NAMES = Object.keys(LISTS) as ListName[];
const KNOWN = [...LIST_NAMES, 'asOf', 'includeZero', 'limit', 'cursor'];

/** @throws {Refusal} with every fault at once. */
export function parseBalancesQuery(text: string, level: Level): BalancesQuery {
  const parameters = new URLSearchParams(text);
  const faults: ParameterFault[] = unknownParameters(parameters);
  const single = <T>(
    name: string,
    parse: (value: string) => T | undefined,
    expected: string,
    code = 'invalid_parameter',
  ): T | undefined => {
    const values = parameters.getAll(name);
    const [value] = values;
    if (value === undefined) return undefined;
    const parsed = values.length === 1 ? parse(value) : undefined;
    if (parsed === undefined) {
      const message = values.length === 1 ? `expected ${expected}` : 'expected one value';
      faults.push(fault(name, code, message, values.join(',')));
    }
    return parsed;
  };
  const asOf = single('asOf', parseBusinessDate, 'a date as YYYY-MM-DD', 'invalid_date');
  const includeZero = single('includeZero', parseFlag, 'true or false');
  const limit = single('limit', parseLimit, `a whole number from 1 to ${LIMIT_MAX}`);
  const cursor = single('cursor', parseCursor, 'a cursor as it was given', 'invalid_cursor');
  const lists = Object.fromEntries(
    LIST_NAMES.map((name) => [name, listOf(parameters, name, faults)]),
  ) as Record<ListName, readonly string[]>;
  if (faults.length > 0) throw invalidParameters(faults);

  const filter: BalanceFilter = {
    dealIds: lists.dealId,
    facilityIds: lists.facilityId,
    borrowerIds: lists.borrowerId,
    currencies: lists.currency,
    countries: lists.country,
    includeZero: includeZero ?? false,
  };
  const narrows = [...parameters.keys()].some((name) => name !== 'cursor' && name !== 'limit');
  const canonical = JSON.stringify([level, lists, filter.includeZero, asOf ?? null]);
  return { asOf, filter, limit: limit ?? LIMIT_DEFAULT, cursor, canonical, narrows };
}

/** The filter and date of a canonical question, for a walk that goes on. */
export function parseCanonical(canonical: string): Pick<BalancesQuery, 'filter'> & {
  readonly level: Level;
} {
  const [level, lists, includeZero] = JSON.parse(canonical) as [
    Level,
    Record<ListName, string[]>,
    boolean,
  ];
  return {
    level,
    filter: {
      dealIds: lists.dealId,
      facilityIds: lists.facilityId,
      borrowerIds: lists.borrowerId,
      currencies: lists.currency,
      countries: lists.country,
      includeZero,
    },
  };
}

/** A mistyped filter that is ignored would answer with the whole book. */
function unknownParameters(parameters: URLSearchParams): ParameterFault[] {
  const unknown = [...new Set(parameters.keys())].filter((name) => !KNOWN.includes(name));
  const message = `expected one of ${KNOWN.join(', ')}`;
  return unknown
    .slice(0, VALUES_MAX)
    .map((name) =>
      fault(name.slice(0, RECEIVED_MAX_CHARS), 'unknown_parameter', message, undefined),
    );
}

/** Repeated and comma-separated values alike; sorted, so that one question has one spelling. */
function listOf(
  parameters: URLSearchParams,
  name: ListName,
  faults: ParameterFault[],
): readonly string[] {
  const { accepts, expected }: ListParameter = LISTS[name];
  const values = parameters.getAll(name).flatMap((value) => value.split(','));
  const wrong = values.find((value) => !accepts(value));
  if (wrong !== undefined) {
    faults.push(fault(name, 'invalid_parameter', `expected ${expected}`, wrong));
  } else if (values.length > VALUES_MAX) {
    const message = `expected at most ${VALUES_MAX} values`;
    faults.push(fault(name, 'invalid_parameter', message, `${values.length} values`));
  }
  return [...new Set(values)].sort();
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

function fault(
  parameter: string,
  code: string,
  message: string,
  received: string | undefined,
): ParameterFault {
  return received === undefined
    ? { parameter, code, message }
    : { parameter, code, message, received: received.slice(0, RECEIVED_MAX_CHARS) };
}

/** One kind of fault gives its code to the whole; several are `invalid_parameter`. */
function invalidParameters(errors: readonly ParameterFault[]): Refusal {
  const codes = new Set(errors.map(({ code }) => code));
  const [only = ''] = codes;
  const own = ['unknown_parameter', 'invalid_cursor'];
  const code = codes.size === 1 && own.includes(only) ? only : 'invalid_parameter';
  return new Refusal({
    status: 400,
    code,
    title: 'Parameter not valid',
    detail: errors.map(({ parameter, message }) => `${parameter}: ${message}`).join('; '),
    errors,
  });
}

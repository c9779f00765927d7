import { type BusinessDate, monthsAfter } from '../ledger/business-date.ts';
import { parseRate, RATE_DECIMALS } from '../ledger/rate.ts';
import { fault, type RecordFault } from './check-journal.ts';
import { type Describe, facilityOf } from './journal-store.ts';
import type { BookRecord, JournalRecord } from './record.ts';

/** 100 % a year. */
const RATE_PLAUSIBLE = 10n ** BigInt(RATE_DECIMALS);
const RATES = ['allInRate', 'baseRate', 'spread', 'csa'] as const;

/** Dates of a record that cannot be, whatever was agreed: pure. */
export function checkDates(record: BookRecord, described: Describe): readonly RecordFault[] {
  if (record.object === 'facility' || record.object === 'contract') {
    return endsBeforeStart(record, record.effectiveDate);
  }
  if (record.object !== 'journal') return [];
  return record.terms.flatMap((terms, index) => {
    if ('deal' in terms) return [];
    const subject = described('facility' in terms ? terms.facility : terms.contract);
    const start = subject && 'effectiveDate' in subject ? subject.effectiveDate : undefined;
    return endsBeforeStart(terms, start, `terms.${index}.`);
  });
}

function endsBeforeStart(
  ends: {
    readonly maturityDate?: string | undefined;
    readonly availabilityEndDate?: string | undefined;
  },
  start: string | undefined,
  place = '',
): readonly RecordFault[] {
  return (['maturityDate', 'availabilityEndDate'] as const).flatMap((field) => {
    const end = ends[field];
    if (end === undefined || start === undefined || end >= start) return [];
    const message = `expected ${start}, the effective date, or a later day`;
    return [fault(`${place}${field}`, 'ends_before_start', message)];
  });
}

/** What may be meant, and is more likely a slip: pure. */
export function implausible(
  record: BookRecord,
  today: BusinessDate,
  described: Describe,
): readonly RecordFault[] {
  const dates = implausibleDates(record, today, described);
  switch (record.object) {
    case 'contract':
      return [...dates, ...implausibleRates(record)];
    case 'journal':
      return [
        ...dates,
        ...withoutEffect(record),
        ...record.terms.flatMap((one, index) =>
          'contract' in one ? implausibleRates(one, `terms.${index}.`) : [],
        ),
        ...record.rates.flatMap((one, index) => implausibleRates(one, `rates.${index}.`)),
      ];
    case 'fx_rate':
      return record.from === record.to
        ? [...dates, ineffective('to', 'another currency than `from`')]
        : dates;
    default:
      return dates;
  }
}

const FACTS = ['terms', 'details', 'rates', 'settlements'] as const;

/** What a journal says and the book does not use. */
function withoutEffect(journal: JournalRecord): readonly RecordFault[] {
  const { reverses, corrects, postings } = journal;
  const facts = FACTS.filter((list) => reverses !== undefined && (journal[list] ?? []).length > 0);
  const bills = postings.some(
    ({ account, movement }) =>
      account === 'INTEREST_DUE' || account === 'FEES_DUE' || movement === 'pik_capitalization',
  );
  return [
    ...facts.map((list) => ineffective(list, 'none: a reversal takes back those of its journal')),
    ...(corrects === undefined || bills
      ? []
      : [ineffective('corrects', 'none: only interest and fees that are billed correct a bill')]),
  ];
}

function ineffective(field: string, expected: string): RecordFault {
  return fault(field, 'no_effect', `expected ${expected}`);
}

/** A day, and the words for it. */
type Bound = readonly [day: BusinessDate, why: string];

/** Between which days a date is plausible. */
interface Bounds {
  readonly first: (of: Dated) => Bound;
  readonly last: (of: Dated) => Bound;
}

interface Dated {
  readonly today: BusinessDate;
  /** Of the deal, where it says. */
  readonly closing: BusinessDate | undefined;
  /** Of a journal. */
  readonly effective: BusinessDate;
}

const yearsBack =
  (years: number): Bounds['first'] =>
  ({ today }) => [monthsAfter(today, -12 * years), `${years} years ago`];
const yearsAhead =
  (years: number): Bounds['last'] =>
  ({ today }) => [
    monthsAfter(today, 12 * years),
    years === 1 ? 'a year from now' : `${years} years from now`,
  ];
/** A loan that was made long ago says so by its closing date. */
const sinceClosing: Bounds['first'] = (of) =>
  of.closing === undefined
    ? yearsBack(50)(of)
    : [monthsAfter(of.closing, -12), 'a year before the closing of the deal'];

const CLOSED: Bounds = { first: yearsBack(100), last: yearsAhead(1) };
const HAPPENED: Bounds = { first: sinceClosing, last: yearsAhead(1) };
/** Agreed long before it comes. */
const AGREED: Bounds = { first: sinceClosing, last: yearsAhead(50) };
/** A bill in advance is of a year at most; what is billed accrues no more. */
const BILLED: Bounds = {
  first: sinceClosing,
  last: ({ effective }) => [monthsAfter(effective, 12), 'a year after the effective date'],
};

/** Date fields of records, and of what lists in them have (`list.field`). */
const DATES: Readonly<Record<BookRecord['object'], Readonly<Record<string, Bounds>>>> = {
  party: {},
  deal: { closingDate: CLOSED, bookedOn: HAPPENED },
  facility: {
    effectiveDate: HAPPENED,
    maturityDate: AGREED,
    availabilityEndDate: AGREED,
    bookedOn: HAPPENED,
  },
  contract: { effectiveDate: HAPPENED, maturityDate: AGREED, bookedOn: HAPPENED },
  position: { bookedOn: HAPPENED },
  journal: {
    effectiveDate: HAPPENED,
    'postings.dueDate': HAPPENED,
    'terms.maturityDate': AGREED,
    'terms.availabilityEndDate': AGREED,
    'rates.startDate': AGREED,
    'settlements.settledThrough': BILLED,
  },
  fx_rate: { date: HAPPENED },
};

function implausibleDates(
  record: BookRecord,
  today: BusinessDate,
  described: Describe,
): readonly RecordFault[] {
  const effective = record.object === 'journal' ? record.effectiveDate : today;
  const dated = { today, closing: closingOf(record, described), effective };
  return Object.entries(DATES[record.object]).flatMap(([field, { first, last }]) => {
    const dates = datesIn(record, field);
    if (dates.length === 0) return [];
    const [[from, sinceWhen], [to, untilWhen]] = [first(dated), last(dated)];
    return dates.flatMap(([place, date]) => {
      if (date < from) return [odd(place, `expected ${from}, ${sinceWhen}, or a later day`)];
      return date > to ? [odd(place, `expected ${to}, ${untilWhen}, or before`)] : [];
    });
  });
}

function odd(place: string, message: string): RecordFault {
  return fault(place, 'implausible_date', message);
}

/** Dates of a field that are there, and where. */
function datesIn(
  record: BookRecord,
  field: string,
): readonly (readonly [place: string, date: string])[] {
  const [list = '', name] = field.split('.');
  const found = (record as Readonly<Record<string, unknown>>)[list];
  if (name === undefined) return typeof found === 'string' ? [[field, found]] : [];
  return (found as readonly Readonly<Record<string, unknown>>[]).flatMap(
    ({ [name]: date }, index) =>
      typeof date === 'string' ? [[`${list}.${index}.${name}`, date] as const] : [],
  );
}

function closingOf(record: BookRecord, described: Describe): BusinessDate | undefined {
  if (record.object === 'deal') return record.closingDate;
  const of = { deal: undefined, facility: undefined, ...record };
  const found = described(of.deal ?? facilityOf(described, of.facility)?.deal ?? '');
  return found?.kind === 'deal' ? (found.closingDate as BusinessDate | undefined) : undefined;
}

function implausibleRates(
  record: { readonly [name in (typeof RATES)[number]]?: string | undefined },
  place = '',
): readonly RecordFault[] {
  return RATES.flatMap((field) => {
    const rate = parseRate(record[field] ?? '0') ?? 0n;
    if (rate <= RATE_PLAUSIBLE && rate >= -RATE_PLAUSIBLE) return [];
    const percent = Number((rate * 100n) / RATE_PLAUSIBLE);
    const message = `expected a fraction of 1 at most, such as 0.05 for 5 %: this is ${percent} %`;
    return [fault(`${place}${field}`, 'implausible_rate', message)];
  });
}

import { hasVisible, isKey, isStorable, KEY_EXPECTED, STORABLE_EXPECTED } from '@cls/shared/text';
import { z } from 'zod';
import { ACCRUAL_COMPONENTS } from '../ledger/accrual.ts';
import { type BusinessDate, DATES_RANGE, parseBusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import { DAY_COUNTS } from '../ledger/day-count.ts';
import {
  EXTERNAL_SOURCE,
  EXTERNAL_VALUE_EXPECTED,
  isExternalValue,
} from '../ledger/external-id.ts';
import { FACILITY_TYPES } from '../ledger/facility-type.ts';
import { JOURNAL_TYPES, LEDGER_ACCOUNTS, PRINCIPAL_MOVEMENTS } from '../ledger/journal.ts';
import { parseAmount } from '../ledger/money.ts';
import { formatRate, parseRate, RATE_DECIMALS } from '../ledger/rate.ts';
import { missing } from './record-faults.ts';

/** What a field holds: an id with this prefix, or one of these; text where nothing is registered. */
type Held =
  | 'pty'
  | 'deal'
  | 'fac'
  | 'ctr'
  | 'pos'
  | 'jrn'
  | 'date'
  | 'fraction'
  | 'component'
  | 'flag';
export const HELD = z.registry<{ readonly held: Held }>();

/** 1,000 % a year. */
const RATE_MAX = 10;
function isRate(text: string): boolean {
  const most = BigInt(RATE_MAX) * 10n ** BigInt(RATE_DECIMALS);
  const rate = parseRate(text);
  return rate !== undefined && rate <= most && rate >= -most;
}
const TEXT_MAX = 500;
const KEY_MAX = 600;
/** A text. A record without it gets the fault `expected`. */
const text = (expected: string) => z.string({ error: ({ input }) => missing(input) + expected });
const name = text(`expected a text of at most ${TEXT_MAX} characters`)
  .max(TEXT_MAX, `expected at most ${TEXT_MAX} characters`)
  .refine(isStorable, { error: STORABLE_EXPECTED, abort: true })
  .refine(hasVisible, 'expected text that shows');
/** What identifies: two that look alike are one. */
const key = text(`expected a text of at most ${KEY_MAX} characters`)
  .max(KEY_MAX, `expected at most ${KEY_MAX} characters`)
  .refine(isKey, { error: KEY_EXPECTED, abort: true });
const id = (prefix: Held) => {
  const expected = `expected an id as ${prefix}_…`;
  const shape = new RegExp(`^${prefix}_[0-9A-Z]{26}$`);
  return text(expected).regex(shape, expected).register(HELD, { held: prefix });
};
const DATE_EXPECTED = `expected a date as YYYY-MM-DD, ${DATES_RANGE}`;
const businessDate = text(DATE_EXPECTED)
  .refine((date) => parseBusinessDate(date) !== undefined, DATE_EXPECTED)
  .transform((date) => date as BusinessDate)
  .register(HELD, { held: 'date' });
const CURRENCY_EXPECTED = 'expected an ISO 4217 code';
const currency = text(CURRENCY_EXPECTED).refine(
  (code) => minorUnitDigits(code) !== undefined,
  CURRENCY_EXPECTED,
);
const RATE_EXPECTED = `expected a fraction such as 0.0475, with at most ${RATE_DECIMALS} decimals and of at most ${RATE_MAX}`;
const rate = text(RATE_EXPECTED)
  .refine(isRate, RATE_EXPECTED)
  .transform((text) => {
    const parsed = parseRate(text);
    return parsed === undefined ? text : formatRate(parsed);
  })
  .register(HELD, { held: 'fraction' });
const component = z.enum(ACCRUAL_COMPONENTS).register(HELD, { held: 'component' });
const COUNTRY_EXPECTED = 'expected a country of two capital letters or digits';
const country = text(COUNTRY_EXPECTED).regex(/^[A-Z0-9]{2}$/, COUNTRY_EXPECTED);
const externalIds = z
  .array(
    z.strictObject({
      source: key.regex(
        new RegExp(`^${EXTERNAL_SOURCE}$`),
        'expected at most 64 characters without colons and commas',
      ),
      value: key.refine(isExternalValue, EXTERNAL_VALUE_EXPECTED),
    }),
  )
  .default([]);
/** The book has the record from this date on; without it, since its deal's first journal. */
const bookedOn = businessDate;
export const agreementStatus = z.enum(['pending', 'active', 'matured', 'terminated']);
export const contractStatus = z.enum(['pending', 'active', 'repaid', 'written_off']);

const party = z.strictObject({
  object: z.literal('party'),
  id: id('pty'),
  name,
  legalName: name.optional(),
  lei: z
    .string()
    .regex(/^[A-Z0-9]{18}[0-9]{2}$/, 'expected an LEI of 20 characters')
    .optional(),
  country: country.optional(),
  externalIds,
});

const deal = z.strictObject({
  object: z.literal('deal'),
  id: id('deal'),
  name,
  dealNumber: key,
  borrower: id('pty'),
  agent: id('pty'),
  guarantor: id('pty').optional(),
  country,
  status: agreementStatus,
  closingDate: businessDate.optional(),
  bookedOn: bookedOn.optional(),
  externalIds,
});

const facility = z.strictObject({
  object: z.literal('facility'),
  id: id('fac'),
  deal: id('deal'),
  name,
  type: z.enum(FACILITY_TYPES),
  currency,
  dayCount: z.enum(DAY_COUNTS),
  status: agreementStatus,
  effectiveDate: businessDate.optional(),
  maturityDate: businessDate.optional(),
  availabilityEndDate: businessDate.optional(),
  pikUsesCommitment: z.boolean().register(HELD, { held: 'flag' }).default(false),
  /** A part of that facility's commitment, and not more. */
  sublimitOf: id('fac').optional(),
  bookedOn: bookedOn.optional(),
  externalIds,
});

const contract = z.strictObject({
  object: z.literal('contract'),
  id: id('ctr'),
  facility: id('fac'),
  contractNumber: key,
  status: contractStatus,
  effectiveDate: businessDate.optional(),
  maturityDate: businessDate.optional(),
  allInRate: rate.optional(),
  rolledFrom: id('ctr').optional(),
  bookedOn: bookedOn.optional(),
  externalIds,
});

const position = z.strictObject({
  object: z.literal('position'),
  id: id('pos'),
  facility: id('fac'),
  lender: id('pty'),
  kind: z.enum(['assignment', 'participation']),
  parent: id('pos').optional(),
  bookedOn: bookedOn.optional(),
});

const DECIMAL_EXPECTED = 'expected a plain decimal';

/** Of a facility when it names no contract, and globally when it names no lender. */
const posting = z.strictObject({
  facility: id('fac'),
  contract: id('ctr').optional(),
  lender: id('pty').optional(),
  account: z.enum(LEDGER_ACCOUNTS),
  movement: z.enum(PRINCIPAL_MOVEMENTS).optional(),
  /** Debit positive, credit negative, with exactly the digits of the currency. */
  amount: text(DECIMAL_EXPECTED).regex(/^-?\d{1,17}(\.\d{1,4})?$/, DECIMAL_EXPECTED),
  currency,
  dueDate: businessDate.optional(),
});

/** What is true from a date on: whole, not the change alone. */
const terms = z.union([
  z.strictObject({ deal: id('deal'), status: agreementStatus }),
  z.strictObject({
    facility: id('fac'),
    status: agreementStatus,
    maturityDate: businessDate.optional(),
    availabilityEndDate: businessDate.optional(),
  }),
  z.strictObject({
    contract: id('ctr'),
    status: contractStatus,
    maturityDate: businessDate.optional(),
    allInRate: rate.optional(),
  }),
]);

/** Names that are true from a date on, each whole. A deal without a guarantor has none then. */
const details = z.union([
  z.strictObject({
    deal: id('deal'),
    name,
    borrower: id('pty'),
    guarantor: id('pty').optional(),
    country,
  }),
  z.strictObject({ facility: id('fac'), name }),
  z.strictObject({ party: id('pty'), name }),
]);

const accrualSubject = { facility: id('fac'), contract: id('ctr').optional(), component };

const ratePeriod = z.strictObject({
  ...accrualSubject,
  startDate: businessDate,
  allInRate: rate,
  baseRateIndex: name.optional(),
  baseRate: rate.optional(),
  spread: rate.optional(),
  csa: rate.optional(),
});

const settlement = z.strictObject({
  ...accrualSubject,
  settledThrough: businessDate,
});

const journal = z.strictObject({
  object: z.literal('journal'),
  id: id('jrn'),
  deal: id('deal'),
  type: z.enum(JOURNAL_TYPES),
  effectiveDate: businessDate,
  idempotencyKey: key,
  reason: name.optional(),
  sourceRef: name.optional(),
  createdBy: name.optional(),
  reverses: id('jrn').optional(),
  /** The bill that this adjusting item corrects. */
  corrects: id('jrn').optional(),
  /** The drawing is meant to exceed the commitment. */
  overadvance: z.literal(true).optional(),
  postings: z.array(posting).max(30_000).default([]),
  terms: z.array(terms).default([]),
  details: z.array(details).min(1).optional(),
  rates: z.array(ratePeriod).default([]),
  settlements: z.array(settlement).default([]),
});

/** Known by what it says: it has no id. Of one date the last rate counts. */
const fxRate = z.strictObject({
  object: z.literal('fx_rate'),
  date: businessDate,
  from: currency,
  to: currency,
  /** Units of `to` for one of `from`. */
  rate: text(DECIMAL_EXPECTED)
    .regex(/^(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?$/, 'expected a plain decimal without final zeros')
    .refine((text) => text !== '0', 'expected more than 0'),
  source: name,
});

const SHA256_EXPECTED = 'expected a SHA-256 of 64 hexadecimal digits';

const summary = z.strictObject({
  object: z.literal('summary'),
  records: z.number().int().nonnegative(),
  journals: z.number().int().nonnegative(),
  postings: z.number().int().nonnegative(),
  /** Of global lines, per currency and account. */
  sums: z.record(z.string(), z.record(z.string(), z.string())),
  /** Of every line before, line ends included. */
  sha256: text(SHA256_EXPECTED).regex(/^[0-9a-f]{64}$/, SHA256_EXPECTED),
});

/** Kinds of records that have a table, each after those that its records name. */
export const SUBJECT_SHAPES = [party, deal, facility, contract, position].map(({ shape }) => shape);
/** Facts that journals bring, by the list of a journal: what they are about comes first. */
export const FACT_SHAPES = {
  terms: terms.options.map(({ shape }) => shape),
  details: details.options.map(({ shape }) => shape),
  rates: [ratePeriod.shape],
  settlements: [settlement.shape],
};

const KINDS = [party, deal, facility, contract, position, journal, fxRate, summary] as const;
const KIND_NAMES = KINDS.map(({ shape }) => shape.object.value).join(', ');

export const RECORD = z.discriminatedUnion('object', KINDS, {
  error: ({ code }) =>
    code === 'invalid_union' ? `expected one of ${KIND_NAMES}` : 'expected one JSON object',
});

export type PartyRecord = z.infer<typeof party>;
export type DealRecord = z.infer<typeof deal>;
export type FacilityRecord = z.infer<typeof facility>;
export type ContractRecord = z.infer<typeof contract>;
export type PositionRecord = z.infer<typeof position>;
export type PostingRecord = z.infer<typeof posting>;
export type TermsRecord = z.infer<typeof terms>;
export type DetailsRecord = z.infer<typeof details>;
export type RateRecord = z.infer<typeof ratePeriod>;
export type SettlementRecord = z.infer<typeof settlement>;
export type JournalRecord = z.infer<typeof journal>;
export type FxRateRecord = z.infer<typeof fxRate>;
export type SummaryRecord = z.infer<typeof summary>;
export type BookRecord = Exclude<z.infer<typeof RECORD>, SummaryRecord>;
export type IdentifiedRecord = Exclude<BookRecord, FxRateRecord>;

/** The amount of a posting in minor units of its currency. */
export function minorOf({ amount, currency }: Pick<PostingRecord, 'amount' | 'currency'>): bigint {
  return parseAmount(amount, minorUnitDigits(currency) ?? 0)?.amountMinor ?? 0n;
}

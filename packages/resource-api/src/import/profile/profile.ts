import { hasVisible, isKey, isStorable, KEY_EXPECTED } from '@cls/shared/text';
import { z } from 'zod';
import { agreementStatus, contractStatus } from '../../journal-file/record.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import {
  EXTERNAL_SOURCE,
  EXTERNAL_VALUE_EXPECTED,
  isExternalValue,
} from '../../ledger/external-id.ts';
import { FACILITY_TYPES } from '../../ledger/facility-type.ts';
import { DATE_FORMAT } from '../cells/dates.ts';
import { ambiguousMark } from '../cells/number-shape.ts';
import { ENCODINGS } from '../file/table.ts';
import { isSum } from './derivation.ts';

/** Amounts that a row may state, in the currency of the row. */
export const AMOUNT_FIELDS = [
  'limit',
  'originalPrincipal',
  'cancelled',
  'undisbursed',
  'disbursed',
  'repaid',
  'due',
  'exchangeAdjustment',
  'obligation',
  'sold',
  'repaidThirdParty',
  'dueThirdParty',
  'held',
] as const;
export type AmountField = (typeof AMOUNT_FIELDS)[number];

export const DATE_FIELDS = ['closingDate', 'effectiveDate', 'maturityDate'] as const;
export type DateField = (typeof DATE_FIELDS)[number];

const TEXT_FIELDS = [
  'asOf',
  'loanNumber',
  'dealNumber',
  'dealName',
  'facilityNumber',
  'facilityName',
  'countryCode',
  'country',
  'borrower',
  'borrowerNumber',
  'guarantorCountryCode',
  'guarantor',
  'agent',
  'lender',
  'lenderShare',
  'loanType',
  'status',
  'rate',
  'ratePercent',
  'currency',
  'name',
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
export const FIELDS = [...TEXT_FIELDS, ...AMOUNT_FIELDS, ...DATE_FIELDS] as const;
export type Field = (typeof FIELDS)[number];

const key = z.string().refine(isKey, KEY_EXPECTED);
const text = z
  .string()
  .refine((given) => isStorable(given) && hasVisible(given), 'expected a name');
const party = z.strictObject({
  externalId: key.refine(isExternalValue, EXTERNAL_VALUE_EXPECTED),
  name: text,
});
const facilityType = z.enum(FACILITY_TYPES);
const currency = z
  .string()
  .refine((code) => minorUnitDigits(code) !== undefined, 'expected an ISO 4217 code');
const amountField = z.enum(AMOUNT_FIELDS);
const sum = z
  .string()
  .refine(isSum, 'expected amounts with + or − between them, such as limit - due');
const headers = z.array(z.string()).min(1);
const country = z.string().regex(/^[A-Z0-9]{2}$/, 'expected two characters');

export const SANITY_CHECKS = [
  'date_beyond_today',
  'date_a_century_back',
  'matures_before_start',
  'rate_beyond_100_percent',
  'lender_below_zero',
  'balance_beyond_limit',
  'many_loans_vanish',
  'leading_zeros_lost',
  'same_as_before',
  'names_look_alike',
] as const;
export type SanityCheck = (typeof SANITY_CHECKS)[number];

const profileShape = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,64}$/, 'expected lower-case letters, digits and hyphens'),
  title: z.string(),
  /** Where external ids live: two profiles of one source speak of the same loans. */
  source: key.regex(
    new RegExp(`^${EXTERNAL_SOURCE}$`),
    'expected at most 64 characters without colons and commas',
  ),

  // The file: how bytes become rows of cells.
  encoding: z.enum(ENCODINGS).default('utf-8'),
  /** Of a text file: one character. */
  delimiter: z.string().length(1, 'expected one character').default(','),
  /** Of a workbook; its only sheet when not given. */
  sheet: z.string().optional(),
  /**
   * Where the header stands, the first row being 1. Rows before it are left out. 0 where the file has
   * none: its columns are then named by their place, `#1` being the first.
   */
  headerRow: z.int().min(0).max(1_000).default(1),
  /**
   * How the first cell that is not empty begins in the row with which the loans end: that row has
   * the sender's totals, and rows after it are left out.
   */
  totalsRow: z.string().min(1).optional(),
  /**
   * Rows that are no loans, such as subtotals: those that have one of these values in this column. An
   * empty text is an empty cell.
   */
  leaveOut: z
    .array(z.strictObject({ column: z.string().min(1), values: z.array(z.string()).min(1) }))
    .optional(),
  /**
   * Of a file with several dates: `only` the rows of the date that is given beside the file count; `all`
   * rows must have one date.
   */
  asOfRows: z.enum(['all', 'only']).default('all'),

  // Cells: how a text is read as a number, a date, a rate.
  decimalSeparator: z.enum(['.', ',']).default('.'),
  /**
   * What stands between thousands, in groups of three; nothing when not given. A space is also a
   * no-break and a thin space, an apostrophe also a typographic one.
   */
  thousandsSeparator: z.enum([',', '.', "'", ' ']).optional(),
  /** `(5.00)` is −5.00; refused when not given. */
  parenthesesNegative: z.boolean().optional(),
  /** `5.00-` is −5.00; refused when not given. */
  trailingMinus: z.boolean().optional(),
  /** What stands beside a number that is negative, or positive: `CR`, `DR`. */
  negativeMarks: z.array(z.string().min(1)).optional(),
  positiveMarks: z.array(z.string().min(1)).optional(),
  /** What stands beside amounts of a currency: `€`, `EUR`. Another currency beside one is a fault. */
  currencyMarks: z.record(z.string().min(1), currency).optional(),
  /** What stands for zero in place of digits, such as `-`. */
  zeroMarks: z.array(z.string().min(1)).optional(),
  /** Amounts whose empty cell is zero; for others it is a fault. */
  emptyIsZero: z.union([z.literal(true), z.array(amountField)]).optional(),
  /** What one unit of an amount stands for: statements in thousands or millions. */
  amountsIn: z.union([z.literal(1), z.literal(1_000), z.literal(1_000_000)]).default(1),
  /** Amounts with more digits than the currency has: refused, or rounded half up with a warning. */
  excessDecimals: z.enum(['reject', 'round']).default('reject'),
  dateFormats: z.array(DATE_FORMAT).min(1).default(['YYYY-MM-DD']),
  /** Two digits of a year are this year or one of the 99 that follow. */
  twoDigitYearsFrom: z.int().min(1900).max(2050).optional(),
  rateUnit: z.enum(['percent', 'fraction', 'basis_points']).default('percent'),
  /** What stands for an empty cell: `n/a`. */
  emptyMarks: z.array(z.string().min(1)).optional(),

  // What the columns mean.
  /**
   * Header names per field, the first that is there; case, marks and units do not count. `#3` is the
   * third column, whatever its name.
   */
  columns: z.partialRecord(z.enum(FIELDS), headers),
  /**
   * What is written for a comma in numbers of loans, facilities and deals, which external ids may not
   * have: funds call their investments by names.
   */
  commasInNumbers: z.enum([';', '/', ' ']).optional(),
  /** Of all rows, where no column has it. */
  currency: currency.optional(),
  /**
   * What the currency column names: the currency of the row's amounts (`amounts`), or that of the
   * loan agreement, while the amounts are in the profile's (`loan`).
   */
  currencyColumn: z.enum(['amounts', 'loan']).default('amounts'),
  /** Of borrowers whose row names none. */
  country: country.optional(),
  /** Country codes per name of the sender, where codes are not what the column has. */
  countries: z.record(z.string(), country).optional(),
  /** Who holds what no row and no file of shares gives to another. */
  lender: party,
  /** Who holds what the lender sold. */
  participants: party.optional(),
  /** Facility type per loan type of the sender; `*` for all others. */
  facilityTypes: z.record(z.string(), facilityType).default({ '*': 'term_loan' }),
  /** Status of deal, facility and contract per status of the sender; `*` for all others. */
  statuses: z
    .record(z.string(), z.tuple([agreementStatus, agreementStatus, contractStatus]))
    .default({ '*': ['active', 'active', 'active'] }),
  /** How an amount follows from others, where no column has it. */
  derive: z.partialRecord(amountField, sum).default({}),
  /** What must hold in each row, within a tolerance; `off` says why one is not checked. */
  identities: z
    .array(
      z.strictObject({
        field: amountField,
        is: sum,
        /** In units of the currency. */
        tolerance: z
          .string()
          .regex(/^\d{1,15}(\.\d{1,4})?$/, 'expected a decimal')
          .default('0.01'),
        off: text.optional(),
      }),
    )
    .optional(),

  // Syndicates: how rows make deals, facilities and lenders' shares.
  /** Whether rows of one facility each state the amounts of the facility, or their part of them. */
  facilityAmounts: z.enum(['repeated', 'split']).optional(),
  /** What a row is: a loan, or the part that one lender has of a loan. */
  rowIs: z.enum(['loan', 'lender']).default('loan'),
  /** What `lenderShare` is; without that column the amounts of a lender's row are its own. */
  shareUnit: z.enum(['fraction', 'percent', 'amount']).optional(),
  /** A second file, read as the first: which lender has which share of which facility. */
  shares: z
    .strictObject({
      /** Of a workbook, which may be the file of the loans itself. */
      sheet: z.string().optional(),
      columns: z.strictObject({
        loanNumber: headers.optional(),
        dealNumber: headers.optional(),
        facilityNumber: headers.optional(),
        lender: headers,
        share: headers,
      }),
      unit: z.enum(['fraction', 'percent', 'amount']),
    })
    .optional(),

  /** What is told before anything is applied: `refuse`, `warn`, or a threshold. */
  sanity: z
    .partialRecord(
      z.enum(SANITY_CHECKS),
      z.union([z.enum(['refuse', 'warn', 'off']), z.strictObject({ above: z.number().min(0) })]),
    )
    .default({}),
});

export const profileSchema = profileShape.superRefine((profile, context) => {
  for (const [path, message] of contradictions(profile)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
});

/** How one sender's statement is read. */
export type ImportProfile = Readonly<z.infer<typeof profileSchema>>;
/** As it is written, before defaults. */
export type ImportProfileDocument = Readonly<z.input<typeof profileSchema>>;

/** Settings that contradict each other or lack another, by path. */
function* contradictions(
  profile: z.output<typeof profileShape>,
): Generator<readonly [path: readonly string[], message: string]> {
  const { columns, derive, participants } = profile;
  const has = (field: Field) => columns[field] !== undefined;
  const states = (field: AmountField) => has(field) || derive[field] !== undefined;
  if (!IDENTIFYING.some(has)) {
    yield [['columns'], `expected a column for one of ${IDENTIFYING.join(', ')}`];
  }
  if (!states('due')) {
    yield [['columns', 'due'], 'expected a column, or a sum in derive: the outstanding principal'];
  }
  if (!has('currency') && profile.currency === undefined) {
    yield [['currency'], 'expected an ISO 4217 code, or a column for currency'];
  }
  if (profile.currencyColumn === 'loan' && profile.currency === undefined) {
    yield [
      ['currency'],
      'expected the currency of the amounts, because the column names the loan’s',
    ];
  }
  if (has('limit') && !states('undisbursed') && !states('disbursed')) {
    yield [
      ['derive', 'undisbursed'],
      'expected limit - due where the rest of the limit can be drawn, or 0 where it cannot',
    ];
  }
  if (has('disbursed') !== has('repaid') && !(states('disbursed') && states('repaid'))) {
    yield [['columns'], 'expected disbursed and repaid together, or neither'];
  }
  if (SOLD.some(states) && participants === undefined) {
    yield [['participants'], 'expected who holds what was sold'];
  }
  if (profile.rowIs === 'lender' && !has('lender')) {
    yield [['columns', 'lender'], 'expected a column, because each row is the part of a lender'];
  }
  if (has('lenderShare') !== (profile.shareUnit !== undefined)) {
    yield [['shareUnit'], 'expected together with a column for lenderShare'];
  }
  if (profile.rowIs === 'lender' && profile.shares !== undefined) {
    yield [['shares'], 'expected none, because the rows have the shares of lenders'];
  }
  if (has('rate') && has('ratePercent')) {
    yield [['columns', 'ratePercent'], 'expected one of rate and ratePercent'];
  }
  if (has('ratePercent') && profile.rateUnit !== 'percent') {
    yield [
      ['rateUnit'],
      'expected percent, because ratePercent has percentages; name the column as rate',
    ];
  }
  if (profile.asOfRows === 'only' && !has('asOf')) {
    yield [['columns', 'asOf'], 'expected a column, because rows of one date are chosen'];
  }
  if (profile.thousandsSeparator === profile.decimalSeparator) {
    yield [['thousandsSeparator'], 'expected another character than decimalSeparator'];
  }
  const mark = ambiguousMark(profile);
  if (mark !== undefined) {
    yield [['negativeMarks'], `expected marks of one meaning and without digits; ${mark} is not`];
  }
  const short = profile.dateFormats.find((format) => /(^|[^Y])YY($|[^Y])/.test(format));
  if (short !== undefined && profile.twoDigitYearsFrom === undefined) {
    yield [['twoDigitYearsFrom'], `expected the first year that ${short} can mean, such as 1970`];
  }
}

/** What identifies a loan: one of them has a column. */
const IDENTIFYING: readonly Field[] = ['loanNumber', 'facilityNumber', 'dealNumber'];
const SOLD: readonly AmountField[] = ['sold', 'repaidThirdParty', 'dueThirdParty'];

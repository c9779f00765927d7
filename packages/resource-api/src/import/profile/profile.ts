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
import { ENCODINGS } from '../file/table.ts';
import { contradictionsIn } from './contradictions.ts';
import { isSum } from './derivation.ts';
import { AMOUNT_FIELDS, FIELDS } from './fields.ts';

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
const sumByType = z.partialRecord(z.enum([...FACILITY_TYPES, '*']), sum);
const headers = z.array(z.string()).min(1);
const country = z.string().regex(/^[A-Z0-9]{2}$/, 'expected two characters');

export const SANITY_CHECKS = [
  'date_beyond_today',
  'date_a_century_back',
  'matures_before_start',
  'rate_beyond_100_percent',
  'lender_below_zero',
  'sign_turned',
  'balance_beyond_limit',
  'many_loans_vanish',
  'drawing_moved',
  'leading_zeros_lost',
  'same_as_before',
  'same_file_as_before',
  'names_look_alike',
] as const;
export type SanityCheck = (typeof SANITY_CHECKS)[number];

const marks = z.array(z.string().min(1));

const IDENTITY = {
  name: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'expected lower-case letters, digits and hyphens')
    .describe('What imports and their journals call the profile.'),
  title: z.string().describe('The statement, in words.'),
  source: key
    .regex(
      new RegExp(`^${EXTERNAL_SOURCE}$`),
      'expected at most 64 characters without colons and commas',
    )
    .describe(
      'Who numbered the loans. Two profiles of one source speak of the same loans; callers find a deal as `source:number`.',
    ),
};

const FILE = {
  encoding: z
    .enum(ENCODINGS)
    .default('utf-8')
    .describe('Of a text file. A byte order mark takes precedence.'),
  delimiter: z
    .string()
    .length(1, 'expected one character')
    .default(',')
    .describe('Between the columns of a text file.'),
  sheet: z.string().optional().describe('Of a workbook, where several sheets have rows.'),
  headerRow: z
    .int()
    .min(0)
    .max(1_000)
    .default(1)
    .describe(
      'Where the header stands, the first row being 1. Rows before it are left out. `0` where the file has none: its columns are then named by their place, `#1` being the first.',
    ),
  totalsRow: z
    .string()
    .min(1)
    .optional()
    .describe(
      'How the first filled cell begins in the row with which the loans end, such as `Total`. The totals in it are compared with the sums of the rows: of all, or of the currency that the row names, and then each currency has such a row. Rows after it are left out; if it names a currency, rows with one are refused.',
    ),
  leaveOut: z
    .array(z.strictObject({ column: z.string().min(1), values: z.array(z.string()).min(1) }))
    .optional()
    .describe(
      'Rows that are no loans, by a value in a column: `[{"column": "id", "values": ["Subtotal", ""]}]`. An empty text is an empty cell.',
    ),
  asOfRows: z
    .enum(['all', 'only'])
    .default('all')
    .describe(
      'Of a file with several dates: with `only`, rows of other dates than `--as-of` are left out. Otherwise all rows must have one date.',
    ),
};

const CELLS = {
  decimalSeparator: z.enum(['.', ',']).default('.').describe('In numbers.'),
  thousandsSeparator: z
    .enum([',', '.', "'", ' '])
    .optional()
    .describe(
      'Between groups of three digits. A space is also a no-break and a thin space, an apostrophe also a typographic one.',
    ),
  parenthesesNegative: z.boolean().optional().describe('`(5.00)` is −5.00.'),
  trailingMinus: z.boolean().optional().describe('`5.00-` is −5.00.'),
  negativeMarks: marks.optional().describe('What stands beside a negative number, such as `CR`.'),
  positiveMarks: marks.optional().describe('What stands beside a positive number, such as `DR`.'),
  currencyMarks: z
    .record(z.string().min(1), currency)
    .optional()
    .describe(
      'What stands beside amounts of a currency: `{"€": "EUR"}`. An amount of another currency than its row is refused.',
    ),
  zeroMarks: marks.optional().describe('What stands for zero, such as `-`.'),
  emptyIsZero: z
    .union([z.literal(true), z.array(amountField)])
    .optional()
    .describe(
      'Amounts whose empty cell is zero, or `true` for all. Other empty amounts are refused.',
    ),
  emptyMarks: marks.optional().describe('What stands for an empty cell, such as `n/a`.'),
  amountsIn: z
    .union([z.literal(1), z.literal(1_000), z.literal(1_000_000)])
    .default(1)
    .describe('What one unit of an amount stands for.'),
  excessDecimals: z
    .enum(['reject', 'round'])
    .default('reject')
    .describe(
      'More digits than the currency has: refused, or rounded half away from zero with a warning.',
    ),
  dateFormats: z
    .array(DATE_FORMAT)
    .min(1)
    .default(['YYYY-MM-DD'])
    .describe(
      'Patterns of `YYYY`, `YY`, `MM`, `M`, `MMM` (a name), `DD`, `D`, `hh:mm`, or `serial`. A date of a workbook needs none. Without a day it is the last of the month.',
    ),
  twoDigitYearsFrom: z
    .int()
    .min(1900)
    .max(2050)
    .optional()
    .describe('The first of the hundred years that `YY` can mean.'),
  rateUnit: z
    .enum(['percent', 'fraction', 'basis_points'])
    .default('percent')
    .describe(
      'Of `rate`: 4.75, 0.0475 or 475. A number that a workbook shows in percent is what it shows.',
    ),
};

const MEANINGS = {
  columns: z
    .partialRecord(z.enum(FIELDS), headers)
    .describe(
      'By field, the names that its column may have. Case, accents, marks and spaces do not count. `#3` is the third column, whatever its name.',
    ),
  commasInNumbers: z
    .enum([';', '/', ' '])
    .optional()
    .describe(
      'What is written for a comma in numbers of loans, facilities and deals, which external ids may not have.',
    ),
  currency: currency.optional().describe('Of all amounts, where no column has it.'),
  currencyColumn: z
    .enum(['amounts', 'loan'])
    .default('amounts')
    .describe(
      'Whose currency the column has: that of the amounts, or that of the agreement while the amounts are in `currency`.',
    ),
  country: country
    .optional()
    .describe('Of borrowers whose row names none. Without it, that is `ZZ` (unknown).'),
  countries: z
    .record(z.string(), country)
    .optional()
    .describe('Country codes by the sender’s names: `{"Germany": "DE"}`.'),
  lender: party.describe('Who holds what no row and no file of shares gives to another lender.'),
  participants: party.optional().describe('Who holds what the lender sold.'),
  facilityTypes: z
    .record(z.string(), facilityType)
    .default({ '*': 'term_loan' })
    .describe(`By the sender’s loan types, \`*\` for all others: ${FACILITY_TYPES.join(', ')}.`),
  statuses: z
    .record(z.string(), z.tuple([agreementStatus, agreementStatus, contractStatus]))
    .default({ '*': ['active', 'active', 'active'] })
    .describe(
      `By the sender’s statuses, \`*\` for all others: of the deal and the facility (${agreementStatus.options.join(', ')}) and of the loan (${contractStatus.options.join(', ')}).`,
    ),
  derive: z
    .partialRecord(amountField, z.union([sum, sumByType]))
    .default({})
    .describe(
      'Amounts that follow from others: `{"undisbursed": "limit - due"}`, or `0`; by facility type where it differs: `{"undisbursed": {"revolver": "limit - due", "*": "0"}}`.',
    ),
};

const SYNDICATE = {
  facilityAmounts: z
    .enum(['repeated', 'split'])
    .optional()
    .describe('Whether each row of a facility states the facility’s amounts, or its part of them.'),
  rowIs: z
    .enum(['loan', 'lender'])
    .default('loan')
    .describe('Whether a row is a loan, or the part that one lender has in it.'),
  shareUnit: z
    .enum(['fraction', 'percent', 'amount'])
    .optional()
    .describe(
      'Of `lenderShare`. Without that column, the amounts of a lender’s row are the lender’s own.',
    ),
  shareTolerance: z
    .string()
    .regex(/^0(\.\d{1,10})?$/, 'expected a decimal below 1')
    .default('0')
    .describe(
      'How many percentage points the shares of a facility may lack of 100 or be above it: `0.05` takes three of 33.33 %. Amounts are then split in proportion, to the cent. The report counts such facilities.',
    ),
  shares: z
    .strictObject({
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
    .optional()
    .describe(
      'The columns of a second file (`--shares`): which lender has which share of which loan, facility or deal. For another sheet of the same workbook, name it in `sheet`. Shares must add up, within `shareTolerance`.',
    ),
};

const CHECKS = {
  identities: z
    .array(
      z.strictObject({
        field: amountField,
        is: sum,
        tolerance: z
          .string()
          .regex(/^\d{1,15}(\.\d{1,4})?$/, 'expected a decimal')
          .default('0.01'),
        off: text.optional(),
      }),
    )
    .optional()
    .describe(
      'What must hold in each row: `{"field": "limit", "is": "due + undisbursed", "tolerance": "0.05"}`. With `off` and a reason it is counted, and not refused. By default `limit` and `held` are `due + undisbursed`, `obligation` is `due + exchangeAdjustment`, and `dueThirdParty` is `sold - repaidThirdParty`, where all of them have columns.',
    ),
  sanity: z
    .partialRecord(
      z.enum(SANITY_CHECKS),
      z.union([z.enum(['refuse', 'warn', 'off']), z.strictObject({ above: z.number().min(0) })]),
    )
    .default({})
    .describe(
      'By check: `refuse`, `warn`, `off`, or a threshold such as `{"many_loans_vanish": {"above": 0.2}}`. A profile that a customer registers over HTTP makes no check weaker than it is by itself.',
    ),
};

/** The settings in the order of the reference of profiles, by heading. */
export const PROFILE_SECTIONS = {
  'Who it is': IDENTITY,
  'The file': FILE,
  'The cells': CELLS,
  'What the columns mean': MEANINGS,
  'Deals, facilities and lenders': SYNDICATE,
  'What must hold': CHECKS,
} as const;

const profileShape = z.strictObject({
  ...IDENTITY,
  ...FILE,
  ...CELLS,
  ...MEANINGS,
  ...SYNDICATE,
  ...CHECKS,
});

export const profileSchema = profileShape.superRefine((profile, context) => {
  for (const [path, message] of contradictionsIn(profile)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
});

export type ImportProfile = Readonly<z.infer<typeof profileSchema>>;
/** As it is written, before defaults. */
export type ImportProfileDocument = Readonly<z.input<typeof profileSchema>>;

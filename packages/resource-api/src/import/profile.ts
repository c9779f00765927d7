import { hasVisible, isKey, isStorable, KEY_EXPECTED } from '@cls/shared/text';
import { z } from 'zod';
import { agreementStatus, contractStatus } from '../journal-file/record.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import {
  EXTERNAL_SOURCE,
  EXTERNAL_VALUE_EXPECTED,
  isExternalValue,
} from '../ledger/external-id.ts';
import { FACILITY_TYPES } from '../ledger/facility-type.ts';

/** The amounts of one row of a statement, each cumulative since inception or as of its date. */
export const AMOUNT_FIELDS = [
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
  'countryCode',
  'country',
  'borrower',
  'guarantorCountryCode',
  'guarantor',
  'loanType',
  'status',
  'ratePercent',
  'currency',
  'name',
] as const;
export const FIELDS = [...TEXT_FIELDS, ...AMOUNT_FIELDS, ...DATE_FIELDS] as const;
export type Field = (typeof FIELDS)[number];

/** Fields that a statement may lack; its profile then names no column for them. */
const OPTIONAL_FIELDS: readonly Field[] = ['guarantorCountryCode', 'guarantor', 'loanType'];

const key = z.string().refine(isKey, KEY_EXPECTED);
const party = z.strictObject({
  externalId: key.refine(isExternalValue, EXTERNAL_VALUE_EXPECTED),
  name: z.string().refine((text) => isStorable(text) && hasVisible(text), 'expected a name'),
});
const facilityType = z.enum(FACILITY_TYPES);

export const profileSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  /** Where external ids live: two profiles of one source speak of the same loans. */
  source: key.regex(
    new RegExp(`^${EXTERNAL_SOURCE}$`),
    'expected at most 64 characters without colons and commas',
  ),
  currency: z.string().refine((code) => minorUnitDigits(code) !== undefined, 'an ISO 4217 code'),
  /** Who holds what was not sold, and who holds what was. */
  lender: party,
  participants: party,
  dateFormats: z
    .array(
      z.enum([
        'YYYY-MM-DD',
        'YYYY-MM-DDThh:mm:ss',
        'MM/DD/YYYY',
        'MM/DD/YYYY hh:mm:ss AM',
        'M/D/YYYY',
        'M/D/YYYY h:mm',
      ]),
    )
    .min(1),
  /** What stands between thousands, in groups of three; nothing when not given. */
  thousandsSeparator: z.enum([',', "'", ' ']).optional(),
  /** `(5.00)` is −5.00; refused when not given. */
  parenthesesNegative: z.boolean().optional(),
  /** What stands for zero in place of digits, such as `-`. */
  zeroMarks: z.array(z.string().min(1)).optional(),
  /**
   * What the currency column names: the currency of the row's amounts, which must be the profile's
   * (`amounts`), or that of the loan agreement, while the amounts are in the profile's (`loan`).
   */
  currencyColumn: z.enum(['amounts', 'loan']).default('amounts'),
  /** Amounts with more digits than the currency has: refused, or rounded half up with a warning. */
  excessDecimals: z.enum(['reject', 'round']),
  /** Header names per field, the first that is there; case, marks and units do not count. */
  columns: z
    .partialRecord(z.enum(FIELDS), z.array(z.string()).min(1))
    .refine(
      (columns) => FIELDS.every((name) => name in columns || OPTIONAL_FIELDS.includes(name)),
      `every field but ${OPTIONAL_FIELDS.join(', ')} needs a column`,
    ),
  /** Facility type per loan type of the sender; `*` for all others. */
  facilityTypes: z.record(z.string(), facilityType),
  /** Status of deal, facility and contract per status of the sender. */
  statuses: z.record(z.string(), z.tuple([agreementStatus, agreementStatus, contractStatus])),
});

/** How one sender's statement is read. */
export type ImportProfile = Readonly<z.infer<typeof profileSchema>>;

/** What the report calls things: words of a loan officer, as data. */
import type { ChangeKind } from '../plan/changes.ts';
import type { AmountField } from '../profile/fields.ts';
import type { SanityCheck } from '../profile/profile.ts';

export const CHANGE_WORDS: Readonly<Record<ChangeKind, readonly [title: string, rule: string]>> = {
  new_loan: ['New loans', 'booked on the statement’s date'],
  vanished: ['No longer in the statement', 'the book keeps them'],
  drawn: ['Drawn', 'booked as an advance'],
  repaid: ['Repaid', 'booked as a repayment'],
  transferred: ['Sold between lenders', 'booked as a transfer'],
  limit_changed: ['Limit raised or lowered', 'the commitment follows'],
  original_restated: ['Original amount restated', 'the commitment follows'],
  cancelled: ['Commitment cancelled', 'booked as a cancellation'],
  amount_fell: ['Cumulative amount fell', 'booked as a negative movement: look at these'],
  due_gap: [
    'Balance is not what its movements give',
    'the balance counts; the gap is an adjustment',
  ],
  undisbursed_gap: [
    'Undrawn is not what its movements give',
    'the undrawn amount counts; the gap is an adjustment',
  ],
  revalued: ['Exchange adjustment changed', 'booked as a revaluation'],
  terms_changed: ['Status, maturity or rate changed', 'new terms from the statement’s date on'],
  details_changed: ['Name, borrower, guarantor or country changed', 'true from the date on'],
  kept_as_booked: ['Another facility type or agent', 'not changed'],
};

export const AMOUNT_WORDS: Readonly<Record<AmountField, string>> = {
  limit: 'limit',
  originalPrincipal: 'original principal',
  cancelled: 'cancelled',
  undisbursed: 'undrawn',
  disbursed: 'disbursed',
  repaid: 'repaid',
  due: 'outstanding principal',
  exchangeAdjustment: 'exchange adjustment',
  obligation: 'obligation',
  sold: 'sold',
  repaidThirdParty: 'repaid to participants',
  dueThirdParty: 'outstanding to participants',
  held: 'held',
};

/** What a change is about. */
export const FIELD_WORDS: Readonly<Record<string, string>> = {
  ...AMOUNT_WORDS,
  maturityDate: 'maturity',
  allInRate: 'rate',
  facilityType: 'facility type',
};

/** What to do about a check that found something, beside accepting it. */
export const CHECK_ADVICE: Readonly<Record<SanityCheck, string>> = {
  date_beyond_today: 'Compare the date with the sender’s letter: later statements must be newer.',
  date_a_century_back: 'Look for two digits of a year, or a placeholder such as 01/01/1900.',
  matures_before_start:
    'Look at these rows: the two dates may be swapped, or twoDigitYearsFrom be missing.',
  rate_beyond_100_percent: 'Declare rateUnit: percent, fraction or basis_points.',
  lender_below_zero: 'Look at these rows: a sign may be turned.',
  sign_turned: 'Look at these rows: a minus was lost or added, or a repayment is far too large.',
  balance_beyond_limit: 'Look at these rows: the loan is overdrawn, or a column is another one.',
  many_loans_vanish: 'Ask the sender whether the file is whole, and compare the profile’s source.',
  drawing_moved:
    'If it is the same drawing, repay it in the old facility by a journal first; if it is another one of the same number, accept it.',
  leading_zeros_lost:
    'Store the numbers as text where the file is made: a spreadsheet drops the zeros.',
  same_as_before: 'Ask the sender whether this is the new statement.',
  same_file_as_before:
    'Compare the dates: one of the two may be mistyped. If nothing changed since, accept it.',
  names_look_alike: 'Ask the sender whether these are two parties; if they are one, use one name.',
};

/** What to do about a fault or a warning, by its code. What is missing here says its message. */
export const ADVICE: Readonly<Record<string, string>> = {
  invalid_amount: 'Declare how amounts are written: decimalSeparator, thousandsSeparator, marks.',
  excess_decimals: 'Declare excessDecimals: round, or correct the amounts.',
  other_currency: 'Declare a column for the currency.',
  amount_too_large: 'Compare amountsIn with the statement’s heading.',
  invalid_date: 'Declare dateFormats as the file writes dates.',
  mixed_dates: 'Split the file by date, and import the oldest first.',
  invalid_rate:
    'Declare rateUnit and decimalSeparator as the file has them, and what stands for no rate in emptyMarks.',
  unknown_currency: 'Use ISO 4217 codes, or declare one currency.',
  unknown_status: 'Add the value to statuses in the profile.',
  unknown_loan_type: 'Add the value to facilityTypes in the profile.',
  invalid_country: 'Use codes of two letters, or declare countries.',
  missing_value: 'Ask the sender for it.',
  missing_column: 'Add the file’s header to columns in the profile.',
  duplicate_column: 'Name the right column in the profile, or remove the other.',
  number_from_elsewhere: 'Declare that source in the profile, if these are the same loans.',
  identity_broken: 'Correct the row, or give the identity a tolerance or a reason to be off.',
  shares_do_not_add_up: 'Ask the sender: a lender is missing, or a share is wrong.',
  control_total:
    'Compare the total with the sender’s. If it is right, the file was cut or changed: ask for it.',
  no_totals_row: 'Ask the sender for the whole file: the end is missing.',
  wrong_delimiter: 'Declare the delimiter in the profile.',
  wrong_encoding: 'Declare the encoding in the profile.',
  row_width: 'Look at the row: a delimiter stands in a text, or the row was cut.',
  other_date_in_title: 'Compare --as-of with the title: give the date of the balances.',
  period_closed: 'Ask for a statement of the open period.',
  loan_currency: 'Nothing, if the profile’s currency is right.',
  rounded: 'Nothing, if the sender rounds.',
  negative_balance: 'Look at these rows: the borrower paid too much, or a sign is turned.',
  rounding_gap: 'Nothing: the difference is within the tolerance.',
  identity_off: 'Nothing: the profile says why it is not checked.',
};

/** `identity_broken` as a title. */
export function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

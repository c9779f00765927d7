/** What a column of a statement can be. The meanings are what the reference of profiles says. */

const AMOUNTS = {
  limit: 'commitment as of the date: what is drawn and what can still be drawn',
  originalPrincipal: 'commitment at signing',
  cancelled: 'commitment that was cancelled since',
  undisbursed: 'what can still be drawn',
  disbursed: 'drawn since inception',
  repaid: 'repaid since inception',
  due: 'outstanding principal',
  exchangeAdjustment: 'what exchange rates add to the principal',
  obligation: 'what the borrower owes: principal and exchange adjustment',
  sold: 'principal sold to third parties since inception',
  repaidThirdParty: 'repaid to third parties since inception',
  dueThirdParty: 'outstanding principal of third parties',
  held: 'outstanding and undrawn',
} as const;

const DATES = {
  closingDate: 'signing of the agreement',
  effectiveDate: 'first day of the loan',
  maturityDate: 'last day of the loan',
} as const;

const TEXTS = {
  asOf: 'date of the statement, the same in all rows',
  loanNumber: 'identifies a loan: a drawing, or the whole agreement',
  dealNumber: 'identifies the agreement, where it has several facilities or loans',
  dealName: 'name of the agreement',
  facilityNumber: 'identifies a facility in its agreement',
  facilityName: 'name of the facility',
  countryCode: 'country of the borrower, two characters',
  country: 'name of the country',
  borrower: 'name of the borrower',
  borrowerNumber: 'identifies the borrower, where names are not enough',
  guarantorCountryCode: 'country of the guarantor, two characters',
  guarantor: 'name of the guarantor',
  agent: 'name of the agent; by default the first lender',
  lender: 'name of the lender whose part the row is',
  lenderShare: 'share of that lender, in shareUnit',
  loanType: 'what facilityTypes translates',
  status: 'what statuses translates',
  rate: 'all-in rate a year, in rateUnit',
  ratePercent: 'the same in percent, whatever rateUnit says',
  currency: 'ISO 4217 code',
  name: 'name of the loan, for deal and facility',
} as const;

export type AmountField = keyof typeof AMOUNTS;
export type DateField = keyof typeof DATES;
export type TextField = keyof typeof TEXTS;
export type Field = TextField | AmountField | DateField;

export const AMOUNT_FIELDS = Object.keys(AMOUNTS) as AmountField[];
export const DATE_FIELDS = Object.keys(DATES) as DateField[];
export const FIELD_MEANINGS: Readonly<Record<Field, string>> = { ...TEXTS, ...AMOUNTS, ...DATES };
export const FIELDS = Object.keys(FIELD_MEANINGS) as Field[];

export function isAmount(field: string | undefined): field is AmountField {
  return field !== undefined && Object.hasOwn(AMOUNTS, field);
}

/** What identifies a loan: one of them has a column. */
export const IDENTIFYING: readonly Field[] = ['loanNumber', 'facilityNumber', 'dealNumber'];
/** What is stated where a part of the principal was sold. */
export const SOLD: readonly AmountField[] = ['sold', 'repaidThirdParty', 'dueThirdParty'];

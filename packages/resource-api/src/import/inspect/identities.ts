import { formatAmount, magnitudeOf } from '../../ledger/money.ts';
import { type Amounts, sumOf, type Term, termsOf } from '../profile/derivation.ts';
import type { AmountField } from '../profile/fields.ts';

export interface IdentityCheck {
  readonly field: AmountField;
  readonly is: string;
  readonly terms: readonly Term[];
  rows: number;
  broken: number;
  /** In units. */
  largestGap: string;
  first: string | undefined;
}

/** Amounts are compared in millionths. */
const DECIMALS = 6;
export const CENT = 10n ** 4n;
export const ONE = 10n ** 6n;

/** What statements often repeat: each is checked where the file has all of its columns. */
const IDENTITIES: readonly (readonly [AmountField, string])[] = [
  ['limit', 'due + undisbursed'],
  ['held', 'due + undisbursed'],
  ['obligation', 'due + exchangeAdjustment'],
  ['dueThirdParty', 'sold - repaidThirdParty'],
  ['originalPrincipal', 'due + repaid'],
  ['disbursed', 'due + repaid'],
  ['originalPrincipal', 'disbursed + undisbursed'],
  ['originalPrincipal', 'disbursed + undisbursed + cancelled'],
];

export function identitiesOf(fields: ReadonlySet<string>): readonly IdentityCheck[] {
  return IDENTITIES.flatMap(([field, is]) => {
    const terms = termsOf(is);
    if (![field, ...terms.map((term) => term.field)].every((each) => fields.has(each))) return [];
    return [{ field, is, terms, rows: 0, broken: 0, largestGap: '0', first: undefined }];
  });
}

/** Counts one row. A cent of difference is rounding. */
export function checkIdentity(identity: IdentityCheck, amounts: Amounts, row: number): void {
  const stated = amounts[identity.field];
  const sum = sumOf(identity.terms, amounts);
  if (stated === undefined || sum === undefined) return;
  identity.rows += 1;
  const gap = magnitudeOf(stated - sum);
  if (gap <= CENT) return;
  identity.broken += 1;
  identity.first ??= `row ${row}: ${decimal(stated)} is not ${decimal(sum)}`;
  if (gap > scaled(identity.largestGap)) identity.largestGap = decimal(gap);
}

/** A plain decimal in millionths; further digits are cut. */
export function scaled(text: string): bigint {
  const [whole = '0', decimals = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + decimals.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -value : value;
}

/** Of millionths, without zeros that say nothing but two decimals. */
export function decimal(value: bigint): string {
  return formatAmount(value, DECIMALS).replace(/(\.\d\d)(\d*?)0+$/, '$1$2');
}

/** What must hold among amounts of a row or a facility, within a tolerance. */
import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatMoney, magnitudeOf, parseAmount } from '../../ledger/money.ts';
import { sumOf, type Term, termsOf } from '../profile/derivation.ts';
import type { AmountField } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import type { Amounts } from './amount-reader.ts';
import { isOfFacility } from './facility-amounts.ts';
import type { Report } from './report.ts';

interface Identity {
  readonly field: AmountField;
  readonly is: readonly Term[];
  readonly tolerance: string;
  readonly off: string | undefined;
}

const SMALLEST = '0.01';

/**
 * Columns that are the sum of others: the World Bank's, by its data dictionary, and a limit. A profile
 * that states identities has these no longer.
 */
const IDENTITIES: NonNullable<ImportProfile['identities']> = [
  { field: 'obligation', is: 'due + exchangeAdjustment', tolerance: SMALLEST },
  { field: 'held', is: 'due + undisbursed', tolerance: SMALLEST },
  { field: 'dueThirdParty', is: 'sold - repaidThirdParty', tolerance: SMALLEST },
  { field: 'limit', is: 'due + undisbursed', tolerance: SMALLEST },
];

export class Identities {
  readonly #report: Report;
  readonly #headerOf: (field: AmountField) => string;
  readonly #identities: readonly Identity[];

  /** @param of rows, or facilities whose rows repeat their amounts */
  constructor(
    profile: ImportProfile,
    of: 'rows' | 'facilities',
    report: Report,
    headerOf = (field: AmountField): string => profile.columns[field]?.[0] ?? field,
  ) {
    this.#report = report;
    this.#headerOf = headerOf;
    this.#identities = (profile.identities ?? IDENTITIES)
      .map(({ field, is, tolerance, off }) => ({ field, is: termsOf(is), tolerance, off }))
      .filter(({ field, is }) => {
        const fields = [field, ...is.map((term) => term.field)];
        return isOfFacility(fields, profile) === (of === 'facilities');
      });
  }

  /** Columns that repeat others must agree with them; a small difference is rounding. */
  check(row: number, amounts: Amounts, currency: string): void {
    for (const { field, is, tolerance, off } of this.#identities) {
      const stated = amounts[field];
      const expected = sumOf(is, amounts);
      if (stated === undefined || expected === undefined || stated === expected) continue;
      const message = `expected ${formatMoney(expected, currency)}: ${this.#told(is, amounts, currency)}`;
      const value = formatMoney(stated, currency);
      const gap = magnitudeOf(expected - stated);
      const allowed = parseAmount(tolerance, minorUnitDigits(currency) ?? 2)?.amountMinor ?? 0n;
      const header = this.#headerOf(field);
      if (off !== undefined) {
        const told = `${message}; not checked, because ${off}`;
        this.#report.warn(row, header, 'identity_off', told, value);
      } else if (gap > allowed) {
        this.#report.fault(row, header, 'identity_broken', message, value);
      } else {
        const told = `${message}; the difference is rounding, and the parts are used`;
        this.#report.warn(row, header, 'rounding_gap', told, value);
      }
    }
  }

  #told(terms: readonly Term[], amounts: Amounts, currency: string): string {
    const parts = terms.map(({ field, sign }, index) => {
      const amount = `${this.#headerOf(field).trim()} ${formatMoney(amounts[field] ?? 0n, currency)}`;
      if (index === 0) return sign < 0n ? `−${amount}` : amount;
      return `${sign < 0n ? '−' : '+'} ${amount}`;
    });
    return parts.join(' ');
  }
}

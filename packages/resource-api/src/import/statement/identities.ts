import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatMoney, magnitudeOf, parseAmount } from '../../ledger/money.ts';
import {
  type Amounts,
  DEFAULT_IDENTITIES,
  sumOf,
  type Term,
  termsOf,
} from '../profile/derivation.ts';
import type { AmountField } from '../profile/fields.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { isOfFacility } from './facility-amounts.ts';
import type { Report } from './report.ts';

type Stated = NonNullable<ImportProfile['identities']>;
const IDENTITIES: Stated = DEFAULT_IDENTITIES.map(([field, is]) => ({
  field,
  is,
  tolerance: '0.01',
}));

export class Identities {
  readonly #report: Report;
  readonly #headerOf: (field: AmountField) => string;
  readonly #identities: readonly (Omit<Stated[number], 'is'> & { readonly is: readonly Term[] })[];

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
      .map((identity) => ({ ...identity, is: termsOf(identity.is) }))
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

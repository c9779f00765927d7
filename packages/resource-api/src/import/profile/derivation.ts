/** How an amount follows from others: `limit - due`, `originalPrincipal - cancelled + held`, `0`. */
import type { AmountField } from './fields.ts';

/** Amounts of a row by field, in minor units. */
export type Amounts = Partial<Record<AmountField, bigint>>;

export interface Term {
  readonly field: AmountField;
  readonly sign: 1n | -1n;
}

const SUM = /^(-\s*)?[a-zA-Z]+(\s*[+-]\s*[a-zA-Z]+)*$/;

/** Whether a text is a sum of fields, or `0`. What each field is called, the profile checks. */
export function isSum(text: string): boolean {
  const sum = text.trim();
  return sum === '0' || SUM.test(sum);
}

export function termsOf(text: string): readonly Term[] {
  if (text.trim() === '0') return [];
  const parts = text.replaceAll(/\s/g, '').match(/[+-]?[a-zA-Z]+/g) ?? [];
  return parts.map((part) => ({
    field: part.replace(/^[+-]/, '') as AmountField,
    sign: part.startsWith('-') ? -1n : 1n,
  }));
}

/** What a profile says an amount follows from: one sum, or one by facility type. */
export type Derivation = string | Readonly<Partial<Record<string, string>>>;

/** The sum for a facility of a type; `*` stands for all others. */
export function sumFor(given: Derivation | undefined, facilityType: string): string | undefined {
  if (given === undefined || typeof given === 'string') return given;
  return given[facilityType] ?? given['*'];
}

export function sumOf(terms: readonly Term[], amounts: Readonly<Amounts>): bigint | undefined {
  let sum = 0n;
  for (const { field, sign } of terms) {
    const amount = amounts[field];
    if (amount === undefined) return undefined;
    sum += sign * amount;
  }
  return sum;
}

/**
 * Columns that are the sum of others: the World Bank's, by its data dictionary, and a limit. A profile
 * that states identities has these no longer.
 */
export const DEFAULT_IDENTITIES: readonly (readonly [AmountField, string])[] = [
  ['obligation', 'due + exchangeAdjustment'],
  ['held', 'due + undisbursed'],
  ['dueThirdParty', 'sold - repaidThirdParty'],
  ['limit', 'due + undisbursed'],
];

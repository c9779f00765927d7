/** Values of options that several commands take, for `readOptions`. */
import { text } from '@cls/shared/cli/options';
import { z } from 'zod';
import { parseBusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';

export const DATE = text(parseBusinessDate, 'expected a date such as 2025-03-31');

export const CURRENCY = z
  .string()
  .refine(
    (code) => minorUnitDigits(code) !== undefined,
    'expected a currency of ISO 4217 such as USD',
  );

/** The sequence number of a journal. */
export const SEQUENCE = z
  .string()
  .regex(/^[1-9]\d{0,17}$/, 'expected a whole number from 1')
  .transform(BigInt);

/** Of a command that is dry without it. */
export const APPLY = [
  '--apply',
  'write; without it everything is done and then rolled back',
] as const;

/** Gathers the values of an option that may be given more than once. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** How many lines a list has at most. */
export const LIST_MAX = 10_000;

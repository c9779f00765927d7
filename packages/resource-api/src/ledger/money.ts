/** Money is an integer of minor units; on the wire a decimal string with exactly its digits. */
import { minorUnitDigits } from './currency.ts';

/** An amount, and each sum of amounts, is kept in 64 bits. */
export const AMOUNT_MAX_MINOR = 2n ** 63n - 1n;
/**
 * What all postings of a book in one currency may come to, signs aside: no sum of any of them exceeds
 * `AMOUNT_MAX_MINOR`, nor do two such sums together.
 */
export const BOOK_MAX_MINOR = 4n * 10n ** 18n;

const DECIMAL = /^(-?)(\d{1,18})(?:\.(\d{1,30}))?$/;
/** The same with a fraction, to be tested: most amounts have exactly their digits. */
const WITH_FRACTION = /^-?\d{1,18}\.\d{1,30}$/;

export interface ParsedAmount {
  readonly amountMinor: bigint;
  /** The text had digits beyond the currency's that were not zero: the amount was rounded. */
  readonly rounded: boolean;
}

/**
 * Reads a plain decimal such as `-12.5`: no sign +, no exponent, no separators. Digits beyond the
 * currency's are rounded half away from zero, and said so.
 *
 * @param digits minor-unit digits of the currency.
 * @returns undefined when the text is anything else, or beyond `AMOUNT_MAX_MINOR`.
 */
export function parseAmount(text: string, digits: number): ParsedAmount | undefined {
  const point = text.length - digits - 1;
  if (text[point] === '.' && WITH_FRACTION.test(text)) {
    return within({
      amountMinor: BigInt(text.slice(0, point) + text.slice(point + 1)),
      rounded: false,
    });
  }
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const kept = fraction.slice(0, digits).padEnd(digits, '0');
  const dropped = fraction.slice(digits);
  const magnitude =
    BigInt(whole + kept) + (dropped[0] !== undefined && dropped[0] >= '5' ? 1n : 0n);
  return within({
    amountMinor: sign === '-' ? -magnitude : magnitude,
    rounded: /[1-9]/.test(dropped),
  });
}

function within(parsed: ParsedAmount): ParsedAmount | undefined {
  return magnitudeOf(parsed.amountMinor) <= AMOUNT_MAX_MINOR ? parsed : undefined;
}

export function magnitudeOf(amountMinor: bigint): bigint {
  return amountMinor < 0n ? -amountMinor : amountMinor;
}

/** `-1250n` with 2 digits is `-12.50`. */
export function formatAmount(amountMinor: bigint, digits: number): string {
  if (amountMinor < 0n) return `-${formatAmount(-amountMinor, digits)}`;
  const text = `${amountMinor}`;
  if (digits === 0) return text;
  const padded = text.length > digits ? text : text.padStart(digits + 1, '0');
  const point = padded.length - digits;
  return `${padded.slice(0, point)}.${padded.slice(point)}`;
}

/** Minor units as a decimal string with exactly the digits of the currency. */
export type Money = (amountMinor: bigint) => string;

/** @throws {Error} for a currency that no ledger holds */
export function moneyOf(currency: string): Money {
  const digits = minorUnitDigits(currency);
  if (digits === undefined) throw new Error(`the ledger holds an unknown currency: ${currency}`);
  // Most amounts of a document are zero.
  const zero = formatAmount(0n, digits);
  return (amount) => (amount === 0n ? zero : formatAmount(amount, digits));
}

/** The same with the digits of its currency, and with two for a code that ISO 4217 does not list. */
export function formatMoney(amountMinor: bigint, currency: string): string {
  return formatAmount(amountMinor, minorUnitDigits(currency) ?? 2);
}

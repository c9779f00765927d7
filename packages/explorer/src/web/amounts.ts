import type { Locale } from '@cls/shared/pages/browser';

const SIGNS = { en: { group: ',', point: '.' }, de: { group: '.', point: ',' } } as const;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;
/** A true minus: a hyphen is read as nothing, and may break the line. */
export const MINUS = '−';

/**
 * An amount of the API as people read it: `-1234567.80` is `−1,234,567.80`. No digit is changed,
 * added or left out.
 *
 * @throws {TypeError} for what is no decimal string.
 */
export function readableAmount(amount: string, locale: Locale): string {
  const [, sign, whole = '', fraction] = DECIMAL.exec(amount) ?? notDecimal();
  const { group, point } = SIGNS[locale];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  return `${sign === '-' ? MINUS : ''}${grouped}${fraction === undefined ? '' : point + fraction}`;
}

/** A fraction of the API as a percentage: `0.0475` is `4.75`. The point moves; no digit is lost. */
export function percentOf(fraction: string): string {
  const [, sign = '', whole = '', decimals = ''] = DECIMAL.exec(fraction) ?? notDecimal();
  const digits = `${whole}${decimals.padEnd(2, '0')}`;
  const cut = whole.length + 2;
  const before = digits.slice(0, cut).replace(/^0+(?=\d)/, '');
  const after = digits.slice(cut).replace(/0+$/, '');
  return `${sign}${before}${after === '' ? '' : `.${after}`}`;
}

/** Making one takes longer than formatting a page with it. */
const formatsOf = (tag: string) => ({
  short: new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 2 }),
  percent: new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 4 }),
});
const FORMATS = { en: formatsOf('en-GB'), de: formatsOf('de-DE') } as const;

/** By what is read at a glance: `283.04bn`. The exact amount stands beside it. What has no million is exact. */
export function shortAmount(amount: string, locale: Locale): string {
  const [, , whole = ''] = DECIMAL.exec(amount) ?? notDecimal();
  if (whole.replace(/^0+/, '').length < 7) return readableAmount(amount, locale);
  return formatted(amount, FORMATS[locale].short);
}

/** A fraction of the API as a percentage, rounded to four decimals. */
export function roundedPercent(fraction: string, locale: Locale): string {
  return formatted(fraction, FORMATS[locale].percent);
}

/** Decimal strings are formatted digit by digit, and not as floating point (ECMA-402, since 2023). */
function formatted(decimal: string, format: Intl.NumberFormat): string {
  return format.format(decimal as never).replace('-', MINUS);
}

export function isNegative(amount: string): boolean {
  return amount.startsWith('-');
}

export function isZero(amount: string): boolean {
  return /^-?0+(\.0+)?$/.test(amount);
}

/** The sum of amounts of one currency, in its digits; in whole minor units, so exact. */
export function sumOf(amounts: readonly string[]): string | undefined {
  const [first] = amounts;
  if (first === undefined) return undefined;
  const digits = decimalsOf(first);
  const total = amounts.reduce((sum, amount) => sum + minorUnits(amount, digits), 0n);
  return fromMinorUnits(total, digits);
}

/** `to` less `from`. */
export function difference(from: string, to: string): string {
  const digits = Math.max(decimalsOf(from), decimalsOf(to));
  return fromMinorUnits(minorUnits(to, digits) - minorUnits(from, digits), digits);
}

export function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0;
}

/** @param digits at least as many as the amount has. */
export function minorUnits(amount: string, digits: number): bigint {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(amount) ?? notDecimal();
  const units = BigInt(`${whole}${fraction.padEnd(digits, '0')}`);
  return sign === '-' ? -units : units;
}

function fromMinorUnits(units: bigint, digits: number): string {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0');
  const cut = text.length - digits;
  const fraction = digits === 0 ? '' : `.${text.slice(cut)}`;
  return `${units < 0n ? '-' : ''}${text.slice(0, cut)}${fraction}`;
}

function notDecimal(): never {
  throw new TypeError('not a decimal string');
}

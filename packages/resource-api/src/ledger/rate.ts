import { formatAmount } from './money.ts';

/** A rate per year as a fraction, in units of 10⁻¹²: 4.75 % is 47_500_000_000n. */
export type Rate = bigint & { readonly __rate: true };

export const RATE_DECIMALS = 12;
const SHAPE = /^(-?)(\d{1,8})(?:\.(\d{1,12}))?$/;

/** `0.0475` or with up to twelve decimals; undefined for anything else, percentages too. */
export function parseRate(text: string): Rate | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const scaled = BigInt(whole + fraction.padEnd(RATE_DECIMALS, '0'));
  return (sign === '-' ? -scaled : scaled) as Rate;
}

/** Always with twelve decimals. */
export function formatRate(rate: Rate): string {
  const text = (rate < 0n ? -rate : rate).toString().padStart(RATE_DECIMALS + 1, '0');
  const cut = text.length - RATE_DECIMALS;
  return `${rate < 0n ? '-' : ''}${text.slice(0, cut)}.${text.slice(cut)}`;
}

/** `0.047500000000` is `4.75`. */
export function percentOf(fraction: string): string {
  return formatAmount(parseRate(fraction) ?? 0n, RATE_DECIMALS - 2).replace(/\.?0+$/, '');
}

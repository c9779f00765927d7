import { roundHalfAwayFromZero } from './allocate.ts';

/** Units of one currency that a unit of another is, in 10⁻¹⁵. */
export type ScaledFxRate = bigint & { readonly __fxRate: true };

const DECIMALS = 15;

/** A decimal above 0 with up to fifteen decimals. */
export function parseFxRate(text: string): ScaledFxRate | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  const scaled = BigInt(`${whole}${fraction.padEnd(DECIMALS, '0')}`);
  return scaled > 0n ? (scaled as ScaledFxRate) : undefined;
}

/** Minor units of another currency, rounded half away from zero. `digits` are the minor-unit digits of each. */
export function convert(
  amountMinor: bigint,
  rate: ScaledFxRate,
  digits: { readonly from: number; readonly to: number },
): bigint {
  const numerator = amountMinor * rate * 10n ** BigInt(digits.to);
  return roundHalfAwayFromZero(numerator, 10n ** BigInt(DECIMALS + digits.from));
}

/** A part of a whole, as the numerator of a common denominator. */
export interface ExactPart {
  readonly id: string;
  readonly numerator: bigint;
}

/**
 * Splits an amount by largest remainder: each part is rounded down and what is left goes, a unit
 * each, to the largest remainders; ties by id. The result adds up to the amount, and does not
 * depend on the order of the parts.
 *
 * @throws {RangeError} when the exact parts are further from the amount than rounding explains.
 */
export function largestRemainder(
  amountMinor: bigint,
  parts: readonly ExactPart[],
  denominator: bigint,
): ReadonlyMap<string, bigint> {
  const floors = parts.map(({ id, numerator }) => {
    const floor = floorDivide(numerator, denominator);
    return { id, floor, remainder: numerator - floor * denominator };
  });
  const left = amountMinor - floors.reduce((sum, { floor }) => sum + floor, 0n);
  if (left < 0n || left > BigInt(parts.length)) {
    throw new RangeError('the parts do not make up the whole');
  }
  const ranked = [...floors].sort(
    (a, b) => compare(b.remainder, a.remainder) || (a.id < b.id ? -1 : 1),
  );
  return new Map(
    ranked.map(({ id, floor }, rank) => [id, floor + (BigInt(rank) < left ? 1n : 0n)]),
  );
}

/** Splits an amount in proportion to weights, such as commitments or percentages. */
export function allocate(
  amountMinor: bigint,
  weights: readonly { readonly id: string; readonly weight: bigint }[],
): ReadonlyMap<string, bigint> {
  const whole = weights.reduce((sum, { weight }) => sum + weight, 0n);
  if (whole <= 0n) throw new RangeError('weights must add up to more than nothing');
  const parts = weights.map(({ id, weight }) => ({ id, numerator: amountMinor * weight }));
  return largestRemainder(amountMinor, parts, whole);
}

/** Half away from zero: the market's commercial rounding. */
export function roundHalfAwayFromZero(numerator: bigint, denominator: bigint): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return numerator < 0n ? -rounded : rounded;
}

function floorDivide(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

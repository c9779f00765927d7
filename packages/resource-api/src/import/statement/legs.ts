/** Amounts by holder, in minor units, and how what a statement says of a whole is split over its holders. */
import { allocate } from '../../ledger/allocate.ts';
import { magnitudeOf } from '../../ledger/money.ts';

/** By the holder's reference; a holder that is missing has nothing. */
export type Legs = ReadonlyMap<string, bigint>;

export const NO_LEGS: Legs = new Map();

export function totalOf(legs: Legs): bigint {
  let sum = 0n;
  for (const amount of legs.values()) sum += amount;
  return sum;
}

/** The sum of several, each with a sign. */
export function combine(...terms: readonly (readonly [sign: 1n | -1n, legs: Legs])[]): Legs {
  const sum = new Map<string, bigint>();
  for (const [sign, legs] of terms) {
    for (const [holder, amount] of legs) sum.set(holder, (sum.get(holder) ?? 0n) + sign * amount);
  }
  return sum;
}

/** The sum of each holder's amounts. */
export function sumOfLegs(amounts: Iterable<readonly [holder: string, amount: bigint]>): Legs {
  const sum = new Map<string, bigint>();
  for (const [holder, amount] of amounts) sum.set(holder, (sum.get(holder) ?? 0n) + amount);
  return sum;
}

/**
 * The part of each holder in a movement of the whole, where `changes` says what each holder's amount
 * changes by. Where all change in the direction of the whole, that is their part. Otherwise they also
 * bought and sold among each other: the movement is split in proportion to `weights`, by largest
 * remainders, and what is left of the changes is a transfer.
 */
export function split(total: bigint, changes: Legs, weights: Legs): Legs {
  if (total === 0n) return NO_LEGS;
  const along = [...changes.values()].every((change) => (total < 0n ? change <= 0n : change >= 0n));
  if (along && totalOf(changes) === total) return changes;
  return inProportion(total, weights);
}

/** Splits an amount by weights; all of it goes to the first where no weight is above zero. */
export function inProportion(total: bigint, weights: Legs): Legs {
  const parts = [...weights].map(([id, weight]) => ({ id, weight: weight < 0n ? 0n : weight }));
  const [first] = parts;
  if (first === undefined) return NO_LEGS;
  if (parts.every(({ weight }) => weight === 0n)) return new Map([[first.id, total]]);
  const magnitudes = allocate(magnitudeOf(total), parts);
  if (total >= 0n) return magnitudes;
  return new Map([...magnitudes].map(([holder, amount]) => [holder, -amount]));
}

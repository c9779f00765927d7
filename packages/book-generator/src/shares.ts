import { allocate } from '@cls/resource-api/ledger/allocate';

/** Amounts by lender, in minor units. */
export type Shares = ReadonlyMap<string, bigint>;

export function totalOf(shares: Shares): bigint {
  return [...shares.values()].reduce((sum, amount) => sum + amount, 0n);
}

export function plus(a: Shares, b: Shares): Shares {
  const sum = new Map(a);
  for (const [lender, amount] of b) sum.set(lender, (sum.get(lender) ?? 0n) + amount);
  return sum;
}

export function minus(a: Shares, b: Shares): Shares {
  return plus(a, negated(b));
}

export function negated(shares: Shares): Shares {
  return new Map([...shares].map(([lender, amount]) => [lender, -amount]));
}

/** A lender that funded more than it committed has nothing left to fund. */
export function atLeastZero(shares: Shares): Shares {
  return new Map([...shares].map(([lender, amount]) => [lender, amount < 0n ? 0n : amount]));
}

/** An amount in proportion to what each lender holds. */
export function pro(amountMinor: bigint, held: Shares): Shares {
  return allocate(
    amountMinor,
    [...held].map(([id, weight]) => ({ id, weight })),
  );
}

/** Deterministic numbers from a seed (mulberry32): good enough to vary a book, and no more. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.next() * values.length)] ?? values[0];
  }

  /** Some of the values, in their order. */
  some<T>(values: readonly T[], count: number): readonly T[] {
    const ranked = values.map((value) => ({ value, rank: this.next() }));
    const chosen = new Set(
      ranked
        .sort((a, b) => a.rank - b.rank)
        .slice(0, count)
        .map((r) => r.value),
    );
    return values.filter((value) => chosen.has(value));
  }
}

import type { DatedAmount } from './journal-store.ts';

/** An amount at the end of each day on which it changes. */
export class RunningAmount {
  readonly #dates: string[];
  readonly #balances: bigint[];

  constructor(balances: readonly DatedAmount[]) {
    this.#dates = balances.map(({ date }) => date);
    this.#balances = balances.map(({ amountMinor }) => amountMinor);
  }

  /** Changes it on a date and on every later one. */
  change(date: string, amount: bigint): void {
    let at = this.#dates.length;
    while (at > 0 && (this.#dates[at - 1] ?? '') >= date) at -= 1;
    if (this.#dates[at] !== date) {
      this.#dates.splice(at, 0, date);
      this.#balances.splice(at, 0, this.#balances[at - 1] ?? 0n);
    }
    for (let later = at; later < this.#balances.length; later += 1) {
      this.#balances[later] = (this.#balances[later] ?? 0n) + amount;
    }
  }

  /** The least of a day and of every later one. */
  lowestFrom(date: string): bigint {
    let lowest: bigint | undefined;
    for (let at = this.#dates.length - 1; at >= 0 && (this.#dates[at] ?? '') >= date; at -= 1) {
      const balance = this.#balances[at] ?? 0n;
      if (lowest === undefined || balance < lowest) lowest = balance;
    }
    return lowest ?? 0n;
  }
}

/** A running amount with what took it below zero, on the day of each item or on a later one. */
export class WatchedAmount<T extends { readonly date: string }> extends RunningAmount {
  /** Items that nothing has made up for yet. */
  beyond: readonly T[] = [];

  /** Changes the amount by an item, which is watched where one is given. */
  changeBy(date: string, amount: bigint, item?: T): void {
    this.change(date, amount);
    const items = item === undefined ? this.beyond : [...this.beyond, item];
    this.beyond = items.filter((one) => this.lowestFrom(one.date) < 0n);
  }
}

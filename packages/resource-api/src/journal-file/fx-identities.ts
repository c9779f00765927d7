import type { FxRateRecord } from './record.ts';

/** Names for rates, which have no ids: the content of a rate, and its number among equal ones. */
export class FxIdentities {
  readonly #counts = new Map<string, number>();

  of({ date, from, to, rate, source }: FxRateRecord): string {
    const text = [date, from, to, rate, source].join(' ');
    const count = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, count);
    return `${text} ${count}`;
  }
}

/** Which of its like a rate is, from 1, by its name. */
export function fxOccurrence(identity: string): number {
  return Number(identity.slice(identity.lastIndexOf(' ') + 1));
}

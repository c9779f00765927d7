/** A naive model of a book that knows only what statements said and what was posted between them. */
import { add, type Parts } from './syndicate.ts';
import type { ToldFacility } from './syndicate-statements.ts';

/** Something that was done: a statement, or a journal of a file. */
interface Done {
  readonly date: string;
  readonly importId?: string;
  readonly told: readonly ToldFacility[];
  /** What principal changed by, by facility, drawing and lender. */
  readonly due: Parts;
  /** What a journal changed beside it, by facility and lender. */
  readonly undrawn?: Parts;
}

export interface Expected {
  /** Outstanding principal by facility, drawing and lender; nothing where it is zero. */
  readonly due: Parts;
  /** By facility and lender; only of facilities whose limit the last statement told. */
  readonly limits: ReadonlyMap<string, Parts>;
  readonly undrawn: ReadonlyMap<string, NonNullable<ToldFacility['undrawn']>>;
}

export class StatedBook {
  #done: Done[] = [];

  state(date: string, importId: string, told: readonly ToldFacility[]): void {
    const before = this.#dueAt(date);
    const due = new Map<string, bigint>();
    for (const facility of told) {
      for (const drawing of facility.drawings) {
        const place = `${placeOf(facility)}|${drawing.number}|`;
        for (const [key, amount] of before) if (key.startsWith(place)) add(due, key, -amount);
        for (const [lender, amount] of drawing.due) add(due, place + lender, amount);
      }
    }
    this.#done.push({ date, importId, told, due });
  }

  post(date: string, due: Parts, undrawn: Parts): void {
    this.#done.push({ date, told: [], due, undrawn });
  }

  revert(importId: string): void {
    this.#done = this.#done.filter((one) => one.importId !== importId);
  }

  /** Drawings with principal that a statement leaves out, though it has their deal. */
  vanished(date: string, told: readonly ToldFacility[]): readonly string[] {
    const deals = new Set(told.map(({ deal }) => deal));
    const stated = new Set(
      told.flatMap((one) => one.drawings.map(({ number }) => `${placeOf(one)}|${number}`)),
    );
    return [...wholesOf(this.#dueAt(date))].flatMap(([place, due]) => {
      const gone = due !== 0n && !stated.has(place) && deals.has(place.split('|')[0] ?? '');
      return gone ? [place.replaceAll('|', '/')] : [];
    });
  }

  at(date: string): Expected {
    const limits = new Map<string, Parts>();
    const undrawn = new Map<string, NonNullable<ToldFacility['undrawn']>>();
    for (const done of this.#done) {
      if (done.date > date) continue;
      for (const told of done.told) {
        const place = placeOf(told);
        if (told.limit) limits.set(place, told.limit);
        else limits.delete(place);
        if (told.undrawn) undrawn.set(place, told.undrawn);
        else undrawn.delete(place);
      }
      for (const [key, amount] of done.undrawn ?? []) {
        const [deal, facility, lender = ''] = key.split('|');
        const told = undrawn.get(`${deal}|${facility}`);
        if (told === undefined) continue;
        const parts = told.parts && new Map(told.parts);
        if (parts) add(parts, lender, amount);
        undrawn.set(`${deal}|${facility}`, { whole: told.whole + amount, parts });
      }
    }
    return { due: this.#dueAt(date), limits, undrawn };
  }

  #dueAt(date: string): Parts {
    const sum = new Map<string, bigint>();
    for (const done of this.#done) {
      if (done.date > date) continue;
      for (const [key, amount] of done.due) add(sum, key, amount);
    }
    return new Map([...sum].filter(([, amount]) => amount !== 0n));
  }
}

function placeOf({ deal, name }: ToldFacility): string {
  return `${deal}|${name}`;
}

/** What all lenders have of each drawing. */
export function wholesOf(due: Parts): Parts {
  const wholes = new Map<string, bigint>();
  for (const [key, amount] of due) add(wholes, key.slice(0, key.lastIndexOf('|')), amount);
  return wholes;
}

import { formatMoney, magnitudeOf } from '../../ledger/money.ts';
import { outstandingOf } from '../statement/group-rows.ts';
import { NO_LEGS, totalOf } from '../statement/legs.ts';
import {
  CHANGE_RULES,
  type ChangeKind,
  type LoanChange,
  placeOf,
  vanishedFacility,
} from './changes.ts';
import { CurrencyTotals, owedBefore } from './currency-totals.ts';
import type { KnownDeal, KnownFacility } from './known-deal.ts';
import type { PlannedDeal } from './plan-deal.ts';

export interface ChangesByKind {
  readonly kind: ChangeKind;
  readonly rule: string;
  readonly loans: number;
  /** The first of them. */
  readonly changes: readonly Omit<LoanChange, 'kind'>[];
}

export interface LargestChange {
  readonly loan: string;
  readonly currency: string;
  readonly before: string;
  readonly after: string;
}

/** Changes of one kind that a report has one by one; it counts the loans of all. */
const CHANGES_KEPT = 10_000;
/** New drawings that are compared with what the statement leaves out; of more, a book is new. */
const NEW_KEPT = 100_000;
/** In each currency: amounts of two currencies cannot be compared. */
const LARGEST_KEPT = 10;

interface Moved {
  readonly loan: string;
  readonly before: bigint;
  readonly after: bigint;
}

/** Gathers what a statement changes, in bounded memory. */
export class ChangeSummary {
  readonly #kinds = new Map<ChangeKind, { loans: number; last: string; changes: LoanChange[] }>();
  readonly #totals = new CurrencyTotals();
  readonly #largest = new Map<string, readonly Moved[]>();
  readonly #onChange: ((change: LoanChange) => void) | undefined;
  #journals = 0;
  #postings = 0;
  /** Loans that the book does not have at the date. */
  newLoans = 0;
  /** Loans that change at all. */
  loans = 0;
  /** Rows of drawings whose outstanding principal has turned its sign. */
  readonly turned: number[] = [];
  /** What the statement leaves out, as `keysOf` names it. */
  readonly #left = new Set<string>();
  readonly #new: NewDrawing[] = [];

  /** @param onChange takes each change, also those that the summary does not keep. */
  constructor(onChange?: (change: LoanChange) => void) {
    this.#onChange = onChange;
  }

  add(planned: PlannedDeal, changes: readonly LoanChange[]): void {
    const { stated, facilities, isNew, unstated, journals } = planned;
    if (isNew) this.newLoans += 1;
    this.#journals += journals.length;
    for (const { postings } of journals) this.#postings += postings.length;
    if (changes.length > 0) this.loans += 1;
    for (const change of changes) this.#keep(change, stated.number);
    this.#totals.add(planned);
    for (const facility of facilities) {
      const before = owedBefore(facility);
      const after = outstandingOf(facility);
      this.#rank(facility.currency, { loan: placeOf(stated.number, facility), before, after });
      for (const { row, known, due } of facility.drawings) {
        if (isTurned(totalOf(known?.money.due ?? NO_LEGS), totalOf(due))) this.turned.push(row);
      }
    }
    if (this.#new.length < NEW_KEPT) this.#new.push(...newDrawings(planned));
    this.#leave(stated.number, unstated);
  }

  vanished(loan: string, { facilities }: KnownDeal): void {
    this.#leave(loan, facilities);
    for (const facility of facilities) {
      for (const change of vanishedFacility(loan, facility)) this.#keep(change, loan);
      this.#totals.vanished(loan, facility);
    }
  }

  result() {
    return {
      ...{ newLoans: this.newLoans, journals: this.#journals, postings: this.#postings },
      outstanding: this.#totals.result(),
      largest: [...this.#largest].flatMap(([currency, moved]) =>
        moved.map((one) => shown(currency, one)),
      ),
      changes: (Object.keys(CHANGE_RULES) as ChangeKind[]).flatMap((kind): ChangesByKind[] => {
        const some = this.#kinds.get(kind);
        if (some === undefined) return [];
        const changes = some.changes.map(({ kind: _, ...change }) => change);
        return [{ kind, rule: CHANGE_RULES[kind], loans: some.loans, changes }];
      }),
    };
  }

  /**
   * Rows of drawings that are in another place of the book, which the statement leaves out. Deals may number
   * their drawings alike: from one deal to another, only the same amount is the same drawing.
   */
  get moved(): readonly number[] {
    const moved = this.#new.filter((one) => keysOf(one).some((key) => this.#left.has(key)));
    return moved.map(({ row }) => row);
  }

  /** Drawings that owe something. A loan that is a deal has one place. */
  #leave(deal: string, facilities: readonly KnownFacility[]): void {
    for (const { currency, drawings } of facilities) {
      for (const { number, money } of drawings) {
        const due = totalOf(money.due);
        if (due === 0n || number === deal) continue;
        for (const key of keysOf({ number, deal, currency, due })) this.#left.add(key);
      }
    }
  }

  #keep(change: LoanChange, deal: string): void {
    this.#onChange?.(change);
    const some = this.#kinds.get(change.kind) ?? { loans: 0, last: '', changes: [] };
    // Changes of one loan come together.
    if (some.last !== deal) some.loans += 1;
    some.last = deal;
    if (some.changes.length < CHANGES_KEPT) some.changes.push(change);
    this.#kinds.set(change.kind, some);
  }

  #rank(currency: string, moved: Moved): void {
    const ranked = this.#largest.get(currency) ?? [];
    const last = ranked[LARGEST_KEPT - 1];
    if (moved.before === moved.after) return;
    if (last !== undefined && sizeOf(moved) <= sizeOf(last)) return;
    const at = ranked.findIndex((one) => sizeOf(one) < sizeOf(moved));
    const place = at < 0 ? ranked.length : at;
    this.#largest.set(currency, ranked.toSpliced(place, 0, moved).slice(0, LARGEST_KEPT));
  }
}

interface NewDrawing {
  readonly row: number;
  readonly number: string;
  readonly deal: string;
  readonly currency: string;
  /** In minor units. */
  readonly due: bigint;
}

/** Drawings that the book does not have where the statement has them; without loans that are deals. */
function newDrawings({ stated, facilities, isNew }: PlannedDeal): readonly NewDrawing[] {
  const deal = stated.number;
  return facilities.flatMap(({ currency, drawings }) =>
    drawings
      .filter(({ number, known }) => number !== deal && (isNew || known?.present !== true))
      .map(({ row, number, due }) => ({ row, number, deal, currency, due: totalOf(due) })),
  );
}

/** By its deal, and by its amount. */
function keysOf({ number, deal, currency, due }: Omit<NewDrawing, 'row'>): readonly string[] {
  return [JSON.stringify([number, deal]), JSON.stringify([number, currency, `${due}`, ''])];
}

/** In minor units: what adding up rounded amounts leaves of a loan that was repaid. */
const ROUNDING_MAX = 100n;

/** What a turned sign makes of a balance, less what a month makes of it: within a quarter of what it was. */
function isTurned(before: bigint, after: bigint): boolean {
  const gap = magnitudeOf(before + after);
  return before > ROUNDING_MAX && after < 0n && gap * 4n <= before;
}

function sizeOf({ before, after }: Moved): bigint {
  return magnitudeOf(after - before);
}

function shown(currency: string, { loan, before, after }: Moved): LargestChange {
  return {
    loan,
    currency,
    before: formatMoney(before, currency),
    after: formatMoney(after, currency),
  };
}

import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount, magnitudeOf } from '../../ledger/money.ts';
import { outstandingOf } from '../statement/group-rows.ts';
import { totalOf } from '../statement/legs.ts';
import { CHANGE_RULES, type ChangeKind, hasDrawing, type LoanChange } from './changes.ts';
import type { KnownDeal, KnownDrawing } from './known-deal.ts';
import { knownFacility, type PlannedDeal } from './plan-deal.ts';

/** Changes of one kind. */
export interface ChangesByKind {
  readonly kind: ChangeKind;
  readonly rule: string;
  readonly loans: number;
  /** The first of them. */
  readonly changes: readonly Omit<LoanChange, 'kind'>[];
}

/** Changes of one kind that a report has one by one; it counts the loans of all. */
const CHANGES_KEPT = 10_000;
const LARGEST_KEPT = 10;

interface Moved {
  readonly loan: string;
  readonly currency: string;
  readonly before: bigint;
  readonly after: bigint;
}

/** Gathers what a statement changes, in bounded memory. */
export class ChangeSummary {
  readonly #kinds = new Map<ChangeKind, { loans: number; last: string; changes: LoanChange[] }>();
  readonly #outstanding = new Map<string, { before: bigint; after: bigint }>();
  #largest: Moved[] = [];
  #loans = 0;

  /** Loans that change at all. */
  get loans(): number {
    return this.#loans;
  }

  add(
    { stated, facilities }: PlannedDeal,
    book: KnownDeal | undefined,
    changes: readonly LoanChange[],
  ): void {
    if (changes.length > 0) this.#loans += 1;
    for (const change of changes) this.#keep(change);
    for (const facility of facilities) {
      const { currency } = facility;
      const was = book?.present ? knownFacility(book, stated, facility) : undefined;
      const sum = (drawings: readonly KnownDrawing[]) =>
        drawings.reduce((all, { money }) => all + totalOf(money.due), 0n);
      const known = was?.drawings ?? [];
      const before = sum(known);
      const kept = known.filter(({ number }) => !hasDrawing(facility, number));
      const after = outstandingOf(facility) + sum(kept);
      const total = this.#outstanding.get(currency) ?? { before: 0n, after: 0n };
      total.before += before;
      total.after += after;
      this.#outstanding.set(currency, total);
      this.#rank({ loan: stated.number, currency, before, after });
    }
  }

  vanished(loan: string): void {
    this.#keep({ kind: 'vanished', loan, field: '', before: '', after: '' });
  }

  result() {
    return {
      outstanding: [...this.#outstanding].map(([currency, { before, after }]) =>
        shown({ currency, before, after }),
      ),
      largest: this.#largest.map(({ loan, ...moved }) => ({ loan, ...shown(moved) })),
      changes: (Object.keys(CHANGE_RULES) as ChangeKind[]).flatMap((kind): ChangesByKind[] => {
        const some = this.#kinds.get(kind);
        if (some === undefined) return [];
        const changes = some.changes.map(({ kind: _, ...change }) => change);
        return [{ kind, rule: CHANGE_RULES[kind], loans: some.loans, changes }];
      }),
    };
  }

  #keep(change: LoanChange): void {
    const some = this.#kinds.get(change.kind) ?? { loans: 0, last: '', changes: [] };
    // Changes of one loan come together.
    if (some.last !== change.loan) some.loans += 1;
    some.last = change.loan;
    if (some.changes.length < CHANGES_KEPT) some.changes.push(change);
    this.#kinds.set(change.kind, some);
  }

  #rank(moved: Moved): void {
    if (moved.before === moved.after) return;
    const size = ({ before, after }: Moved) => magnitudeOf(after - before);
    const last = this.#largest[LARGEST_KEPT - 1];
    if (last !== undefined && size(moved) <= size(last)) return;
    this.#largest.push(moved);
    this.#largest.sort((one, other) => (size(other) > size(one) ? 1 : -1));
    this.#largest = this.#largest.slice(0, LARGEST_KEPT);
  }
}

function shown({ currency, before, after }: Omit<Moved, 'loan'>) {
  const digits = minorUnitDigits(currency) ?? 2;
  return {
    currency,
    before: formatAmount(before, digits),
    after: formatAmount(after, digits),
  };
}

import { isRevolving } from '../ledger/facility-type.ts';
import { fault, type RecordFault } from './check-journal.ts';
import { type DatedAmount, type Describe, facilityOf } from './journal-store.ts';
import { type JournalRecord, minorOf, type PostingRecord } from './record.ts';
import { WatchedAmount } from './running-amount.ts';

/** A drawing that the commitment does not cover, at a line of the file. */
export interface Overadvance extends RecordFault {
  readonly line: number;
  /** The journal declares the overadvance: it is accepted, with a warning. */
  readonly declared: boolean;
}

interface Drawing {
  readonly line: number;
  readonly date: string;
  readonly journal: JournalRecord;
  readonly facility: string;
}

/** Types that bring a book to what someone else says of it, whatever was committed. */
const ADJUSTING: readonly string[] = ['adjustment', 'commitment_adjustment'];

/**
 * What can still be drawn of each facility while a file is read. A drawing may stand before the
 * commitment that covers it: it is judged by the best that comes after it in the file.
 */
export class Drawings {
  /** The unfunded amount of each facility. */
  readonly #undrawn = new Map<string, WatchedAmount<Drawing>>();
  readonly #committed = new Set<string>();
  readonly #doubtful = new Set<string>();

  /** Whether the book's part of a facility is known. */
  knows(facility: string): boolean {
    return this.#undrawn.has(facility);
  }

  /** What is undrawn by the book, by date; nothing of a facility that the book has not. */
  open(facility: string, balances: readonly DatedAmount[]): void {
    this.#undrawn.set(facility, new WatchedAmount(balances));
    if (balances.length > 0) this.#committed.add(facility);
  }

  add(line: number, journal: JournalRecord, described: Describe): void {
    for (const [facility, { unfunded, drawn, committed }] of effectsOf(journal, described)) {
      const undrawn = this.#undrawn.get(facility) ?? new WatchedAmount<Drawing>([]);
      this.#undrawn.set(facility, undrawn);
      if (committed) this.#committed.add(facility);
      // A journal that corrects the book, or follows a statement, is not a drawing.
      const correcting = journal.reverses !== undefined || ADJUSTING.includes(journal.type);
      // A drawing counts as one even if it does not change the unfunded amount.
      const isDrawing = drawn > 0n && !correcting;
      const change = isDrawing ? (unfunded ?? -drawn) : (unfunded ?? 0n);
      const date = journal.effectiveDate;
      const drawing = isDrawing ? { line, date, journal, facility } : undefined;
      undrawn.changeBy(date, change, drawing);
    }
  }

  /** Leaves a facility out, and the one around it: what a faulty journal does to them is not known. */
  doubt(facility: string): void {
    this.#doubtful.add(facility);
  }

  finish(described: Describe): readonly Overadvance[] {
    const around = [...this.#doubtful].map((id) => facilityOf(described, id)?.sublimitOf);
    const doubtful = new Set([...this.#doubtful, ...around]);
    return [...this.#undrawn].flatMap(([facility, { beyond }]) =>
      this.#committed.has(facility) && !doubtful.has(facility) ? beyond.map(overadvance) : [],
    );
  }
}

function overadvance({ line, journal, facility }: Drawing): Overadvance {
  const at = journal.postings.findIndex(
    (posting) => posting.lender === undefined && draws(posting),
  );
  const message = `${facility} is drawn beyond its commitment`;
  const declared = journal.overadvance === true;
  const advice = declared ? '' : ': expected "overadvance": true if it is meant to be';
  return {
    line,
    declared,
    ...fault(`postings.${at}.amount`, 'exceeds_commitment', `${message}${advice}`),
  };
}

interface Effect {
  unfunded: bigint | undefined;
  drawn: bigint;
  committed: boolean;
}

function none(): Effect {
  return { unfunded: undefined, drawn: 0n, committed: false };
}

/** What a journal does to the unfunded amounts of facilities, globally. */
function effectsOf({ postings }: JournalRecord, described: Describe): ReadonlyMap<string, Effect> {
  const effects = new Map<string, Effect>();
  for (const { facility, lender, account, movement, amount, currency } of postings) {
    if (lender !== undefined) continue;
    const effect = effects.get(facility) ?? none();
    const minor = minorOf({ amount, currency });
    if (account === 'UNFUNDED') effect.unfunded = (effect.unfunded ?? 0n) + minor;
    if (account === 'UNFUNDED' || account === 'ORIGINAL_COMMITMENT') effect.committed = true;
    if (draws({ account, movement })) effect.drawn += minor;
    effects.set(facility, effect);
    const held = facilityOf(described, facility);
    if (held?.sublimitOf === undefined) continue;
    const revolves = isRevolving(facilityOf(described, held.sublimitOf)?.type ?? '');
    if (!usesWhole({ account, movement }, revolves, held.pikUsesCommitment)) continue;
    const around = effects.get(held.sublimitOf) ?? none();
    around.unfunded = (around.unfunded ?? 0n) - minor;
    if (draws({ account, movement })) around.drawn += minor;
    effects.set(held.sublimitOf, around);
  }
  return effects;
}

export const REPAYMENTS: readonly string[] = [
  'scheduled_repayment',
  'voluntary_prepayment',
  'mandatory_prepayment',
];

/** Whether a posting under a sublimit uses the commitment around it, or gives it back. */
function usesWhole(
  { account, movement }: Pick<PostingRecord, 'account' | 'movement'>,
  revolves: boolean,
  pikUsesCommitment: boolean,
): boolean {
  if (account === 'PRINCIPAL_PIK') return pikUsesCommitment;
  if (account !== 'PRINCIPAL_CASH') return account === 'LETTER_OF_CREDIT';
  return movement === 'advance' || (revolves && REPAYMENTS.includes(movement ?? ''));
}

function draws({ account, movement }: Pick<PostingRecord, 'account' | 'movement'>): boolean {
  return (account === 'PRINCIPAL_CASH' && movement === 'advance') || account === 'LETTER_OF_CREDIT';
}

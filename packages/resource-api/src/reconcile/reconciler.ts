/** Checks the invariants of the ledger, as of one snapshot of the database. */
export interface Reconciler {
  /**
   * @param random how many random past moments are replayed besides the present.
   * @param given further moments, such as one whose figures someone disputes.
   * @throws {UnknownDeals}
   */
  reconcile(
    random: number,
    given?: readonly SnapshotPoint[],
    options?: ReconcileOptions,
  ): Promise<Reconciliation>;
}

export interface ReconcileOptions {
  /** Without it, the whole book. */
  readonly part?: BookPart | undefined;
  /** Called as each invariant's turn comes. */
  readonly onStep?: (step: Step) => void;
}

/** Deals by their ids, or those with a journal that was posted at an RFC 3339 instant or later. */
export type BookPart =
  | { readonly deals: readonly string[]; readonly since?: undefined }
  | { readonly since: string; readonly deals?: undefined };

/** Deals that were asked for and are not in the book. */
export class UnknownDeals extends Error {
  constructor(ids: readonly string[]) {
    super(`not in the book: ${ids.join(', ')}`);
  }
}

/** How far a reconciliation has come. */
export interface Step {
  readonly invariant: string;
  /** From 1 on. */
  readonly number: number;
  readonly of: number;
}

export interface Reconciliation {
  /** The last journal that the snapshot holds. */
  readonly ledgerSeq: bigint;
  /** Ids of the deals that were checked; null: the whole book. */
  readonly deals: readonly string[] | null;
  /** Invariants of the book as a whole, which a part of it cannot answer: they were not checked. */
  readonly notChecked: readonly string[];
  /** Past moments whose balances were replayed from postings. */
  readonly points: readonly SnapshotPoint[];
  readonly checks: readonly Check[];
}

/** A date, and what was known when the journal of a sequence was the last one. */
export interface SnapshotPoint {
  readonly asOf: string;
  readonly ledgerSeq: bigint;
}

export interface Check extends CheckResult {
  /** `deals`: can be checked for a part of the book. `book`: of the book as a whole. */
  readonly scope: 'deals' | 'book';
}

export interface CheckResult {
  readonly invariant: string;
  /** What holds when nothing breaks it. */
  readonly states: string;
  /** How many journals, lines, balances or facilities were looked at. */
  readonly checked: number;
  /** Differences that journals of adjustment explain: not breaks. */
  readonly explained: number;
  readonly breakCount: number;
  /** The first of them. */
  readonly breaks: readonly Break[];
}

/** Where and by how much, as ids, dates and decimal numbers of minor units. */
export type Break = Readonly<Record<string, string | null>>;

/** Breaks that are listed per invariant; the count is of all. */
export const BREAKS_LISTED = 100;

/** Checks the invariants of the whole ledger, as of one snapshot of the database. */
export interface Reconciler {
  /**
   * @param random how many random past moments are replayed besides the present.
   * @param given further moments, such as one whose figures someone disputes.
   * @param onStep called as each invariant's turn comes.
   */
  reconcile(
    random: number,
    given?: readonly SnapshotPoint[],
    onStep?: (step: Step) => void,
  ): Promise<Reconciliation>;
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
  /** Past moments whose balances were replayed from postings. */
  readonly points: readonly SnapshotPoint[];
  readonly checks: readonly Check[];
}

/** A date, and what was known when the journal of a sequence was the last one. */
export interface SnapshotPoint {
  readonly asOf: string;
  readonly ledgerSeq: bigint;
}

export interface Check {
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

/** When a book was restored, and what it still knows. */
export interface Restored {
  /** RFC 3339. */
  readonly restoredAt: string;
  /** RFC 3339: what became known later is not in the book. */
  readonly knownThrough: string;
  readonly ledgerSeq: bigint;
}

export interface BookRestores {
  /** Says that what was answered until now may be more than the book has. */
  record(): Promise<Restored>;
}

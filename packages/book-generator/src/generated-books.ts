import type { BookRecord } from '@cls/resource-api/journal-file/record';

/** What must be true of a facility when all of its journals are posted, in minor units. */
export interface KnownAnswer {
  readonly facility: string;
  readonly currency: string;
  readonly principalCash: bigint;
  readonly principalPik: bigint;
  readonly unfunded: bigint;
  readonly letterOfCredit: bigint;
  readonly interestDue: bigint;
  readonly originalCommitment: bigint;
}

/** Where generated books go. */
export interface GeneratedBooks {
  /**
   * Writes records, then compares what the ledger has of each facility with its known answer: one
   * transaction, rolled back when an answer differs or without `apply`.
   *
   * @param answers asked when every record was written.
   */
  write(
    records: Iterable<BookRecord>,
    answers: () => readonly KnownAnswer[],
    apply: boolean,
  ): Promise<GenerateResult>;
}

export interface GenerateResult {
  readonly outcome: 'applied' | 'valid' | 'wrong' | 'generated_before';
  readonly contracts: number;
  readonly journals: number;
  readonly postings: number;
  /** Facilities whose balances were compared. */
  readonly compared: number;
  /** Those that differ. */
  readonly differing: readonly string[];
}

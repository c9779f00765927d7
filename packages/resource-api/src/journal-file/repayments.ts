import { fault, type RecordFault } from './check-journal.ts';
import { REPAYMENTS } from './drawings.ts';
import type { DatedAmount } from './journal-store.ts';
import { type JournalRecord, minorOf, type PostingRecord } from './record.ts';
import { WatchedAmount } from './running-amount.ts';

interface Repayment extends RecordFault {
  readonly line: number;
  readonly date: string;
}

/**
 * What each contract owes while a file is read. A repayment may stand before the drawing that it repays:
 * it is judged by the best that comes after it in the file.
 */
export class Repayments {
  readonly #contracts = new Map<string, WatchedAmount<Repayment>>();

  /** Whether the book's part of a contract is known. */
  knows(contract: string): boolean {
    return this.#contracts.has(contract);
  }

  /** What is outstanding by the book, by date; nothing of a contract that the book has not. */
  open(contract: string, balances: readonly DatedAmount[]): void {
    this.#contracts.set(contract, new WatchedAmount(balances));
  }

  add(line: number, { postings, effectiveDate: date, reverses }: JournalRecord): void {
    for (const [index, posting] of postings.entries()) {
      const contract = principalOf(posting);
      const held = contract === undefined ? undefined : this.#contracts.get(contract);
      if (held === undefined || posting.lender !== undefined) continue;
      const minor = minorOf(posting);
      if (reverses !== undefined || minor >= 0n || !REPAYMENTS.includes(posting.movement ?? '')) {
        held.changeBy(date, minor);
        continue;
      }
      const message = `more is repaid of ${contract} than is outstanding`;
      const overpaid = fault(`postings.${index}.amount`, 'overpaid', message);
      held.changeBy(date, minor, { line, date, ...overpaid });
    }
  }

  finish(): readonly (RecordFault & { readonly line: number })[] {
    return [...this.#contracts.values()].flatMap(({ beyond }) =>
      beyond.map(({ date: _, ...warning }) => warning),
    );
  }
}

/** The contract whose outstanding principal a posting changes. */
export function principalOf({ account, contract }: PostingRecord): string | undefined {
  return account === 'PRINCIPAL_CASH' || account === 'PRINCIPAL_PIK' ? contract : undefined;
}

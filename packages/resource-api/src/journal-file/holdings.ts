import { formatMoney } from '../ledger/money.ts';
import { fault, type RecordFault } from './check-journal.ts';
import type { JournalReader } from './journal-store.ts';
import { type JournalRecord, minorOf, type PostingRecord } from './record.ts';
import { RunningAmount } from './running-amount.ts';

/** What a lender can sell: principal of a contract, and commitments of a facility. */
export const SOLD_ACCOUNTS = [
  'PRINCIPAL_CASH',
  'PRINCIPAL_PIK',
  'ORIGINAL_COMMITMENT',
  'UNFUNDED',
] as const;
export type SoldAccount = (typeof SOLD_ACCOUNTS)[number];

/** An account of a lender. */
export interface Holder {
  readonly facility: string;
  /** Undefined of a commitment. */
  readonly contract: string | undefined;
  readonly lender: string;
  readonly account: SoldAccount;
}

interface Sale {
  readonly line: number;
  readonly posting: number;
  readonly date: string;
  readonly minor: bigint;
}

interface Held {
  /** What the file posts. */
  readonly amount: RunningAmount;
  readonly sales: Sale[];
}

/** What lenders hold, so that a sale of more than that is seen. */
export class Holdings {
  readonly #held = new Map<string, Held>();
  readonly #sellers = new Map<string, Holder & { readonly currency: string }>();

  add(line: number, journal: JournalRecord): void {
    for (const [index, posting] of journal.postings.entries()) {
      const holder = holderOf(posting);
      if (holder === undefined) continue;
      const minor = minorOf(posting);
      const date = journal.effectiveDate;
      const name = Object.values(holder).join(' ');
      const held = this.#held.get(name) ?? { amount: new RunningAmount([]), sales: [] };
      this.#held.set(name, held);
      held.amount.change(date, minor);
      if (minor >= 0n || !isSale(journal, posting)) continue;
      held.sales.push({ line, posting: index, date, minor });
      this.#sellers.set(name, { ...holder, currency: posting.currency });
    }
  }

  /**
   * Sales after which a lender holds less than nothing, on their day or a later one, by all that book
   * and file have. Of several, the last ones of the file are too many.
   */
  async finish(
    store: Pick<JournalReader, 'holdings'>,
  ): Promise<readonly (RecordFault & { readonly line: number })[]> {
    const sellers = [...this.#sellers];
    const inBook = await store.holdings(sellers.map(([, holder]) => holder));
    return sellers.flatMap(([name, { lender, currency }], index) => {
      const { amount, sales } = this.#held.get(name) as Held;
      let before = 0n;
      for (const { date, amountMinor } of inBook[index] ?? []) {
        amount.change(date, amountMinor - before);
        before = amountMinor;
      }
      return sales.toReversed().flatMap(({ line, posting, date, minor }) => {
        const left = amount.lowestFrom(date);
        if (left >= 0n) return [];
        amount.change(date, -minor);
        const beyond = formatMoney(-left, currency);
        const message = `expected at most what ${lender} holds: it sells ${beyond} more`;
        return [{ line, ...fault(`postings.${posting}.amount`, 'sells_beyond_holding', message) }];
      });
    });
  }
}

function holderOf({ facility, contract, lender, account }: PostingRecord): Holder | undefined {
  const sold = SOLD_ACCOUNTS.find((one) => one === account);
  return sold === undefined || lender === undefined
    ? undefined
    : { facility, contract, lender, account: sold };
}

/** A reversal takes back what was booked, and sells nothing. Commitments have no movement. */
function isSale({ type, reverses }: JournalRecord, { contract, movement }: PostingRecord): boolean {
  const moves = contract === undefined ? type : movement;
  return moves === 'transfer' && reverses === undefined;
}

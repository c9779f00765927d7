import { minorUnitDigits } from '../ledger/currency.ts';
import { formatAmount, parseAmount } from '../ledger/money.ts';
import { fault, type RecordFault } from './check-journal.ts';
import type { JournalStore } from './journal-store.ts';
import type { JournalRecord } from './record.ts';

interface Sale extends Holder {
  readonly line: number;
  readonly posting: number;
  readonly currency: string;
}

/** A lender in a contract. */
export interface Holder {
  readonly contract: string;
  readonly lender: string;
}

/** What lenders hold of contracts, so that a sale of more than that is seen. */
export class Holdings {
  /** What the file posts to the principal of each lender in each contract. */
  readonly #moved = new Map<string, bigint>();
  /** The last sale of each. */
  readonly #sales = new Map<string, Sale>();

  /** @param reverses a reversal takes back what was booked, and sells nothing. */
  add(line: number, { postings, reverses }: JournalRecord): void {
    for (const [index, posting] of postings.entries()) {
      const { account, contract, lender, amount, currency, movement } = posting;
      if (account !== 'PRINCIPAL_CASH' || contract === undefined || lender === undefined) continue;
      const minor = parseAmount(amount, minorUnitDigits(currency) ?? 0)?.amountMinor ?? 0n;
      const name = nameOf({ contract, lender });
      this.#moved.set(name, (this.#moved.get(name) ?? 0n) + minor);
      if (movement !== 'transfer' || minor >= 0n || reverses !== undefined) continue;
      this.#sales.set(name, { contract, lender, line, posting: index, currency });
    }
  }

  /** Sales after which a lender holds less than nothing, by all that book and file have. */
  async finish(
    store: Pick<JournalStore, 'holdings'>,
  ): Promise<readonly (RecordFault & { readonly line: number })[]> {
    const sales = [...this.#sales.values()];
    const held = await store.holdings(sales);
    return sales.flatMap((sale, index) => {
      const left = (held[index] ?? 0n) + (this.#moved.get(nameOf(sale)) ?? 0n);
      if (left >= 0n) return [];
      const beyond = formatAmount(-left, minorUnitDigits(sale.currency) ?? 0);
      const message = `expected at most what ${sale.lender} holds: it sells ${beyond} more`;
      const field = `postings.${sale.posting}.amount`;
      return [{ line: sale.line, ...fault(field, 'sells_beyond_holding', message) }];
    });
  }
}

function nameOf({ contract, lender }: Holder): string {
  return `${contract} ${lender}`;
}

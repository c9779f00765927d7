import { createHash } from 'node:crypto';
import { minorUnitDigits } from '../ledger/currency.ts';
import { formatAmount, parseAmount } from '../ledger/money.ts';
import type { BookRecord, SummaryRecord } from './record.ts';

/** Adds up a journal file line by line; the same for who writes it and who reads it. */
export class JournalFileSummary {
  readonly #hash = createHash('sha256');
  readonly #debits = new Map<string, bigint>();
  #records = 0;
  #journals = 0;
  #postings = 0;

  /** Of a whole line, without its end. */
  addLine(line: string): void {
    this.#hash.update(`${line}\n`);
    this.#records += 1;
  }

  addRecord(record: BookRecord): void {
    if (record.object !== 'journal') return;
    this.#journals += 1;
    this.#postings += record.postings.length;
    for (const { lender, amount, currency } of record.postings) {
      const parsed = parseAmount(amount, minorUnitDigits(currency) ?? 0);
      if (lender !== undefined || parsed === undefined || parsed.amountMinor < 0n) continue;
      this.#debits.set(currency, (this.#debits.get(currency) ?? 0n) + parsed.amountMinor);
    }
  }

  result(): SummaryRecord {
    const debits = [...this.#debits].sort().map(([currency, sum]) => {
      return [currency, formatAmount(sum, minorUnitDigits(currency) ?? 0)];
    });
    return {
      object: 'summary',
      records: this.#records,
      journals: this.#journals,
      postings: this.#postings,
      debits: Object.fromEntries(debits),
      sha256: this.#hash.copy().digest('hex'),
    };
  }
}

import { createHash } from 'node:crypto';
import { minorUnitDigits } from '../ledger/currency.ts';
import { formatAmount } from '../ledger/money.ts';
import { type BookRecord, minorOf, type SummaryRecord } from './record.ts';

/** Adds up a journal file line by line; the same for who writes it and who reads it. */
export class JournalFileSummary {
  readonly #hash = createHash('sha256');
  /** By currency, then account. */
  readonly #sums = new Map<string, Map<string, bigint>>();
  #records = 0;
  #journals = 0;
  #postings = 0;

  /** Of a whole line, without its end. */
  addLine(line: string): void {
    this.#hash.update(line).update('\n');
    this.#records += 1;
  }

  addRecord(record: BookRecord): void {
    if (record.object !== 'journal') return;
    this.#journals += 1;
    this.#postings += record.postings.length;
    for (const { lender, account, amount, currency } of record.postings) {
      if (lender !== undefined) continue;
      const minor = minorOf({ amount, currency });
      const sums = this.#sums.get(currency) ?? new Map<string, bigint>();
      this.#sums.set(currency, sums.set(account, (sums.get(account) ?? 0n) + minor));
    }
  }

  result(): SummaryRecord {
    const sums = [...this.#sums].sort(byName).map(([currency, accounts]) => {
      const digits = minorUnitDigits(currency) ?? 0;
      const amounts = [...accounts].sort(byName).map(([account, sum]) => {
        return [account, formatAmount(sum, digits)] as const;
      });
      return [currency, Object.fromEntries(amounts)] as const;
    });
    return {
      object: 'summary',
      records: this.#records,
      journals: this.#journals,
      postings: this.#postings,
      sums: Object.fromEntries(sums),
      sha256: this.#hash.copy().digest('hex'),
    };
  }
}

/** How two summaries differ, as field and sentence. */
export function summaryDifferences(
  found: SummaryRecord,
  given: SummaryRecord,
): readonly (readonly [field: string, message: string])[] {
  const flat = ({ object: _, sums, ...rest }: SummaryRecord): ReadonlyMap<string, string> =>
    new Map([
      ...Object.entries(rest).map(([field, value]) => [field, `${value}`] as const),
      ...Object.entries(sums).flatMap(([currency, accounts]) =>
        Object.entries(accounts).map(([name, sum]) => [`sums.${currency}.${name}`, sum] as const),
      ),
    ]);
  const [has, says] = [flat(found), flat(given)];
  return [...new Set([...has.keys(), ...says.keys()])].flatMap((field) => {
    const [one, other] = [has.get(field) ?? 'none', says.get(field) ?? 'none'];
    return one === other ? [] : [[field, `the file has ${one}, its summary says ${other}`]];
  });
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

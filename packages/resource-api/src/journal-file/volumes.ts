import { BOOK_MAX_MINOR, formatMoney, magnitudeOf } from '../ledger/money.ts';
import { fault, type RecordFault } from './check-journal.ts';
import type { JournalReader } from './journal-store.ts';
import { type JournalRecord, minorOf } from './record.ts';

/** Of a file that posts less it would take a million to fill a book: what the book has is not looked up. */
export const SMALL_MINOR = BOOK_MAX_MINOR / 1_000_000n;

/** The book has no room for more amounts of a currency. */
export class BookIsFull extends Error {
  override readonly name = 'BookIsFull';
}

/** What is expected of all amounts in a currency. */
export function roomExpected(currency: string): string {
  const most = formatMoney(BOOK_MAX_MINOR, currency);
  return `expected that all postings of the book in ${currency}, signs aside, come to at most ${most}`;
}

/** What book and file post by currency, signs aside, so that every sum of amounts can be kept. */
export class Volumes {
  readonly #store: Pick<JournalReader, 'volumes'>;
  readonly #ofFile = new Map<string, bigint>();
  readonly #reported = new Set<string>();
  #ofBook: ReadonlyMap<string, bigint> | undefined;

  constructor(store: Pick<JournalReader, 'volumes'>) {
    this.#store = store;
  }

  /** Adds a journal that is to be posted. @returns what keeps the book from taking it. */
  async add({ postings }: JournalRecord): Promise<readonly RecordFault[]> {
    for (const posting of postings) {
      const { currency } = posting;
      const volume = magnitudeOf(minorOf(posting));
      this.#ofFile.set(currency, (this.#ofFile.get(currency) ?? 0n) + volume);
    }
    const faults: RecordFault[] = [];
    for (const currency of new Set(postings.map((posting) => posting.currency))) {
      const ofFile = this.#ofFile.get(currency) ?? 0n;
      if (ofFile <= SMALL_MINOR || this.#reported.has(currency)) continue;
      this.#ofBook ??= await this.#store.volumes();
      if (ofFile + (this.#ofBook.get(currency) ?? 0n) <= BOOK_MAX_MINOR) continue;
      this.#reported.add(currency);
      faults.push(fault('postings', 'amount_too_large', roomExpected(currency)));
    }
    return faults;
  }
}

import { fault, type RecordFault, sumsBy } from './check-journal.ts';
import { IdSet } from './id-set.ts';
import type { JournalRecord, PostingRecord } from './record.ts';

type Reversible = Pick<JournalRecord, 'id' | 'deal' | 'effectiveDate' | 'postings' | 'reverses'>;

/**
 * The journals before a line, as far as a reversal must mirror them and a correction be of their deal:
 * some bytes each, and not their postings.
 */
export class ReversibleJournals {
  readonly #ids = new IdSet();
  readonly #dates = new IdSet();
  readonly #contents = new IdSet();
  readonly #deals = new IdSet();

  knows(id: string): boolean {
    return this.#ids.has(id);
  }

  remember(journal: Reversible): void {
    this.#ids.add(journal.id);
    this.#dates.add(`${journal.id} ${journal.effectiveDate}`);
    this.#contents.add(`${journal.id} ${contentOf(journal, 1n)}`);
    this.#deals.add(`${journal.id} ${journal.deal}`);
  }

  isOf(deal: string, id: string): boolean {
    return this.#deals.has(`${id} ${deal}`);
  }

  /** What keeps a reversal from taking back the journal that it names, which is remembered. */
  check(reversal: Reversible): readonly RecordFault[] {
    const { reverses = '' } = reversal;
    const faults: RecordFault[] = [];
    if (!this.#dates.has(`${reverses} ${reversal.effectiveDate}`)) {
      const message = `expected the effective date of ${reverses}, which this journal reverses`;
      faults.push(fault('effectiveDate', 'not_mirrored', message));
    }
    if (!this.#contents.has(`${reverses} ${contentOf(reversal, -1n)}`)) {
      const message = `expected the postings of ${reverses} with the opposite signs, all of them`;
      faults.push(fault('postings', 'not_mirrored', message));
    }
    return faults;
  }
}

/** One text for a deal and the sums that its lines are posted, in whatever order. */
function contentOf({ deal, postings }: Reversible, sign: bigint): string {
  const sums = sumsBy(postings, keyOf, () => sign);
  const moved = sums.filter(([, sum]) => sum !== 0n).map((entry) => entry.join(' '));
  return [deal, ...moved.sort()].join('\n');
}

function keyOf({ facility, contract, lender, account, movement, dueDate }: PostingRecord): string {
  return `${facility} ${contract ?? '-'} ${lender ?? '-'} ${account} ${movement ?? '-'} ${dueDate ?? '-'}`;
}

import type { Database } from '@cls/shared/sql/database';
import { type Memories, openMemories } from '../../../memory/memories.ts';
import { BOOKKEEPING } from '../../../memory/register.ts';
import type { Snapshot } from '../../ask/balance-store.ts';
import { BY_INDEX, instant, readAll } from '../../ask/sql/statement.ts';

/** Which deals got a journal, since the first question of an epoch. */
export interface JournaledDeals {
  /** Begins when the book turns out to be another one, or has too many new journals: forget all before. */
  readonly epoch: number;
  /** Looks up the new journals of a question. @returns whether its sequence is the newest that was asked for */
  reach(snapshot: Snapshot): Promise<boolean>;
  /** Whether it is certain that a deal got no journal after a sequence, through another. */
  isSame(deal: bigint, after: bigint, through: bigint): boolean;
}

/** Of more journals, or of more deals, it is cheaper to begin anew. */
const JOURNALS_MAX = 10_000n;
const DEALS_MAX = BOOKKEEPING.journaled.entries;

/** A book that lost journals has others under their sequences, posted at other instants. */
interface Reached {
  readonly seq: bigint;
  readonly postedAt: string | null;
  readonly generation: bigint;
}

interface Journals {
  /** When the journal was posted that was reached before, and the one that is reached now. */
  readonly before: string | null;
  readonly now: string | null;
  /** Deals with a journal since, each with its last one. */
  readonly deals: readonly (readonly [key: number, seq: number])[];
}

const POSTED_AT = (seq: string) =>
  `(SELECT ${instant('posted_at')} FROM journal WHERE seq = ${seq})`;
const JOURNALS = `
  SELECT ${POSTED_AT('$1')} AS before, ${POSTED_AT('$2')} AS now,
    (SELECT coalesce(json_agg(json_build_array(j.deal_key, j.seq)), '[]') FROM (
      SELECT deal_key, max(seq) AS seq FROM journal
      WHERE seq > $1 AND seq <= $2 AND $2 - $1 <= ${JOURNALS_MAX} GROUP BY deal_key) j) AS deals`;

export function journaledDeals(
  database: Database,
  memories: Memories = openMemories(),
): JournaledDeals {
  const last = new Map<bigint, bigint>();
  memories.register('journaled', () => ({ entries: last.size, size: 0 }));
  let reached: Reached = { seq: 0n, postedAt: null, generation: -1n };
  let epoch = 0;
  let since = 0n;

  const lookUp = async (after: bigint, through: bigint): Promise<Journals> => {
    const parameters = [after, through];
    const statement = { sql: JOURNALS, parameters, planning: BY_INDEX, prepared: true };
    const [found] = await readAll<Journals>(database, statement);
    return found ?? { before: null, now: null, deals: [] };
  };
  return {
    get epoch() {
      return epoch;
    },
    async reach({ ledgerSeq: seq, edition }) {
      const from = reached;
      if (edition === undefined) return false;
      const { generation } = edition;
      if (generation === from.generation && seq <= from.seq) return seq === from.seq;
      const { before, now, deals } = await lookUp(from.seq, seq);
      const isOtherBook = before !== from.postedAt;
      // Another question may have looked up more in the meantime.
      if (seq < reached.seq && !(isOtherBook && reached === from)) return false;
      if (isOtherBook || seq - from.seq > JOURNALS_MAX || last.size > DEALS_MAX) {
        last.clear();
        epoch += 1;
        since = seq;
      } else {
        for (const [deal, journal] of deals) last.set(BigInt(deal), BigInt(journal));
      }
      reached = { seq, postedAt: now, generation };
      return true;
    },
    isSame: (deal, after, through) =>
      since <= after &&
      after <= through &&
      through <= reached.seq &&
      (last.get(deal) ?? 0n) <= after,
  };
}

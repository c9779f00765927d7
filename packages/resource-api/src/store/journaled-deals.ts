import type { Database } from '@cls/shared/sql/database';
import type { Snapshot } from '../balances/balance-store.ts';
import { BY_INDEX, instant } from './balance-statements.ts';
import { readAll } from './read-as.ts';

/** Which deals got a journal, since the first question or since it was begun anew. */
export interface JournaledDeals {
  /** How often it was begun anew: nothing is known of what was read before that. */
  readonly beginnings: number;
  /** Looks up the journals through that of a question. @returns whether none after it is known */
  reach(snapshot: Snapshot): Promise<boolean>;
  /** Whether it is certain that a deal got no journal after a sequence, through another. */
  isSame(deal: bigint, after: bigint, through: bigint): boolean;
}

/** Of more journals, or of more deals, it is cheaper to begin anew. */
const JOURNALS_MAX = 10_000n;
const DEALS_MAX = 50_000;

/** A book that was restored has other journals under the same sequences, posted at other instants. */
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

export function journaledDeals(database: Database): JournaledDeals {
  const last = new Map<bigint, bigint>();
  let reached: Reached = { seq: 0n, postedAt: null, generation: -1n };
  let beginnings = 0;
  let since = 0n;

  const lookUp = async (after: bigint, through: bigint): Promise<Journals> => {
    const parameters = [after, through];
    const statement = { sql: JOURNALS, parameters, planning: BY_INDEX, prepared: true };
    const [found] = await readAll<Journals>(database, statement);
    return found ?? { before: null, now: null, deals: [] };
  };
  return {
    get beginnings() {
      return beginnings;
    },
    async reach({ ledgerSeq: seq, edition }) {
      const from = reached;
      if (edition === undefined || seq < from.seq) return false;
      const { generation } = edition;
      if (seq === from.seq && generation === from.generation) return true;
      const { before, now, deals } = await lookUp(from.seq, seq);
      // Another question may have looked up more in the meantime.
      if (seq < reached.seq) return false;
      const isSameBook = before === from.postedAt;
      if (!isSameBook || seq - from.seq > JOURNALS_MAX || last.size > DEALS_MAX) {
        last.clear();
        beginnings += 1;
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

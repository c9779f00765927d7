import type { Database } from '@cls/shared/sql/database';
import { BY_INDEX } from './balance-statements.ts';
import { readAll } from './read-as.ts';

/** Which deals got a journal, as far as it was looked up: from one sequence through another. */
export interface JournaledDeals {
  /** Looks up the journals through a sequence. @returns whether none after it was looked up before */
  reach(seq: bigint): Promise<boolean>;
  /** Whether it is certain that a deal got no journal after a sequence, through another. */
  isSame(deal: bigint, after: bigint, through: bigint): boolean;
}

/** Of more journals, or of more deals, it is cheaper to begin anew. */
const JOURNALS_MAX = 10_000n;
const DEALS_MAX = 50_000;

const LAST_JOURNALS = `SELECT deal_key AS deal, max(seq) AS seq FROM journal
  WHERE seq > $1 AND seq <= $2 GROUP BY deal_key`;

export function journaledDeals(database: Database): JournaledDeals {
  const last = new Map<bigint, bigint>();
  let since: bigint | undefined;
  let reached = 0n;

  const lookUp = async (seq: bigint): Promise<void> => {
    const parameters = [reached, seq];
    const statement = { sql: LAST_JOURNALS, parameters, planning: BY_INDEX, prepared: true };
    for (const row of await readAll<{ deal: bigint; seq: bigint }>(database, statement)) {
      const known = last.get(row.deal) ?? 0n;
      last.set(row.deal, row.seq > known ? row.seq : known);
    }
  };
  return {
    async reach(seq) {
      if (seq < reached) return false;
      if (since === undefined || seq - reached > JOURNALS_MAX || last.size > DEALS_MAX) {
        last.clear();
        since = seq;
      } else if (seq > reached) {
        await lookUp(seq);
      }
      // Another question may have looked up more in the meantime.
      reached = seq > reached ? seq : reached;
      return seq === reached;
    },
    isSame: (deal, after, through) =>
      since !== undefined &&
      since <= after &&
      after <= through &&
      through <= reached &&
      (last.get(deal) ?? 0n) <= after,
  };
}

import type { Database } from '@cls/shared/sql/database';
import { type Day, dayOn } from '../../../ledger/day-count.ts';
import type { Memories } from '../../../memory/memories.ts';
import type { AccruedAmounts, BalanceStore, Level } from '../../ask/balance-store.ts';
import { ITEM_TABLES } from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, instant, readAll, type Statement } from '../../ask/sql/statement.ts';
import { type AddedAmounts, accrualsIn, oncePerKey } from '../accruals.ts';
import { type AccrualHistory, addAccrued, type HistoryRow, toHistory } from './accrual-history.ts';
import { accrualHistoriesStatement, accrualStatement, holdersLines } from './accrual-statement.ts';
import { listsByItem, type StreamRow, toStreams } from './accrual-streams.ts';
import { cachedHistories, type LastJournal } from './cached-histories.ts';

const AT_ONCE = { facts: 20_000, keys: 100 };

/**
 * What accrues in items as of any date, from histories that are cached as the book is known now. Items
 * without a cached history, and questions about what was known before, go to `accrualStatement`.
 */
export function cachedAccruals(
  database: Database,
  memories?: Memories,
  factsMax?: number,
): BalanceStore['accrualAmountsOf'] {
  const find = cachedHistories<readonly AccrualHistory[]>({
    ...{ memories, factsMax },
    atOnce: AT_ONCE,
    lastJournals: async (level, keys, seq) => {
      const rows = await readAll<LastRow>(database, lastJournalsStatement(level, keys, seq));
      return new Map(rows.map(({ key, ...last }) => [key, last]));
    },
    read: async (level, keys, seq) => {
      const statement = accrualHistoriesStatement(level, keys, seq);
      const rows = await readAll<HistoryRow>(database, statement);
      const own = rows.filter(({ items }) => items.length > 0);
      const day = oncePerKey(dayOn);
      const lists = listsByItem(
        own,
        own.map((row) => toHistory(row, day)),
      );
      // A bill of these may have to be worked out again.
      const reopened = new Set(
        rows.flatMap((row) => (row.may_reopen ? [...row.items, ...row.context_of] : [])),
      );
      return keys.map((key) => {
        const list = lists.get(key) ?? [];
        const facts = list.reduce((sum, { share }) => sum + share, 1);
        return { key, history: reopened.has(key) ? undefined : list, facts };
      });
    },
  });
  return async (level, keys, snapshot) => {
    if (keys.length === 0) return new Map();
    const found = await find(level, keys, snapshot.ledgerSeq);
    const amounts = new Map<bigint, AccruedAmounts>();
    const others: bigint[] = [];
    const asOf = dayOn(snapshot.asOf);
    // Items with the same histories share one list.
    const addedUp = oncePerKey((list: readonly AccrualHistory[]) => sumOf(list, asOf));
    for (const [index, key] of keys.entries()) {
      const histories = found[index];
      if (histories === undefined) others.push(key);
      else if (histories.length > 0) amounts.set(key, addedUp(histories));
    }
    if (others.length === 0) return amounts;
    const statement = accrualStatement(level, others, snapshot, { lines: holdersLines(level) });
    const streams = toStreams(await readAll<StreamRow>(database, statement));
    const accrualsOf = accrualsIn(streams);
    for (const key of streams.keys()) amounts.set(key, accrualsOf(key).amounts);
    return amounts;
  };
}

function sumOf(histories: readonly AccrualHistory[], asOf: Day): AccruedAmounts {
  const sums: AddedAmounts = new Map();
  for (const history of histories) addAccrued(sums, history, asOf);
  return sums;
}

interface LastRow extends LastJournal {
  readonly key: bigint;
}

/**
 * The last journal of each item's deal. Its place is asked for as a pair: where the book has few deals, PostgreSQL
 * would otherwise look for it in the journals of all deals, from the last one back.
 */
function lastJournalsStatement(level: Level, keys: readonly bigint[], seq: bigint): Statement {
  const sql = `SELECT i.key, last.seq, last."postedAt" FROM ${ITEM_TABLES[level]} i CROSS JOIN LATERAL (
      SELECT deal_key, seq, ${instant('posted_at')} AS "postedAt" FROM journal
      WHERE (deal_key, seq) <= (i.deal_key, $2) ORDER BY deal_key DESC, seq DESC LIMIT 1) last
    WHERE i.key = ANY($1) AND last.deal_key = i.deal_key`;
  return { sql, parameters: [keys, seq], planning: BY_INDEX, prepared: true };
}

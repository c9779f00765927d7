import type { Database } from '@cls/shared/sql/database';
import { type Day, dayOn } from '../../../ledger/day-count.ts';
import type { Memories } from '../../../memory/memories.ts';
import type { AccruedAmounts, BalanceStore, Level } from '../../ask/balance-store.ts';
import { ITEM_TABLES } from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, readAll, type Statement } from '../../ask/sql/statement.ts';
import { type AddedAmounts, accrualsIn, oncePerKey } from '../accruals.ts';
import { type AccrualHistory, addAccrued, type HistoryRow, toHistory } from './accrual-history.ts';
import { accrualHistoriesStatement, accrualStatement, holdersLines } from './accrual-statement.ts';
import { listsByItem, type StreamRow, toStreams } from './accrual-streams.ts';
import { cachedHistories } from './cached-histories.ts';
import type { JournaledDeals } from './journaled-deals.ts';

const AT_ONCE = { facts: 20_000, keys: 100 };

/**
 * What accrues in items as of any date, from histories that are cached as the book is known now. Items
 * without a cached history, and questions about what was known before, go to `accrualStatement`.
 */
export function cachedAccruals(
  database: Database,
  deals: JournaledDeals,
  memories?: Memories,
  factsMax?: number,
): BalanceStore['accrualAmountsOf'] {
  const find = cachedHistories<readonly AccrualHistory[]>(deals, {
    ...{ memories, factsMax },
    atOnce: AT_ONCE,
    read: async (level, keys, seq) => {
      const items = await readAll<ItemRow>(database, dealsOf(level, keys));
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
      return items.map(({ key, deal }) => {
        const list = lists.get(key) ?? [];
        const facts = list.reduce((sum, { share }) => sum + share, 1);
        return { key, deal, history: reopened.has(key) ? undefined : list, facts };
      });
    },
  });
  return async (level, keys, snapshot) => {
    if (keys.length === 0) return new Map();
    const found = await find(level, keys, snapshot);
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

interface ItemRow {
  readonly key: bigint;
  readonly deal: bigint;
}

function dealsOf(level: Level, keys: readonly bigint[]): Statement {
  const sql = `SELECT key, deal_key AS deal FROM ${ITEM_TABLES[level]} WHERE key = ANY($1)`;
  return { sql, parameters: [keys], planning: BY_INDEX, prepared: true };
}

import type { Database } from '@cls/shared/sql/database';
import { LRUCache } from 'lru-cache';
import { type BalanceStore, LEVELS, type Level, type Snapshot } from '../balances/balance-store.ts';
import { oncePerKey } from '../balances/once-per-key.ts';
import type { AccrualStream } from '../ledger/billed-accruals.ts';
import { type AccrualHistory, type HistoryRow, streamAt, toHistory } from './accrual-history.ts';
import { accrualHistoriesStatement, accrualStatement, holdersLines } from './accrual-statement.ts';
import { listsByItem, type StreamRow, toStreams } from './accrual-streams.ts';
import { ITEM_TABLES } from './balance-levels.ts';
import { BY_INDEX, type Statement } from './balance-statements.ts';
import { journaledDeals } from './journaled-deals.ts';
import { readAll } from './read-as.ts';

/** What is known of an item with a sequence, until a later journal of its deal. */
interface Kept {
  readonly seq: bigint;
  readonly deal: bigint;
  /** Undefined where a bill may have to be worked out again, or where there is too much to keep. */
  readonly histories: readonly AccrualHistory[] | undefined;
  /** Rates, bills and balances in them. */
  readonly facts: number;
}

/** Of all items together: some 160 bytes each. */
const FACTS_KEPT = 250_000;
/** An item that no question was about for so long makes room for others. */
const UNUSED_MS = 10 * 60_000;
/** What is read at once, by what items had so far: nobody is to wait for all that the book has. */
const READ_AT_ONCE = { facts: 20_000, items: 100 };

/**
 * What accrues in items as of any date, from histories that are kept as the book is known now. Items
 * without a kept history, and questions about what was known before, go to `accrualStatement`.
 */
export function keptAccruals(
  database: Database,
  factsKept = FACTS_KEPT,
): BalanceStore['accrualAmountsOf'] {
  const known = new LRUCache<number, Kept>({
    ...{ maxSize: factsKept, sizeCalculation: ({ facts }) => facts },
    ...{ ttl: UNUSED_MS, updateAgeOnGet: true },
  });
  const deals = journaledDeals(database);
  const read = { items: 1, facts: 1_000 };
  let epoch = 0;
  let isReading = false;

  /** Where nobody looked which state the book is in, nothing is known. */
  const knownOf = (level: Level, key: bigint, { ledgerSeq, edition }: Snapshot) => {
    const kept = edition && known.get(cacheKey(level, key));
    return kept && deals.isSame(kept.deal, kept.seq, ledgerSeq) ? kept : undefined;
  };
  const hasRoom = (): boolean => {
    if (known.calculatedSize >= factsKept) known.purgeStale();
    return known.calculatedSize < factsKept;
  };
  const readHistories = async (level: Level, keys: readonly bigint[], seq: bigint) => {
    const items = await readAll<ItemRow>(database, dealsOf(level, keys));
    const statement = accrualHistoriesStatement(level, keys, seq);
    const rows = await readAll<HistoryRow>(database, statement);
    const lists = listsByItem(rows, rows.map(toHistory));
    const reopened = new Set(rows.flatMap((row) => (row.may_reopen ? row.items : [])));
    // Meanwhile the book may have turned out to be another one.
    if (epoch !== deals.epoch) return;
    for (const { key, deal } of items) {
      const list = lists.get(key) ?? [];
      const facts = list.reduce((sum, { share }) => sum + share, 1);
      read.items += 1;
      read.facts += facts;
      const histories =
        reopened.has(key) || known.calculatedSize + facts > factsKept ? undefined : list;
      known.set(cacheKey(level, key), { seq, deal, histories, facts: histories ? facts : 1 });
    }
  };
  /** Reads as many items as fit; none while another question reads. */
  const readSome = async (level: Level, unknown: readonly bigint[], seq: bigint) => {
    if (isReading || !hasRoom()) return;
    const few = Math.floor((READ_AT_ONCE.facts * read.items) / read.facts);
    const some = unknown.slice(0, Math.max(1, Math.min(few, READ_AT_ONCE.items)));
    isReading = true;
    try {
      await readHistories(level, some, seq);
    } finally {
      isReading = false;
    }
  };
  const forgetOtherBook = (): void => {
    if (epoch !== deals.epoch) known.clear();
    epoch = deals.epoch;
  };
  /** The kept histories of each item. Where items have none, the database reads those of some first. */
  const find = async (level: Level, keys: readonly bigint[], snapshot: Snapshot) => {
    const lookUp = () => keys.map((key) => knownOf(level, key, snapshot));
    if (!(await deals.reach(snapshot))) return lookUp();
    forgetOtherBook();
    const found = lookUp();
    const unknown = keys.filter((_, index) => found[index] === undefined);
    if (unknown.length === 0) return found;
    await readSome(level, unknown, snapshot.ledgerSeq);
    return lookUp();
  };

  return async (level, keys, snapshot) => {
    if (keys.length === 0) return new Map();
    const found = await find(level, keys, snapshot);
    const streams = new Map<bigint, readonly AccrualStream[]>();
    const others: bigint[] = [];
    // Items with the same histories share one list of streams.
    const listAt = oncePerKey((histories: readonly AccrualHistory[]) =>
      histories.flatMap((history) => streamAt(history, snapshot.asOf) ?? []),
    );
    for (const [index, key] of keys.entries()) {
      const histories = found[index]?.histories;
      if (histories === undefined) others.push(key);
      else streams.set(key, listAt(histories));
    }
    if (others.length === 0) return streams;
    const statement = accrualStatement(level, others, snapshot, { lines: holdersLines(level) });
    return new Map([...streams, ...toStreams(await readAll<StreamRow>(database, statement))]);
  };
}

/** One number for a level and an item's key. Keys are far below 2^51, so the number is exact. */
function cacheKey(level: Level, key: bigint): number {
  return Number(key) * LEVELS.length + LEVELS.indexOf(level);
}

interface ItemRow {
  readonly key: bigint;
  readonly deal: bigint;
}

function dealsOf(level: Level, keys: readonly bigint[]): Statement {
  const sql = `SELECT key, deal_key AS deal FROM ${ITEM_TABLES[level]} WHERE key = ANY($1)`;
  return { sql, parameters: [keys], planning: BY_INDEX, prepared: true };
}

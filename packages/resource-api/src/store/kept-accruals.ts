import type { Database } from '@cls/shared/sql/database';
import type { Level, Snapshot } from '../balances/balance-store.ts';
import type { AccrualStream } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { type AccrualHistory, type HistoryRow, streamAt, toHistory } from './accrual-history.ts';
import { accrualHistoriesStatement, accrualStatement, holdersLines } from './accrual-statement.ts';
import { listsByItem, type StreamRow, toStreams } from './accrual-streams.ts';
import { ITEM_TABLES } from './balance-levels.ts';
import { BY_INDEX, type Statement } from './balance-statements.ts';
import { journaledDeals } from './journaled-deals.ts';
import { readAll } from './read-as.ts';

type Streams = ReadonlyMap<bigint, readonly AccrualStream[]>;

/** Streams of given items with the lines that `holdersLines` says, and rates without their parts. */
type KeptAccruals = (level: Level, keys: readonly bigint[], snapshot: Snapshot) => Promise<Streams>;

/** What is known of an item with a sequence, until a later journal of its deal. */
interface Kept {
  /** Of `JournaledDeals` when it was read. */
  readonly beginnings: number;
  readonly seq: bigint;
  readonly deal: bigint;
  /** Undefined where a bill is to be worked out again, as the database does. */
  readonly histories: readonly AccrualHistory[] | undefined;
  readonly facts: number;
}

/** Rates, bills and balances that are kept: some 160 bytes each. */
const FACTS_KEPT = 250_000;
/** Items whose histories one question reads: it must not wait for those of the whole book. */
const ITEMS_READ = 100;

/**
 * What accrues in items as of any date, from histories that are kept as the book is known now. An item
 * without a kept history, and a question about what was known before, are left to the database.
 */
export function keptAccruals(database: Database, factsKept = FACTS_KEPT): KeptAccruals {
  const known = new Map<string, Kept>();
  const deals = journaledDeals(database);
  let facts = 0;

  const knownOf = (level: Level, key: bigint, { ledgerSeq }: Snapshot): Kept | undefined => {
    const kept = known.get(`${level} ${key}`);
    if (kept === undefined || kept.beginnings !== deals.beginnings) return undefined;
    return deals.isSame(kept.deal, kept.seq, ledgerSeq) ? kept : undefined;
  };
  const keep = (name: string, kept: Kept | undefined): void => {
    facts += (kept?.facts ?? 0) - (known.get(name)?.facts ?? 0);
    if (kept === undefined) known.delete(name);
    else known.set(name, kept);
  };
  const read = async (level: Level, keys: readonly bigint[], seq: bigint): Promise<void> => {
    const { beginnings } = deals;
    const items = await readAll<{ key: bigint; deal: bigint }>(database, dealsOf(level, keys));
    const statement = accrualHistoriesStatement(level, keys, seq, holdersLines(level));
    const rows = await readAll<HistoryRow>(database, statement);
    const lists = listsByItem(rows, rows.map(toHistory));
    const reopened = new Set(rows.flatMap((row) => (row.reopens ? row.items : [])));
    for (const { key, deal } of items) {
      const list = lists.get(key) ?? [];
      const histories = reopened.has(key) ? undefined : list;
      const facts = list.reduce((sum, { share }) => sum + share, 1);
      keep(`${level} ${key}`, { beginnings, seq, deal, histories, facts });
    }
  };

  return async (level, keys, snapshot) => {
    const { asOf, ledgerSeq } = snapshot;
    if (await deals.reach(snapshot)) {
      const unknown = keys.filter((key) => knownOf(level, key, snapshot) === undefined);
      for (const key of unknown) keep(`${level} ${key}`, undefined);
      if (unknown.length > 0 && facts < factsKept) {
        await read(level, unknown.slice(0, ITEMS_READ), ledgerSeq);
      }
    }
    const streams = new Map<bigint, readonly AccrualStream[]>();
    const others: bigint[] = [];
    const listAt = listsAt(asOf);
    for (const key of keys) {
      const histories = knownOf(level, key, snapshot)?.histories;
      if (histories === undefined) others.push(key);
      else streams.set(key, listAt(histories));
    }
    if (others.length === 0) return streams;
    const statement = accrualStatement(level, others, snapshot, { lines: holdersLines(level) });
    return new Map([...streams, ...toStreams(await readAll<StreamRow>(database, statement))]);
  };
}

function dealsOf(level: Level, keys: readonly bigint[]): Statement {
  const sql = `SELECT key, deal_key AS deal FROM ${ITEM_TABLES[level]} WHERE key = ANY($1)`;
  return { sql, parameters: [keys], planning: BY_INDEX, prepared: true };
}

/** Items with the same histories share one list of streams. */
function listsAt(asOf: BusinessDate) {
  const lists = new Map<readonly AccrualHistory[], readonly AccrualStream[]>();
  return (histories: readonly AccrualHistory[]): readonly AccrualStream[] => {
    const known = lists.get(histories);
    if (known !== undefined) return known;
    const list = histories.flatMap((history) => streamAt(history, asOf) ?? []);
    lists.set(histories, list);
    return list;
  };
}

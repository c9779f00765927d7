import type { Database } from '@cls/shared/sql/database';
import type { Level, Snapshot } from '../balances/balance-store.ts';
import type { AccrualStream } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { type AccrualHistory, type HistoryRow, streamAt, toHistory } from './accrual-history.ts';
import { accrualHistoriesStatement, accrualStatement, holdersLines } from './accrual-statement.ts';
import { listsByItem, type StreamRow, toStreams } from './accrual-streams.ts';
import { journaledDeals } from './journaled-deals.ts';
import { readAll } from './read-as.ts';

type Streams = ReadonlyMap<bigint, readonly AccrualStream[]>;

/** Streams of given items with the lines that `holdersLines` says, and rates without their parts. */
type KeptAccruals = (level: Level, keys: readonly bigint[], snapshot: Snapshot) => Promise<Streams>;

/** What is known of an item with a sequence, until a later journal of its deal. */
interface Kept {
  readonly seq: bigint;
  /** Undefined where nothing accrues: then it is known with this sequence alone. */
  readonly deal: bigint | undefined;
  /** Undefined where a bill is to be worked out again, as the database does. */
  readonly histories: readonly AccrualHistory[] | undefined;
  readonly facts: number;
}

/** Rates, bills and balances that are kept: some 100 bytes each. */
const FACTS_KEPT = 250_000;
/** Items whose histories one question reads: it must not wait for those of the whole book. */
const ITEMS_READ = 100;

/**
 * What accrues in items as of any date, from histories that are kept as the book is known now. An item
 * without a kept history, and a question about what was known before, are left to the database.
 */
export function keptAccruals(database: Database, factsKept = FACTS_KEPT): KeptAccruals {
  const items = new Map<string, Kept>();
  const deals = journaledDeals(database);
  let facts = 0;

  const knownOf = (level: Level, key: bigint, { ledgerSeq }: Snapshot): Kept | undefined => {
    const kept = items.get(`${level} ${key}`);
    if (kept === undefined || kept.seq === ledgerSeq) return kept;
    const { deal, seq } = kept;
    return deal !== undefined && deals.isSame(deal, seq, ledgerSeq) ? kept : undefined;
  };
  const keep = (name: string, kept: Kept | undefined): void => {
    facts += (kept?.facts ?? 0) - (items.get(name)?.facts ?? 0);
    if (kept === undefined) items.delete(name);
    else items.set(name, kept);
  };
  const read = async (level: Level, keys: readonly bigint[], seq: bigint): Promise<void> => {
    const statement = accrualHistoriesStatement(level, keys, seq, holdersLines(level));
    const rows = await readAll<HistoryRow>(database, statement);
    const histories = listsByItem(rows, rows.map(toHistory));
    const dealOf = new Map(rows.flatMap((row) => row.items.map((key) => [key, row.deal_key])));
    const reopened = new Set(rows.flatMap((row) => (row.reopens ? row.items : [])));
    for (const key of keys) {
      const list = histories.get(key) ?? [];
      keep(`${level} ${key}`, {
        seq,
        deal: dealOf.get(key),
        histories: reopened.has(key) ? undefined : list,
        facts: list.reduce((sum, { share }) => sum + share, 1),
      });
    }
  };

  return async (level, keys, snapshot) => {
    const { asOf, ledgerSeq, edition } = snapshot;
    if (edition !== undefined && (await deals.reach(ledgerSeq))) {
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

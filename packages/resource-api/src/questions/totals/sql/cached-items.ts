import type { Database } from '@cls/shared/sql/database';
import type { Memories } from '../../../memory/memories.ts';
import {
  type FilterRequest,
  type Level,
  NO_FILTER,
  type ReaderAccess,
  type Snapshot,
} from '../../ask/balance-store.ts';
import { BY_LOOKUP, ITEM_TABLES } from '../../ask/sql/balance-levels.ts';
import { GENERATION, type GenerationRow } from '../../ask/sql/book-facts.ts';
import { keptHistories } from '../../ask/sql/cached-histories.ts';
import { isAnsweredBy } from '../../ask/sql/filter-sql.ts';
import type { GrantedDeals } from '../../ask/sql/granted-deals.ts';
import type { JournaledDeals } from '../../ask/sql/journaled-deals.ts';
import { lookUp, readAll, readAs } from '../../ask/sql/read-as.ts';
import { BY_INDEX, type Statement } from '../../ask/sql/statement.ts';
import { hadMoreItems } from '../../page/sql/read-page.ts';
import { type SeenColumns, seenColumns } from './item-columns.ts';
import { type DealItems, type ItemHistoryRow, toDealItems } from './item-history.ts';
import { itemHistoriesStatement } from './item-history-statement.ts';
import { RATED } from './marked-items.ts';

/** Deals that a reader sees, with what their items come to on all dates. */
export interface KeptDeals {
  /** The items that the reader sees. */
  readonly known: readonly SeenColumns[];
  /** By their keys: of these the database is to be asked. */
  readonly unknown: readonly bigint[];
}

/** The reader's few deals, or all that it sees of a book that is not large, or those that have rates. */
type Extent = 'few deals' | 'all' | 'with rates';

type Asked = Pick<FilterRequest, 'level' | 'filter' | 'snapshot'>;

/**
 * Undefined where histories do not tell what the filter leaves, where the reader's deals or the items
 * of the book are too many, and where the question is not about the book as it is known now.
 */
export type KeptItems = (
  access: ReaderAccess,
  request: Asked,
  extent: Extent,
) => Promise<KeptDeals | undefined>;

/** What a reader sees of a state of the book. */
interface Seen extends SeenItems {
  readonly histories: readonly DealItems[];
  readonly unknown: readonly bigint[];
  /** Of `histories`, from the first question on that they answer. */
  readonly known: readonly SeenColumns[] | undefined;
  readonly epoch: number;
  readonly generation: bigint;
  readonly ledgerSeq: bigint;
}

/** All items of so large a book may be looked at for each question. */
export const SMALL_BOOK = 20_000;
const AT_ONCE = { facts: 5_000, keys: 1_000 };
/** Of more deals the database finds the items by the filter. */
const UNKNOWN_MAX = 1_000;
/** So it does where few deals have more items. */
const FEW_ITEMS = 5_000;

/**
 * What the items of a reader's deals come to on all dates, as the book is known now. Which items it sees
 * is looked up under row-level security, once for a state of the book. Histories are kept for all
 * readers; those of a deal are read again after a journal of it.
 */
export function keptItems(
  database: Database,
  facts: Database,
  deals: JournaledDeals,
  granted: GrantedDeals,
  memories: Memories,
): KeptItems {
  const histories = keptHistories<DealItems>(deals, {
    ...{ name: 'items', memories },
    atOnce: AT_ONCE,
    read: async (level, keys, seq) => {
      const statement = itemHistoriesStatement(level, keys, seq);
      const byDeal = new Map<bigint, ItemHistoryRow[]>(keys.map((key) => [key, []]));
      for (const row of await readAll<ItemHistoryRow>(database, statement)) {
        byDeal.get(row.deal)?.push(row);
      }
      return [...byDeal].map(([deal, rows]) => ({ key: deal, deal, ...toDealItems(deal, rows) }));
    },
  });
  const kept = memories.open<string, Seen>('visible', ({ items, known = [] }) =>
    known.reduce((size, { columns }) => size + columns.outstanding.days.length, 1 + items.size),
  );

  const lookUpItems = async (access: ReaderAccess, request: Asked, extent: Extent) => {
    if (extent === 'few deals') return itemsOfFewDeals(database, granted, access, request);
    if (await hadMoreItems(facts, request, SMALL_BOOK)) return undefined;
    return itemsOfBook(database, access, request.level, extent);
  };
  /** What was granted may be taken back while a question is under way: then row-level security decides. */
  const isCurrent = async ({ generation }: Seen): Promise<boolean> => {
    const statement = { sql: GENERATION, parameters: [], prepared: true };
    const [row] = await readAll<GenerationRow>(database, statement);
    return row?.generation === generation;
  };

  return async (access, request, extent) => {
    const { level, filter, snapshot } = request;
    const { ledgerSeq, edition } = snapshot;
    if (edition === undefined || !isAnsweredBy('ofHistory', filter)) return undefined;
    if (extent === 'few deals' && 'fullControl' in access) return undefined;
    if (!(await deals.reach(snapshot))) return undefined;
    const reader = 'fullControl' in access ? '*' : access.customer;
    const key = `${reader} ${level} ${extent}`;
    const { epoch } = deals;
    const before = kept.get(key);
    let seen = before?.epoch === epoch && isOf(before, snapshot) ? before : undefined;
    kept.count(seen !== undefined);
    if (seen === undefined) {
      const found = (await lookUpItems(access, request, extent)) ?? { ...TOO_MANY, ...edition };
      const { generation } = edition;
      seen = {
        ...found,
        epoch,
        generation,
        ledgerSeq,
        histories: [],
        known: undefined,
        unknown: found.deals,
      };
    } else if (!('fullControl' in access) && !(await isCurrent(seen))) {
      return undefined;
    }
    if (seen.unknown.length > 0) {
      seen = withHistories(seen, await histories.find(level, seen.unknown, snapshot));
      // The others would be looked for in vain with each question.
      const isFull = seen.unknown.length > UNKNOWN_MAX && !histories.hasRoom();
      if (isFull) seen = { ...seen, ...TOO_MANY, histories: [], unknown: [] };
    }
    const isAnswer = seen.isFew && seen.unknown.length <= UNKNOWN_MAX;
    if (isAnswer && seen.known === undefined) {
      seen = { ...seen, known: seenColumns(seen.histories, seen.items, before?.known ?? []) };
    }
    // A grant may begin with a day, which the database decides by its own clock.
    if (seen !== before && seen.today === edition.today) kept.set(key, seen);
    const { known, unknown } = seen;
    return isAnswer && known ? { known, unknown } : undefined;
  };
}

function isOf(seen: Seen, { ledgerSeq, edition }: Snapshot): boolean {
  const { generation, today } = edition ?? {};
  return seen.ledgerSeq === ledgerSeq && seen.generation === generation && seen.today === today;
}

/** Histories of the deals that were unknown, in their order. */
function withHistories(seen: Seen, found: readonly (DealItems | undefined)[]): Seen {
  const added = found.filter((history) => history !== undefined);
  if (added.length === 0) return seen;
  const unknown = seen.unknown.filter((_, index) => found[index] === undefined);
  return { ...seen, histories: [...seen.histories, ...added], unknown, known: undefined };
}

interface SeenItems {
  /** The day by which the database decided which grants have begun. */
  readonly today: string;
  readonly isFew: boolean;
  readonly deals: readonly bigint[];
  readonly items: ReadonlySet<bigint>;
}

const TOO_MANY = { isFew: false, deals: [], items: new Set<bigint>() };

/** Undefined where they are not few. */
function itemsOfFewDeals(
  database: Database,
  granted: GrantedDeals,
  access: ReaderAccess,
  { level, snapshot }: Asked,
): Promise<SeenItems | undefined> {
  return lookUp(database, access, async (transaction) => {
    const asked = { level, filter: NO_FILTER, snapshot };
    const few = await granted.of(transaction, access, asked);
    if (few?.deals === undefined) return undefined;
    const { sql, parameters } = seenItemsStatement(level, few.deals);
    const items = toSeen(await transaction.query<ItemsRow>(sql, parameters));
    return items.items.size > FEW_ITEMS ? undefined : { ...items, deals: few.deals };
  });
}

async function itemsOfBook(
  database: Database,
  access: ReaderAccess,
  level: Level,
  extent: 'all' | 'with rates',
): Promise<SeenItems> {
  return toSeen(await readAs<ItemsRow>(database, access, seenItemsStatement(level, extent)));
}

function toSeen([row]: readonly ItemsRow[]): SeenItems {
  const { today = '', deals = [], items = [] } = row ?? {};
  return { today, isFew: true, deals, items: new Set(items) };
}

/** @param extent which deals: some by their keys, the reader's, or those that have rates */
export function seenItemsStatement(
  level: Level,
  extent: 'all' | 'with rates' | readonly bigint[],
): Statement {
  const [table, deal] = level === 'deal' ? ['deal', 'key'] : [ITEM_TABLES[level], 'deal_key'];
  const columns = `i.${deal} AS deal_key, i.key`;
  const ofDeals = (asked: string) => `SELECT item.* FROM ${asked} CROSS JOIN LATERAL (
          SELECT ${columns} FROM ${table} i WHERE i.${deal} = asked.key ${BY_LOOKUP}) item`;
  const items = {
    all: `SELECT ${columns} FROM ${table} i`,
    'with rates': `WITH RECURSIVE ${RATED} ${ofDeals('rated asked')}`,
    few: `${ofDeals('unnest($1::bigint[]) AS asked (key)')} LIMIT ${FEW_ITEMS + 1}`,
  };
  const isAmong = typeof extent !== 'string';
  const sql = `
    SELECT (now() AT TIME ZONE 'UTC')::date::text AS today,
      coalesce(array_agg(DISTINCT deal_key), '{}') AS deals, coalesce(array_agg(key), '{}') AS items
    FROM (${items[isAmong ? 'few' : extent]}) i`;
  return {
    sql,
    parameters: isAmong ? [extent] : [],
    planning: extent === 'all' ? '' : BY_INDEX,
  };
}

interface ItemsRow {
  readonly today: string;
  readonly deals: readonly bigint[];
  readonly items: readonly bigint[];
}

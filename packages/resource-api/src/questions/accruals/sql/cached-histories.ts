import { type Memories, openMemories } from '../../../memory/memories.ts';
import { LEVELS, type Level, type Snapshot } from '../../ask/balance-store.ts';
import type { JournaledDeals } from './journaled-deals.ts';

/** The history of an item, as read at a sequence. */
interface FoundHistory<History> {
  readonly key: bigint;
  readonly deal: bigint;
  /** Undefined where the database must work it out for each question. */
  readonly history: History | undefined;
  /** What it holds: how much memory it takes. */
  readonly facts: number;
}

/** What is cached of an item with a sequence, until a later journal of its deal. */
interface Cached<History> {
  readonly seq: bigint;
  readonly deal: bigint;
  /** Undefined also where there was no room for it. */
  readonly history: History | undefined;
  /** To read it again after each journal would take longer than to ask the database. */
  readonly isLong: boolean;
  readonly facts: number;
}

/**
 * The history of each item, as known at the snapshot; undefined where the database is to be asked. Where
 * items have none, those of some are read first.
 */
export type FindHistories<History> = (
  level: Level,
  keys: readonly bigint[],
  snapshot: Snapshot,
) => Promise<readonly (History | undefined)[]>;

interface Options<History> {
  readonly memories?: Memories | undefined;
  /** Of all histories together, where not as many as in the register. */
  readonly factsMax?: number | undefined;
  /**
   * What is read at once, by what items had so far: nobody is to wait for all that the book has. A history
   * of more facts is not cached.
   */
  readonly atOnce: { readonly facts: number; readonly keys: number };
  /** Reads histories as known at a sequence. */
  read(
    level: Level,
    keys: readonly bigint[],
    seq: bigint,
  ): Promise<readonly FoundHistory<History>[]>;
}

/** A history that no question was about for so long makes room for others. */
const UNUSED_MS = 10 * 60_000;
/** What an item is taken to have while none was read. */
const FACTS_AT_FIRST = 1_000;

/** Caches histories as the book is known now. They are of all dates, so a question with another date finds them. */
export function cachedHistories<History>(
  deals: JournaledDeals,
  { memories = openMemories(), factsMax, atOnce, read }: Options<History>,
): FindHistories<History> {
  const cache = memories.open<number, Cached<History>>('accruals', ({ facts }) => facts, {
    ...{ ttl: UNUSED_MS, updateAgeOnGet: true },
    ...(factsMax === undefined ? {} : { maxSize: factsMax }),
  });
  const sofar = { keys: 1, facts: FACTS_AT_FIRST };
  let epoch = 0;
  let isReading = false;

  /** Where nobody looked which state the book is in, nothing is known. */
  const cachedOf = (level: Level, key: bigint, { ledgerSeq, edition }: Snapshot) => {
    const cached = edition && cache.get(cacheKey(level, key));
    const isKnown = cached?.isLong || (cached && deals.isSame(cached.deal, cached.seq, ledgerSeq));
    return isKnown ? cached : undefined;
  };
  const hasRoom = (): boolean => {
    if (cache.calculatedSize >= cache.maxSize) cache.purgeStale();
    return cache.calculatedSize < cache.maxSize;
  };
  /** Reads as many as fit; none while another question reads. */
  const readSome = async (level: Level, unknown: readonly bigint[], seq: bigint) => {
    if (isReading || !hasRoom()) return;
    const few = Math.floor((atOnce.facts * sofar.keys) / sofar.facts);
    const some = unknown.slice(0, Math.max(1, Math.min(few, atOnce.keys)));
    isReading = true;
    try {
      const found = await read(level, some, seq);
      // Meanwhile the book may have turned out to be another one.
      if (epoch === deals.epoch) for (const history of found) add(level, seq, history);
    } finally {
      isReading = false;
    }
  };
  const add = (level: Level, seq: bigint, found: FoundHistory<History>): void => {
    const { key, deal, history, facts } = found;
    sofar.keys += 1;
    sofar.facts += facts;
    const isLong = facts > atOnce.facts;
    const fits = !isLong && cache.calculatedSize + facts <= cache.maxSize;
    const held = history && fits ? { history, facts } : { history: undefined, facts: 1 };
    cache.set(cacheKey(level, key), { seq, deal, isLong, ...held });
  };
  return async (level, keys, snapshot) => {
    const lookUp = () => keys.map((key) => cachedOf(level, key, snapshot));
    let found = lookUp();
    if (await deals.reach(snapshot)) {
      if (epoch !== deals.epoch) cache.clear();
      epoch = deals.epoch;
      found = lookUp();
      const unknown = keys.filter((_, index) => found[index] === undefined);
      cache.count(unknown.length === 0);
      if (unknown.length > 0) {
        await readSome(level, unknown, snapshot.ledgerSeq);
        found = lookUp();
      }
    }
    return found.map((cached) => cached?.history);
  };
}

/** One number for a level and a key. Keys are far below 2^51, so the number is exact. */
function cacheKey(level: Level, key: bigint): number {
  return Number(key) * LEVELS.length + LEVELS.indexOf(level);
}

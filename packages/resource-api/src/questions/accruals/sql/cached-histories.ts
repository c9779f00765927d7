import { type Memories, openMemories } from '../../../memory/memories.ts';
import { LEVELS, type Level } from '../../ask/balance-store.ts';

/** The history of an item, as read at a sequence. */
interface FoundHistory<History> {
  readonly key: bigint;
  /** Undefined where the database must work it out for each question. */
  readonly history: History | undefined;
  /** What it holds: how much memory it takes. */
  readonly facts: number;
}

/** The last journal of a deal up to a sequence: where it is the same one, so are the deal's histories. */
export interface LastJournal {
  readonly seq: bigint;
  /** RFC 3339. A book that lost journals has others under their sequences, posted at other instants. */
  readonly postedAt: string;
}

interface Cached<History> extends LastJournal {
  /** Undefined also where there was no room for it. */
  readonly history: History | undefined;
  /** To read it again after each journal would take longer than to ask the database. */
  readonly isLong: boolean;
  readonly facts: number;
}

/**
 * The history of each item, as known at a sequence; undefined where the database is to be asked. Where
 * items have none, those of some are read first.
 */
export type FindHistories<History> = (
  level: Level,
  keys: readonly bigint[],
  seq: bigint,
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
  /** Of the deals of items. */
  lastJournals(
    level: Level,
    keys: readonly bigint[],
    seq: bigint,
  ): Promise<ReadonlyMap<bigint, LastJournal>>;
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

/** Caches the newest histories. They are of all dates, so a question with another date finds them. */
export function cachedHistories<History>({
  memories = openMemories(),
  factsMax,
  atOnce,
  lastJournals,
  read,
}: Options<History>): FindHistories<History> {
  const cache = memories.open<number, Cached<History>>('accruals', ({ facts }) => facts, {
    ...{ ttl: UNUSED_MS, updateAgeOnGet: true },
    ...(factsMax === undefined ? {} : { maxSize: factsMax }),
  });
  const sofar = { keys: 1, facts: FACTS_AT_FIRST };
  let isReading = false;

  const cachedOf = (level: Level, key: bigint, last: LastJournal) => {
    const cached = cache.peek(cacheKey(level, key));
    const isSame = cached?.seq === last.seq && cached.postedAt === last.postedAt;
    // Only what is still of use is kept for longer.
    return isSame || cached?.isLong ? cache.get(cacheKey(level, key)) : undefined;
  };
  const hasRoom = (): boolean => {
    if (cache.calculatedSize >= cache.maxSize) cache.purgeStale();
    return cache.calculatedSize < cache.maxSize;
  };
  /** Reads as many as fit; none while another question reads. */
  const readSome = async (level: Level, unknown: ReadonlyMap<bigint, LastJournal>, seq: bigint) => {
    if (isReading || !hasRoom()) return;
    const few = Math.floor((atOnce.facts * sofar.keys) / sofar.facts);
    const some = [...unknown.keys()].slice(0, Math.max(1, Math.min(few, atOnce.keys)));
    isReading = true;
    try {
      for (const found of await read(level, some, seq)) {
        add(level, found, unknown.get(found.key) ?? NO_JOURNAL);
      }
    } finally {
      isReading = false;
    }
  };
  const add = (level: Level, found: FoundHistory<History>, last: LastJournal): void => {
    const { key, history, facts } = found;
    sofar.keys += 1;
    sofar.facts += facts;
    const isLong = facts > atOnce.facts;
    const fits = !isLong && cache.calculatedSize + facts <= cache.maxSize;
    const held = history && fits ? { history, facts } : { history: undefined, facts: 1 };
    cache.set(cacheKey(level, key), { ...last, isLong, ...held });
  };
  return async (level, keys, seq) => {
    const lasts = await lastJournals(level, keys, seq);
    const lastOf = (key: bigint) => lasts.get(key) ?? NO_JOURNAL;
    const lookUp = () => keys.map((key) => cachedOf(level, key, lastOf(key)));
    const found = lookUp();
    // A question about what was known before does not replace newer histories.
    const isNewer = (key: bigint) =>
      (cache.peek(cacheKey(level, key))?.seq ?? 0n) <= lastOf(key).seq;
    const unknown = keys.filter((key, index) => found[index] === undefined && isNewer(key));
    cache.count(!found.includes(undefined));
    if (unknown.length === 0) return found.map((cached) => cached?.history);
    await readSome(level, new Map(unknown.map((key) => [key, lastOf(key)])), seq);
    return lookUp().map((cached) => cached?.history);
  };
}

/** Of a deal without journals. */
const NO_JOURNAL: LastJournal = { seq: 0n, postedAt: '' };

/** One number for a level and a key. Keys are far below 2^51, so the number is exact. */
function cacheKey(level: Level, key: bigint): number {
  return Number(key) * LEVELS.length + LEVELS.indexOf(level);
}

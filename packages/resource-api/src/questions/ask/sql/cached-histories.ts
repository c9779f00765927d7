import { type Memories, openMemories } from '../../../memory/memories.ts';
import { LEVELS, type Level, type Snapshot } from '../balance-store.ts';
import type { JournaledDeals } from './journaled-deals.ts';

/** The history of what a key stands for, as read at a sequence. */
export interface FoundHistory<History> {
  readonly key: bigint;
  readonly deal: bigint;
  /** Undefined where the database must work it out for each question. */
  readonly history: History | undefined;
  /** What it holds: how much memory it takes. */
  readonly facts: number;
}

/** What is known of a key with a sequence, until a later journal of its deal. */
interface Kept<History> {
  readonly seq: bigint;
  readonly deal: bigint;
  /** Undefined also where there was no room for it. */
  readonly history: History | undefined;
  /** To read it again after each journal would take longer than to ask the database. */
  readonly isLong: boolean;
  readonly facts: number;
}

export interface KeptHistories<History> {
  /**
   * The history of each key, as known at the snapshot; undefined where the database is to be asked. Where
   * keys have none, it reads those of some first.
   */
  find(
    level: Level,
    keys: readonly bigint[],
    snapshot: Snapshot,
  ): Promise<readonly (History | undefined)[]>;
  /** Whether more of them may be kept. */
  hasRoom(): boolean;
}

interface Options<History> {
  readonly name: 'items' | 'accruals';
  readonly memories?: Memories | undefined;
  /** Of all histories together, where not as many as in the register. */
  readonly factsKept?: number | undefined;
  /**
   * What is read at once, by what keys had so far: nobody is to wait for all that the book has. A history
   * of more facts is not kept.
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
/** What a key is taken to have while none was read. */
const FACTS_AT_FIRST = 1_000;

/** Keeps histories as the book is known now. They are of all dates, so a question with another date finds them. */
export function keptHistories<History>(
  deals: JournaledDeals,
  { name, memories = openMemories(), factsKept, atOnce, read }: Options<History>,
): KeptHistories<History> {
  const known = memories.open<number, Kept<History>>(name, ({ facts }) => facts, {
    ...{ ttl: UNUSED_MS, updateAgeOnGet: true },
    ...(factsKept === undefined ? {} : { maxSize: factsKept }),
  });
  const sofar = { keys: 1, facts: FACTS_AT_FIRST };
  let epoch = 0;
  let isReading = false;

  /** Where nobody looked which state the book is in, nothing is known. */
  const knownOf = (level: Level, key: bigint, { ledgerSeq, edition }: Snapshot) => {
    const kept = edition && known.get(cacheKey(level, key));
    const isKnown = kept?.isLong || (kept && deals.isSame(kept.deal, kept.seq, ledgerSeq));
    return isKnown ? kept : undefined;
  };
  const hasRoom = (): boolean => {
    if (known.calculatedSize >= known.maxSize) known.purgeStale();
    return known.calculatedSize < known.maxSize;
  };
  const readHistories = async (level: Level, keys: readonly bigint[], seq: bigint) => {
    const found = await read(level, keys, seq);
    // Meanwhile the book may have turned out to be another one.
    if (epoch !== deals.epoch) return;
    for (const { key, deal, history, facts } of found) {
      sofar.keys += 1;
      sofar.facts += facts;
      const isLong = facts > atOnce.facts;
      const fits = !isLong && known.calculatedSize + facts <= known.maxSize;
      const kept = history && fits ? { history, facts } : { history: undefined, facts: 1 };
      known.set(cacheKey(level, key), { seq, deal, isLong, ...kept });
    }
  };
  /** Reads as many as fit; none while another question reads. */
  const readSome = async (level: Level, unknown: readonly bigint[], seq: bigint) => {
    if (isReading || !hasRoom()) return;
    const few = Math.floor((atOnce.facts * sofar.keys) / sofar.facts);
    const some = unknown.slice(0, Math.max(1, Math.min(few, atOnce.keys)));
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
  const find = async (level: Level, keys: readonly bigint[], snapshot: Snapshot) => {
    const lookUp = () => keys.map((key) => knownOf(level, key, snapshot));
    if (!(await deals.reach(snapshot))) return lookUp();
    forgetOtherBook();
    const found = lookUp();
    const unknown = keys.filter((_, index) => found[index] === undefined);
    known.count(unknown.length === 0);
    if (unknown.length === 0) return found;
    await readSome(level, unknown, snapshot.ledgerSeq);
    return lookUp();
  };
  return {
    hasRoom,
    find: async (...question) => (await find(...question)).map((kept) => kept?.history),
  };
}

/** One number for a level and a key. Keys are far below 2^51, so the number is exact. */
function cacheKey(level: Level, key: bigint): number {
  return Number(key) * LEVELS.length + LEVELS.indexOf(level);
}

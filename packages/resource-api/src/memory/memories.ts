import { type Metrics, noMetrics } from '@cls/shared/metrics/metrics';
import { LRUCache } from 'lru-cache';
import { CACHES, MEMORIES, type Memory, type MemoryName } from './register.ts';

interface Size {
  readonly entries: number;
  /** In the unit of the register. */
  readonly size: number;
}

/** Its users count what they find in it. */
export class Cache<K extends {}, V extends {}> extends LRUCache<K, V> {
  readonly count: (isHit: boolean) => void;

  constructor(bounds: LRUCache.Options<K, V, unknown>, count: (isHit: boolean) => void) {
    super(bounds);
    this.count = count;
  }

  lookUp(key: K): V | undefined {
    const value = this.get(key);
    this.count(value !== undefined);
    return value;
  }

  once(key: K, make: () => V): V {
    const known = this.lookUp(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }
}

/** A page of the documentation, or a contract. */
export interface Page {
  readonly type: string;
  readonly body: Buffer;
}

type Bounds<K, V> = LRUCache.OptionsBase<K, V, unknown>;

export interface Memories {
  readonly book: BookMemory;
  /** @param weigh an entry, in the unit of the register */
  open<K extends {}, V extends {}>(
    name: MemoryName,
    weigh?: (value: V, key: K) => number,
    more?: Bounds<K, V>,
  ): Cache<K, V>;
  /** For a memory of another kind. @returns what counts each look-up */
  register(name: MemoryName, size: () => Size): (isHit: boolean) => void;
}

/** Opens the memories of a process, each with its bound and its metrics. */
export function openMemories(metrics: Metrics = noMetrics): Memories {
  const sizes = new Map<MemoryName, () => Size>();
  const lookedUp = metrics.counter({
    name: 'cls_cache_lookups_total',
    help: 'Look-ups in the caches of this process, and whether they held the answer.',
    labels: { cache: Object.keys(CACHES), result: ['hit', 'miss'] },
  });
  const gauge = (name: string, help: string, read: (its: Size, memory: Memory) => number) =>
    metrics.gauge({ name, help, labels: { cache: Object.keys(MEMORIES) } }, () =>
      [...sizes].map(([cache, size]) => ({
        labels: { cache },
        value: read(size(), MEMORIES[cache]),
      })),
    );
  gauge('cls_cache_entries', 'Entries of the memories of this process.', ({ entries }) => entries);
  gauge(
    'cls_cache_bytes',
    'Bytes of the memories of this process, about; 0 where nobody counts.',
    (its, memory) => (memory.size === undefined ? 0 : its.size * (memory.size.bytes ?? 1)),
  );
  const register: Memories['register'] = (name, size) => {
    sizes.set(name, size);
    return (isHit) => lookedUp({ cache: name, result: isHit ? 'hit' : 'miss' });
  };
  const open = <K extends {}, V extends {}>(
    name: MemoryName,
    weigh?: (value: V, key: K) => number,
    more: Bounds<K, V> = {},
  ): Cache<K, V> => {
    const { entries, size } = MEMORIES[name];
    const bounds: Bounds<K, V> = {
      ...(entries === undefined ? {} : { max: entries }),
      ...(size === undefined ? {} : { maxSize: size.most }),
      ...(weigh === undefined ? {} : { sizeCalculation: weigh }),
      ...more,
    };
    const sizes = () => ({ entries: cache.size, size: cache.calculatedSize });
    const cache = new Cache<K, V>(bounds as LRUCache.Options<K, V, unknown>, register(name, sizes));
    return cache;
  };
  const book = bookMemory(open('book', ({ bytes }, question) => question.length + bytes));
  return { book, open, register };
}

/** A state of the book, and the day. */
interface State {
  readonly generation: string;
  readonly today: string;
}

/** What was looked up about one state of the book. Where the state is not known, nothing is cached. */
export interface BookMemory {
  /** @param bytes of the value, about */
  once<T>(
    state: State | undefined,
    question: string,
    lookUp: () => Promise<T>,
    bytes?: (value: T) => number,
  ): Promise<T>;
}

interface Entry {
  readonly value: unknown;
  readonly bytes: number;
}

const VALUE_BYTES = 200;

function bookMemory(cache: Cache<string, Entry>): BookMemory {
  return {
    async once<T>(
      state: State | undefined,
      question: string,
      lookUp: () => Promise<T>,
      bytesOf: (value: T) => number = () => VALUE_BYTES,
    ) {
      if (state === undefined) return lookUp();
      const key = `${state.generation} ${state.today} ${question}`;
      const cached = cache.lookUp(key);
      if (cached !== undefined) return cached.value as T;
      const value = await lookUp();
      cache.set(key, { value, bytes: bytesOf(value) });
      return value;
    },
  };
}

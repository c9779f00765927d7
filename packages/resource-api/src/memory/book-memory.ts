import type { Cache } from './memories.ts';

/** A state of the book, and the day. */
interface State {
  readonly generation: bigint;
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
  has(state: State, question: string): boolean;
  add(state: State, question: string, value: unknown, bytes?: number): void;
}

interface Entry {
  readonly value: unknown;
  readonly bytes: number;
}

const VALUE_BYTES = 200;

export function bookMemory(cache: Cache<string, Entry>): BookMemory {
  const keyOf = ({ generation, today }: State, question: string) =>
    `${generation} ${today} ${question}`;
  const add: BookMemory['add'] = (state, question, value, bytes = VALUE_BYTES) => {
    cache.set(keyOf(state, question), { value, bytes });
  };
  return {
    add,
    has: (state, question) => cache.has(keyOf(state, question)),
    async once<T>(
      state: State | undefined,
      question: string,
      lookUp: () => Promise<T>,
      bytes?: (value: T) => number,
    ) {
      if (state === undefined) return lookUp();
      const cached = cache.lookUp(keyOf(state, question));
      if (cached !== undefined) return cached.value as T;
      const value = await lookUp();
      add(state, question, value, bytes?.(value));
      return value;
    },
  };
}

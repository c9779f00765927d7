import type { Book, BookReader } from './book.ts';

const NOTHING: BookReader = {
  history: async () => ({
    ...{ isOfAnother: false, appliedBefore: undefined, otherDate: undefined, last: undefined },
    ...{ closedThrough: undefined, revertedBefore: 0 },
  }),
  deals: async () => new Map(),
  taken: async () => new Set(),
  elsewhere: async () => new Map(),
  async *numbers() {},
  parties: async () => ({ byRef: new Map(), named: [], renamed: [] }),
  volumes: async () => new Map(),
};

/** A book without anything, to check a statement where there is no store. It takes nothing. */
export const EMPTY_BOOK: Pick<Book, 'check' | 'apply'> = {
  check: (_, work) => work(NOTHING),
  apply: () => Promise.reject(new Error('a book that is not kept takes no statement')),
};

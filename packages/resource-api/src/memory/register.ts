import { USED_PROOFS_MAX } from '@cls/shared/access/used-proofs';

/** Every memory of the process. `npm run docs` writes the table of ADR 6 from it. */
export interface Memory {
  readonly holds: string;
  /** Files below `src`. */
  readonly by: readonly string[];
  readonly entries?: number;
  /** Of all entries together. */
  readonly size?: { readonly most: number; readonly unit: string; readonly bytes?: number };
  /** What makes an entry useless. Besides, the entry that was used the longest ago makes room. */
  readonly ends: string;
}

const MIB = 1024 * 1024;

/** What the process keeps so as not to ask for it, or make it, again. */
export const CACHES = {
  tokens: {
    holds: 'verified tokens',
    by: ['access/verified-tokens.ts'],
    entries: 20_000,
    size: { most: 32 * MIB, unit: 'bytes' },
    ends: '`exp`, or the key’s end',
  },
  keys: {
    holds: 'the key set, also on disk',
    by: ['access/key-source.ts'],
    size: { most: MIB / 4, unit: 'bytes' },
    ends: 'a key: two reads in a row without it. The set: 25 hours without a read',
  },
  statusLists: {
    holds: 'which tokens are revoked, also on disk ([ADR 60](0060-token-status.md))',
    by: ['access/token-status.ts'],
    size: { most: 64 * MIB, unit: 'bytes' },
    ends: 'every three seconds; a list that no token was in for 25 hours',
  },
  answers: {
    holds: 'answers as sent ([ADR 57](0057-how-a-read-is-answered.md))',
    by: ['http/cached-answers.ts'],
    size: { most: 64 * MIB, unit: 'bytes' },
    ends: 'another generation, day, or period of the calendar of versions',
  },
  book: {
    holds:
      'a state of the book and what was looked up about it: what is known on a date, totals of a walk, when a customer’s grants changed',
    by: [
      'questions/ask/current-ledger.ts',
      'questions/ask/snapshot.ts',
      'questions/page/read-balances.ts',
    ],
    size: { most: 16 * MIB, unit: 'bytes' },
    ends: 'another generation or day',
  },
  accruals: {
    holds: 'what accrues in an item on all dates ([ADR 57](0057-how-a-read-is-answered.md))',
    by: ['questions/accruals/sql/cached-histories.ts'],
    size: { most: 250_000, unit: 'facts', bytes: 210 },
    ends: 'a journal of the deal; ten minutes unused',
  },
  documentation: {
    holds: 'pages of the documentation and contracts, with their compressed bodies',
    by: ['documentation/site.ts', 'versions/description.ts', 'http/compression.ts'],
    entries: 1_000,
    ends: 'another status of a version',
  },
} as const satisfies Record<string, Memory>;

/** What is no cache: what limits count, and which proofs were used. */
export const BOOKKEEPING = {
  callers: {
    holds: 'what each caller has used of its limits',
    by: ['access/caller-budget.ts'],
    entries: 50_000,
    ends: 'the minute; statements: time pays them back',
  },
  proofs: {
    holds: 'which proofs of possession were used, where no Redis does',
    by: ['compose.ts'],
    entries: USED_PROOFS_MAX,
    ends: 'two minutes: older proofs are refused. Nothing makes room: where it is full, or a customer has a quarter of it, callers with bound tokens hear 503',
  },
} as const satisfies Record<string, Memory>;

export const MEMORIES: Readonly<Record<MemoryName, Memory>> = { ...CACHES, ...BOOKKEEPING };
type CacheName = keyof typeof CACHES;
export type MemoryName = CacheName | keyof typeof BOOKKEEPING;

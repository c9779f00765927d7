import type { Database, SqlValue, Transaction } from '@cls/shared/sql/database';
import {
  BREAKS_LISTED,
  type Break,
  type Check,
  type Reconciler,
  type SnapshotPoint,
} from '../reconcile/reconciler.ts';
import { ACCRUAL_STATEMENTS, checkBills } from './reconcile-accruals.ts';
import { BALANCE_STATEMENTS } from './reconcile-balances.ts';
import { CHAIN_STATEMENTS } from './reconcile-chain.ts';
import { COMMITMENT_STATEMENTS } from './reconcile-commitments.ts';
import { GUARD_STATEMENTS } from './reconcile-guards.ts';
import { JOURNAL_STATEMENTS } from './reconcile-journals.ts';
import { PRESENCE_STATEMENTS } from './reconcile-presence.ts';
import { RECORD_STATEMENTS } from './reconcile-records.ts';
import { checkSchema, expectedSchema } from './reconcile-schema.ts';
import { SEARCH_STATEMENTS } from './reconcile-search.ts';
import { SORT_STATEMENTS } from './reconcile-sorts.ts';
import { SUBLIMIT_STATEMENTS } from './reconcile-sublimits.ts';
import { TOTAL_STATEMENTS } from './reconcile-totals.ts';

/** One invariant as statements: what breaks it, how much there is to check, what is explained. */
export interface ReconcileStatement {
  readonly invariant: string;
  readonly states: string;
  /** Runs once per past point, with its date and sequence. */
  readonly perPoint?: true;
  readonly checked: string;
  readonly explained?: string;
  /** A row per break, every column text. */
  readonly breaks: string;
}

const STATEMENTS: readonly ReconcileStatement[] = [
  ...JOURNAL_STATEMENTS,
  ...BALANCE_STATEMENTS,
  ...COMMITMENT_STATEMENTS,
  ...SUBLIMIT_STATEMENTS,
  ...TOTAL_STATEMENTS,
  ...SORT_STATEMENTS,
  ...SEARCH_STATEMENTS,
  ...CHAIN_STATEMENTS,
  ...ACCRUAL_STATEMENTS,
  ...PRESENCE_STATEMENTS,
  ...RECORD_STATEMENTS,
  ...GUARD_STATEMENTS,
];

interface Run {
  readonly invariant: string;
  readonly run: (
    transaction: Transaction,
    points: readonly SnapshotPoint[],
    ledgerSeq: bigint,
  ) => Promise<Check>;
}

const RUNS: readonly Run[] = [
  ...STATEMENTS.map(
    (statement): Run => ({
      invariant: statement.invariant,
      run: (transaction, points) => check(transaction, statement, points),
    }),
  ),
  { invariant: 'schema_as_migrated', run: (transaction) => checkSchema(transaction) },
  {
    invariant: 'bills_are_what_accrued',
    run: (transaction, _, ledgerSeq) => checkBills(transaction, ledgerSeq),
  },
];

/** Each invariant as one statement over the whole book; nothing of the book is held here. */
export function sqlReconciler(database: Database): Reconciler {
  return {
    reconcile: (random, given = [], onStep = () => undefined) => {
      // It takes seconds, in a thread of its own, while the book is read.
      void expectedSchema();
      return database.transaction(
        async (transaction) => {
          const [last] = await transaction.query<{ seq: bigint }>(
            'SELECT coalesce(max(seq), 0) AS seq FROM journal',
          );
          const ledgerSeq = last?.seq ?? 0n;
          const points = [
            ...(await Promise.all(given.map((point) => knownPoint(transaction, point)))),
            ...(await randomPoints(transaction, random)),
          ];
          const checks: Check[] = [];
          for (const [index, { invariant, run }] of RUNS.entries()) {
            onStep({ invariant, number: index + 1, of: RUNS.length });
            checks.push(await run(transaction, points, ledgerSeq));
          }
          return { ledgerSeq, points, checks };
        },
        {
          isolation: 'repeatable read',
          readOnly: true,
          setup: "SET LOCAL jit = off;SET LOCAL work_mem = '64MB';",
        },
      );
    },
  };
}

/** The last journals of transactions: what was known is what whole transactions posted. */
const ENDS = `
  SELECT seq AS "ledgerSeq"
  FROM (SELECT seq, posted_at, lead(posted_at) OVER (ORDER BY seq) AS next FROM journal) j
  WHERE next IS DISTINCT FROM posted_at`;

/** The moment at or before a sequence that anyone could have known. */
async function knownPoint(
  transaction: Transaction,
  { asOf, ledgerSeq }: SnapshotPoint,
): Promise<SnapshotPoint> {
  const [end] = await transaction.query<{ ledgerSeq: bigint }>(
    `${ENDS} AND seq <= $1 ORDER BY seq DESC LIMIT 1`,
    [ledgerSeq],
  );
  return { asOf, ledgerSeq: end?.ledgerSeq ?? 0n };
}

async function randomPoints(
  transaction: Transaction,
  count: number,
): Promise<readonly SnapshotPoint[]> {
  const dates = await transaction.query<{ asOf: string }>(
    `SELECT effective_date AS "asOf" FROM journal WHERE effective_date IS NOT NULL
     ORDER BY random() LIMIT $1`,
    [count],
  );
  const ends = await transaction.query<{ ledgerSeq: bigint }>(
    `${ENDS} ORDER BY random() LIMIT $1`,
    [count],
  );
  return dates.map(({ asOf }, index) => ({
    asOf,
    ledgerSeq: ends[index % ends.length]?.ledgerSeq ?? 0n,
  }));
}

async function check(
  transaction: Transaction,
  { invariant, states, perPoint, checked, explained, breaks }: ReconcileStatement,
  points: readonly SnapshotPoint[],
): Promise<Check> {
  const runs: readonly SqlValue[][] = perPoint
    ? distinct(points).map(({ asOf, ledgerSeq }) => [asOf, ledgerSeq])
    : [[]];
  const found: Break[] = [];
  let breakCount = 0;
  for (const parameters of runs) {
    const rows = await transaction.query<Record<string, string | null> & { total: bigint }>(
      `SELECT b.*, count(*) OVER () AS total FROM (${breaks}) b LIMIT ${BREAKS_LISTED}`,
      parameters,
    );
    breakCount += Number(rows[0]?.total ?? 0n);
    found.push(...rows.map(({ total: _, ...rest }) => rest));
  }
  return {
    invariant,
    states,
    checked: (await countOf(transaction, checked)) * runs.length,
    explained: explained === undefined ? 0 : await countOf(transaction, explained),
    breakCount,
    breaks: found.slice(0, BREAKS_LISTED),
  };
}

/** Random moments of a young book are often the same. */
function distinct(points: readonly SnapshotPoint[]): readonly SnapshotPoint[] {
  const named = points.map((point) => [`${point.asOf}:${point.ledgerSeq}`, point] as const);
  return [...new Map(named).values()];
}

async function countOf(transaction: Transaction, statement: string): Promise<number> {
  const [row] = await transaction.query<{ count: bigint }>(
    `SELECT (${statement})::bigint AS count`,
  );
  return Number(row?.count ?? 0n);
}

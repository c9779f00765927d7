import type { Database, SqlValue, Transaction } from '@cls/shared/sql/database';
import {
  BREAKS_LISTED,
  type Break,
  type Check,
  type CheckResult,
  type Reconciler,
  type SnapshotPoint,
} from '../reconciler.ts';
import { ACCRUAL_STATEMENTS } from './accruals.ts';
import { BALANCE_STATEMENTS } from './balances.ts';
import { checkBills } from './bills.ts';
import { CHAIN_STATEMENTS } from './chain.ts';
import { COMMITMENT_STATEMENTS } from './commitments.ts';
import { GUARD_STATEMENTS } from './guards.ts';
import { JOURNAL_STATEMENTS } from './journals.ts';
import { type DealScope, dealScope, WHOLE_BOOK } from './part.ts';
import { distinct, knownPoint, randomPoints } from './points.ts';
import { PRESENCE_STATEMENTS } from './presence.ts';
import { RECORD_STATEMENTS } from './records.ts';
import { checkSchema, expectedSchema } from './schema.ts';
import { SEARCH_STATEMENTS } from './search.ts';
import { SORT_STATEMENTS } from './sorts.ts';
import { SUBLIMIT_STATEMENTS } from './sublimits.ts';
import { TOTAL_STATEMENTS } from './totals.ts';

/** One invariant as statements: what breaks it, how much there is to check, what is explained. */
export interface ReconcileStatement {
  readonly invariant: string;
  readonly states: string;
  /** About the book as a whole: not for a part of it. */
  readonly ofBook?: true;
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
  readonly ofBook?: true | undefined;
  readonly run: (
    transaction: Transaction,
    points: readonly SnapshotPoint[],
    scope: DealScope | undefined,
  ) => Promise<CheckResult>;
}

const RUNS: readonly Run[] = [
  ...STATEMENTS.map(
    (statement): Run => ({
      invariant: statement.invariant,
      ofBook: statement.ofBook,
      run: (transaction, points, scope) => check(transaction, statement, points, scope),
    }),
  ),
  {
    invariant: 'schema_as_migrated',
    ofBook: true,
    run: (transaction) => checkSchema(transaction),
  },
  {
    invariant: 'bills_are_what_accrued',
    run: (transaction, _, scope) =>
      checkBills(
        transaction,
        scope?.deals.map(({ key }) => key),
      ),
  },
];

/** Each invariant as one statement over the book or some deals; nothing of the book is held here. */
export function sqlReconciler(database: Database): Reconciler {
  return {
    reconcile: async (random, given = [], { part, onStep = () => undefined } = {}) => {
      const runs = RUNS.filter(({ ofBook }) => part === undefined || !ofBook);
      // Before the transaction: PostgreSQL ends a session that is idle in one for too long.
      if (part === undefined) await expectedSchema();
      return database.transaction(
        async (transaction) => {
          const scope = part === undefined ? undefined : await dealScope(transaction, part);
          const [last] = await transaction.query<{ seq: bigint }>(
            'SELECT coalesce(max(seq), 0) AS seq FROM journal',
          );
          const points = [
            ...(await Promise.all(given.map((point) => knownPoint(transaction, point)))),
            ...(await randomPoints(transaction, random, scope)),
          ];
          const checks: Check[] = [];
          for (const [index, { invariant, ofBook, run }] of runs.entries()) {
            onStep({ invariant, number: index + 1, of: runs.length });
            const checked = await run(transaction, points, scope);
            checks.push({ ...checked, scope: ofBook ? 'book' : 'deals' });
          }
          return {
            ledgerSeq: last?.seq ?? 0n,
            deals: scope?.deals.map(({ id }) => id) ?? null,
            notChecked: RUNS.filter((one) => !runs.includes(one)).map((one) => one.invariant),
            points,
            checks,
          };
        },
        {
          isolation: 'repeatable read',
          readOnly: true,
          setup: "SET LOCAL work_mem = '64MB';",
        },
      );
    },
  };
}

async function check(
  transaction: Transaction,
  { invariant, states, perPoint, checked, explained, breaks }: ReconcileStatement,
  points: readonly SnapshotPoint[],
  scope: DealScope | undefined,
): Promise<CheckResult> {
  const tables = scope?.tables ?? WHOLE_BOOK;
  const runs: readonly SqlValue[][] = perPoint
    ? distinct(points).map(({ asOf, ledgerSeq }) => [asOf, ledgerSeq])
    : [[]];
  const found: Break[] = [];
  let breakCount = 0;
  for (const parameters of runs) {
    const rows = await transaction.query<Record<string, string | null> & { total: bigint }>(
      `${tables}
       SELECT b.*, count(*) OVER () AS total FROM (${breaks}) b LIMIT ${BREAKS_LISTED}`,
      parameters,
    );
    breakCount += Number(rows[0]?.total ?? 0n);
    found.push(...rows.map(({ total: _, ...rest }) => rest));
  }
  return {
    invariant,
    states,
    checked: (await countOf(transaction, tables, checked)) * runs.length,
    explained: explained === undefined ? 0 : await countOf(transaction, tables, explained),
    breakCount,
    breaks: found.slice(0, BREAKS_LISTED),
  };
}

async function countOf(
  transaction: Transaction,
  tables: string,
  statement: string,
): Promise<number> {
  const [row] = await transaction.query<{ count: bigint }>(
    `${tables} SELECT (${statement})::bigint AS count`,
  );
  return Number(row?.count ?? 0n);
}

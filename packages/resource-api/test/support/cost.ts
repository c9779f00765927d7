import type { Database, Transaction } from '@cls/shared/sql/database';
import { explainedDatabase } from '@cls/testing/explained-database';

export interface Plan {
  readonly 'Node Type': string;
  readonly 'Subplan Name'?: string;
  readonly Filter?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly 'Actual Loops': number;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Plan[];
}

export function nodesOf(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Rows that a node gave or looked at in vain, in each of its loops. */
function comparedBy(node: Plan): number {
  const removed = ['Rows Removed by Filter', 'Rows Removed by Join Filter'] as const;
  return sum([node['Actual Rows'], ...removed.map((name) => node[name] ?? 0)]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Tells how each statement was executed, by the plan that a session keeps for it, and how many
 * blocks and rows it touched.
 */
export function counted(database: Database, executed: (plan: Plan) => void): Database {
  return explainedDatabase<readonly { readonly Plan: Plan }[]>(database, {
    as: 'ANALYZE, BUFFERS, FORMAT JSON',
    keptPlans: 'all',
    executed: ([plans]) => {
      for (const { Plan: plan } of plans ?? []) executed(plan);
    },
  });
}

/** Blocks that a question reads, or rows that it looks at if these are more. */
export async function costOf(
  database: Database,
  ask: (counting: Database) => Promise<unknown>,
): Promise<number> {
  let read = 0;
  let compared = 0;
  await ask(
    counted(database, (plan) => {
      read += blocksOf(plan);
      compared += rowsOf(nodesOf(plan));
    }),
  );
  return Math.max(read, compared);
}

export function blocksOf(plan: Plan): number {
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

export function rowsOf(nodes: readonly Plan[]): number {
  return sum(nodes.map((node) => node['Actual Loops'] * comparedBy(node)));
}

/** Rows that a transaction has read so far with its deferred checks, by table. */
export async function rowsRead(transaction: Transaction): Promise<ReadonlyMap<string, number>> {
  await transaction.execute('SET CONSTRAINTS ALL IMMEDIATE');
  const rows = await transaction.query<{ name: string; rows: bigint }>(
    `SELECT relname AS name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 AS rows
     FROM pg_stat_xact_user_tables`,
  );
  return new Map(rows.map(({ name, rows: read }) => [name, Number(read)]));
}

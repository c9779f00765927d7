import { quotedLiteral } from '@cls/shared/sql/array-literal';
import { type Database, ONE_PLAN, type SqlValue } from '@cls/shared/sql/database';

export interface Plan {
  readonly 'Node Type': string;
  readonly 'Subplan Name'?: string;
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
  return {
    ...database,
    transaction: (work, options) => {
      const setup = `${ONE_PLAN}${options?.setup ?? ''}`;
      return database.transaction(
        // Whose end would be sent before what waits here.
        async ({ endAhead: _, ...inside }) => {
          const explained = async <Row>(sql: string, parameters: readonly SqlValue[]) => {
            await inside.execute(`PREPARE asked AS ${sql}`);
            const values =
              parameters.length > 0 ? `(${parameters.map(quotedLiteral).join(', ')})` : '';
            const [row] = await inside.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
              `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked${values}`,
            );
            if (row !== undefined) executed(row['QUERY PLAN'][0].Plan);
            await inside.execute('DEALLOCATE asked');
            return inside.query<Row>(sql, parameters);
          };
          // Each is several statements here, and those of one come before those of the next.
          let before: Promise<unknown> = Promise.resolve();
          const query = <Row>(sql: string, parameters: readonly SqlValue[] = []) => {
            const mine = before.then(() => explained<Row>(sql, parameters));
            before = mine.catch(() => undefined);
            return mine;
          };
          return work({ ...inside, query });
        },
        { ...options, prepared: false, setup },
      );
    },
  };
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

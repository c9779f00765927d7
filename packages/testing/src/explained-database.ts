import { quotedLiteral } from '@cls/shared/sql/array-literal';
import { type Database, ONE_PLAN, type SqlValue } from '@cls/shared/sql/database';

export interface Explaining<Told> {
  /** Words in the brackets of EXPLAIN. */
  readonly as: string;
  /** Of which statements the plan that a session keeps is told; of others, one for their values. */
  readonly keptPlans: 'all' | 'prepared';
  /** Gets the rows that EXPLAIN gives: lines of text, or one plan in JSON. */
  readonly executed: (plan: readonly Told[]) => void;
}

/** Tells how each statement of a transaction is executed. */
export function explainedDatabase<Told>(
  database: Database,
  { as, keptPlans, executed }: Explaining<Told>,
): Database {
  return {
    ...database,
    transaction: (work, options) => {
      const isKept = keptPlans === 'all' || options?.prepared === true;
      return database.transaction(
        // Whose end would be sent before what waits here.
        ({ endAhead: _, ...inside }) => {
          const plansOf = async (sql: string, parameters: readonly SqlValue[]) => {
            if (!isKept) return inside.query<Row<Told>>(`EXPLAIN (${as}) ${sql}`, parameters);
            await inside.execute(`PREPARE asked AS ${sql}`);
            const values =
              parameters.length > 0 ? `(${parameters.map(quotedLiteral).join(', ')})` : '';
            const rows = await inside.query<Row<Told>>(`EXPLAIN (${as}) EXECUTE asked${values}`);
            await inside.execute('DEALLOCATE asked');
            return rows;
          };
          const explained = async <R>(sql: string, parameters: readonly SqlValue[]) => {
            const rows = await plansOf(sql, parameters);
            executed(rows.map((row) => row['QUERY PLAN']));
            return inside.query<R>(sql, parameters);
          };
          // Each is several statements here, and those of one come before those of the next.
          let before: Promise<unknown> = Promise.resolve();
          const query = <R>(sql: string, parameters: readonly SqlValue[] = []) => {
            const mine = before.then(() => explained<R>(sql, parameters));
            before = mine.catch(() => undefined);
            return mine;
          };
          return work({ ...inside, query });
        },
        {
          ...options,
          prepared: false,
          setup: `${isKept ? ONE_PLAN : ''}${options?.setup ?? ''}`,
        },
      );
    },
  };
}

interface Row<Told> {
  readonly 'QUERY PLAN': Told;
}

import type { Metrics } from '../metrics/metrics.ts';
import { oneValue } from '../metrics/metrics.ts';
import { Abandoned, type Database, DatabaseUnavailable, type Sql } from './database.ts';

const OUTCOMES = ['done', 'refused', 'unavailable', 'abandoned'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Told of each statement when it begins; what it returns is told when the statement has ended. */
export type ObserveStatement = (statement: string) => (outcome: Outcome) => void;

/** The same database, each of whose statements is observed, those inside of transactions too. */
export function observedDatabase(database: Database, observe: ObserveStatement): Database {
  const observed = <T extends Sql>(sql: T): Sql => ({
    query: (text, ...rest) => during(observe(text), () => sql.query(text, ...rest)),
    execute: (text) => during(observe(text), () => sql.execute(text)),
  });
  return {
    ...database,
    ...observed(database),
    async transaction(work, options) {
      let begun = false;
      try {
        return await database.transaction((inside) => {
          begun = true;
          return work({ ...inside, ...observed(inside) });
        }, options);
      } catch (error) {
        // Without a session no statement was tried, and the outage would not be seen.
        if (!begun) observe('BEGIN')(outcomeOf(error));
        throw error;
      }
    },
  };
}

async function during<T>(end: (outcome: Outcome) => void, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    end('done');
    return result;
  } catch (error) {
    end(outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Abandoned) return 'abandoned';
  return error instanceof DatabaseUnavailable ? 'unavailable' : 'refused';
}

/** From one look-up by key to the limit of a statement. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Measures how long statements take. */
export function measuredStatements(
  metrics: Metrics,
): Record<'database' | 'replica', ObserveStatement> {
  const measure = metrics.histogram(
    {
      name: 'cls_database_statement_duration_seconds',
      help: 'How long a statement took, with its way to the database and back, and with those before it that were sent together with it.',
      labels: { of: ['database', 'replica'], outcome: OUTCOMES },
    },
    SECONDS,
  );
  const measured =
    (of: 'database' | 'replica'): ObserveStatement =>
    () => {
      const startedMs = performance.now();
      return (outcome) => measure({ of, outcome }, (performance.now() - startedMs) / 1_000);
    };
  return { database: measured('database'), replica: measured('replica') };
}

/** How many sessions of the pool are in use, and how many wait for one. */
export function measureConnections(database: Database, metrics: Metrics): void {
  metrics.gauge(
    {
      name: 'cls_database_connections',
      help: 'Connections to PostgreSQL of this process; `limit` is the size of the pool.',
      labels: { state: ['active', 'idle', 'limit'] },
    },
    () => {
      const now = database.connections?.();
      if (now === undefined) return [];
      const { open, idle, limit } = now;
      return Object.entries({ active: open - idle, idle, limit }).map(([state, value]) => ({
        labels: { state },
        value,
      }));
    },
  );
  metrics.gauge(
    {
      name: 'cls_database_connection_waiters',
      help: 'Statements and transactions that wait for a connection of the pool.',
      labels: {},
    },
    () => oneValue(database.connections?.().waiting),
  );
}

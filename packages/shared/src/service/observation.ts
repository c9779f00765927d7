import type { Metrics } from '../metrics/metrics.ts';
import { measuredCommands, type ObserveCommand } from '../metrics/redis-commands.ts';
import type { Database } from '../sql/database.ts';
import {
  measureConnections,
  measuredStatements,
  observedDatabase,
} from '../sql/observed-database.ts';

/** Who watches a service; nobody by default, and then nothing is wrapped. */
export interface Observation {
  readonly metrics: Metrics;
  /** The service's own database. */
  database(database: Database): Database;
  /** A replica of it: its statements are measured with those of the database. */
  replica(database: Database): Database;
  /** Undefined where nobody watches commands. */
  readonly command: ObserveCommand | undefined;
}

export function observation(metrics: Metrics): Observation {
  if (!metrics.measuring) {
    const unobserved = (database: Database) => database;
    return { metrics, database: unobserved, replica: unobserved, command: undefined };
  }
  const statement = measuredStatements(metrics);
  return {
    metrics,
    database(database) {
      measureConnections(database, metrics);
      return observedDatabase(database, statement);
    },
    replica: (database) => observedDatabase(database, statement),
    command: measuredCommands(metrics),
  };
}

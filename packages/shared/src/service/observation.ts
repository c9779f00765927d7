import type { Metrics } from '../metrics/metrics.ts';
import { measuredCommands, type ObserveCommand } from '../metrics/redis-commands.ts';
import type { Database } from '../sql/database.ts';
import { measuredStatements, observedDatabase } from '../sql/observed-database.ts';

/** Who watches a service; nobody by default, and then nothing is wrapped. */
export interface Observation {
  readonly metrics: Metrics;
  database(database: Database): Database;
  /** Undefined where nobody watches commands. */
  readonly command: ObserveCommand | undefined;
}

export function observation(metrics: Metrics): Observation {
  if (!metrics.measuring) return { metrics, database: (database) => database, command: undefined };
  return {
    metrics,
    database: (database) => observedDatabase(database, measuredStatements(database, metrics)),
    command: measuredCommands(metrics),
  };
}

import type { RequestListener } from 'node:http';
import type { Metrics } from '../metrics/metrics.ts';
import { measuredCommands, type ObserveCommand } from '../metrics/redis-commands.ts';
import type { Database } from '../sql/database.ts';
import {
  measureConnections,
  measuredStatements,
  type Outcome,
  observedDatabase,
} from '../sql/observed-database.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** Who watches a service; nobody by default, and then nothing is wrapped. */
export interface Observation {
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  /** The service's own database. */
  database(database: Database): Database;
  /** A replica of it: its statements are observed with those of the database. */
  replica(database: Database): Database;
  /** Undefined where nobody watches commands. */
  readonly command: ObserveCommand | undefined;
  /** All that the service answers. */
  requests(handle: RequestListener): RequestListener;
}

export function observation(metrics: Metrics, tracing?: Tracing): Observation {
  const measured = metrics.measuring ? measuredStatements(metrics) : undefined;
  const commands = [
    ...(metrics.measuring ? [measuredCommands(metrics)] : []),
    ...(tracing === undefined ? [] : [tracing.command]),
  ];
  const observed = (database: Database, of: 'database' | 'replica') => {
    const observers = [measured?.[of], tracing?.statement].filter((each) => each !== undefined);
    const observe = all<Outcome>(observers);
    return observers.length === 0 ? database : observedDatabase(database, observe);
  };
  return {
    metrics,
    tracing,
    database(database) {
      if (metrics.measuring) measureConnections(database, metrics);
      return observed(database, 'database');
    },
    replica: (database) => observed(database, 'replica'),
    command: commands.length === 0 ? undefined : all(commands),
    requests: (handle) => tracing?.requests(handle) ?? handle,
  };
}

/** Tells all of them of the beginning, and of the end. */
function all<End>(observers: readonly ((name: string) => (end: End) => void)[]) {
  const [only, ...others] = observers;
  if (only !== undefined && others.length === 0) return only;
  return (name: string) => {
    const ends = observers.map((observe) => observe(name));
    return (end: End) => {
      for (const tell of ends) tell(end);
    };
  };
}

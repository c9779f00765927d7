import type { RequestListener } from 'node:http';
import type { RecordAnswer } from '../http/request-log.ts';
import type { Log } from '../log.ts';
import type { ObserveCommand } from '../metrics/redis-commands.ts';
import type { ObserveStatement } from '../sql/observed-database.ts';

/**
 * What a service tells of each request, for a tracing system (docs/reasons/adr/0044-observation.md).
 * Where nobody asks for it there is none, and nothing is wrapped.
 */
export interface Tracing {
  /** From then on a log line says that traces are lost. The log itself asks for `logFields`. */
  reportTo(log: Log): void;
  /** A span for each request, in the trace that its `traceparent` names. */
  requests(handle: RequestListener): RequestListener;
  /** Gives the span of the request its route and its status. */
  readonly answered: RecordAnswer;
  readonly statement: ObserveStatement;
  readonly command: ObserveCommand;
  /** A span for the work, in the one around it. */
  during<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Headers that pass the trace on to another service. */
  headers(): Record<string, string>;
  /** Of a log line: the trace and the span that it belongs to. */
  logFields(): object;
  /** Sends what is left. */
  stop(): Promise<void>;
}

import type { IncomingMessage } from 'node:http';

/** Where the trace of a request is kept, for the body of a problem. */
const TRACE_ID = Symbol('trace id');

interface Traced extends IncomingMessage {
  [TRACE_ID]?: string;
}

export function setTraceId(request: IncomingMessage, traceId: string): void {
  (request as Traced)[TRACE_ID] = traceId;
}

/** Undefined where requests are not traced. */
export function traceIdOf(request: IncomingMessage): string | undefined {
  return (request as Traced)[TRACE_ID];
}

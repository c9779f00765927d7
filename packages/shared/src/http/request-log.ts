import type { Middleware } from 'koa';
import type { Log } from '../log.ts';
import type { RequestState } from './request-id.ts';

/** Asked every few seconds, and of no interest while they answer. */
const PROBES = ['/livez', '/readyz'];

/** What is logged of a request: no query, no header and no body, where secrets and personal data travel. */
export interface AnsweredRequest extends Partial<RequestState> {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** One line a request. @param startedMs by `performance.now()`. */
export function logAnswer(log: Log, answered: AnsweredRequest, startedMs: number): void {
  const durationMs = Math.round((performance.now() - startedMs) * 10) / 10;
  const { requestId, method, path, status, refused } = answered;
  const level = PROBES.includes(path) ? 'debug' : 'info';
  const line = { requestId, method, path, status, durationMs };
  log[level](refused === undefined ? line : { ...line, refused }, 'request answered');
}

export function requestLog(log: Log): Middleware<RequestState> {
  return async (ctx, next) => {
    const startedMs = performance.now();
    try {
      await next();
    } finally {
      const { method, path, status, state } = ctx;
      logAnswer(log, { ...state, method, path, status }, startedMs);
    }
  };
}

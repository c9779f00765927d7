import type { Middleware } from 'koa';
import type { Log } from '../log.ts';
import type { RequestState } from './request-id.ts';

/** Asked every few seconds, and of no interest while they answer. */
const PROBES = ['/livez', '/readyz'];

/** One line a request: no query, no header and no body, where secrets and personal data travel. */
export function requestLog(log: Log): Middleware<RequestState> {
  return async (ctx, next) => {
    const startedMs = performance.now();
    try {
      await next();
    } finally {
      const { method, path, status } = ctx;
      const durationMs = Math.round((performance.now() - startedMs) * 10) / 10;
      const { requestId, refused } = ctx.state;
      const level = PROBES.includes(path) ? 'debug' : 'info';
      log[level](
        {
          ...{ requestId, method, path, status },
          ...(refused === undefined ? {} : { refused }),
          durationMs,
        },
        'request answered',
      );
    }
  };
}

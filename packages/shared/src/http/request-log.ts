import type { Middleware } from 'koa';
import type { Log } from '../log.ts';
import type { RequestState } from './request-id.ts';

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
      log.info(
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

import type { Context, Middleware } from 'koa';
import { Abandoned, DatabaseUnavailable, Overloaded } from '../sql/database.ts';
import type { LogFault } from './fault-log.ts';
import { problemType } from './problem-codes.ts';
import { Refusal, type RefusalDetails } from './refusal.ts';
import type { RequestState } from './request-log.ts';
import { traceIdOf } from './trace-id.ts';

const INTERNAL: RefusalDetails = {
  status: 500,
  code: 'internal',
  title: 'Internal error',
  detail: 'Something went wrong on our side; the request id helps us find it.',
};
const UNAVAILABLE: RefusalDetails = {
  status: 503,
  code: 'unavailable',
  title: 'Service unavailable',
  detail: 'A store that this request needs does not answer. Try again later.',
  headers: { 'Retry-After': '2' },
};

const OVERLOADED: RefusalDetails = {
  ...UNAVAILABLE,
  detail: 'Too many requests are under way. Try again later.',
};

/** As nginx has it in its log: the caller closed the connection, and nobody reads this. */
const ABANDONED: RefusalDetails = {
  status: 499,
  code: 'client_closed_request',
  title: 'Client closed request',
  detail: 'The connection was closed before the answer was ready.',
};

const LOGGED: readonly RefusalDetails[] = [INTERNAL, UNAVAILABLE, OVERLOADED];

/** The same on every part of the host: both services and the gateway. */
export const NOTHING_HERE: RefusalDetails = {
  status: 404,
  code: 'not_found',
  title: 'Not found',
  detail: 'There is nothing at this path; see /api and /.well-known/openid-configuration.',
};

/**
 * Writes every refusal and every fault as `application/problem+json` (RFC 9457).
 *
 * @param baseUrl of the deployment: its documentation explains each problem.
 */
export function problems(logFault: LogFault, baseUrl: string): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const details = detailsOf(error);
      if (LOGGED.includes(details)) logFault(error, ctx.state.requestId);
      writeProblem(ctx, details, baseUrl);
    }
  };
}

function detailsOf(error: unknown): RefusalDetails {
  if (error instanceof Refusal) return error.details;
  if (error instanceof Abandoned) return ABANDONED;
  if (error instanceof Overloaded) return OVERLOADED;
  return error instanceof DatabaseUnavailable ? UNAVAILABLE : INTERNAL;
}

/** The one place that writes a problem document. */
export function writeProblem(
  ctx: Context & { state: RequestState },
  details: RefusalDetails,
  baseUrl: string,
): void {
  const { status, code, title, detail, errors, headers, extensions } = details;
  ctx.status = status;
  ctx.state.refused = code;
  const traceId = traceIdOf(ctx.req);
  ctx.body = JSON.stringify({
    type: problemType(baseUrl, code),
    title,
    status,
    detail,
    instance: ctx.path,
    code,
    requestId: ctx.state.requestId,
    ...(traceId === undefined ? {} : { traceId }),
    ...(errors === undefined ? {} : { errors }),
    ...extensions,
  });
  ctx.set('Content-Type', 'application/problem+json');
  ctx.set('Cache-Control', 'no-store');
  if (headers !== undefined) ctx.set({ ...headers });
}

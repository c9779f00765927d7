/** The id of each request, by which its line in the log is found, and that line. */
import { randomFillSync } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** What a caller or a proxy may choose itself: printable ASCII, so that it can break no line. */
const ACCEPTED = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

export interface RequestState {
  /** In every answer's `X-Request-Id`, in every log line and in every error body. */
  requestId: string;
  /** Why it was refused, for the operator's log alone: a kind, and nothing that was sent. */
  refused?: string;
  /** Of the client whose token was accepted. */
  clientId?: string;
  /** The id of the person or the program that the token was issued to, or of the person who is signed in. */
  subject?: string;
  /** Whose people and programs the caller belongs to. */
  customer?: string;
  /** Where the request came from. */
  address?: string;
  /** The pattern of its path, such as `/account/sessions/{id}`: one of the few that a service has. */
  route?: string | undefined;
}

const ID_BYTES = 12;
/** For many ids at once: drawing random bytes costs more than all else of an id. */
const random = Buffer.alloc(ID_BYTES * 256);
let used = random.length;

/** For a request that brings none. */
export function newRequestId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return `req_${random.toString('base64url', used - ID_BYTES, used)}`;
}

/** What the caller offers, where that can be used. */
export function requestIdOf(offered: string | readonly string[] | undefined): string {
  return typeof offered === 'string' && ACCEPTED.test(offered) ? offered : newRequestId();
}

/**
 * Koa throws on each reading of a request target that is no URL (`GET http://[`), and finds no path in
 * another (`GET http://`, `GET *`).
 */
function hasPath(ctx: Pick<Context, 'path'>): boolean {
  try {
    return ctx.path?.startsWith('/');
  } catch {
    return false;
  }
}

/** Asked every few seconds, and of no interest while they answer. */
export const PROBES: readonly string[] = ['/livez', '/readyz'];

/** What is logged of a request: no query, no header and no body, where secrets travel. */
export interface AnsweredRequest extends Partial<RequestState> {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** Once a request, when its answer is made. @param startedMs by `performance.now()`. */
export type RecordAnswer = (answered: AnsweredRequest, startedMs: number) => void;

export interface AnswerObservers {
  readonly measured?: readonly RecordAnswer[];
  readonly traced?: readonly RecordAnswer[];
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** As nginx has it: the caller closed the connection. */
const STATUSES = [...Object.keys(STATUS_CODES), '499'];
const CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
/** From an answer that was kept to a statement that is ended. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * One line a request, and where somebody measures a count and the time that it took.
 *
 * @param routes the patterns that a request's `route` can be. @param others told of each as well: `measured` where somebody measures, `traced` in any case.
 */
export function answerRecorder(
  log: Log,
  metrics: Metrics,
  routes: readonly string[],
  { measured = [], traced = [] }: AnswerObservers = {},
): RecordAnswer {
  const write: RecordAnswer = (answered, startedMs) => {
    for (const tell of traced) tell(answered, startedMs);
    logAnswer(log, answered, performance.now() - startedMs);
  };
  if (!metrics.measuring) return write;
  const route = [...PROBES, ...routes];
  const count = metrics.counter({
    name: 'cls_http_requests_total',
    help: 'Requests that were answered.',
    labels: { route, method: METHODS, status: STATUSES },
  });
  const measure = metrics.histogram(
    {
      name: 'cls_http_request_duration_seconds',
      help: 'From the request’s head to its answer being ready; of an export, to its beginning.',
      labels: { route, status: CLASSES },
    },
    SECONDS,
  );
  return (answered, startedMs) => {
    const { method, path, status } = answered;
    const tookMs = performance.now() - startedMs;
    write(answered, startedMs);
    const at = PROBES.includes(path) ? path : (answered.route ?? '');
    count({ route: at, method, status: `${status}` });
    measure({ route: at, status: CLASSES[Math.floor(status / 100) - 2] ?? '' }, tookMs / 1_000);
    for (const record of measured) record(answered, startedMs);
  };
}

function logAnswer(log: Log, answered: AnsweredRequest, tookMs: number): void {
  const durationMs = Math.round(tookMs * 10) / 10;
  const { requestId, method, path, status, refused } = answered;
  const { clientId, subject, customer, address } = answered;
  const level = PROBES.includes(path) ? 'debug' : 'info';
  const line = { requestId, method, path, status, durationMs };
  const why = refused === undefined ? {} : { reason: refused };
  const who = { clientId, subject, customer, address };
  log[level]({ ...line, ...why, ...who }, 'request answered');
}

/** Gives each request a path that can be read, an id, and its line once it is answered. */
export function requestLog(record: RecordAnswer): Middleware<RequestState> {
  return async (ctx, next) => {
    // Answered like a request for the bare host.
    if (!hasPath(ctx)) ctx.req.url = '/';
    ctx.state.requestId = requestIdOf(ctx.get('x-request-id'));
    ctx.set('X-Request-Id', ctx.state.requestId);
    const startedMs = performance.now();
    try {
      await next();
    } finally {
      const { method, path, status, state } = ctx;
      record({ ...state, method, path, status }, startedMs);
    }
  };
}

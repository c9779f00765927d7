import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { authorizationOf } from '@cls/shared/access/authenticate';
import type { Caller } from '@cls/shared/access/caller';
import type { Clock } from '@cls/shared/clock';
import { clientAddress } from '@cls/shared/http/client-address';
import { LONG_ANSWER_BYTES, type LongAnswers } from '@cls/shared/http/long-answers';
import { type RecordAnswer, requestIdOf } from '@cls/shared/http/request-log';
import type { Middleware } from 'koa';
import { type CallerBudgets, callerName, readerOf } from '../access/caller-budget.ts';
import { type Allowance, type RateLimit, rateLimitHeaders } from '../access/rate-limit.ts';
import type { VerifiedTokens } from '../access/verified-tokens.ts';
import type { Memories } from '../memory/memories.ts';
import type { Edition } from '../questions/ask/balance-store.ts';
import type { CurrentLedger } from '../questions/ask/current-ledger.ts';
import type { ReadLog } from '../reads/read-log.ts';
import type { UsageCounter, VersionUse } from '../usage/usage-counter.ts';
import type { ReadByAnswer } from '../versions/api-version.ts';
import type { ApiVersions } from '../versions/api-versions.ts';
import { recordRead } from './record-read.ts';
import type { ApiState } from './version-step.ts';
import { isFromBrowser } from './write-answer.ts';

export interface CachedAnswersDeps {
  readonly readLog: Pick<ReadLog, 'admit' | 'record'>;
  /** How many proxies in front are believed. */
  readonly trustedProxyHops: number;
  readonly tokens: VerifiedTokens;
  readonly rateLimit: RateLimit | undefined;
  readonly budgets: Pick<CallerBudgets, 'begin'>;
  readonly longAnswers: LongAnswers;
  readonly ledger: CurrentLedger;
  readonly versions: ApiVersions;
  readonly usage: Pick<UsageCounter, 'count'>;
  readonly clock: Clock;
  readonly recordAnswer: RecordAnswer;
  readonly memories: Memories;
}

/** What the route knows of an answer that may be sent again. */
export interface Cacheable {
  readonly caller: Caller;
  readonly edition: Edition;
  readonly use: VersionUse;
  readonly read: ReadByAnswer | undefined;
}

export interface CachedAnswers {
  /** The first step: it caches each answer as it is about to be sent. */
  readonly add: Middleware<ApiState>;
  /** Sends a cached answer, or hands the request on to `next`. */
  answer(req: IncomingMessage, res: ServerResponse, next: RequestListener): void;
  /**
   * The name in limits of a request's caller, where the request asks the database something: its token
   * was verified before, and no answer to it is cached. Undefined where more work is needed to know.
   */
  askerOf(req: IncomingMessage): string | undefined;
}

interface CachedAnswer extends Omit<Cacheable, 'caller'> {
  readonly status: number;
  /** Names and values in turns. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  readonly path: string;
  readonly route: string | undefined;
  /** `Registry.period` */
  readonly period: string;
}

/** Below a version, all but its description asks the database. */
const QUESTION = /^\/api\/[^/?]+\/cls\//;
/** An entry without its body and its key. */
const ENTRY_BYTES = 1_024;
/** Each answer has its own, from this file or from Node. */
const OWN_HEADERS = ['x-request-id', 'ratelimit', 'connection'];

/**
 * Sends an answer again, ahead of Koa's steps, where a request has all in common with the one that was
 * answered: the caller, the path, the query, and every header that an answer depends on. What may have
 * changed since is asked each time: the token, the limits, the calendar of versions, the book. A request
 * that finds anything changed goes the long way, which alone refuses requests.
 */
export function cachedAnswers(deps: CachedAnswersDeps): CachedAnswers {
  const { tokens, rateLimit, ledger, versions, usage, clock, memories } = deps;
  const answers = memories.open<string, CachedAnswer>(
    'answers',
    ({ body }, key) => (body?.length ?? 0) + key.length + ENTRY_BYTES,
  );

  const knownCaller = ({ rawHeaders }: IncomingMessage) => {
    const token = plainToken(rawHeaders);
    return token === undefined ? undefined : tokens.known(token)?.caller;
  };
  const find = (req: IncomingMessage): Found | undefined => {
    const caller = req.method === 'GET' ? knownCaller(req) : undefined;
    if (caller === undefined) return undefined;
    const key = keyOf(req, caller);
    const answer = answers.get(key);
    if (answer === undefined) answers.count(false);
    return answer && { key, answer, caller };
  };

  return {
    askerOf(req) {
      if (!QUESTION.test(req.url ?? '')) return undefined;
      const caller = knownCaller(req);
      if (caller === undefined || answers.has(keyOf(req, caller))) return undefined;
      return callerName(caller);
    },
    async add(ctx, next) {
      await next();
      const { cacheable, version, route } = ctx.state;
      const { req, res, status, path, body } = ctx;
      if (cacheable === undefined || version === undefined || req.method !== 'GET') return;
      if (status !== 304 && !(status === 200 && Buffer.isBuffer(body))) return;
      const { caller, ...answered } = cacheable;
      answers.set(keyOf(req, caller), {
        ...answered,
        ...{ status, path, route },
        headers: headersOf(res),
        body: Buffer.isBuffer(body) ? body : undefined,
        period: versions.registry.period(version.now),
      });
    },
    answer(req, res, next) {
      const startedMs = performance.now();
      const found = find(req);
      const end = found && begin(deps, found);
      if (found === undefined || end === undefined) return next(req, res);
      const { key, answer, caller } = found;
      res.once('close', end);
      const goLongWay = () => {
        end();
        next(req, res);
      };
      ledger.state().then(({ generation, today }) => {
        const { edition, period } = answer;
        const isCurrent =
          generation === edition.generation &&
          today === edition.today &&
          versions.registry.period(clock.now()) === period;
        if (!isCurrent) {
          answers.delete(key);
          answers.count(false);
          return goLongWay();
        }
        const allowance = rateLimit?.countNow(callerName(caller));
        if (rateLimit !== undefined && allowance === undefined) return goLongWay();
        const { clientId, subject } = caller;
        usage.count({ ...answer.use, clientId, subject });
        answers.count(true);
        send(deps, found, res, allowance, startedMs);
      }, goLongWay);
    },
  };
}

interface Found {
  readonly key: string;
  readonly answer: CachedAnswer;
  readonly caller: Caller;
}

/** Counts the request as under way; undefined where it has to be refused. */
function begin(
  { readLog, budgets, longAnswers }: CachedAnswersDeps,
  { caller, answer: { body } }: Found,
): (() => void) | undefined {
  const reader =
    body !== undefined && body.length > LONG_ANSWER_BYTES ? readerOf(caller) : undefined;
  // The long way refuses, and counts what it refuses.
  if (reader !== undefined && !longAnswers.hasRoom(reader)) return undefined;
  try {
    readLog.admit();
    const end = budgets.begin(callerName(caller));
    const endLong = reader && longAnswers.begin(reader);
    return () => {
      end();
      endLong?.();
    };
  } catch {
    return undefined;
  }
}

/** With the line of the request, and the read once its answer has ended. */
function send(
  { readLog, trustedProxyHops, clock, recordAnswer }: CachedAnswersDeps,
  { answer, caller }: Found,
  res: ServerResponse,
  allowance: Allowance | undefined,
  startedMs: number,
): void {
  const { path, route, status, headers, body, read, use } = answer;
  const requestId = requestIdOf(res.req.headers['x-request-id']);
  const own = ['X-Request-Id', requestId];
  if (allowance !== undefined) own.push('RateLimit', rateLimitHeaders(allowance).RateLimit);
  res.writeHead(status, [...headers, ...own]);
  res.end(body);
  const { clientId, subject, customer } = caller;
  const { operation, served: version } = use;
  const address = clientAddress(res.req, trustedProxyHops);
  const query = (res.req.url ?? '').slice(path.length + 1);
  const at = clock.now();
  const request = { at, requestId, caller, address, version, operation, path, query };
  res.once('close', () => recordRead(readLog, res, request, read));
  const line = { requestId, method: 'GET', path, route, status, clientId, subject };
  recordAnswer({ ...line, customer, address }, startedMs);
}

/** The token of one `Authorization` header in the usual spelling. */
function plainToken(rawHeaders: readonly string[]): string | undefined {
  try {
    const authorization = authorizationOf(rawHeaders);
    return authorization?.startsWith('Bearer ') ? authorization.slice(7) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * All of a request that an answer depends on. No header has a line break, and callers of one customer
 * with the same permissions see the same.
 */
function keyOf({ url, headers }: IncomingMessage, caller: Caller): string {
  const { customer, accountType, permissions } = caller;
  const { accept, 'accept-encoding': coding, 'if-none-match': condition, origin } = headers;
  const asks = [url, accept, coding, condition, origin, isFromBrowser(headers)];
  return [customer, accountType, ...[...permissions].sort(), ...asks].join('\n');
}

/** Node's documentation has the method for requests, and its class for both. */
interface WithRawNames extends ServerResponse {
  getRawHeaderNames(): string[];
}

function headersOf(res: ServerResponse): readonly string[] {
  const headers: string[] = [];
  for (const name of (res as WithRawNames).getRawHeaderNames()) {
    if (OWN_HEADERS.includes(name.toLowerCase())) continue;
    for (const value of [res.getHeader(name) ?? []].flat()) headers.push(name, `${value}`);
  }
  return headers;
}

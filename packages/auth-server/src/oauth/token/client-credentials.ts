/**
 * The short way of `POST /oauth/token` (docs/reasons/adr/0026-short-token-path.md): an ordinary request of a service account
 * gets its token here, without Koa and the library's chain, or hears that it has had too many: a client
 * that asks in a loop must not cost more than its tokens did. A request that is unusual, or that must be
 * refused for another reason, goes the long way with its body unread: those refusals, throttles and their
 * audit are written there alone. One suite runs over both ways.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { clientAddress } from '@cls/shared/http/client-address';
import type { LogFault } from '@cls/shared/http/fault-log';
import { type RecordAnswer, requestIdOf } from '@cls/shared/http/request-log';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { TokenBudget } from '../../clients/token-budget.ts';
import type {
  IssueServiceToken,
  ServiceToken,
  ServiceTokenRequest,
} from '../../library/service-token.ts';
import { TooManyTokens } from '../../library/too-many-tokens.ts';
import type { OAuthErrorAnswer } from '../../web/oauth-error.ts';
import { ROUTES } from '../../web/paths.ts';
import { hasOrdinaryHead, ordinaryRequest, readSmallBody } from './ordinary-request.ts';
import { refusalReason } from './refusal-reason.ts';
import { tokenErrorAnswer } from './token-error-answer.ts';

export interface ClientCredentialsDeps {
  /** The issuer of now: another takes its place when signing keys change. */
  readonly tokens: { readonly issue: IssueServiceToken };
  readonly issuer: string;
  readonly trustedProxyHops: number;
  readonly audit: AuditLog;
  readonly budget: Pick<TokenBudget, 'used' | 'giveBack'>;
  readonly recordAnswer: RecordAnswer;
  readonly logFault: LogFault;
  /** Of every answer of this service: names and values in turn. */
  readonly headers: readonly string[];
}

/** @param longWay answers every other request. */
export function clientCredentials(
  deps: ClientCredentialsDeps,
  longWay: RequestListener,
): RequestListener {
  // A proxy in front may have taken the issuer's path off.
  const paths = [
    ROUTES.token,
    `${new URL(deps.issuer).pathname.replace(/\/$/, '')}${ROUTES.token}`,
  ];
  return (request, response) => {
    const isHere = request.method === 'POST' && paths.includes(request.url ?? '');
    if (!isHere || !hasOrdinaryHead(request.headers)) return longWay(request, response);
    const startedMs = performance.now();
    readSmallBody(request, async (body, unread) => {
      try {
        const asked = ordinaryRequest(request.headers, body);
        const outcome = asked && (await outcomeOf(deps, asked));
        if (asked === undefined || outcome === undefined) return longWay(unread(), response);
        await answer(deps, request, response, { clientId: asked.clientId, outcome, startedMs });
      } catch (err) {
        deps.logFault(err, undefined);
        response.destroy();
      }
    });
  };
}

/** Undefined for what the long way refuses, whose answer says why. */
async function outcomeOf(
  { tokens }: ClientCredentialsDeps,
  asked: ServiceTokenRequest,
): Promise<ServiceToken | TooManyTokens | undefined> {
  try {
    return await tokens.issue(asked);
  } catch (error) {
    return error instanceof TooManyTokens ? error : undefined;
  }
}

interface Answered {
  readonly clientId: string;
  readonly outcome: ServiceToken | TooManyTokens;
  readonly startedMs: number;
}

const GIVEN: Omit<OAuthErrorAnswer, 'body'> = {
  status: 200,
  headers: { 'Cache-Control': 'no-store' },
};

/** Nothing is acknowledged without its event. */
async function answer(
  { audit, budget, recordAnswer, headers, trustedProxyHops, logFault }: ClientCredentialsDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { clientId, outcome, startedMs }: Answered,
): Promise<void> {
  const requestId = requestIdOf(request.headers['x-request-id']);
  const address = clientAddress(request, trustedProxyHops);
  let { status, headers: own } = GIVEN;
  let refused = outcome instanceof TooManyTokens ? outcome : undefined;
  let body: object = 'answer' in outcome ? outcome.answer : {};
  const event = { type: 'token.issued', subject: clientId, address, clientId, requestId } as const;
  try {
    if ('answer' in outcome) {
      await audit.recordSafely(event);
      budget.used([clientId, outcome.secretId], address);
    } else {
      ({ status, headers: own, body } = tokenErrorAnswer(outcome));
      const { error: reason } = outcome;
      if (outcome.first) await audit.recordSafely({ ...event, type: 'token.refused', reason });
    }
  } catch (err) {
    logFault(err, requestId);
    if (refused === undefined) budget.giveBack(clientId);
    refused = undefined;
    ({ status, headers: own, body } = tokenErrorAnswer(err));
  }
  const path = ROUTES.token;
  const answered = { requestId, method: 'POST', path, route: path, status };
  const why = refused && refusalReason(refused);
  recordAnswer(why === undefined ? answered : { ...answered, refused: why }, startedMs);
  const text = JSON.stringify(body);
  // An array, because Node 20 takes long to spread objects.
  response.writeHead(status, [
    ...['X-Request-Id', requestId, ...headers, ...Object.entries(own).flat()],
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', String(Buffer.byteLength(text))],
  ]);
  response.end(text);
}

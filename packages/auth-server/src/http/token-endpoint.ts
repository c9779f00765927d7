import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Middleware } from 'koa';
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { AuditLog } from '../audit/audit-log.ts';
import { ACCOUNT_CLIENT_ID } from '../provider/client-metadata.ts';
import { authenticationOf } from '../provider/granted-account.ts';
import type { Throttle, ThrottleSubject } from '../throttle/throttle.ts';
import { wantsJson } from '../token/accept.ts';
import { MfaRequired, TooManyAttempts } from '../token/token-error.ts';

export const TOKEN_PATH = '/oauth/token';

const RETRY_WHEN_UNAVAILABLE_S = 2;
const faults = new WeakMap<object, unknown>();

/** Keeps each request's error until the answer is written; the library itself shows a part only. */
export function noteTokenErrors(provider: Provider): void {
  const note = (ctx: object, error: unknown) => faults.set(ctx, error);
  provider.on('grant.error', note);
  provider.on('server_error', note);
}

/**
 * Around the library's token endpoint: how its answers look to a caller of this product, the
 * throttle on client authentication, and the audit of each answer.
 */
export function tokenEndpoint(throttle: Throttle, audit: AuditLog): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== TOKEN_PATH) return next();
    const accept = ctx.get('accept');
    // The library would answer a browser's Accept with a page.
    ctx.req.headers.accept = 'application/json';
    await next();
    // Without an Origin the library allows every one; a token is for no web page of another site.
    if (ctx.get('origin') === '') ctx.remove('Access-Control-Allow-Origin');
    const oidcCtx = ctx as unknown as KoaContextWithOIDC;
    const error = await throttled(oidcCtx, throttle, faults.get(ctx));
    if (error !== undefined) refuse(oidcCtx, error);
    else if (ctx.status === 200) present(oidcCtx, accept);
    record(oidcCtx, audit, error);
  };
}

/** A person gets the bare JWT unless JSON was asked for by name. */
function present(ctx: KoaContextWithOIDC, accept: string): void {
  if (authenticationOf(ctx) === undefined) return;
  ctx.vary('Accept');
  if (wantsJson(accept)) return;
  const { access_token: token } = ctx.body as { access_token: string };
  ctx.body = token;
  ctx.set('Content-Type', 'text/javascript; charset=utf-8');
}

/**
 * Failed client authentication counts against the client and the address, after the secret was
 * compared: the right secret always passes, so nobody can lock an integration out by guessing.
 */
async function throttled(
  ctx: KoaContextWithOIDC,
  throttle: Throttle,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof errors.InvalidClientAuth)) return error;
  const clientId = ctx.oidc.client?.clientId;
  const client: readonly ThrottleSubject[] =
    clientId === undefined ? [] : [{ kind: 'client-secret', id: clientId }];
  const admission = await throttle.admit([{ kind: 'address', id: ctx.ip }, ...client]);
  return admission.admitted ? error : new TooManyAttempts(admission.retryAfterS);
}

function refuse(ctx: KoaContextWithOIDC, error: unknown): void {
  if (error instanceof TooManyAttempts) {
    ctx.status = 429;
    ctx.remove('WWW-Authenticate');
    ctx.set('Retry-After', `${error.retryAfterS}`);
    ctx.body = { error: error.error, error_description: error.error_description };
  } else if (error instanceof MfaRequired) {
    ctx.body = { ...(ctx.body as object), mfa_token: error.mfaToken };
  } else if (isUnavailable(error)) {
    ctx.status = 503;
    ctx.set('Retry-After', `${RETRY_WHEN_UNAVAILABLE_S}`);
    const description = 'a store that is needed does not answer; try again';
    ctx.body = { error: 'temporarily_unavailable', error_description: description };
  }
}

function isUnavailable(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return (
    error instanceof DatabaseUnavailable ||
    ['MaxRetriesPerRequestError', 'ReplicationTimeout'].includes(name) ||
    (error instanceof Error &&
      /Command timed out|Connection is closed|Stream isn't writeable/.test(error.message))
  );
}

function record(ctx: KoaContextWithOIDC, audit: AuditLog, error: unknown): void {
  const { client } = ctx.oidc ?? {};
  const account = authenticationOf(ctx)?.account.id;
  const params = (ctx.oidc?.params ?? {}) as Record<string, string | undefined>;
  const subject =
    account ?? (client?.clientId === ACCOUNT_CLIENT_ID ? params['email'] : client?.clientId);
  const reason = error instanceof errors.OIDCProviderError ? error.error : undefined;
  audit.record({
    type: ctx.status === 200 ? 'token.issued' : 'token.refused',
    subject: subject ?? 'unknown',
    address: ctx.ip,
    ...(client === undefined ? {} : { clientId: client.clientId }),
    ...(typeof ctx.state['requestId'] === 'string' ? { requestId: ctx.state['requestId'] } : {}),
    ...(ctx.status === 200 ? {} : { reason: reason ?? `status_${ctx.status}` }),
  });
}

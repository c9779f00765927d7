import type { LogFault } from '@cls/shared/http/fault-log';
import type { Log } from '@cls/shared/log';
import type { Middleware } from 'koa';
import { recordedEmail } from '../../accounts/account.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { ACCOUNT_CLIENT_ID } from '../../library/client-metadata.ts';
import { errors, type KoaContextWithOIDC, type Provider } from '../../library/oidc.ts';
import { AlreadySpent } from '../../library/provider-adapter.ts';
import { answerAsJson } from '../../library/reliances/json-errors.ts';
import { asUnauthorizedClient } from '../../library/reliances/unauthorized-client.ts';
import { contextOf } from '../../library/request-context.ts';
import { answering, finishAnswer } from '../../state/answering.ts';
import { addressSubject } from '../../throttle/guess.ts';
import type { Throttle, ThrottleSubject } from '../../throttle/throttle.ts';
import type { PaceDevice } from '../device/device-polls.ts';
import { wantsJson } from './accept.ts';
import { refusalReason } from './refusal-reason.ts';
import type { Spend } from './spend.ts';
import { CredentialsRefused, passwordGrantRefused, TooManyAttempts } from './token-error.ts';
import { writeTokenError } from './token-error-answer.ts';

/** Keeps each request's error until the answer is written; the library itself shows a part only. */
export function keepTokenErrors(provider: Provider): void {
  const keep = (ctx: KoaContextWithOIDC, error: unknown) => {
    contextOf(ctx).tokenError = error;
  };
  provider.on('grant.error', keep);
  provider.on('server_error', keep);
}

interface TokenEndpointDeps {
  readonly log: Log;
  readonly logFault: LogFault;
  readonly pace: PaceDevice;
}

/**
 * Around the library's token endpoint: how its answers look to a caller of this product, the
 * throttle on client authentication, and the audit of each answer.
 */
export function tokenEndpoint(
  throttle: Throttle,
  audit: AuditLog,
  spend: Spend,
  { log, logFault, pace }: TokenEndpointDeps,
): Middleware {
  return async (ctx, next) => {
    const accept = ctx.get('accept');
    answerAsJson(ctx.req);
    const oidcCtx = ctx as unknown as KoaContextWithOIDC;
    const why = await errorOf(oidcCtx, next, throttle, spend, { logFault, pace });
    const error = explained(oidcCtx, why);
    ctx.remove('Vary'); // Which origins may read the answer: see server/cors.ts.
    if (error !== undefined) writeTokenError(ctx, error);
    else present(oidcCtx, accept);
    try {
      record(oidcCtx, audit, error);
      if (answering()?.audited) await audit.synced();
    } catch (err) {
      return writeTokenError(ctx, err); // Without its event, nothing is acknowledged.
    }
    const request = answering();
    if (error === undefined && request !== undefined) await finishAnswer(request, log);
  };
}

/** Why this request gets no token, from whichever part it came; undefined when it gets one. */
async function errorOf(
  ctx: KoaContextWithOIDC,
  next: () => Promise<unknown>,
  throttle: Throttle,
  spend: Spend,
  { logFault, pace }: Omit<TokenEndpointDeps, 'log'>,
): Promise<unknown> {
  try {
    await next();
    const { tokenError: error } = contextOf(ctx);
    if (await spent(ctx, spend, error)) return undefined;
    return asUnauthorizedClient(ctx, await pace(ctx, await throttled(ctx, throttle, error)));
  } catch (err) {
    if (!(err instanceof errors.OIDCProviderError)) {
      logFault(err, ctx.state['requestId']);
    }
    return err;
  }
}

/** A form with a person's password gets an explanation of how to send it, also when more is wrong. */
function explained(ctx: KoaContextWithOIDC, failure: unknown): unknown {
  const refused = failure instanceof errors.OIDCProviderError && failure.statusCode < 429;
  const asForm = ctx.oidc?.params?.['grant_type'] === 'password';
  return refused && asForm ? passwordGrantRefused() : failure;
}

/**
 * Spends what the request is for: last of all, once the client, the account and what it asks for
 * are proven. True when there is an answer.
 */
async function spent(ctx: KoaContextWithOIDC, spend: Spend, error: unknown): Promise<boolean> {
  if (error instanceof AlreadySpent) {
    await spend.repeat(ctx, error.spendable);
    return true;
  }
  const spendable = answering()?.spendable;
  if (spendable !== undefined && error === undefined) await spend.withAnswer(ctx, spendable);
  const refused = error instanceof errors.OIDCProviderError && error.expose;
  if (spendable !== undefined && refused) await spend.withoutAnswer(spendable);
  return error === undefined;
}

/** A person gets the bare JWT unless JSON was asked for by name. */
function present(ctx: KoaContextWithOIDC, accept: string): void {
  if (contextOf(ctx).authentication === undefined) return;
  ctx.set('Vary', 'Accept');
  if (wantsJson(accept)) return;
  const { access_token: token } = ctx.body as { access_token: string };
  ctx.set('Content-Type', 'text/javascript');
  ctx.body = token;
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
  const admission = await throttle.admit([addressSubject(ctx.ip), ...client]);
  if (admission.admitted) return error;
  return new TooManyAttempts(admission.retryAfterS, admission.first);
}

function record(ctx: KoaContextWithOIDC, audit: AuditLog, error: unknown): void {
  const { client } = ctx.oidc ?? {};
  const { body, status } = ctx;
  const reason = error === undefined ? undefined : whyOf(error, body as { error: string });
  if (error !== undefined) ctx.state['refused'] = refusalReason(error);
  if (error instanceof TooManyAttempts && !error.first) return;
  audit.record({
    type: status === 200 ? 'token.issued' : 'token.refused',
    subject: subjectOf(ctx, reason ?? '') ?? 'unknown',
    address: ctx.ip,
    ...(client === undefined ? {} : { clientId: client.clientId }),
    ...(typeof ctx.state['requestId'] === 'string' ? { requestId: ctx.state['requestId'] } : {}),
    ...(reason === undefined ? {} : { reason }),
  });
}

/** The reason for the log; the caller gets the code alone. */
function whyOf(error: unknown, body: { readonly error: string }): string {
  return error instanceof CredentialsRefused ? error.why : body.error;
}

/** The account or the client; the e-mail that was tried where no account is known. */
function subjectOf(ctx: KoaContextWithOIDC, why: string): string | undefined {
  const { authentication, triedAccountId, cameAsJson } = contextOf(ctx);
  const account = authentication?.account.id ?? triedAccountId;
  const { client, params } = ctx.oidc ?? {};
  if (account !== undefined || client?.clientId !== ACCOUNT_CLIENT_ID) {
    return account ?? client?.clientId;
  }
  const email = params?.['email'];
  // Only a JSON body had its e-mail measured; a form that names this grant reaches this line too.
  const measured = typeof email === 'string' && cameAsJson === true;
  return measured ? recordedEmail(email, why) : undefined;
}

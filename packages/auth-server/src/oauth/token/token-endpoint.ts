import type { LogFault } from '@cls/shared/http/fault-log';
import type { Log } from '@cls/shared/log';
import type { Middleware } from 'koa';
import { recordedEmail } from '../../accounts/account.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { onceAMinute } from '../../clients/once-a-minute.ts';
import type { TokenBudget } from '../../clients/token-budget.ts';
import { ACCOUNT_CLIENT_ID } from '../../library/client-metadata.ts';
import { errors, type KoaContextWithOIDC } from '../../library/oidc.ts';
import { AlreadySpent } from '../../library/provider-adapter.ts';
import { tellMissingProof } from '../../library/reliances/missing-proof.ts';
import { unauthorizedClient } from '../../library/reliances/unauthorized-client.ts';
import { contextOf } from '../../library/request-context.ts';
import { answering, auditedSafely, finishAnswer } from '../../state/answering.ts';
import { clientAddressSubject } from '../../throttle/guess.ts';
import type { Throttle, ThrottleSubject } from '../../throttle/throttle.ts';
import type { OAuthErrorAnswer } from '../../web/oauth-error.ts';
import type { PaceDevice } from '../device/device-polls.ts';
import { wantsJson } from './accept.ts';
import { refusalReason } from './refusal-reason.ts';
import type { Spend } from './spend.ts';
import {
  CredentialsRefused,
  impossibleSecret,
  isTooMany,
  passwordGrantRefused,
  TooManyAttempts,
} from './token-error.ts';
import { tokenErrorAnswer, writeTokenError } from './token-error-answer.ts';

interface TokenEndpointDeps {
  readonly log: Log;
  readonly logFault: LogFault;
  readonly pace: PaceDevice;
  readonly budget: Pick<TokenBudget, 'used' | 'giveBack'>;
}

/**
 * Around the library's token endpoint: how its answers look to a caller of this product, the
 * throttle on client authentication, and the audit of each answer.
 */
export function tokenEndpoint(
  throttle: Throttle,
  audit: AuditLog,
  spend: Spend,
  { log, logFault, pace, budget }: TokenEndpointDeps,
): Middleware {
  const isFirst = onceAMinute();
  /** Impossible secrets cost no store anything: of an address, one a minute is recorded. */
  const isToBeRecorded = (ctx: KoaContextWithOIDC) =>
    contextOf(ctx).impossibleSecret === undefined || isFirst(ctx.ip);
  return async (ctx, next) => {
    const oidcCtx = ctx as KoaContextWithOIDC;
    const why = await errorOf(oidcCtx, next, throttle, spend, { logFault, pace });
    const error = explained(oidcCtx, why);
    const refusal = error === undefined ? undefined : tokenErrorAnswer(error);
    ctx.remove('Vary'); // Which origins may read the answer: see server/cors.ts.
    if (error !== undefined) ctx.state['refused'] = refusalReason(error);
    const { tookTokenOf, provenSecret } = contextOf(oidcCtx);
    let given = false;
    try {
      if (isToBeRecorded(oidcCtx)) {
        record(oidcCtx, audit, error, refusal);
        await auditedSafely(audit);
      }
      given = error === undefined;
    } catch (err) {
      logFault(err, ctx.state['requestId']);
      return writeTokenError(ctx, tokenErrorAnswer(err)); // Without its event, nothing is acknowledged.
    } finally {
      const used = [tookTokenOf, provenSecret].filter((id) => id !== undefined);
      if (given) budget.used(used, ctx.ip);
      else if (tookTokenOf !== undefined) budget.giveBack(tookTokenOf);
    }
    if (refusal !== undefined) return writeTokenError(ctx, refusal);
    present(oidcCtx);
    const request = answering();
    if (request !== undefined) await finishAnswer(request, log);
  };
}

/**
 * Why this request gets no token, from whichever part it came; undefined when it gets one. The
 * library throws its errors here: see library/render-error.ts.
 */
async function errorOf(
  ctx: KoaContextWithOIDC,
  next: () => Promise<unknown>,
  throttle: Throttle,
  spend: Spend,
  { logFault, pace }: Pick<TokenEndpointDeps, 'logFault' | 'pace'>,
): Promise<unknown> {
  let error: unknown;
  try {
    error = await thrownBy(next);
    if (await spent(ctx, spend, error)) return undefined;
    const paced = await pace(ctx, await throttled(ctx, throttle, error));
    error = unauthorizedClient(ctx, paced) ?? paced;
  } catch (err) {
    error = err;
  }
  const refused = error instanceof errors.OIDCProviderError && error.expose;
  if (!refused) logFault(error, ctx.state['requestId']);
  return error;
}

async function thrownBy(next: () => Promise<unknown>): Promise<unknown> {
  try {
    await next();
    return undefined;
  } catch (err) {
    return err;
  }
}

/** A form with a person's password gets an explanation of how to send it, also when more is wrong. */
function explained(ctx: KoaContextWithOIDC, failure: unknown): unknown {
  const refused = failure instanceof errors.OIDCProviderError && failure.statusCode < 429;
  const asForm = ctx.oidc?.params?.['grant_type'] === 'password';
  if (refused && asForm) return passwordGrantRefused();
  tellMissingProof(failure);
  return failure;
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
  if (spendable === undefined && error === undefined) await requireGrant(ctx);
  const refused = error instanceof errors.OIDCProviderError && error.expose;
  if (spendable !== undefined && refused) await spend.withoutAnswer(spendable);
  return error === undefined;
}

/**
 * A refresh token that is not replaced is not spent: its grant may have ended before the access token had its
 * place in the status list, where what ended it did not see the token.
 */
async function requireGrant({ oidc }: KoaContextWithOIDC): Promise<void> {
  const { Grant: grant } = oidc.entities;
  if (grant === undefined || (await oidc.provider.Grant.find(grant.jti)) !== undefined) return;
  throw new errors.InvalidGrant('the grant has ended');
}

/** A person gets the bare JWT unless JSON was asked for by name. */
function present(ctx: KoaContextWithOIDC): void {
  if (contextOf(ctx).authentication === undefined) return;
  ctx.set('Vary', 'Accept');
  if (wantsJson(ctx.get('accept'))) return;
  const { access_token: token } = ctx.body as { access_token: string };
  ctx.set('Content-Type', 'text/javascript');
  ctx.body = token;
}

/**
 * Failed client authentication counts against the client and the address, apart from what people do
 * there, after the secret was compared: the right secret always passes, so nobody can lock an integration out by guessing.
 */
async function throttled(
  ctx: KoaContextWithOIDC,
  throttle: Throttle,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof errors.InvalidClientAuth)) return error;
  if (contextOf(ctx).impossibleSecret) return impossibleSecret();
  const clientId = ctx.oidc.client?.clientId;
  const client: readonly ThrottleSubject[] =
    clientId === undefined ? [] : [{ kind: 'client-secret', id: clientId }];
  const admission = await throttle.admit([clientAddressSubject(ctx.ip), ...client]);
  if (admission.admitted) return error;
  return new TooManyAttempts(admission.retryAfterS, admission.first);
}

function record(
  ctx: KoaContextWithOIDC,
  audit: AuditLog,
  error: unknown,
  refusal: OAuthErrorAnswer | undefined,
): void {
  const { client } = ctx.oidc ?? {};
  const reason = error instanceof CredentialsRefused ? error.why : refusal?.body['error'];
  if (isTooMany(error) && !error.first) return;
  audit.record({
    type: refusal === undefined ? 'token.issued' : 'token.refused',
    subject: subjectOf(ctx, reason ?? '') ?? 'unknown',
    address: ctx.ip,
    ...(client === undefined ? {} : { clientId: client.clientId }),
    ...(typeof ctx.state['requestId'] === 'string' ? { requestId: ctx.state['requestId'] } : {}),
    ...(reason === undefined ? {} : { reason }),
  });
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

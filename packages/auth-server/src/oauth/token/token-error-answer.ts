import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Context } from 'koa';
import { errors } from '../../library/oidc.ts';
import { isOfLargeBody } from '../../library/reliances/unreadable-body.ts';
import { MfaRequired, TooManyAttempts, tooLarge } from './token-error.ts';

const RETRY_WHEN_UNAVAILABLE_S = 2;

export interface TokenErrorAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An error of the token endpoint in the shape of RFC 6749 §5.2, wherever it was thrown: in the
 * library, in front of it or behind it. The body has only what is meant for the caller.
 */
export function tokenErrorAnswer(thrown: unknown): TokenErrorAnswer {
  const error = translated(thrown);
  const noStore = { 'Cache-Control': 'no-store' };
  if (!(error instanceof errors.OIDCProviderError) || !error.expose) {
    const description = 'the request could not be answered; quote the X-Request-Id to its operator';
    const body = { error: 'server_error', error_description: description };
    return { status: 500, body, headers: noStore };
  }
  const scope = 'scope' in error ? (error.scope as string) : undefined;
  const body = {
    error: error.error,
    error_description: error.error_description,
    ...(scope === undefined ? {} : { scope }),
    ...(error instanceof MfaRequired ? { mfa_token: error.mfaToken } : {}),
  };
  const waits = error instanceof TooManyAttempts || error instanceof Unavailable;
  return {
    status: error.statusCode,
    body,
    headers: {
      ...noStore,
      ...(waits ? { 'Retry-After': `${error.retryAfterS}` } : {}),
      // The rest of an oversized body is not read.
      ...(error.statusCode === 413 ? { Connection: 'close' } : {}),
    },
  };
}

export function writeTokenError(ctx: Context, thrown: unknown): void {
  const { status, body, headers } = tokenErrorAnswer(thrown);
  ctx.status = status;
  ctx.body = body;
  if ('Retry-After' in headers) ctx.remove('WWW-Authenticate');
  ctx.set({ ...headers });
}

/** A store that is needed does not answer: nothing is known of the caller, and trying again helps. */
class Unavailable extends errors.OIDCProviderError {
  readonly retryAfterS = RETRY_WHEN_UNAVAILABLE_S;

  constructor(cause: unknown) {
    super(503, 'temporarily_unavailable', { cause });
    this.error_description = 'a store that is needed does not answer; try again';
    this.expose = true;
  }
}

function translated(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return new Unavailable(error);
  return isOfLargeBody(error) ? tooLarge() : error; // The library reads forms itself.
}

import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Context } from 'koa';
import { errors } from '../../library/oidc.ts';
import { MfaRequired, TooManyAttempts, tooLarge } from './token-error.ts';

const RETRY_WHEN_UNAVAILABLE_S = 2;

/**
 * Writes an error of the token endpoint in the shape of RFC 6749 §5.2, wherever it was thrown: in
 * the library, in front of it or behind it. The body has only what is meant for the caller.
 */
export function writeTokenError(ctx: Context, thrown: unknown): void {
  const error = translated(thrown);
  ctx.set('Cache-Control', 'no-store');
  if (!(error instanceof errors.OIDCProviderError) || !error.expose) {
    ctx.status = 500;
    const description = 'the request could not be answered; quote the X-Request-Id to its operator';
    ctx.body = { error: 'server_error', error_description: description };
    return;
  }
  ctx.status = error.statusCode;
  const scope = 'scope' in error ? error.scope : undefined;
  ctx.body = {
    error: error.error,
    error_description: error.error_description,
    ...(scope === undefined ? {} : { scope }),
    ...(error instanceof MfaRequired ? { mfa_token: error.mfaToken } : {}),
  };
  if (error instanceof TooManyAttempts || error instanceof Unavailable) {
    ctx.remove('WWW-Authenticate');
    ctx.set('Retry-After', `${error.retryAfterS}`);
  }
  // The rest of an oversized body is not read.
  if (ctx.status === 413) ctx.set('Connection', 'close');
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
  // The library reads forms itself; only the error’s cause shows that one was too large.
  const cause = error instanceof errors.InvalidRequest ? error.cause : undefined;
  const large = cause instanceof Error && cause.message === 'request entity too large';
  return large ? tooLarge() : error;
}

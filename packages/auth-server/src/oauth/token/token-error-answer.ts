import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Context } from 'koa';
import { errors } from '../../library/oidc.ts';
import { isOfLargeBody } from '../../library/reliances/unreadable-body.ts';
import {
  type OAuthErrorAnswer,
  oauthError,
  SERVER_ERROR,
  unavailableAnswer,
  writeOAuthError,
} from '../../web/oauth-error.ts';
import { isTooMany, MfaRequired, tooLarge } from './token-error.ts';

/**
 * An error of the token endpoint in the shape of RFC 6749 §5.2, wherever it was thrown: in the
 * library, in front of it or behind it. The body has only what is meant for the caller.
 */
export function tokenErrorAnswer(thrown: unknown): OAuthErrorAnswer {
  if (thrown instanceof DatabaseUnavailable) return unavailableAnswer(thrown);
  const error = isOfLargeBody(thrown) ? tooLarge() : thrown; // The library reads forms itself.
  if (!(error instanceof errors.OIDCProviderError) || !error.expose) return SERVER_ERROR;
  const scope = 'scope' in error ? (error.scope as string) : undefined;
  const { status, body, headers } = oauthError(
    error.statusCode,
    error.error,
    error.error_description,
  );
  return {
    status,
    body: {
      ...body,
      ...(scope === undefined ? {} : { scope }),
      ...(error instanceof MfaRequired ? { mfa_token: error.mfaToken } : {}),
    },
    headers: {
      ...headers,
      ...(isTooMany(error) ? { 'Retry-After': `${error.retryAfterS}` } : {}),
      // The rest of an oversized body is not read.
      ...(status === 413 ? { Connection: 'close' } : {}),
    },
  };
}

export function writeTokenError(ctx: Context, answer: OAuthErrorAnswer): void {
  writeOAuthError(ctx, answer);
  if ('Retry-After' in answer.headers) ctx.remove('WWW-Authenticate');
}

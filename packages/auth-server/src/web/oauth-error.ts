import { type DatabaseUnavailable, Overloaded } from '@cls/shared/sql/database';
import type { Context } from 'koa';

/** When a store may answer again, in seconds. */
export const RETRY_WHEN_UNAVAILABLE_S = 2;

/** An error to a program, in the shape of RFC 6749 §5.2. */
export interface OAuthErrorAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
}

export function oauthError(
  status: number,
  error: string,
  error_description: string | undefined,
): OAuthErrorAnswer {
  const headers = { 'Cache-Control': 'no-store' };
  return { status, body: { error, error_description }, headers };
}

/** The cause is for the log alone. */
export const SERVER_ERROR = oauthError(
  500,
  'server_error',
  'the request could not be answered; quote the X-Request-Id to its operator',
);

const unavailable = oauthError(
  503,
  'temporarily_unavailable',
  'a store that is needed does not answer; try again',
);

/** A store does not answer: nothing is known of the caller, and trying again helps. */
const UNAVAILABLE: OAuthErrorAnswer = {
  ...unavailable,
  headers: { ...unavailable.headers, 'Retry-After': `${RETRY_WHEN_UNAVAILABLE_S}` },
};

/** Too many requests are under way: this one was not looked at. */
export const OVERLOADED: OAuthErrorAnswer = {
  ...UNAVAILABLE,
  body: { ...unavailable.body, error_description: 'too many requests are under way; try again' },
};

export function unavailableAnswer(cause: DatabaseUnavailable): OAuthErrorAnswer {
  return cause instanceof Overloaded ? OVERLOADED : UNAVAILABLE;
}

export function writeOAuthError(ctx: Context, { status, body, headers }: OAuthErrorAnswer): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.body = body;
}

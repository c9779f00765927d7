import { type ErrorCode, errorOf } from './errors.ts';
import { type Fetch, type RetryPolicy, sendWithRetries } from './retries.ts';
import type { TokenSource } from './tokens.ts';

/** Refusals of a token that another token may not meet. */
const RENEW: ReadonlySet<ErrorCode> = new Set([
  'token_expired',
  'token_revoked',
  'token_untrusted',
  'token_invalid',
]);
const NOT_MODIFIED = 304;

/**
 * Sends requests with a token and retries; a token that is refused is renewed once.
 *
 * @throws {ClsError} for every answer that is an error.
 */
export function authorizedFetch(fetch: Fetch, tokens: TokenSource, policy: RetryPolicy): Fetch {
  return async (asked) => {
    const { signal } = asked;
    const streams = asked.headers.get('accept') !== 'application/json';
    const send = (token: string) => {
      const attempt = () => {
        // A body is read once, and an attempt may be followed by another.
        const request = new Request(asked.clone());
        request.headers.set('authorization', `Bearer ${token}`);
        return request;
      };
      return sendWithRetries(fetch, attempt, policy, { signal, streams });
    };
    const token = await tokens.token(signal);
    let answer = await send(token);
    if (isGood(answer)) return answer;
    const error = await errorOf(answer);
    if (!RENEW.has(error.code)) throw error;
    answer = await send(await tokens.renewed(token, signal));
    if (isGood(answer)) return answer;
    throw await errorOf(answer);
  };
}

function isGood({ ok, status }: Response): boolean {
  return ok || status === NOT_MODIFIED;
}

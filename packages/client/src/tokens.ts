import { ClsError, errorOf } from './errors.ts';
import { type Fetch, orAborted, type RetryPolicy, sendWithRetries } from './retries.ts';

export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scopes with spaces between; without it, all that were granted for the API. */
  readonly scope?: string | undefined;
}

export interface TokenSource {
  /** A token that is valid for a while. */
  token(signal?: AbortSignal): Promise<string>;
  /** Another token than `refused`, which the API did not accept. */
  renewed(refused: string, signal?: AbortSignal): Promise<string>;
}

interface Token {
  readonly value: string;
  renewAt: number;
  readonly expiresAt: number;
}

/** A token is renewed this long before it expires, or after nine tenths of a shorter life. */
const RENEW_BEFORE_MS = 300_000;
/** How long after a renewal in advance that failed the next one is tried. */
const RENEW_AGAIN_MS = 10_000;

/**
 * Tokens of one service account. Callers that need a new one at the same time wait for the same
 * request; a caller that gives up does not end it for the others.
 */
export function tokenSource(
  credentials: ClientCredentials,
  fetch: Fetch,
  policy: RetryPolicy,
  now: () => number = Date.now,
): TokenSource {
  let current: Token | undefined;
  let underWay: Promise<Token> | undefined;

  const renew = (): Promise<Token> => {
    underWay ??= requestToken(credentials, fetch, policy, now)
      .then((token) => {
        current = token;
        return token;
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };

  return {
    async token(signal) {
      const known = current;
      if (known === undefined || now() >= known.expiresAt) {
        return (await orAborted(renew(), signal)).value;
      }
      // The old token is good until it expires: nobody waits for the new one.
      if (now() >= known.renewAt) {
        renew().catch(() => {
          known.renewAt = now() + RENEW_AGAIN_MS;
        });
      }
      return known.value;
    },
    async renewed(refused, signal) {
      if (current !== undefined && current.value !== refused) return current.value;
      return (await orAborted(renew(), signal)).value;
    },
  };
}

async function requestToken(
  { tokenUrl, clientId, clientSecret, scope }: ClientCredentials,
  fetch: Fetch,
  policy: RetryPolicy,
  now: () => number,
): Promise<Token> {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== undefined) body.set('scope', scope);
  // RFC 6749 §2.3.1: both are form-encoded before they are joined.
  const basic = btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  const request = () =>
    new Request(tokenUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, accept: 'application/json' },
      body,
      redirect: 'error',
    });
  const askedAt = now();
  // A token that was made for a request whose answer is lost harms nobody, so POST is repeated.
  const answer = await sendWithRetries(fetch, request, policy);
  if (!answer.ok) throw await errorOf(answer);
  const { access_token: value, expires_in: seconds } = await tokenIn(answer);
  if (typeof value !== 'string' || typeof seconds !== 'number') {
    throw new ClsError('unexpected_answer', `${new URL(tokenUrl).origin} answered with no token`);
  }
  const lifeMs = seconds * 1000;
  return {
    value,
    renewAt: askedAt + lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs / 10),
    expiresAt: askedAt + lifeMs,
  };
}

async function tokenIn(
  answer: Response,
): Promise<{ access_token?: unknown; expires_in?: unknown }> {
  try {
    return Object(await answer.json());
  } catch {
    return {};
  }
}

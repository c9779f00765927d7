import { digest, newIdentifier, type Sealer } from '../crypto/seal.ts';
import type { AskedSignIn, Issuer, SignInKeys } from '../issuer/issuer.ts';
import type { SessionStore } from '../sessions/session-store.ts';

const SIGN_IN_TTL_S = 900;

/** A sign-in between its beginning and the issuer's answer. */
export interface SignInUnderWay extends SignInKeys {
  /** Where the person goes afterwards: a path of this site. */
  readonly returnTo: string;
  /** Digest of the browser's name. */
  readonly browser: string;
  /** No page was asked for: the answer may be `login_required`. */
  readonly silent: boolean;
}

export interface SignInDeps {
  readonly issuer: Issuer;
  readonly store: Pick<SessionStore, 'keepOnce' | 'look' | 'take'>;
  readonly sealer: Sealer;
}

/** @returns where the browser goes. @throws {IssuerUnavailable | SignInRefused} */
export async function beginSignIn(
  { issuer, store, sealer }: SignInDeps,
  { browser, returnTo, ...asked }: { browser: string; returnTo: string } & AskedSignIn,
): Promise<URL> {
  const keys = issuer.newKeys();
  const url = await issuer.authorizationUrl(keys, asked);
  const key = digest(keys.state);
  const { silent } = asked;
  const underWay: SignInUnderWay = { ...keys, returnTo, browser: digest(browser), silent };
  const sealed = sealer.seal(JSON.stringify(underWay), contextOf(key));
  await store.keepOnce({ kind: 'sign-in', key, sealed, ttlS: SIGN_IN_TTL_S });
  return url;
}

/**
 * The sign-in that an answer belongs to, in the browser alone that began it. It stays until
 * `endSignIn`. A browser that gets 503 because a store does not answer can send the answer again, and a
 * proxy can send it to another replica.
 */
export async function signInUnderWay(
  { store, sealer }: Pick<SignInDeps, 'store' | 'sealer'>,
  state: string,
  browser: string,
): Promise<SignInUnderWay | undefined> {
  const key = digest(state);
  const sealed = await store.look('sign-in', key);
  const text = sealed === undefined ? undefined : sealer.open(sealed, contextOf(key));
  if (text === undefined) return undefined;
  const underWay = JSON.parse(text) as SignInUnderWay;
  return underWay.browser === digest(browser) ? underWay : undefined;
}

/** Its answer has led to an end, good or bad: another answer to it is none. */
export async function endSignIn(
  { store }: Pick<SignInDeps, 'store'>,
  state: string,
): Promise<void> {
  await store.take('sign-in', digest(state));
}

/** A browser's name, when it has none yet. */
export const newBrowser = newIdentifier;

function contextOf(key: string): string {
  return `sign-in:${key}`;
}

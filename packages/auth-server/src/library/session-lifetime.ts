import type { Context } from 'koa';
import type { KoaContextWithOIDC, Provider, Session } from 'oidc-provider';

export interface SessionLifetimeSettings {
  readonly sessionIdleS: number;
  readonly sessionAbsoluteS: number;
  readonly rememberDeviceS: number;
}

type Lived = Pick<Session, 'transient' | 'loginTs' | 'past'>;

/** Whether the sign-in is too old, however often the session was used. */
export function isTooOld(settings: SessionLifetimeSettings, session: Lived): boolean {
  return session.past(absoluteS(settings, session));
}

/**
 * How long the session lives from now on, in seconds: until it is not used any more; in a browser
 * that is remembered, until its time is over.
 */
export function sessionTtlS(settings: SessionLifetimeSettings, session: Lived): number {
  if (session.transient === true || session.loginTs === undefined) return settings.sessionIdleS;
  const ageS = Math.floor(Date.now() / 1000) - session.loginTs;
  // What was positive a moment ago may be over now, and the library takes no zero.
  return Math.max(1, absoluteS(settings, session) - ageS);
}

/** The session of the request is no lasting one any more. */
export async function endSessionWithBrowser(
  provider: Provider,
  ctx: Context,
  settings: SessionLifetimeSettings,
): Promise<void> {
  const session = await provider.Session.get(ctx as KoaContextWithOIDC);
  if (session.accountId === undefined) return;
  endWithBrowser(session);
  await session.save(settings.sessionIdleS);
}

/** From now on the session ends with the browser. */
export function endWithBrowser(session: Session): void {
  Object.assign(session, { transient: true });
}

type Login = Parameters<Session['loginAccount']>[0];

/**
 * Lets a sign-in that is to be remembered make a lasting session of one that ends with the browser.
 * The library can only do the reverse: once a session is `transient`, it stays so.
 */
export function rememberLaterSignIns({ Session: Sessions }: Provider): void {
  const { loginAccount } = Sessions.prototype;
  Sessions.prototype.loginAccount = function login(this: Session, details: Login) {
    loginAccount.call(this, details);
    if (details.transient === false) Object.assign(this, { transient: undefined });
  };
}

/** The longest that any session lives. */
export function longestSessionS(settings: SessionLifetimeSettings): number {
  return Math.max(settings.sessionAbsoluteS, settings.rememberDeviceS);
}

function absoluteS(settings: SessionLifetimeSettings, { transient }: Lived): number {
  return transient === true ? settings.sessionAbsoluteS : longestSessionS(settings);
}

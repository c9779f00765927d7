import type { Provider, Session } from 'oidc-provider';

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

/** From now on the session ends with the browser. */
export function endWithBrowser(session: Session): void {
  Object.assign(session, { transient: true });
}

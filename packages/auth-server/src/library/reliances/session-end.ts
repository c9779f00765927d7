import type { Provider, Session } from 'oidc-provider';

/**
 * Does `work` before the library destroys a session. It does so for a sign-out in the browser, through
 * the method that is replaced here. When `work` fails, the session stays: the person is still signed
 * in and can sign out again.
 */
export function beforeSessionEnds(
  { Session: Sessions }: Provider,
  work: (session: Session) => Promise<void>,
): void {
  const { destroy } = Sessions.prototype;
  Sessions.prototype.destroy = async function end(this: Session) {
    await work(this);
    await destroy.call(this);
  };
}

/** Whether this very request ended the session. The library's types leave `destroyed` out. */
export function isDestroyed(session: Session): boolean {
  return (session as { readonly destroyed?: boolean }).destroyed === true;
}

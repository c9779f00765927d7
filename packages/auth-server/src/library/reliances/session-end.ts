import type { Session } from 'oidc-provider';

/** Whether this very request ended it. The library's types leave it out. */
export function isDestroyed(session: Session): boolean {
  return (session as { readonly destroyed?: boolean }).destroyed === true;
}

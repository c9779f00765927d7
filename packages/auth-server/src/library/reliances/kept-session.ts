import type { Session } from 'oidc-provider';

/** Whether the session was stored before this request. The library's types say that it always was. */
export function isKept({ exp }: Partial<Session>): boolean {
  return exp !== undefined;
}

/**
 * Lets the library forget a session that it has just begun for a form. It puts the form's secret into
 * the session when it shows the form again after an error, at a time when it saves sessions that
 * exist already and fails on one that does not: the browser sent no cookie.
 */
export function forgetUnkept(session: Session): void {
  if (!isKept(session)) Object.assign(session, { touched: false });
}

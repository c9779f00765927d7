import type { Session } from 'oidc-provider';

/** What the library keeps in a session between a form and its answer. */
interface FormState {
  readonly secret?: string;
}

/**
 * The secret that the library's own forms (sign-out, code of a second device) must send back as
 * `xsrf`; undefined while no such form was begun.
 */
export function formSecretOf(session: Session | undefined): string | undefined {
  return (session?.state as FormState | undefined)?.secret;
}

import { errors } from 'oidc-provider';

/** How the library says that a body is too large, or no form. */
const UNREADABLE = /^failed to parse the request body|content-type bodies are supported/;
/** The cause of such an error, which alone shows that the body was too large. */
const TOO_LARGE = 'request entity too large';

/** Whether an error's description says that the body of the request is too large or no form. */
export function isOfUnreadableBody(description = ''): boolean {
  return UNREADABLE.test(description);
}

/** Whether the library refused the body of the request because of its size. */
export function isOfLargeBody(error: unknown): boolean {
  const cause = error instanceof errors.InvalidRequest ? error.cause : undefined;
  return cause instanceof Error && cause.message === TOO_LARGE;
}

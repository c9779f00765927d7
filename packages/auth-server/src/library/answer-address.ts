import { errors, type KoaContextWithOIDC } from 'oidc-provider';

/**
 * Bytes that the address of an answer may have, without the code. The answer's head must pass every
 * proxy: that of `npm start` and of deploy/nginx.conf takes 32 KiB, and many take 16 KiB or 8 KiB.
 */
const ADDRESS_MAX_BYTES = 8_000;

/** What an application sends and gets back in the address of the answer. */
export interface AnswerParameters {
  readonly target: unknown;
  readonly state: unknown;
}

/** @returns what is wrong with an answer that could not be delivered: a code in it would be lost. */
export function answerAddressFault({ target, state }: AnswerParameters): string | undefined {
  if (encodedLength(target) + encodedLength(state) <= ADDRESS_MAX_BYTES) return undefined;
  return `the redirect URI and state must not be longer than ${ADDRESS_MAX_BYTES} bytes together, percent-encoded`;
}

/** A check of `state`, for requests that were pushed too (RFC 9126). @throws {errors.InvalidRequest} */
export function refuseLongAnswer({ oidc }: KoaContextWithOIDC): void {
  const { redirect_uri: target, state } = oidc.params ?? {};
  const fault = answerAddressFault({ target, state });
  if (fault !== undefined) throw new errors.InvalidRequest(fault);
}

/** The longest form that any encoder of query strings gives a text. */
function encodedLength(value: unknown): number {
  if (typeof value !== 'string') return 0;
  return new URLSearchParams([['', value]]).toString().slice(1).replaceAll('+', '%20').length;
}

import { missingToken, tokenInvalid } from './token-refusals.ts';

const CREDENTIALS = /^bearer +(\S+)$/i;

/**
 * The token of an `Authorization: Bearer` header (RFC 6750 §2.1). The other two methods of that
 * RFC, form body and query, leak tokens into logs and are not read.
 *
 * @throws {Refusal} `missing_token` without a header, with another scheme or with nothing after the
 *   scheme, `token_invalid` when what follows it cannot be a token.
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !/^bearer +\S/i.test(authorization)) throw missingToken();
  const token = CREDENTIALS.exec(authorization)?.[1];
  if (token === undefined) throw tokenInvalid();
  return token;
}

/**
 * The one `Authorization` header of a request's `rawHeaders`: of two Node keeps the first, and a
 * proxy in front may have read the other.
 *
 * @throws {Refusal} `token_invalid` when there are several.
 */
export function authorizationOf(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (found !== undefined) throw tokenInvalid();
    found = rawHeaders[i + 1];
  }
  return found;
}

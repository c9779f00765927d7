import type { IncomingMessage } from 'node:http';
import { type Clock, epochSeconds } from '../clock.ts';
import { clientCertificate, thumbprintOf } from './client-certificate.ts';
import { checkProof, PROOF_AGE_MAX_S } from './dpop-proof.ts';
import {
  certificateNotProven,
  missingToken,
  proofInvalid,
  tokenInvalid,
  tokenNotBound,
} from './token-refusals.ts';
import type { UsedProofs } from './used-proofs.ts';
import type { VerifiedToken, VerifyToken } from './verify-token.ts';

export interface AuthenticateDeps {
  readonly verify: VerifyToken;
  readonly usedProofs: UsedProofs;
  /** Where callers reach the service, each without a slash at its end. */
  readonly baseUrls: readonly string[];
  /** Whether the proxy in front says which certificate a caller has. */
  readonly trustsCertificates: boolean;
  readonly clock: Clock;
  readonly clockToleranceS: number;
}

type AuthenticatedRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method' | 'url'>;

/** @throws {Refusal} see docs/reference/tokens.md for the codes. */
export type Authenticate = (request: AuthenticatedRequest) => Promise<VerifiedToken>;

/**
 * The verified token of a request, which also proves what the token is bound to: a key (RFC 9449) or
 * a certificate (RFC 8705). The token alone opens nothing then.
 */
export function authenticator(deps: AuthenticateDeps): Authenticate {
  return async (request) => {
    const { scheme, token } = credentialsOf(authorizationOf(request.rawHeaders));
    const verified = await deps.verify(token);
    const { jkt, x5t } = verified.binding;
    if (x5t !== undefined) requireCertificate(deps, request, x5t);
    if (jkt === undefined && scheme === 'DPoP') throw tokenNotBound();
    if (jkt !== undefined && scheme !== 'DPoP') throw proofInvalid('the scheme is not DPoP');
    if (jkt !== undefined) {
      const id = await requireProof(deps, request, token, jkt);
      // Clocks are read in whole seconds.
      const ttlS = PROOF_AGE_MAX_S + 2 * deps.clockToleranceS + 1;
      const isNew = await deps.usedProofs.use(id, ttlS, verified.caller.customer);
      if (!isNew) throw proofInvalid('it was used before');
    }
    return verified;
  };
}

function requireCertificate(
  { trustsCertificates }: AuthenticateDeps,
  request: AuthenticatedRequest,
  x5t: string,
): void {
  const certificate = clientCertificate(request, trustsCertificates);
  if (certificate === undefined || thumbprintOf(certificate) !== x5t) throw certificateNotProven();
}

/** @returns what names the proof. */
function requireProof(
  { baseUrls, clock, clockToleranceS }: AuthenticateDeps,
  { headers, method = '', url = '' }: AuthenticatedRequest,
  token: string,
  jkt: string,
): Promise<string> {
  const [path = ''] = url.split('?', 1);
  const urls = baseUrls.flatMap((base) => hrefOf(base + path));
  const proof = headers['dpop'] as string | undefined;
  const asked = { token, jkt, method, urls };
  return checkProof(proof, asked, epochSeconds(clock), clockToleranceS);
}

function hrefOf(text: string): readonly string[] {
  return URL.canParse(text) ? [new URL(text).href] : [];
}

const CREDENTIALS = /^(bearer|dpop) +(\S+)$/i;

interface Credentials {
  readonly scheme: 'Bearer' | 'DPoP';
  readonly token: string;
}

/**
 * The token of an `Authorization` header, as `Bearer` (RFC 6750 §2.1) or `DPoP` (RFC 9449 §7.1). The
 * other two methods of RFC 6750, form body and query, leak tokens into logs and are not read.
 *
 * @throws {Refusal} `missing_token` without a header, with another scheme or with nothing after the
 *   scheme, `token_invalid` when what follows it cannot be a token.
 */
function credentialsOf(authorization: string | undefined): Credentials {
  if (authorization === undefined || !/^(bearer|dpop) +\S/i.test(authorization)) {
    throw missingToken();
  }
  const [, scheme = '', token] = CREDENTIALS.exec(authorization) ?? [];
  if (token === undefined) throw tokenInvalid();
  return { scheme: /dpop/i.test(scheme) ? 'DPoP' : 'Bearer', token };
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

/**
 * Validation of access tokens: RFC 9068 §4 under the strict profile of RFC 8725. Whatever is not
 * exactly what our issuer writes is refused, before anything in it is used.
 */

import { type CryptoKey, compactVerify } from 'jose';
import {
  ACCESS_TOKEN_ALG,
  ACCESS_TOKEN_TTL_MAX_S,
  CUSTOMER_ID,
  permissionOf,
} from '../access-token.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import { parseStrictObject } from '../strict-json.ts';
import type { Caller } from './caller.ts';
import { STATUS_LIST_LENGTH, type StatusReference, statusListNumber } from './status-list.ts';
import {
  keysUnavailable,
  type TokenFault,
  tokenExpired,
  tokenInvalid,
  tokenNotYetValid,
  tokenUntrusted,
} from './token-refusals.ts';
import { KeysUnavailable, type VerificationKeys } from './verification-keys.ts';

/** The issuer and audience whose tokens are accepted. */
export interface TokenProfile {
  readonly issuer: string;
  readonly audience: string;
  readonly scopeBase: string;
  /** Seconds by which `exp` may be past, and `iat` and `nbf` ahead, for clocks that differ. */
  readonly clockToleranceS: number;
}

/**
 * Called for each token of the issuer that is dated further ahead than the tolerance: the clock of
 * one of the two machines is wrong, and only its operator can mend that.
 */
export type OnTokenAhead = (aheadS: number) => void;

/** What a caller must prove beside the token (RFC 7800 §3); nothing where it is empty. */
export interface TokenBinding {
  /** The thumbprint of a key (RFC 9449 §6.1). */
  readonly jkt?: string;
  /** The thumbprint of a certificate (RFC 8705 §3.1). */
  readonly x5t?: string;
}

/** The content of an accepted token. */
export interface VerifiedToken {
  readonly caller: Caller;
  /** Where the issuer says whether it is revoked; undefined in tokens from before 0.6.0. */
  readonly status: StatusReference | undefined;
  readonly binding: TokenBinding;
  /** Key that signed it, and when it ends in seconds since the epoch. */
  readonly kid: string;
  readonly expiresAtS: number;
}

/** @param token the compact JWT. @throws {Refusal} see docs/reference/tokens.md for the codes. */
export type VerifyToken = (token: string) => Promise<VerifiedToken>;

const TOKEN_MAX_CHARS = 8_192;
const SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const TYPES = ['at+jwt', 'application/at+jwt'];
/** Header parameters that would bring a key along or change how the token is read. */
const FORBIDDEN_HEADERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc', 'cty', 'p2c'];
const KID_MAX_CHARS = 64;
const CLAIM_MAX_CHARS = 256;
const SCOPE_MAX_CHARS = 2_048;
/** Ids of people and of service accounts never overlap (RFC 9700 §4.15). */
const SUBJECT = { account: /^acc_[0-9A-Z]{26}$/, service_account: /^svc_[0-9A-Z]{26}$/ } as const;

/** Verifies access tokens of one issuer and audience (RFC 9068 §4). */
export function tokenVerifier(
  keys: VerificationKeys,
  profile: TokenProfile,
  clock: Clock,
  onTokenAhead: OnTokenAhead = () => undefined,
): VerifyToken {
  return async (token) => {
    const { header, payload } = decode(token);
    const kid = checkHeader(header);
    // A token that names another issuer is refused before any key is looked up.
    const { issuer } = profile;
    if (payload['iss'] !== issuer) throw tokenUntrusted(fault('iss', issuer, payload['iss']));
    const key = await findKey(keys, kid);
    if (key === undefined) throw tokenUntrusted(fault('kid', 'a key of the issuer', kid));
    await checkSignature(token, key);
    const nowS = epochSeconds(clock);
    const aheadS = secondsAhead(payload, nowS);
    const verified = readClaims(payload, profile, nowS);
    if (aheadS > profile.clockToleranceS) {
      onTokenAhead(aheadS);
      throw tokenNotYetValid(aheadS, profile.clockToleranceS);
    }
    return { ...verified, kid };
  };
}

type Members = Readonly<Record<string, unknown>>;

function fault(check: string, expected: string, found: unknown): { readonly cause: TokenFault } {
  return { cause: { check, expected, found: JSON.stringify(found) ?? 'nothing' } };
}

function decode(token: string): { header: Members; payload: Members } {
  if (token.length > TOKEN_MAX_CHARS || !SHAPE.test(token)) {
    const expected = `three parts of base64url with points between, at most ${TOKEN_MAX_CHARS} characters`;
    throw tokenInvalid(fault('shape', expected, `${token.length} characters`));
  }
  const parts = token.split('.').map((part) => {
    const bytes = Buffer.from(part, 'base64url');
    // Several texts decode to the same bytes; one of them is the token (RFC 8725bis §3.13).
    if (bytes.toString('base64url') !== part) {
      throw tokenInvalid(
        fault('shape', 'the token as it was issued', 'characters that were changed, added or cut'),
      );
    }
    return bytes;
  });
  const header = parseStrictObject(parts[0] ?? new Uint8Array());
  const payload = parseStrictObject(parts[1] ?? new Uint8Array());
  if (header === undefined || payload === undefined) {
    const expected = 'a header and claims that are JSON objects without a name twice';
    throw tokenInvalid(fault('shape', expected, 'something else'));
  }
  return { header, payload };
}

function checkHeader(header: Members): string {
  const { alg, typ, kid } = header as { alg?: unknown; typ?: unknown; kid?: unknown };
  const rightType = typeof typ === 'string' && TYPES.includes(typ.toLowerCase());
  if (alg !== ACCESS_TOKEN_ALG) throw tokenInvalid(fault('alg', ACCESS_TOKEN_ALG, alg));
  if (!rightType) throw tokenInvalid(fault('typ', 'at+jwt: an access token', typ));
  const forbidden = FORBIDDEN_HEADERS.find((name) => Object.hasOwn(header, name));
  if (forbidden !== undefined) {
    throw tokenInvalid(fault('header', `no parameter ${forbidden}`, header[forbidden]));
  }
  if (typeof kid !== 'string' || kid === '' || kid.length > KID_MAX_CHARS) {
    throw tokenInvalid(fault('kid', `the name of a key, at most ${KID_MAX_CHARS} characters`, kid));
  }
  return kid;
}

async function findKey(keys: VerificationKeys, kid: string) {
  try {
    return await keys.find(kid);
  } catch (error) {
    throw error instanceof KeysUnavailable ? keysUnavailable() : error;
  }
}

async function checkSignature(token: string, key: CryptoKey): Promise<void> {
  try {
    await compactVerify(token, key, { algorithms: [ACCESS_TOKEN_ALG] });
  } catch (cause) {
    throw tokenInvalid(fault('signature', 'one that its key made', String(cause)));
  }
}

function readClaims(
  payload: Members,
  profile: TokenProfile,
  nowS: number,
): Omit<VerifiedToken, 'kid'> {
  const { aud } = payload as { aud?: unknown };
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (audiences.length !== 1 || audiences[0] !== profile.audience) {
    throw tokenUntrusted(fault('aud', profile.audience, aud));
  }

  const iat = instant(payload, 'iat');
  const exp = instant(payload, 'exp');
  if (exp <= iat || exp - iat > ACCESS_TOKEN_TTL_MAX_S) {
    const expected = `later than iat, by at most ${ACCESS_TOKEN_TTL_MAX_S} seconds`;
    throw tokenInvalid(fault('exp', expected, exp - iat));
  }
  const caller = readCaller(payload, profile);
  if (nowS >= exp + profile.clockToleranceS) {
    throw tokenExpired(fault('exp', `a time after ${nowS - profile.clockToleranceS}`, exp));
  }
  const status = statusOf(payload, profile.issuer);
  const binding = readBinding(payload);
  return { caller, status, binding, expiresAtS: exp + profile.clockToleranceS };
}

/** A token that says that it can be revoked must say where, in a list of the issuer. */
function statusOf(payload: Members, issuer: string): StatusReference | undefined {
  if (!Object.hasOwn(payload, 'status')) return undefined;
  const claim = payload['status'] as { status_list?: Partial<StatusReference> } | null;
  const { idx, uri } = claim?.status_list ?? {};
  const isIndex = Number.isSafeInteger(idx) && Number(idx) >= 0 && Number(idx) < STATUS_LIST_LENGTH;
  if (!isIndex || typeof uri !== 'string' || statusListNumber(issuer, uri) === undefined) {
    throw tokenInvalid(fault('status', 'an index in a status list of the issuer', claim));
  }
  return { idx: Number(idx), uri };
}

const BINDINGS = { jkt: 'jkt', 'x5t#S256': 'x5t' } as const;
const THUMBPRINT = /^[\w-]{43}$/;

/** A binding that nothing here can check would make the token worth more than its issuer meant. */
function readBinding(payload: Members): TokenBinding {
  if (!Object.hasOwn(payload, 'cnf')) return {};
  const { cnf } = payload;
  const members = Object.entries(cnf ?? {});
  const known = members.filter(
    ([name, value]) =>
      Object.hasOwn(BINDINGS, name) && typeof value === 'string' && THUMBPRINT.test(value),
  );
  if (typeof cnf !== 'object' || members.length === 0 || known.length < members.length) {
    const expected = `SHA-256 in base64url as ${Object.keys(BINDINGS).join(' or ')}`;
    throw tokenInvalid(fault('cnf', expected, cnf));
  }
  return Object.fromEntries(
    known.map(([name, value]) => [BINDINGS[name as keyof typeof BINDINGS], value]),
  );
}

/** How far the token's own dates lie ahead of this machine's clock; negative when they are past. */
function secondsAhead(payload: Members, nowS: number): number {
  const iat = instant(payload, 'iat');
  const nbf = Object.hasOwn(payload, 'nbf') ? instant(payload, 'nbf') : iat;
  return Math.max(iat, nbf) - nowS;
}

function readCaller(payload: Members, { scopeBase }: TokenProfile): Caller {
  text(payload, 'jti');
  const accountType = text(payload, 'account_type');
  if (accountType !== 'account' && accountType !== 'service_account') {
    throw tokenInvalid(fault('account_type', 'account or service_account', accountType));
  }
  const subject = text(payload, 'sub');
  const customer = text(payload, 'customer');
  if (!SUBJECT[accountType].test(subject)) {
    throw tokenInvalid(fault('sub', `the id of ${accountType}`, subject));
  }
  if (!CUSTOMER_ID.test(customer)) {
    throw tokenInvalid(fault('customer', 'the id of a customer', customer));
  }
  const scopes = text(payload, 'scope', SCOPE_MAX_CHARS).split(' ');
  const permissions = scopes.flatMap((scope) => permissionOf(scopeBase, scope) ?? []);
  return {
    subject,
    clientId: text(payload, 'client_id'),
    accountType,
    customer,
    permissions: new Set(permissions),
  };
}

/** A NumericDate in whole seconds. */
function instant(payload: Members, name: string): number {
  const value = payload[name];
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw tokenInvalid(fault(name, 'whole seconds since 1970', value));
  }
  return value as number;
}

function text(payload: Members, name: string, maxChars = CLAIM_MAX_CHARS): string {
  const value = payload[name];
  if (typeof value !== 'string' || value === '' || value.length > maxChars) {
    throw tokenInvalid(fault(name, `a text of at most ${maxChars} characters`, value));
  }
  return value;
}

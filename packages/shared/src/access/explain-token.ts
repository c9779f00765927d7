/** Why an API would refuse a token: for those who hold it, never for those who send it. */

import { type Permission, scopeOf } from '../access-token.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import { Refusal } from '../http/refusal.ts';
import { parseStrictObject } from '../strict-json.ts';
import { requirePermission } from './require-permission.ts';
import type { StatusReference } from './status-list.ts';
import type { TokenFault } from './token-refusals.ts';
import type { VerificationKeys } from './verification-keys.ts';
import { type TokenBinding, type TokenProfile, tokenVerifier } from './verify-token.ts';

/** What a token says; undefined where it cannot be read. The signature is left out. */
export interface ReadableToken {
  readonly header: Readonly<Record<string, unknown>> | undefined;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
}

export interface TokenExplanation extends ReadableToken {
  readonly accepted: boolean;
  /** What the API would answer. */
  readonly status: number;
  readonly code: string;
  /** The reason in a sentence. */
  readonly why: string;
  /** The check that fails, with what it expects and found. */
  readonly fault: TokenFault | undefined;
}

export interface ExplainDeps {
  readonly keys: VerificationKeys;
  readonly profile: TokenProfile;
  /** Any of them opens what is asked. */
  readonly permissions: readonly Permission[];
  readonly clock: Clock;
  /** @throws {Refusal} for a token that was revoked; its cause may say when and why. */
  readonly assertGood: (token: StatusReference | undefined) => Promise<void>;
}

/** Verifies the token as the API does, and says in words what it fails first. */
export async function explainToken(token: string, deps: ExplainDeps): Promise<TokenExplanation> {
  const { keys, profile, permissions, clock } = deps;
  const read = readToken(token);
  try {
    const verified = await tokenVerifier(keys, profile, clock)(token);
    const { caller, binding, expiresAtS } = verified;
    await deps.assertGood(verified.status);
    requirePermission(caller, permissions, profile.scopeBase);
    const left = expiresAtS - profile.clockToleranceS - epochSeconds(clock);
    const ends = left > 0 ? `it ends in ${duration(left)}` : 'it has ended, within the tolerance';
    const why = `The API takes this token${conditionOf(binding)}; ${ends}.`;
    return { ...read, accepted: true, status: 200, code: 'accepted', why, fault: undefined };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, detail } = error.details;
    const fault = error.cause as TokenFault | undefined;
    const missing = code === 'insufficient_permission';
    const why = missing ? missingScope(read, deps) : fault && whyOf(fault, read, deps);
    return { ...read, accepted: false, status, code, why: why ?? detail, fault };
  }
}

function conditionOf({ jkt, x5t }: TokenBinding): string {
  const conditions = [
    ...(jkt === undefined ? [] : [`a DPoP proof of the key ${jkt}`]),
    ...(x5t === undefined ? [] : [`the client certificate ${x5t}`]),
  ];
  return conditions.length === 0 ? '' : ` with ${conditions.join(' and ')} alone`;
}

/** The parts that can be read. Anybody may have made them. */
export function readToken(token: string): ReadableToken {
  const [header, claims] = token
    .split('.', 2)
    .map((part) => parseStrictObject(Buffer.from(part, 'base64url')));
  return { header, claims };
}

function missingScope({ claims }: ReadableToken, { profile, permissions }: ExplainDeps): string {
  const needed = permissions.map((permission) => scopeOf(profile.scopeBase, permission));
  return `Its scope is “${claims?.['scope']}”; this needs one of: ${needed.join(' ')}.`;
}

function whyOf(
  { check, expected, found }: TokenFault,
  { claims }: ReadableToken,
  { clock }: ExplainDeps,
): string {
  const exp = claims?.['exp'];
  if (check === 'exp' && expected.startsWith('a time') && typeof exp === 'number') {
    const ago = duration(epochSeconds(clock) - exp);
    return `It expired ${ago} ago, at ${instant(exp)}. Get a new one from the token endpoint.`;
  }
  return `${TITLES[check] ?? `The claim ${check} is wrong`}: expected ${expected}; found ${found}.`;
}

const TITLES: Readonly<Record<string, string>> = {
  shape: 'It is no token, or not a whole one',
  alg: 'Its header names another algorithm',
  typ: 'It is not an access token',
  header: 'Its header has a parameter that the API refuses',
  kid: 'It was signed with a key that the issuer does not publish: removed, or never its own',
  signature: 'Its signature is wrong: the token was changed, or cut',
  iss: 'Another issuer made it',
  aud: 'It is for another API',
  revoked: 'It is revoked',
  cnf: 'It is bound to something that the API cannot check',
};

function instant(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `2 days`, `3 hours`, `1 minute`. */
function duration(seconds: number): string {
  const [name, size] = UNITS.find(([, size]) => seconds >= size) ?? UNITS[3];
  const count = Math.floor(seconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

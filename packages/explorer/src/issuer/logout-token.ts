import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { IssuerUnavailable } from '../sessions/session.ts';
import type { Issuer } from './issuer.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** The oldest that is taken, in seconds: its `jti` is remembered for longer. */
export const LOGOUT_TOKEN_AGE_S = 120;

/** The token is not one of this issuer for this application, or it is too old. */
export class LogoutTokenRefused extends Error {
  override readonly name = 'LogoutTokenRefused';
}

export interface LogoutClaims {
  readonly sid: string;
  readonly jti: string;
}

export interface LogoutTokenSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clockToleranceS: number;
}

/**
 * Validates logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.6). A token without `sid`
 * is refused: this application registers for sessions.
 *
 * @throws {LogoutTokenRefused | IssuerUnavailable} from what it returns.
 */
export function logoutTokens(
  settings: LogoutTokenSettings,
  issuer: Pick<Issuer, 'jwksUrl'>,
): (token: string) => Promise<LogoutClaims> {
  let keys: JWTVerifyGetKey | undefined;
  return async (token) => {
    keys ??= createRemoteJWKSet(await issuer.jwksUrl());
    const { payload } = await jwtVerify(token, keys, {
      issuer: settings.issuer,
      audience: settings.clientId,
      algorithms: ['RS256'],
      typ: 'logout+jwt',
      clockTolerance: settings.clockToleranceS,
      maxTokenAge: LOGOUT_TOKEN_AGE_S,
      requiredClaims: ['iat', 'jti', 'sid', 'events'],
    }).catch((error: unknown) => {
      throw refusalOf(error);
    });
    const { sid, jti, events, nonce } = payload;
    const isLogout = typeof events === 'object' && events !== null && EVENT in events;
    if (!isNamed(sid) || !isNamed(jti) || !isLogout || nonce !== undefined) {
      throw new LogoutTokenRefused('the claims are not those of a logout token');
    }
    return { sid, jti };
  };
}

/** An empty one would name every session that has none, or every token. */
function isNamed(claim: unknown): claim is string {
  return typeof claim === 'string' && claim !== '';
}

/** What says that there is no key set, as a proxy's 502 does, and nothing of the token. */
const NO_KEYS = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'];

function refusalOf(error: unknown): Error {
  if (!(error instanceof errors.JOSEError) || NO_KEYS.includes(error.code)) {
    return new IssuerUnavailable('the issuer’s keys cannot be read');
  }
  return new LogoutTokenRefused(error.code);
}

import { errors } from 'oidc-provider';

export interface RefreshLifetimeSettings {
  readonly refreshTokenTtlS: number;
  readonly refreshAbsoluteS: number;
}

/** What a code, or a refresh token, knows of the sign-in that it came of. */
interface OfASignIn {
  /** Seconds since the epoch. */
  readonly authTime?: number | undefined;
}

/**
 * Seconds that a refresh token given out now lives: until it was not used for a time, and in no case
 * beyond the absolute life of its sign-in (RFC 9700 §4.14.2). Not positive: it must not be given out.
 */
export function refreshTokenTtlS(
  { refreshTokenTtlS, refreshAbsoluteS }: RefreshLifetimeSettings,
  { authTime }: OfASignIn,
): number {
  if (authTime === undefined) return 0; // Every sign-in has a time; without one nothing ends it.
  const nowS = Math.floor(Date.now() / 1_000);
  return Math.min(refreshTokenTtlS, authTime + refreshAbsoluteS - nowS);
}

/**
 * One that was given out for longer: before there was an end, or before it was brought forward.
 *
 * @throws {errors.InvalidGrant}
 */
export function refuseAfterAbsoluteLife(
  settings: RefreshLifetimeSettings,
  token: OfASignIn | undefined,
): void {
  if (token !== undefined && refreshTokenTtlS(settings, token) > 0) return;
  throw new errors.InvalidGrant(
    'the refresh token has reached its maximum age; the person must sign in again',
  );
}

import { TOTP, Secret as TotpSecret } from 'otpauth';

/** Seconds for which a code is shown. */
export const TOTP_PERIOD_S = 30;

const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: TOTP_PERIOD_S } as const;
/** Steps before and after the present one that are accepted, for clocks that drift. */
const DRIFT_STEPS = 1;

export interface TotpEnrolment {
  /** Base32, for typing by hand. */
  readonly secret: string;
  /** `otpauth://totp/…`, for a QR code. */
  readonly uri: string;
}

/**
 * A new 160-bit secret (RFC 4226 §4) with its enrolment URI.
 *
 * @param operator whose accounts these are; a colon would end it in the URI’s label.
 */
export function newTotpEnrolment(operator: string, label: string): TotpEnrolment {
  const issuer = operator.replaceAll(':', ' ');
  const totp = new TOTP({ ...PARAMETERS, issuer, label, secret: new TotpSecret({ size: 20 }) });
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * The time step whose code this is, or undefined. People type codes with spaces; nothing else
 * than six ASCII digits is left after taking those out.
 */
export function matchTotpStep(secretBase32: string, code: string, now: Date): bigint | undefined {
  const token = code.replaceAll(' ', '');
  if (!/^[0-9]{6}$/.test(token)) return undefined;
  const totp = new TOTP({ ...PARAMETERS, secret: TotpSecret.fromBase32(secretBase32) });
  const delta = totp.validate({ token, timestamp: now.getTime(), window: DRIFT_STEPS });
  if (delta === null) return undefined;
  return BigInt(Math.floor(now.getTime() / 1000 / PARAMETERS.period) + delta);
}

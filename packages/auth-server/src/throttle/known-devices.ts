import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, epochSeconds } from '@cls/shared/clock';

/**
 * Browsers in which a person has signed in before, known by a signed cookie. The cookie gives no
 * access. It only means that guesses from there are counted apart from those of strangers, so that
 * a sprayed list of passwords does not lock the person out (NIST SP 800-63B-4 §3.2.2).
 */
export interface KnownDevices {
  /** The cookie's value for somebody who has just signed in. @param email canonical */
  issue(email: string): string;
  /** Whether the value was issued for this e-mail address, within a year. */
  knows(cookie: string | undefined, email: string): boolean;
}

export const KNOWN_DEVICE_TTL_S = 365 * 86_400;

const SHAPE = /^(\d{1,12})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** A keyed hash: 43 characters of base64url. */
type Sign = (text: string) => string;

/** @param previous of the key that was replaced: its cookies are still known. */
export function knownDevices(sign: Sign, clock: Clock, previous?: Sign): KnownDevices {
  const mac = (issuedAt: string, nonce: string, email: string, signWith = sign) =>
    Buffer.from(signWith(`${issuedAt}.${nonce}.${email}`));
  return {
    issue(email) {
      const issuedAt = `${epochSeconds(clock)}`;
      const nonce = randomBytes(16).toString('base64url');
      return `${issuedAt}.${nonce}.${mac(issuedAt, nonce, email)}`;
    },
    knows(cookie, email) {
      const [, issuedAt = '', nonce = '', signature = ''] = SHAPE.exec(cookie ?? '') ?? [];
      if (issuedAt === '') return false;
      const ageS = epochSeconds(clock) - Number(issuedAt);
      if (ageS > KNOWN_DEVICE_TTL_S) return false;
      return [sign, ...(previous ? [previous] : [])].some((signWith) =>
        timingSafeEqual(mac(issuedAt, nonce, email, signWith), Buffer.from(signature)),
      );
    },
  };
}

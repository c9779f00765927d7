import type { ThrottleKind } from './throttle.ts';

/** How one kind of guessing is slowed. */
export interface ThrottlePolicy {
  /** Attempts in a row that cost no delay. */
  readonly free: number;
  /** After as many attempts in a row nothing is admitted until a success or an operator. */
  readonly hardStop: number | undefined;
  /**
   * Seconds in which `free` attempts are forgotten, one after the other: at a shared address
   * somebody mistypes now and then, and these failures must not add up. Undefined: never.
   */
  readonly forgetAfterS: number | undefined;
  /**
   * Whether a right secret clears the count. An address tries many secrets, so a success there
   * takes back only itself: otherwise the owner of one password could guess others for ever.
   */
  readonly clearedBySuccess: boolean;
}

/** The first delay, doubled by each further failure up to the last (NIST SP 800-63B-4 §3.2.2). */
export const FIRST_DELAY_S = 30;
export const LAST_DELAY_S = 3_600;

/**
 * Guesses at one secret of a person: at most 100 in a row. Anybody can use up most of them. The
 * rest are kept for people whom a known browser, address or code vouches for.
 */
const guesses = (free: number, hardStop: number | undefined): ThrottlePolicy => ({
  free,
  hardStop,
  forgetAfterS: undefined,
  clearedBySuccess: true,
});
const fromKnownDevices = guesses(5, 20);
const ofAddress: ThrottlePolicy = {
  ...{ free: 100, hardStop: undefined, forgetAfterS: 900, clearedBySuccess: false },
};

export const THROTTLE_POLICIES: Readonly<Record<ThrottleKind, ThrottlePolicy>> = {
  'account-password': guesses(10, 50),
  'account-password-known': fromKnownDevices,
  'account-password-at-known': guesses(20, 20),
  // Counted within the count above: somebody at one known address does not slow the person at
  // another.
  'account-password-from-known': guesses(10, undefined),
  'account-password-with-code': guesses(5, 10),
  'account-otp': guesses(5, 60),
  'account-otp-known': fromKnownDevices,
  'account-otp-offered': guesses(20, 20),
  'account-otp-offered-from': guesses(3, undefined),
  'account-recovery': guesses(5, 80),
  'account-recovery-known': fromKnownDevices,
  // Messages that a stranger can trigger to one person.
  'reset-request': { free: 3, hardStop: undefined, forgetAfterS: 3_600, clearedBySuccess: false },
  // Messages that an administrator can trigger to one address.
  invitation: { free: 5, hardStop: undefined, forgetAfterS: 3_600, clearedBySuccess: false },
  // Addresses that all administrators of a customer can invite in a day.
  'invitations-of-customer': {
    ...{ free: 50, hardStop: undefined, forgetAfterS: 86_400, clearedBySuccess: false },
  },
  'client-secret': { free: 20, hardStop: undefined, forgetAfterS: 3_600, clearedBySuccess: false },
  // Many people may sit behind one address, and programs whose secrets are wrong: these count apart,
  // so that a program that was set up wrongly keeps nobody from signing in.
  address: ofAddress,
  'client-address': ofAddress,
};

import type { ThrottleKind } from './throttle.ts';

/** How one kind of guessing is slowed. */
export interface ThrottlePolicy {
  /** Attempts in a row that cost no delay. */
  readonly free: number;
  /** After as many attempts in a row nothing is admitted until a success or an operator. */
  readonly hardStop: number | undefined;
  /**
   * Seconds in which `free` attempts are forgotten, one after the other: a shared address at which
   * somebody mistypes now and then is never quiet, and must not add that up. Undefined: never.
   */
  readonly forgetAfterS: number | undefined;
  /**
   * Whether a right secret clears the count. An address tries many secrets: there a success takes
   * back itself alone: else the owner of one password could guess at others for ever.
   */
  readonly clearedBySuccess: boolean;
}

/** The first delay, doubled by each further failure up to the last (NIST SP 800-63B-4 §3.2.2). */
export const FIRST_DELAY_S = 30;
export const LAST_DELAY_S = 3_600;

/**
 * Guesses at one secret of a person: at most 100 in a row, ever. Most are anybody's; the others are
 * kept for whom something vouches for, and no stranger can use them up.
 */
const guesses = (free: number, hardStop: number | undefined): ThrottlePolicy => ({
  free,
  hardStop,
  forgetAfterS: undefined,
  clearedBySuccess: true,
});
const fromKnownDevices = guesses(5, 20);

export const THROTTLE_POLICIES: Readonly<Record<ThrottleKind, ThrottlePolicy>> = {
  'account-password': guesses(10, 50),
  'account-password-known': fromKnownDevices,
  'account-password-at-known': guesses(20, 20),
  // Within the count above: who shares one of the addresses does not slow the person at another.
  'account-password-from-known': guesses(10, undefined),
  'account-password-with-code': guesses(5, 10),
  'account-otp': guesses(5, 60),
  'account-otp-known': fromKnownDevices,
  'account-otp-offered': guesses(20, 20),
  'account-otp-offered-from': guesses(3, undefined),
  'account-recovery': guesses(5, 80),
  'account-recovery-known': fromKnownDevices,
  // Messages that a stranger can have sent to somebody.
  'reset-request': { free: 3, hardStop: undefined, forgetAfterS: 3_600, clearedBySuccess: false },
  // Messages that one administrator can have sent to one address.
  invitation: { free: 5, hardStop: undefined, forgetAfterS: 3_600, clearedBySuccess: false },
  // And to how many addresses all administrators of a customer, in a day.
  'invitations-of-customer': {
    ...{ free: 50, hardStop: undefined, forgetAfterS: 86_400, clearedBySuccess: false },
  },
  'client-secret': { free: 20, hardStop: undefined, forgetAfterS: 3_600, clearedBySuccess: false },
  // Many people may sit behind one address.
  address: { free: 100, hardStop: undefined, forgetAfterS: 900, clearedBySuccess: false },
};

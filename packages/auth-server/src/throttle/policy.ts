import type { ThrottleSubject } from './throttle.ts';

/** How one kind of guessing is slowed. */
export interface ThrottlePolicy {
  /** Attempts in a row that cost no delay. */
  readonly free: number;
  /** After as many attempts in a row nothing is admitted until a success or an operator. */
  readonly hardStop: number | undefined;
  /** Seconds without an attempt after which the count starts anew; undefined: never. */
  readonly forgetAfterS: number | undefined;
  /**
   * Whether a right secret clears the count. An address tries many secrets: there a success takes
   * back itself alone, or whoever knows one password could guess at others for ever.
   */
  readonly clearedBySuccess: boolean;
}

/** The first delay, doubled by each further failure up to the last (NIST SP 800-63B-4 §3.2.2). */
export const FIRST_DELAY_S = 30;
export const LAST_DELAY_S = 3_600;

export const THROTTLE_POLICIES: Readonly<Record<ThrottleSubject['kind'], ThrottlePolicy>> = {
  'account-password': { free: 10, hardStop: 100, forgetAfterS: undefined, clearedBySuccess: true },
  'account-otp': { free: 5, hardStop: 100, forgetAfterS: undefined, clearedBySuccess: true },
  'client-secret': { free: 20, hardStop: undefined, forgetAfterS: 3_600, clearedBySuccess: true },
  // Many people may sit behind one address.
  address: { free: 100, hardStop: undefined, forgetAfterS: 900, clearedBySuccess: false },
};

import type { ThrottleSubject } from './throttle.ts';

/**
 * Network addresses from which a person has completed a sign-in, second factor included. A known
 * address gives no access. It only means that guesses from there are counted apart from those of
 * strangers.
 */
export interface KnownAddresses {
  /** The person has just signed in from there. Keeps the newest few of an account. */
  remember(accountId: string, address: ThrottleSubject): Promise<void>;
  /** The same work for an e-mail address that no account has. @param email canonical */
  knows(email: string, address: ThrottleSubject): Promise<boolean>;
}

/** How long a person may be away from a network before it is forgotten. */
export const KNOWN_ADDRESS_DAYS = 90;
export const KNOWN_ADDRESSES_MAX = 10;

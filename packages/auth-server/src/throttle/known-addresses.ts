import type { ThrottleSubject } from './throttle.ts';

/**
 * Network addresses from which a person has signed in to the end, second factor included. Such an
 * address opens nothing: it only says whose guesses are counted apart from those of strangers.
 */
export interface KnownAddresses {
  /** The person has just signed in from there. Keeps the newest few of an account. */
  remember(accountId: string, address: ThrottleSubject): Promise<void>;
  /** The same work for an e-mail address that no account has. @param email canonical */
  knows(email: string, address: ThrottleSubject): Promise<boolean>;
}

/** As long as somebody may be away and come back to the same network. */
export const KNOWN_ADDRESS_DAYS = 90;
export const KNOWN_ADDRESSES_MAX = 10;

import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import type { KnownAddresses } from './known-addresses.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Throttle, ThrottleKind, ThrottleSubject } from './throttle.ts';

export interface GuessDeps {
  readonly throttle: Throttle;
  readonly devices: KnownDevices;
}

export interface PasswordGuessDeps extends GuessDeps {
  readonly knownAddresses: KnownAddresses;
}

/** Which secret somebody tries: each has its own count (NIST SP 800-63B-4 §3.2.2). */
export type Guessable = 'password' | 'otp' | 'recovery';

/**
 * The counts of a try: the address that it comes from, then the secret. From a known device, only
 * the secret's count for known devices: what others do at the same address does not slow the person
 * down.
 *
 * @param email canonical; the password is counted by it, because there may be no account.
 */
export function guessSubjects(
  devices: KnownDevices,
  what: Guessable,
  { email, id }: Pick<Account, 'email'> & Partial<Pick<Account, 'id'>>,
  address: ThrottleSubject | undefined,
  deviceCookie: string | undefined,
): readonly ThrottleSubject[] {
  const counted = what === 'password' ? email : (id ?? email);
  if (devices.knows(deviceCookie, email)) {
    return [{ kind: `account-${what}-known`, id: counted }];
  }
  const secret = { kind: `account-${what}`, id: counted } as const;
  return address === undefined ? [secret] : [address, secret];
}

/** The same, of a requester. */
export function guessSubjectsOf(
  devices: KnownDevices,
  what: Guessable,
  who: Account,
  { address, deviceCookie }: Actor,
): readonly ThrottleSubject[] {
  const from = address === undefined ? undefined : addressSubject(address);
  return guessSubjects(devices, what, who, from, deviceCookie);
}

/** Every count of an account, to be cleared when an operator or a new password lifts a block. */
export function allGuesses(
  { email, id }: Pick<Account, 'email' | 'id'>,
  what: Guessable,
): readonly ThrottleSubject[] {
  const counted = what === 'password' ? email : id;
  return [
    { kind: `account-${what}`, id: counted },
    { kind: `account-${what}-known`, id: counted },
    ...VOUCHED[what].map((kind) => ({ kind, id: email })),
  ];
}

/**
 * Every count that is kept under an account's id or address.
 *
 * @param addresses network addresses from which somebody tried to sign in as the person.
 */
export function countsOfPerson(
  account: Pick<Account, 'id' | 'email' | 'customer'>,
  addresses: readonly string[],
): readonly ThrottleSubject[] {
  const { email, customer } = account;
  return [
    ...(['password', 'otp', 'recovery'] as const).flatMap((what) => allGuesses(account, what)),
    { kind: 'reset-request', id: email },
    { kind: 'invitation', id: `${customer} ${email}` },
    ...addresses.map(addressSubject).flatMap(({ id }): ThrottleSubject[] => [
      { kind: 'account-password-from-known', id: `${email} ${id}` },
      { kind: 'account-otp-offered-from', id: `${email} ${id}` },
    ]),
  ];
}

/** Counts of vouched guesses, by the e-mail address. */
const VOUCHED = {
  password: ['account-password-at-known', 'account-password-with-code'],
  otp: ['account-otp-offered'],
  recovery: [],
} as const satisfies Record<Guessable, readonly ThrottleKind[]>;

/**
 * The counts of a try at a password. Known browsers and known addresses have counts of their own. A
 * shared address is still slowed as a whole, except for known browsers.
 */
export async function passwordSubjects(
  { devices, knownAddresses }: PasswordGuessDeps,
  email: string,
  address: ThrottleSubject,
  deviceCookie: string | undefined,
): Promise<readonly ThrottleSubject[]> {
  const subjects = guessSubjects(devices, 'password', { email }, address, deviceCookie);
  // Look this up in any case: the time of the answer must not show whether the browser is known.
  const known = await knownAddresses.knows(email, address);
  if (!known || subjects[0] !== address) return subjects;
  return [
    address,
    { kind: 'account-password-from-known', id: `${email} ${address.id}` },
    { kind: 'account-password-at-known', id: email },
  ];
}

/**
 * The counts of a code that is offered to have a password compared. What others do at the same address
 * does not slow it down: few codes are compared for an account in any case.
 */
export function offeredCodeSubjects(
  email: string,
  address: ThrottleSubject,
): readonly ThrottleSubject[] {
  return [
    { kind: 'account-otp-offered-from', id: `${email} ${address.id}` },
    { kind: 'account-otp-offered', id: email },
  ];
}

export type GuessOutcome<T> = { readonly right: T } | { readonly wrong: true } | NotCompared;

/** Seconds until it may be tried again, and whether it is the `first` that its block refused. */
export interface NotCompared {
  readonly waitS: number;
  readonly first: boolean;
}

/**
 * Compares a secret if the throttle admits it.
 *
 * @param compare resolves to undefined when the secret is wrong. When it throws, the person made no
 *   mistake, so the try is taken back.
 */
export async function guess<T>(
  throttle: Throttle,
  subjects: readonly ThrottleSubject[],
  compare: () => Promise<T | undefined>,
): Promise<GuessOutcome<T>> {
  const admission = await throttle.admit(subjects);
  if (!admission.admitted) return { waitS: admission.retryAfterS, first: admission.first };
  let right: T | undefined;
  try {
    right = await compare();
  } catch (error) {
    await throttle.withdraw(subjects).catch(() => undefined);
    throw error;
  }
  if (right === undefined) return { wrong: true };
  await throttle.succeeded(subjects);
  return { right };
}

/**
 * Whom failures from an address count against: an IPv4 address, or the /64 network of an IPv6
 * one, which is the least that a single customer of a provider holds (RFC 6177 §2).
 */
export function addressSubject(address: string): ThrottleSubject {
  return { kind: 'address', id: address.includes(':') ? networkOf(address) : address };
}

/** The same, for wrong secrets of clients. */
export function clientAddressSubject(address: string): ThrottleSubject {
  return { kind: 'client-address', id: addressSubject(address).id };
}

function networkOf(address: string): string {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const left = head.split(':').filter((group) => group !== '');
  const right = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const network = [...left, ...(tail === undefined ? [] : zeros), ...right].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

import { type Account, hasPassword } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { Requester } from '../audit/actor.ts';
import type { SignedInBy } from '../mail/account-mail.ts';
import { type NoticeParts, notice } from '../mail/security-notice.ts';
import { addressSubject } from '../throttle/address-subject.ts';
import type { KnownAddresses } from '../throttle/known-addresses.ts';
import type { KnownDevices } from '../throttle/known-devices.ts';

/**
 * Called when somebody has signed in, before that is recorded. The owner gets a
 * message about a browser that was not known, except at the very first sign-in.
 */
export type NoteDevice = (
  account: Account,
  /** RFC 8176: how they were proven. */
  amr: readonly string[],
  by: Requester,
) => Promise<NotedDevice>;

export interface NotedDevice {
  /** Whether the browser was known before, by the cookie that it has. */
  readonly known: boolean;
  /** The value of a new one. */
  readonly cookie: string;
}

export interface NoteDeviceParts extends NoticeParts {
  readonly devices: KnownDevices;
  readonly knownAddresses: KnownAddresses;
  readonly records: Pick<AccountRecords, 'noteSignIn'>;
}

export function noteDevice(parts: NoteDeviceParts): NoteDevice {
  const { devices, knownAddresses, records, mail } = parts;
  return async (account, amr, by) => {
    const first = await records.noteSignIn(account.id);
    if (by.address !== undefined) {
      await knownAddresses.remember(account.id, addressSubject(by.address));
    }
    const known = devices.knows(by.deviceCookie, account.email);
    if (!first && !known) {
      notice(parts, 'sign_in.new_device', account, by);
      mail.newDevice(account, signedInBy(account, amr), by);
    }
    return { known, cookie: devices.issue(account.email) };
  };
}

/** An organisation may say `pwd` too: its own password. */
function signedInBy(account: Account, amr: readonly string[]): SignedInBy {
  if (!hasPassword(account)) return 'organisation';
  return amr.includes('pwd') ? 'password' : 'passkey';
}

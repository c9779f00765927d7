import { type Account, hasPassword } from '../accounts/account.ts';
import type { AccountRecords } from '../accounts/account-records.ts';
import type { Actor } from '../audit/actor.ts';
import type { SignedInBy } from '../mail/account-mail.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import { addressSubject } from '../throttle/guess.ts';
import type { KnownAddresses } from '../throttle/known-addresses.ts';
import type { KnownDevices } from '../throttle/known-devices.ts';

/**
 * Called when somebody has signed in, before that is recorded. The owner gets a
 * message about a browser that was not known, except at the very first sign-in.
 */
export type RecordDevice = (
  account: Account,
  /** RFC 8176: how they were proven. */
  amr: readonly string[],
  actor: Actor,
) => Promise<DeviceRecord>;

export interface DeviceRecord {
  /** Whether the browser was known before, by the cookie that it has. */
  readonly known: boolean;
  /** The value of a new one. */
  readonly cookie: string;
}

export interface RecordDeviceDeps extends AuditAndNotifyDeps {
  readonly devices: KnownDevices;
  readonly knownAddresses: KnownAddresses;
  readonly records: Pick<AccountRecords, 'recordSignIn'>;
}

export function recordDevice(deps: RecordDeviceDeps): RecordDevice {
  const { devices, knownAddresses, records, mail } = deps;
  return async (account, amr, actor) => {
    const first = await records.recordSignIn(account.id);
    if (actor.address !== undefined) {
      await knownAddresses.remember(account.id, addressSubject(actor.address));
    }
    const known = devices.knows(actor.deviceCookie, account.email);
    if (!first && !known) {
      auditAndNotify(deps, 'sign_in.new_device', account, actor);
      mail.newDevice(account, signedInBy(account, amr), actor);
    }
    return { known, cookie: devices.issue(account.email) };
  };
}

/** An organisation may say `pwd` too: its own password. */
function signedInBy(account: Account, amr: readonly string[]): SignedInBy {
  if (!hasPassword(account)) return 'organisation';
  return amr.includes('pwd') ? 'password' : 'passkey';
}

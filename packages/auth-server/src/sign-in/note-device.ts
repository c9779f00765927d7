import type { Account } from '../accounts/account.ts';
import type { Requester } from '../accounts/requester.ts';
import { type NoticeParts, notice } from '../accounts/security-notice.ts';
import type { AuditReader } from '../audit/audit-log.ts';
import type { KnownDevices } from '../throttle/known-devices.ts';

/**
 * Called when somebody has signed in, before that is recorded. Of a browser in which the person
 * was not known the owner is told, save at the very first sign-in.
 *
 * @returns the value of the cookie by which the browser is known from now on.
 */
export type NoteDevice = (account: Account, by: Requester) => Promise<string>;

export interface NoteDeviceParts extends NoticeParts {
  readonly devices: KnownDevices;
  readonly auditReader: AuditReader;
}

export function noteDevice(parts: NoteDeviceParts): NoteDevice {
  const { devices, auditReader, mail } = parts;
  return async (account, by) => {
    if (!devices.knows(by.deviceCookie, account.email)) {
      const types = ['sign_in.succeeded', 'token.issued'] as const;
      const [before] = await auditReader.eventsOf([account.id], { types, limit: 1 });
      if (before !== undefined) {
        notice(parts, 'sign_in.new_device', account, by);
        mail.newDevice(account, by);
      }
    }
    return devices.issue(account.email);
  };
}

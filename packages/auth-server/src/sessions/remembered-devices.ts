import { type Clock, epochSeconds } from '@cls/shared/clock';
import { newId } from '@cls/shared/new-id';
import type { Account } from '../accounts/account.ts';
import type { Actor, Device } from '../audit/actor.ts';
import { digest } from '../crypto/digest.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';

/** A browser in which a person asked to be remembered. */
export interface RememberedDevice {
  /** `dev_` and 26 characters. */
  readonly id: string;
  readonly device: Device;
  readonly address?: string;
  /** When the person proved the second factor there, and until when that counts. */
  readonly rememberedAt: Date;
  readonly until: Date;
  readonly lastUsedAt: Date;
}

/** One sign-in in a browser. */
export interface DeviceSignIn {
  readonly account: Account;
  /** Names the sign-in; nobody but the browser and this service knows it. */
  readonly uid: string;
  /** The value of the browser's cookie. */
  readonly cookie: string | undefined;
}

export interface DeviceCookie {
  readonly id: string;
  readonly value: string;
  readonly lifeS: number;
}

/**
 * Browsers in which the second factor is not asked for again for a while. The browser has a cookie
 * with the device's id and a secret; each sign-in replaces the secret. Changing the password or a
 * factor, disabling the account, and ending its sessions make this service forget its devices.
 */
export interface RememberedDevices {
  /** Seconds; 0: nothing is remembered. */
  readonly lifeS: number;
  /**
   * Whether the person proved a second factor in this browser a while ago, and asked to be
   * remembered. A secret that was replaced before has been copied, so its device is forgotten.
   */
  recognises(signIn: DeviceSignIn): Promise<boolean>;
  /** Replaces the secret of a device that was recognised; undefined when it was forgotten since. */
  renew(signIn: DeviceSignIn): Promise<DeviceCookie | undefined>;
  /** The person has just proven who they are, and asks to be remembered. */
  remember(signIn: DeviceSignIn, actor: Actor): Promise<DeviceCookie>;
  /** The browser is not to be remembered any more. A cookie that proves nothing changes nothing. */
  leave(signIn: DeviceSignIn, actor: Actor): Promise<void>;
  /** The last used first. */
  list(account: Account): Promise<readonly RememberedDevice[]>;
  /** False when there is no such device (any more). @param id `dev_…` */
  forget(account: Account, id: string, actor: Actor): Promise<boolean>;
}

/** As it is stored. */
export interface StoredDevice extends Omit<RememberedDevice, 'until'> {
  readonly accountId: string;
  readonly tokenSha256: string;
  readonly previousSha256?: string;
  readonly signInSha256: string;
  readonly passwordVersion?: string;
  readonly factorsVersion?: string;
}

export interface RememberedDeviceRecords {
  find(id: string): Promise<StoredDevice | undefined>;
  list(accountId: string): Promise<readonly StoredDevice[]>;
  /** The same sign-in again changes nothing. @returns the id of its device. */
  add(device: StoredDevice): Promise<string>;
  /** Replaces the secret if it is still the one that is expected. */
  replaceSecret(
    id: string,
    expectedSha256: string,
    next: Pick<StoredDevice, 'tokenSha256' | 'signInSha256' | 'lastUsedAt'>,
  ): Promise<boolean>;
  /** False when there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
}

export interface RememberedDevicesDeps extends AuditAndNotifyDeps {
  readonly records: RememberedDeviceRecords;
  readonly lifeS: number;
  readonly clock: Clock;
  /** A keyed hash: a sign-in that is sent again gets the same secret. */
  readonly secretOf: (signIn: string) => string;
}

const COOKIE = /^(dev_[0-9A-Z]{26})\.([A-Za-z0-9_-]{43})$/;

/** The id in the cookie's value, which proves nothing by itself. */
export function deviceIdOf(cookie: string | undefined): string | undefined {
  return COOKIE.exec(cookie ?? '')?.[1];
}

export function rememberedDevices(deps: RememberedDevicesDeps): RememberedDevices {
  const { records, lifeS, clock, secretOf } = deps;
  const untilOf = ({ rememberedAt }: Pick<StoredDevice, 'rememberedAt'>) =>
    new Date(rememberedAt.getTime() + lifeS * 1000);
  const isValid = (device: StoredDevice, account: Account) =>
    device.accountId === account.id &&
    device.passwordVersion === account.passwordVersion &&
    device.factorsVersion === account.factorsVersion &&
    clock.now() < untilOf(device);
  const find = async ({ account, uid, cookie }: DeviceSignIn) => {
    const [, id = '', secret = ''] = COOKIE.exec(cookie ?? '') ?? [];
    const device = id === '' ? undefined : await records.find(id);
    if (device === undefined || !isValid(device, account)) return undefined;
    const given = digest(secret);
    if (given === device.tokenSha256) return { device, given };
    // The same sign-in again: its answer, with the new secret, may have been lost.
    if (given === device.previousSha256 && device.signInSha256 === digest(nameOf(account, uid))) {
      return { device, given };
    }
    await records.remove(account.id, id);
    return undefined;
  };
  const cookieFor = (
    id: string,
    secret: string,
    device: Pick<StoredDevice, 'rememberedAt'>,
  ): DeviceCookie => ({
    id,
    value: `${id}.${secret}`,
    lifeS: Math.max(1, Math.floor(untilOf(device).getTime() / 1000) - epochSeconds(clock)),
  });
  const forget: RememberedDevices['forget'] = async (account, id, actor) => {
    if (!(await records.remove(account.id, id))) return false;
    auditAndNotify(deps, 'account.device_forgotten', account, actor);
    return true;
  };
  return {
    lifeS,
    recognises: async (signIn) => (await find(signIn)) !== undefined,
    async renew(signIn) {
      const found = await find(signIn);
      if (found === undefined) return undefined;
      const { device, given } = found;
      const name = nameOf(signIn.account, signIn.uid);
      const secret = secretOf(name);
      const cookie = cookieFor(device.id, secret, device);
      const signInSha256 = digest(name);
      if (device.signInSha256 === signInSha256) return cookie;
      const next = { tokenSha256: digest(secret), signInSha256 };
      const replaced = await records.replaceSecret(device.id, given, {
        ...next,
        lastUsedAt: clock.now(),
      });
      // Where the same request was faster, it made the same secret.
      return replaced || (await find(signIn)) !== undefined ? cookie : undefined;
    },
    async remember({ account, uid, cookie }, actor) {
      const { id: accountId, passwordVersion, factorsVersion } = account;
      const former = deviceIdOf(cookie);
      const secret = secretOf(nameOf(account, uid));
      const now = clock.now();
      const id = await records.add({
        ...{ id: newId('dev'), accountId, rememberedAt: now, lastUsedAt: now },
        tokenSha256: digest(secret),
        signInSha256: digest(nameOf(account, uid)),
        ...(passwordVersion === undefined ? {} : { passwordVersion }),
        ...(factorsVersion === undefined ? {} : { factorsVersion }),
        device: actor.device ?? {},
        ...(actor.address === undefined ? {} : { address: actor.address }),
      });
      // The browser has one such cookie; nobody can use the device that it named before.
      if (former !== undefined && former !== id) await records.remove(accountId, former);
      auditAndNotify(deps, 'account.device_remembered', account, actor, undefined, id);
      return cookieFor(id, secret, { rememberedAt: now });
    },
    async leave(signIn, actor) {
      const found = await find(signIn);
      if (found !== undefined) await forget(signIn.account, found.device.id, actor);
    },
    async list(account) {
      const stored = await records.list(account.id);
      return stored
        .filter((device) => isValid(device, account))
        .map(({ id, device, address, rememberedAt, lastUsedAt }) => ({
          ...{ id, device, rememberedAt, lastUsedAt, until: untilOf({ rememberedAt }) },
          ...(address === undefined ? {} : { address }),
        }));
    },
    forget,
  };
}

/** Two people may sign in one after the other in one interaction. */
function nameOf({ id }: Account, uid: string): string {
  return `${id} ${uid}`;
}

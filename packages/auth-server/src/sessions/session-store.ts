import type { Device } from '../audit/actor.ts';

/** Where a person is signed in. */
export interface AccountSession {
  /** `ses_` and 26 characters. */
  readonly id: string;
  /** Digest of the provider's own name of the session, its `uid`. */
  readonly uid: string;
  readonly device: Device;
  readonly address?: string;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  readonly rememberedDeviceId?: string;
}

/** What an application got on a person's behalf in one session. */
export interface ApplicationGrant {
  /** Digest of the provider's id of the grant. */
  readonly id: string;
  readonly applicationId: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

export interface NewApplicationGrant {
  readonly id: string;
  readonly accountId: string;
  readonly applicationId: string;
  readonly sessionUid: string;
  /** The application's name of the session (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid: string;
  readonly scopes: readonly string[];
  /** Signing out leaves it: `offline_access`, and second devices. */
  readonly survivesSignOut: boolean;
}

/** Which of a session's grants end with it. */
export type Ending = 'signed_out' | 'ended';

/**
 * Sessions and grants as people see them. What opens them is in the protocol state alone: end
 * one there before you forget it here. Applications that registered for the end of a session are
 * notified soon; see `LogoutNotifications`.
 */
export interface SessionStore {
  /** Adds a session, or updates when a known one was last seen. */
  recordSession(session: {
    readonly uid: string;
    readonly accountId: string;
    readonly device: Device;
    readonly address?: string;
    /** The browser in which it is: see remembered-devices.ts. */
    readonly rememberedDeviceId?: string | undefined;
  }): Promise<void>;
  recordGrant(grant: NewApplicationGrant): Promise<void>;
  recordUse(grantId: string): Promise<void>;
  /** The last seen first, at most 100. */
  sessions(accountId: string): Promise<readonly AccountSession[]>;
  /** Digests of the uids of all its sessions. */
  sessionUids(accountId: string): Promise<readonly string[]>;
  grants(accountId: string): Promise<readonly ApplicationGrant[]>;
  grantsOfSession(uid: string, ending: Ending): Promise<readonly string[]>;
  /** Forgets the account's remembered browsers. @param keptUid of a session whose browser stays. */
  forgetDevices(accountId: string, keptUid?: string): Promise<void>;
  forgetDeviceOfSession(uid: string): Promise<void>;
  /** @param toldSids the session's `sid`s at applications that the library has notified already. */
  forgetSession(uid: string, ending: Ending, toldSids: readonly string[]): Promise<void>;
  /** @param keptUid a session that stays, though what was granted in it ends. */
  forget(
    ended: { readonly uids: readonly string[]; readonly grants: readonly string[] },
    keptUid?: string,
  ): Promise<void>;
  forgetApplication(accountId: string, applicationId: string): Promise<void>;
  /** Digests of the ids of all its grants, of every person. */
  grantsOfApplication(applicationId: string): Promise<readonly string[]>;
}

/** An application to notify that one of its sessions has ended. */
export interface LogoutNotification {
  readonly id: bigint;
  readonly applicationId: string;
  readonly accountId: string;
  readonly sid: string;
  /** This one included. */
  readonly attempts: number;
}

/** Kept until they are delivered, whatever process ended the session. */
export interface LogoutNotifications {
  /**
   * Those that are due, from each application in turn; nobody else gets them before `retryAfterS`
   * is over.
   */
  take(
    limit: number,
    perApplication: number,
    retryAfterS: number,
  ): Promise<readonly LogoutNotification[]>;
  done(id: bigint): Promise<void>;
  /** One that was tried just now, for another attempt after `retryAfterS`. */
  again(
    notice: Pick<LogoutNotification, 'applicationId' | 'accountId' | 'sid'>,
    retryAfterS: number,
  ): Promise<void>;
  waiting(): Promise<number>;
}

/** What a person has allowed a third party's application. */
export interface Consent {
  readonly applicationId: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
}

export interface ConsentRecords {
  find(accountId: string, applicationId: string): Promise<Consent | undefined>;
  list(accountId: string): Promise<readonly Consent[]>;
  /** Adds to what was allowed before; false when all of it was allowed. */
  allow(accountId: string, applicationId: string, scopes: readonly string[]): Promise<boolean>;
  /** False when nothing was allowed. */
  withdraw(accountId: string, applicationId: string): Promise<boolean>;
}

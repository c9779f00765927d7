import type { AccountSession, ApplicationGrant } from './session-store.ts';

/** The session of the request, by the provider's two names for it. They open the session: never store them. */
export interface SessionName {
  readonly jti: string;
  readonly uid: string;
}

/** What people are signed in to and have granted. */
export interface AccountAccess {
  /** Those that still are, the last seen first. */
  sessions(accountId: string): Promise<readonly AccountSession[]>;
  /** Those that still are. */
  grants(accountId: string): Promise<readonly ApplicationGrant[]>;
  /** Ends every session, grant, code and refresh token of the account at once. */
  endAll(accountId: string, except?: SessionName): Promise<void>;
  /**
   * Before something is enabled: ends what a disabling that failed half-way left, so that none of it comes
   * back. Succeeds without the protocol state where no session and no grant is on record.
   */
  endLeft(accountId: string): Promise<void>;
  /** Ends a session and all that applications got in it. @param uid digest, as records have it. */
  endSession(uid: string): Promise<void>;
  /** Ends every session but one, however many. @param uid digest of the one that stays. */
  endOtherSessions(accountId: string, uid: string): Promise<void>;
  /**
   * The person signed out in the browser: what was granted for longer stays.
   *
   * @param toldSids the session's `sid`s at applications that the library has notified already.
   */
  signedOut(uid: string, toldSids: readonly string[]): Promise<void>;
  /** Ends all that an application got; false when nothing was on record. */
  endApplication(accountId: string, applicationId: string): Promise<boolean>;
  /** Ends all that an application got of anybody. */
  endApplicationOfAll(applicationId: string): Promise<void>;
}

import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import type { AccountAccess } from './account-access.ts';
import type { AccountSession, SessionStore } from './session-store.ts';

/** Where a person is signed in; the use cases behind the pages. */
export interface AccountSessions {
  /** The last seen first. */
  list(account: Account): Promise<readonly AccountSession[]>;
  /** False when there is no such session (any more). @param id `ses_…` */
  end(account: Account, id: string, actor: Actor): Promise<boolean>;
  /** In this browser. Applications are notified soon. @param uid digest */
  signOut(account: Account, uid: string, actor: Actor): Promise<void>;
  /** @param currentUid digest of the uid of the session that asks. */
  endOthers(account: Account, currentUid: string, actor: Actor): Promise<void>;
}

export interface AccountSessionsDeps extends AuditAndNotifyDeps {
  readonly access: AccountAccess;
  readonly sessionStore: Pick<SessionStore, 'sessions'>;
}

/** Ending a session ends what applications got in it, and notifies those that registered for it. */
export function accountSessions(deps: AccountSessionsDeps): AccountSessions {
  const { access, sessionStore } = deps;
  return {
    list: (account) => access.sessions(account.id),
    async end(account, id, actor) {
      // Not of the live ones alone: where it was ended by half, the rest is done now.
      const session = (await sessionStore.sessions(account.id)).find((each) => each.id === id);
      if (session === undefined) return false;
      await access.endSession(session.uid);
      auditAndNotify(deps, 'account.session_ended', account, actor);
      return true;
    },
    async signOut(account, uid, actor) {
      await access.signedOut(uid, []);
      auditAndNotify(deps, 'sign_in.ended', account, actor);
    },
    async endOthers(account, currentUid, actor) {
      await access.endOtherSessions(account.id, currentUid);
      auditAndNotify(deps, 'account.other_sessions_ended', account, actor);
    },
  };
}

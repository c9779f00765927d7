import type { Account } from '../accounts/account.ts';
import type { Requester } from '../audit/actor.ts';
import { type NoticeParts, notice } from '../mail/security-notice.ts';
import type { AccountAccess } from './account-access.ts';
import type { SignedInRecords, SignedInSession } from './signed-in.ts';

/** Where a person is signed in; the use cases behind the pages. */
export interface AccountSessions {
  /** The last seen first. */
  list(account: Account): Promise<readonly SignedInSession[]>;
  /** False when there is no such session (any more). @param id `ses_…` */
  end(account: Account, id: string, by: Requester): Promise<boolean>;
  /** @param currentUid digest of the uid of the session that asks. */
  endOthers(account: Account, currentUid: string, by: Requester): Promise<void>;
}

export interface AccountSessionsParts extends NoticeParts {
  readonly access: AccountAccess;
  readonly signedIn: Pick<SignedInRecords, 'sessions'>;
}

/** Ending a session ends what applications got in it, and notifies those that registered for it. */
export function accountSessions(parts: AccountSessionsParts): AccountSessions {
  const { access, signedIn } = parts;
  return {
    list: (account) => access.sessions(account.id),
    async end(account, id, by) {
      // Not of the live ones alone: where it was ended by half, the rest is done now.
      const session = (await signedIn.sessions(account.id)).find((each) => each.id === id);
      if (session === undefined) return false;
      await access.endSession(session.uid);
      notice(parts, 'account.session_ended', account, by);
      return true;
    },
    async endOthers(account, currentUid, by) {
      await access.endOtherSessions(account.id, currentUid);
      notice(parts, 'account.other_sessions_ended', account, by);
    },
  };
}

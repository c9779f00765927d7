import type { AccountAccess } from '../../accounts/account-access.ts';
import type { Ending, SignedInRecords } from '../../accounts/signed-in.ts';
import { digest } from './sealing.ts';
import type { StateStore } from './state-store.ts';

/** What the provider keeps for people: sessions, grants, codes, refresh tokens. */
export function accountAccess(state: StateStore, records: SignedInRecords): AccountAccess {
  const end = async (uid: string, ending: Ending) => {
    // A session is a grant of its own to the store: writing it again does not bring it back.
    await state.revokeGrant(uid);
    const grants = await records.grantsOfSession(uid, ending);
    await Promise.all(grants.map((grant) => state.revokeGrant(grant)));
    await records.forgetSession(uid, ending);
  };
  return {
    async sessions(accountId) {
      const sessions = await records.sessions(accountId);
      return keep(sessions, async ({ uid }) => await state.findBy('Session', 'uid', uid));
    },
    async grants(accountId) {
      const grants = await records.grants(accountId);
      return keep(grants, async ({ id }) => await state.find('Grant', id));
    },
    async endAll(accountId, except) {
      const kept = except && { kind: 'Session', key: digest(except.jti) };
      await state.endAccount(digest(accountId), kept);
      await records.forgetAll(accountId, except && digest(except.uid));
    },
    endSession: (uid) => end(uid, 'ended'),
    signedOut: (uid) => end(uid, 'signed_out'),
    async endApplication(accountId, applicationId) {
      const grants = await records.grants(accountId);
      const its = grants.filter((grant) => grant.applicationId === applicationId);
      await Promise.all(its.map(({ id }) => state.revokeGrant(id)));
      await records.forgetApplication(accountId, applicationId);
    },
  };
}

async function keep<T>(items: readonly T[], live: (item: T) => Promise<unknown>): Promise<T[]> {
  const found = await Promise.all(items.map(live));
  return items.filter((_, index) => found[index] !== undefined);
}

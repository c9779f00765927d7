import { digest } from '../crypto/digest.ts';
import type { StateStore } from '../state/state-store.ts';
import type { TokenStatusRecords } from '../token-status/token-status.ts';
import type { AccountAccess } from './account-access.ts';
import type { Ending, SessionStore } from './session-store.ts';

/** What the provider keeps for people: sessions, grants, codes, refresh tokens. */
export function accountAccess(
  state: Pick<StateStore, 'find' | 'findBy' | 'revokeGrant' | 'endAccount'>,
  records: SessionStore,
  tokens: Pick<TokenStatusRecords, 'revoke'>,
): AccountAccess {
  const end = async (uid: string, ending: Ending, toldSids: readonly string[] = []) => {
    // First: where what follows fails, the second factor is asked for again at least.
    if (ending === 'ended') await records.forgetDeviceOfSession(uid);
    // End the grants before the session: while the session lives, a failed request can be repeated.
    const known = await records.grantsOfSession(uid, ending);
    await forEach(known, (grant) => state.revokeGrant(grant));
    // A session is a grant of its own to the store: writing it again does not bring it back.
    await state.revokeGrant(uid);
    // Grants that a request under way recorded meanwhile.
    const all = await records.grantsOfSession(uid, ending);
    const late = all.filter((grant) => !known.includes(grant));
    await forEach(late, (grant) => state.revokeGrant(grant));
    await records.forgetSession(uid, ending, toldSids);
  };
  const othersOf = async (accountId: string, keptUid: string | undefined) =>
    (await records.sessionUids(accountId)).filter((uid) => uid !== keptUid);
  const endAll: AccountAccess['endAll'] = async (accountId, except) => {
    const kept = except && { kind: 'Session', key: digest(except.jti) };
    const keptUid = except && digest(except.uid);
    await records.forgetDevices(accountId);
    // Before: access tokens end also where the protocol state fails. After: for those made meanwhile.
    await tokens.revoke({ subject: accountId }, 'access_ended');
    await state.endAccount(digest(accountId), kept);
    await tokens.revoke({ subject: accountId }, 'access_ended');
    // A request under way may give a session a new id, which was not put before the end.
    const uids = await othersOf(accountId, keptUid);
    await forEach(uids, (uid) => state.revokeGrant(uid));
    // And one may have been granted after the time of the end, before others could see that.
    const grants = (await records.grants(accountId)).map(({ id }) => id);
    await forEach(grants, (grant) => state.revokeGrant(grant));
    await records.forget({ uids, grants }, keptUid);
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
    endAll,
    async endLeft(accountId) {
      try {
        await endAll(accountId);
      } catch (error) {
        const uids = await records.sessionUids(accountId);
        if (uids.length > 0 || (await records.grants(accountId)).length > 0) throw error;
      }
    },
    endSession: (uid) => end(uid, 'ended'),
    async endOtherSessions(accountId, keptUid) {
      await records.forgetDevices(accountId, keptUid);
      const uids = await othersOf(accountId, keptUid);
      await forEach(uids, (uid) => end(uid, 'ended'));
    },
    signedOut: (uid, toldSids) => end(uid, 'signed_out', toldSids),
    async endApplication(accountId, applicationId) {
      const grants = await records.grants(accountId);
      const its = grants.filter((grant) => grant.applicationId === applicationId);
      await forEach(its, ({ id }) => state.revokeGrant(id));
      await records.forgetApplication(accountId, applicationId);
      return its.length > 0;
    },
    async endApplicationOfAll(applicationId) {
      await tokens.revoke({ client: applicationId }, 'application_changed');
      const grants = await records.grantsOfApplication(applicationId);
      await forEach(grants, (grant) => state.revokeGrant(grant));
      await tokens.revoke({ client: applicationId }, 'application_changed');
    },
  };
}

async function keep<T>(items: readonly T[], live: (item: T) => Promise<unknown>): Promise<T[]> {
  const found = await forEach(items, live);
  return items.filter((_, index) => found[index] !== undefined);
}

/** One person may have thousands: they must not take the store from everybody else. */
const AT_ONCE = 10;

async function forEach<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  }
  return done;
}

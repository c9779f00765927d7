import type { AccountAccess } from '../../accounts/account-access.ts';
import { digest } from './sealing.ts';
import type { StateStore } from './state-store.ts';

/** What the provider keeps for people: sessions, grants, codes, refresh tokens. */
export function accountAccess(state: StateStore): AccountAccess {
  return {
    endAll: (accountId, exceptSession) =>
      state.endAccount(
        digest(accountId),
        exceptSession === undefined ? undefined : { kind: 'Session', key: digest(exceptSession) },
      ),
  };
}

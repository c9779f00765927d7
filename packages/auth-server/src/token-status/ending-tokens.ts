import type { StateStore } from '../state/state-store.ts';
import type { TokenStatusRecords } from './token-status.ts';

/**
 * The access tokens of a grant end with it. Before: where the grant cannot be ended, the person tries again. And
 * after, for what was made meanwhile.
 */
export function endingTokens(
  store: StateStore,
  tokens: Pick<TokenStatusRecords, 'revoke'>,
): StateStore {
  return {
    ...store,
    async revokeGrant(grant) {
      await tokens.revoke({ grant }, 'grant_ended');
      await store.revokeGrant(grant);
      await tokens.revoke({ grant }, 'grant_ended');
    },
  };
}

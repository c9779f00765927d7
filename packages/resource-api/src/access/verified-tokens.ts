import { tokenExpired } from '@cls/shared/access/token-refusals';
import type { VerifiedToken, VerifyToken } from '@cls/shared/access/verify-token';
import { type Clock, epochSeconds } from '@cls/shared/clock';
import { type Memories, openMemories } from '../memory/memories.ts';
import type { KeySource } from './key-source.ts';
import type { TokenStatus } from './token-status.ts';

/** Checks tokens, and knows those that it has checked. */
export interface VerifiedTokens {
  readonly verify: VerifyToken;
  /** What was verified before, holds still, and needs no proof beside the token. */
  known(token: string): VerifiedToken | undefined;
}

/**
 * Remembers verified tokens by their whole text, so that a token's signature is checked once and
 * not on every request; whether it was revoked is asked each time. An entry ends with the token, or with the
 * key that signed it.
 */
export function rememberVerified(
  verify: VerifyToken,
  keys: Pick<KeySource, 'onRemoved'>,
  status: Pick<TokenStatus, 'isGood' | 'assertGood'>,
  clock: Clock,
  memories: Memories = openMemories(),
): VerifiedTokens {
  const verified = memories.open<string, VerifiedToken>('tokens', (_, token) => token.length);
  let removals = 0;
  keys.onRemoved((kids) => {
    removals += 1;
    for (const [token, { kid }] of verified.entries()) if (kids.has(kid)) verified.delete(token);
  });
  const holds = ({ expiresAtS }: VerifiedToken) => epochSeconds(clock) < expiresAtS;
  return {
    known(token) {
      const known = verified.lookUp(token);
      if (known === undefined || !holds(known) || !status.isGood(known.status)) return undefined;
      const { jkt, x5t } = known.binding;
      return (jkt ?? x5t) === undefined ? known : undefined;
    },
    async verify(token) {
      const known = verified.get(token);
      if (known !== undefined) {
        if (!holds(known)) {
          verified.delete(token);
          throw tokenExpired();
        }
        await status.assertGood(known.status);
        return known;
      }
      const removalsBefore = removals;
      const fresh = await verify(token);
      // A key that was removed meanwhile may be the one that verified it.
      if (removals === removalsBefore) verified.set(token, fresh);
      await status.assertGood(fresh.status);
      return fresh;
    },
  };
}

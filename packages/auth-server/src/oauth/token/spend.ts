import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sealState, unsealState } from '../../crypto/seal.ts';
import { errors, type KoaContextWithOIDC } from '../../library/oidc.ts';
import { type Spendable, whenAnswered, whenSent } from '../../state/answering.ts';
import { type SpentBy, type StateStore, UNSETTLED_S } from '../../state/state-store.ts';

const LOOK_EVERY_MS = 50;

interface Kept {
  readonly clientId: string;
  readonly asked: string;
  readonly body: unknown;
}

/**
 * Spends a code or token together with its answer, in one step of the store. So a request whose
 * answer failed may be sent again: it finds the code unspent, or the answer that it was spent for,
 * and gets that very answer. What was answered is not answered again: a second use ends the grant
 * (RFC 6749 §4.1.2, RFC 9700 §4.14.2). Refresh tokens have a grace, for an answer that was lost on
 * its way. The answer is kept sealed under what was spent, which is kept nowhere.
 */
export interface Spend {
  /** @throws {errors.InvalidGrant} when it was spent before, and the answer given. */
  withAnswer(ctx: KoaContextWithOIDC, spendable: Spendable): Promise<void>;
  /** Writes the answer that it was spent for. @throws {errors.InvalidGrant} when there is none. */
  repeat(ctx: KoaContextWithOIDC, spendable: Spendable): Promise<void>;
  /** Spends a code for a refusal. */
  withoutAnswer(spendable: Spendable): Promise<void>;
}

export function spend(state: StateStore, refreshGraceS: number): Spend {
  const graceOf = (kind: string) => (kind === 'RefreshToken' ? refreshGraceS : 0);
  const settleAfterwards = async ({ kind, key }: Spendable, { settled }: Partial<SpentBy> = {}) => {
    if (settled) return;
    const graceS = graceOf(kind);
    // The grace begins when the answer was sent: a process may die before.
    await (graceS > 0 ? whenSent : whenAnswered)(() => state.settle(kind, key, graceS));
  };
  const refuse = async ({ kind, grantId }: Spendable): Promise<never> => {
    // Spent twice: somebody holds a copy, and must not keep what the first spending brought.
    if (grantId !== undefined) await state.revokeGrant(grantId);
    throw new errors.InvalidGrant(`${kind} already used`);
  };
  const repeatKept = async (ctx: KoaContextWithOIDC, spendable: Spendable): Promise<void> => {
    const { kind, key, secret } = spendable;
    for (;;) {
      const { spent } = (await state.find(kind, key)) ?? {};
      if (spent?.answer === undefined) return refuse(spendable);
      const kept = JSON.parse(unsealState(spent.answer, secret)) as Kept;
      if (kept.clientId !== ctx.oidc.client?.clientId || kept.asked !== askedOf(ctx)) {
        throw new errors.InvalidGrant(`${kind} was used for another request`);
      }
      if (spent.settled || graceOf(kind) > 0 || spent.forS > UNSETTLED_S) {
        await settleAfterwards(spendable, spent);
        ctx.status = 200;
        ctx.body = kept.body;
        return;
      }
      await sleep(LOOK_EVERY_MS); // The first request is about to answer.
    }
  };
  return {
    async withAnswer(ctx, spendable) {
      const { kind, key, secret } = spendable;
      const clientId = ctx.oidc.client?.clientId ?? '';
      const kept: Kept = { clientId, asked: askedOf(ctx), body: ctx.body };
      const answer = sealState(JSON.stringify(kept), secret);
      const outcome = await state.consume(kind, key, { attempt: randomUUID(), answer });
      if (outcome === 'gone') throw new errors.InvalidGrant(`${kind} is gone`);
      if (outcome === 'already') return repeatKept(ctx, spendable);
      await settleAfterwards(spendable);
    },
    async repeat(ctx, spendable) {
      const { kind, key } = spendable;
      // Where replicas must confirm a consumption, they may not have confirmed the first one.
      await state.consume(kind, key, { attempt: randomUUID() });
      await repeatKept(ctx, spendable);
    },
    async withoutAnswer(spendable) {
      const { kind, key } = spendable;
      // The answer says what was wrong with the request, and the client still has the token. A
      // denied device gets the same answer again: the first one may have been lost.
      if (kind === 'RefreshToken' || kind === 'DeviceCode') return;
      if ((await state.consume(kind, key)) === 'already') await refuse(spendable);
    },
  };
}

/** The requests that a kept answer fits: the answer to a wider request does not fit a narrower one. */
function askedOf({ oidc }: KoaContextWithOIDC): string {
  const { scope, resource, otp } = oidc.params ?? {};
  // Who brings a one-time code asks for nothing else; the account's scopes were filled in since.
  return JSON.stringify(otp === undefined ? [scope ?? null, resource ?? null] : [otp]);
}

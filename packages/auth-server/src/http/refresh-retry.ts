import { setTimeout as sleep } from 'node:timers/promises';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { digest, seal, unseal } from '../provider/state/sealing.ts';
import type { StateStore } from '../provider/state/state-store.ts';

const KIND = 'RefreshAnswer';
/** How long a second request waits for the answer of the first, which may be under way. */
const WAIT_MS = 1_000;
const LOOK_EVERY_MS = 50;

/**
 * An answer with a new refresh token may be lost on its way. For a short time the same client may
 * send the old token again and gets the same answer; later a second use ends the whole grant
 * (RFC 9700 §4.14.2). The answer is kept sealed under the old token, which is kept nowhere.
 */
export interface RefreshRetry {
  /** Keeps the answer to a refresh. */
  keep(ctx: KoaContextWithOIDC): Promise<void>;
  /** Writes the answer that the same refresh got before; false when there is none. */
  repeat(ctx: KoaContextWithOIDC, error: unknown): Promise<boolean>;
}

export function refreshRetry(state: StateStore, graceS: number): RefreshRetry {
  return {
    async keep(ctx) {
      const token = refreshTokenOf(ctx);
      const clientId = ctx.oidc.client?.clientId;
      if (graceS === 0 || token === undefined || clientId === undefined) return;
      const payload = { sealed: seal(JSON.stringify({ clientId, body: ctx.body }), token) };
      await state.put({ kind: KIND, key: digest(token), payload, ttlS: graceS });
    },
    async repeat(ctx, error) {
      const token = refreshTokenOf(ctx);
      // The client has proven itself by now, or the library would have given another error.
      const clientId = ctx.oidc?.client?.clientId;
      const refused = error instanceof errors.InvalidGrant;
      if (graceS === 0 || token === undefined || clientId === undefined || !refused) return false;
      if (!/used a moment ago|is consumed/.test(error.error_detail ?? error.message)) return false;
      for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
        const sealed = (await state.find(KIND, digest(token)))?.payload['sealed'];
        if (typeof sealed !== 'string') continue;
        const kept = JSON.parse(unseal(sealed, token)) as { clientId: string; body: unknown };
        if (kept.clientId !== clientId) return false;
        ctx.status = 200;
        ctx.body = kept.body;
        return true;
      }
      return false;
    },
  };
}

function refreshTokenOf(ctx: KoaContextWithOIDC): string | undefined {
  const { grant_type: grantType, refresh_token: token } = ctx.oidc?.params ?? {};
  return grantType === 'refresh_token' && typeof token === 'string' ? token : undefined;
}

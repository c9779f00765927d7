import { setTimeout as sleep } from 'node:timers/promises';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { digest, seal, unseal } from '../provider/state/sealing.ts';
import type { StateStore } from '../provider/state/state-store.ts';

const KIND = 'RefreshAnswer';
/** How long a second request waits for the answer of the first, which may be under way. */
const WAIT_MS = 1_000;
const LOOK_EVERY_MS = 50;

interface Kept {
  readonly clientId: string;
  readonly asked: string;
  readonly body: unknown;
}

/**
 * An answer with a new refresh token may be lost on its way. For a short time the same client may
 * send the same request again and gets the same answer; later a second use ends the whole grant
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
      const kept: Kept = { clientId, asked: askedOf(ctx), body: ctx.body };
      const payload = { sealed: seal(JSON.stringify(kept), token) };
      await state.put({ kind: KIND, key: digest(token), payload, ttlS: graceS });
    },
    async repeat(ctx, error) {
      const token = refreshTokenOf(ctx);
      // The client, the account and what it asks for are proven by now: it is consumed last of all.
      const clientId = ctx.oidc?.client?.clientId;
      const refused = error instanceof errors.InvalidGrant;
      if (graceS === 0 || token === undefined || clientId === undefined || !refused) return false;
      if (!/is consumed/.test(error.error_detail ?? error.message)) return false;
      for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
        const sealed = (await state.find(KIND, digest(token)))?.payload['sealed'];
        if (typeof sealed !== 'string') continue;
        const kept = JSON.parse(unseal(sealed, token)) as Kept;
        if (kept.clientId !== clientId || kept.asked !== askedOf(ctx)) return false;
        ctx.status = 200;
        ctx.body = kept.body;
        return true;
      }
      return false;
    },
  };
}

/** What the token is to be good for: an answer to a wider request is none to a narrower one. */
function askedOf({ oidc }: KoaContextWithOIDC): string {
  const { scope, resource } = oidc.params ?? {};
  return JSON.stringify([scope ?? null, resource ?? null]);
}

function refreshTokenOf(ctx: KoaContextWithOIDC): string | undefined {
  const { grant_type: grantType, refresh_token: token } = ctx.oidc?.params ?? {};
  return grantType === 'refresh_token' && typeof token === 'string' ? token : undefined;
}

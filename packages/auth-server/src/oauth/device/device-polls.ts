import type { Middleware } from 'koa';
import { digest } from '../../crypto/digest.ts';
import { errors, type KoaContextWithOIDC } from '../../library/oidc.ts';
import type { StateStore } from '../../state/state-store.ts';
import { ROUTES } from '../../web/paths.ts';

/** RFC 8628 §3.2: seconds between two polls of a device, until a `slow_down` adds to it. */
const INTERVAL_S = 5;
/** RFC 8628 §3.5: what each `slow_down` adds to it. */
const SLOW_DOWN_S = 5;
const INTERVAL_MAX_S = 60;
/** A poll may arrive so much sooner after the one before than it was sent. */
const JITTER_S = 1;
/** Longer than any device code lives. */
const PACE_TTL_S = 1_800;

/** Tells a device that asks too often to slow down, across replicas. */
export type PaceDevice = (ctx: KoaContextWithOIDC, error: unknown) => Promise<unknown>;

/**
 * Applies only while the person has not answered: after that, the device gets its tokens even when
 * it polls early.
 */
export function paceDevices(state: StateStore): PaceDevice {
  return async (ctx, error) => {
    const code = ctx.oidc?.params?.['device_code'];
    if (!(error instanceof errors.AuthorizationPending) || typeof code !== 'string') return error;
    const key = digest(code);
    const pace = await state.find('DevicePace', key);
    const intervalS = Number(pace?.payload['intervalS'] ?? INTERVAL_S);
    const poll = (afterS: number) => ({
      ...{ kind: 'DevicePoll', key, payload: {}, ttlS: afterS - JITTER_S },
    });
    if (await state.put(poll(intervalS), { onlyIfAbsent: true })) return error;
    const slowerS = Math.min(intervalS + SLOW_DOWN_S, INTERVAL_MAX_S);
    const payload = { intervalS: slowerS };
    await state.put({ kind: 'DevicePace', key, payload, ttlS: PACE_TTL_S });
    await state.put(poll(slowerS));
    return new errors.SlowDown();
  };
}

/** The library leaves `interval` out of its answer to a device. */
export const tellInterval: Middleware = async (ctx, next) => {
  await next();
  if (ctx.path !== ROUTES.device_authorization || ctx.status !== 200) return;
  ctx.body = { ...(ctx.body as object), interval: INTERVAL_S };
};

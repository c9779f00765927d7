import type { Middleware } from 'koa';

/** Something without which a service cannot do its work; resolves when it is usable. */
export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void>;
}

/** A check that failed for a reason that `/readyz` names instead of `unavailable`. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  readonly reason: string;

  /** @param reason a short name that the operator finds in the documentation. */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

const CHECK_TIMEOUT_MS = 2_000;

/**
 * `GET /livez`: the process answers; restart it when it does not. `GET /readyz`: 200 when it can
 * do its work, else 503 naming what is missing (and while draining), so that traffic goes
 * elsewhere. Neither needs a token, and neither shows more than names.
 */
export function health(checks: readonly ReadinessCheck[], isDraining: () => boolean): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/livez' && ctx.path !== '/readyz') return next();
    ctx.set('Cache-Control', 'no-store');
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.status = 405;
      ctx.set('Allow', 'GET, HEAD');
      return;
    }
    if (ctx.path === '/livez') {
      ctx.body = { status: 'ok' };
      return;
    }
    const results = await Promise.all(checks.map(run));
    const ready = !isDraining() && results.every(([, result]) => result === 'ok');
    ctx.status = ready ? 200 : 503;
    ctx.body = {
      status: isDraining() ? 'draining' : ready ? 'ok' : 'unavailable',
      checks: Object.fromEntries(results),
    };
  };
}

async function run({ name, check }: ReadinessCheck): Promise<[string, string]> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), timeout]);
    return [name, 'ok'];
  } catch (error) {
    return [name, error instanceof NotReady ? error.reason : 'unavailable'];
  } finally {
    clearTimeout(timer);
  }
}

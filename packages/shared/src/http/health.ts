import type { Middleware } from 'koa';
import type { Metrics } from '../metrics/metrics.ts';

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
/** Shorter than what a reading of the metrics waits for. */
const MEASURE_TIMEOUT_MS = 800;

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
    const results = await Promise.all(checks.map((one) => run(one)));
    const ready = !isDraining() && results.every(([, result]) => result === 'ok');
    ctx.status = ready ? 200 : 503;
    ctx.body = {
      status: isDraining() ? 'draining' : ready ? 'ok' : 'unavailable',
      checks: Object.fromEntries(results),
    };
  };
}

export async function allPass(checks: readonly ReadinessCheck[]): Promise<boolean> {
  const results = await Promise.all(checks.map((one) => run(one)));
  return results.every(([, result]) => result === 'ok');
}

/** Shows to the monitoring system what `/readyz` shows, also where nobody asks `/readyz`. */
export function measureReadiness(metrics: Metrics, checks: readonly ReadinessCheck[]): void {
  metrics.gauge(
    {
      name: 'cls_ready',
      help: '1 for each thing that the service needs and has, 0 for what is missing.',
      labels: { need: checks.map(({ name }) => name) },
    },
    async () => {
      const results = await Promise.all(checks.map((one) => run(one, MEASURE_TIMEOUT_MS)));
      return results.map(([need, result]) => ({
        labels: { need },
        value: result === 'ok' ? 1 : 0,
      }));
    },
  );
}

async function run(
  { name, check }: ReadinessCheck,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<[string, string]> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), timeoutMs);
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

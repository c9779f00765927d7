import { Refusal } from '@cls/shared/http/refusal';
import { type CallersUsage, type CallerUsage, callersUsage } from './caller-budget.ts';

/** What a caller may still do in this window, for the RateLimit headers. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetS: number;
}

/**
 * The window that all replicas share. It hands out points of a key's window until none are left.
 */
export interface SharedWindow {
  take(key: string, points: number): Promise<{ taken: number; left: number; resetMs: number }>;
}

export interface RateLimit {
  /** Counts one request of the caller. @throws {Refusal} `rate_limited` */
  count(key: string): Promise<Allowance> | Allowance;
  /** The same where nobody needs to be asked. Undefined: nothing was counted, and `count` tells. */
  countNow(key: string): Allowance | undefined;
}

/**
 * The size of a lease, as a part of the limit. A replica never holds more unused points than this.
 */
const LEASE_PART = 100;

type Lease = NonNullable<CallerUsage['lease']>;

/**
 * Limits requests per caller over all replicas. Points are leased from the shared window in
 * batches, so that most requests cost no round trip; a replica never allows more than it leased.
 */
export function leasedRateLimit(
  limit: number,
  shared: SharedWindow,
  usageOf: CallersUsage = callersUsage(),
): RateLimit {
  const leasePoints = Math.max(1, Math.floor(limit / LEASE_PART));
  const renewals = new Map<string, Promise<Lease>>();

  const renew = (key: string): Promise<Lease> => {
    const underWay = renewals.get(key);
    if (underWay !== undefined) return underWay;
    const renewal = shared
      .take(key, leasePoints)
      .then(({ taken, left, resetMs }) => {
        const lease = { points: taken, left, endsMs: performance.now() + resetMs };
        usageOf(key).lease = lease;
        return lease;
      })
      .finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  };
  const spend = (lease: Lease): Allowance => {
    const resetS = Math.max(1, Math.ceil((lease.endsMs - performance.now()) / 1000));
    if (lease.points <= 0) throw rateLimited(limit, resetS);
    lease.points -= 1;
    return { limit, remaining: lease.points + lease.left, resetS };
  };

  /** Several requests may wait for one lease, which may be too small for all of them. */
  const fromRenewal = async (key: string): Promise<Allowance> => {
    let lease = await renew(key);
    while (lease.points <= 0 && lease.left > 0) lease = await renew(key);
    return spend(lease);
  };

  const currentLease = (key: string): Lease | undefined => {
    const { lease } = usageOf(key);
    return lease !== undefined && performance.now() < lease.endsMs ? lease : undefined;
  };

  return {
    count(key) {
      const lease = currentLease(key);
      if (lease !== undefined && (lease.points > 0 || lease.left === 0)) return spend(lease);
      return fromRenewal(key);
    },
    countNow(key) {
      const lease = currentLease(key);
      return lease !== undefined && lease.points > 0 ? spend(lease) : undefined;
    },
  };
}

/** Headers of draft-ietf-httpapi-ratelimit-headers. */
export function rateLimitHeaders({ limit, remaining, resetS }: Allowance) {
  return {
    'RateLimit-Policy': `"minute";q=${limit};w=60`,
    RateLimit: `"minute";r=${remaining};t=${resetS}`,
  };
}

function rateLimited(limit: number, resetS: number): Refusal {
  return new Refusal({
    status: 429,
    code: 'rate_limited',
    title: 'Too many requests',
    detail: `More than ${limit} requests in a minute; try again in ${resetS} seconds.`,
    headers: {
      'Retry-After': `${resetS}`,
      ...rateLimitHeaders({ limit, remaining: 0, resetS }),
    },
  });
}

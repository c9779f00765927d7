import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { LRUCache } from 'lru-cache';
import type { TokenHolder, TokenStatusRecords } from './token-status.ts';

/** How long indices that were leased are given out, in seconds. */
const LEASE_S = 900;
const HOLDERS_MAX = 20_000;
/** Indices of a holder's first lease; whoever uses up a lease gets eight times as many, up to the most. */
const FEW = 8;
const MANY = 4_096;

interface Lease {
  next: number;
  readonly last: number;
  readonly count: number;
  /** Of the process's own clock, which nobody sets. */
  readonly endsMs: number;
}

/**
 * An index for one token of the holder, in the holder's lease; undefined where it may have no token any more.
 * At once where the lease has one left: on Node 20 a promise costs a token more than its index does.
 */
export type NextIndex = (holder: TokenHolder) => number | Promise<number | undefined>;

/**
 * Gives out indices from leases, which a table has before the first is used: so whoever revokes finds the
 * tokens of a holder, and making a token writes nothing.
 */
export function tokenIndices(
  records: Pick<TokenStatusRecords, 'lease'>,
  nowMs: () => number = () => performance.now(),
): { readonly next: NextIndex; readonly forget: () => void } {
  const leases = new LRUCache<string, Lease>({ max: HOLDERS_MAX });
  const leasing = new Map<string, Promise<Lease | undefined>>();
  const lease = (key: string, holder: TokenHolder, usedUp: Lease | undefined) => {
    const underWay = leasing.get(key);
    if (underWay !== undefined) return underWay;
    const count = Math.min((usedUp?.count ?? FEW / 8) * 8, MANY);
    const endsMs = nowMs() + LEASE_S * 1_000;
    const asked: Promise<Lease | undefined> = records
      .lease(holder, count, LEASE_S)
      .then((leased) => {
        const made = leased && { next: leased.first, last: leased.last, count, endsMs };
        // What was revoked while it was asked for is not kept.
        if (made !== undefined && leasing.get(key) === asked) leases.set(key, made);
        return made;
      })
      .finally(() => {
        if (leasing.get(key) === asked) leasing.delete(key);
      });
    leasing.set(key, asked);
    return asked;
  };
  const fromLease = (lease: Lease): number | undefined => {
    if (nowMs() >= lease.endsMs || lease.next > lease.last) return undefined;
    lease.next += 1;
    return lease.next - 1;
  };
  const afterLeasing = async (key: string, holder: TokenHolder) => {
    let current = leases.get(key);
    // Many may wait for one lease, and the last of them for another one.
    for (let tries = 0; tries < 20; tries += 1) {
      const live = current !== undefined && nowMs() < current.endsMs;
      current = await lease(key, holder, live ? current : undefined);
      if (current === undefined) return undefined;
      const index = fromLease(current);
      if (index !== undefined) return index;
    }
    throw new DatabaseUnavailable('too many tokens are asked for at once');
  };
  const next: NextIndex = (holder) => {
    const { subject, clientId, secretId, grant, permissions } = holder;
    const key = `${subject} ${clientId} ${secretId} ${grant} ${permissions}`;
    const known = leases.get(key);
    return (known && fromLease(known)) ?? afterLeasing(key, holder);
  };
  return {
    next,
    /** Something was revoked, and perhaps one of the leases: its tokens would be born dead. */
    forget() {
      leases.clear();
      leasing.clear();
    },
  };
}

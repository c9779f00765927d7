/**
 * How many tokens service accounts get: each account, and all accounts of a customer together, so
 * many a minute on average over five minutes. A token lives for a day; a client that asks again and
 * again has lost sight of the one that it has.
 *
 * A token is counted in memory. Once a second a process tells the others what it has given out
 * (sql-token-use.ts), so no request waits for a write, and replicas may together give a few tokens
 * too many within that second.
 */
import { LRUCache } from 'lru-cache';

export interface TokenBudget {
  /** Counts a token that is about to be made. @returns undefined when there may be one. */
  take(caller: TokenCaller): OverBudget | undefined;
  /** The token that was counted last for a service account was not given out. */
  giveBack(id: string): void;
  /** A token was given out to an address. @param ids of the service account, and of the secret that it proved. */
  used(ids: readonly string[], address: string): void;
  /**
   * Tells what was given out, and learns what others did.
   *
   * @param all what may wait too, because the process ends.
   */
  share(store: TokenUseStore, all?: boolean): Promise<void>;
}

export interface TokenCaller {
  readonly id: string;
  readonly customer: string;
}

/** Seconds until there may be a token again, and whether this is the `first` to be recorded. */
export interface OverBudget {
  readonly waitS: number;
  readonly first: boolean;
}

/** Tokens a minute; 0: no limit. */
export interface TokenLimits {
  readonly tokensPerMinute: number;
  readonly customerTokensPerMinute: number;
}

/** What one process gave out to a subject since it told the others. */
export interface TokenUse {
  /** A service account, a customer, or a secret of a client. */
  readonly subject: string;
  /** Seconds of the subject's time that its tokens take. */
  readonly takenS: number;
  /** Seconds since the last token. */
  readonly agoS: number;
  /** Where that token went; customers have none. */
  readonly address?: string;
}

export interface TokenUseStore {
  /** @returns seconds by which all replicas together are ahead, by subject. */
  add(uses: readonly TokenUse[]): Promise<ReadonlyMap<string, number>>;
}

/** Seconds of tokens that may be taken at once. */
export const BURST_S = 300;
const SUBJECTS_MAX = 20_000;
/** A small use waits for at most so many seconds before it is shared. */
const SHARE_AFTER_S = 60;
/** A use of so many seconds of a subject's time is shared without that wait. */
const SHARE_AT_S = 15;
/** Refused tokens of a subject are recorded once in so many seconds. */
const RECORD_AFTER_S = 60;

interface Bucket {
  /** Of a service account. */
  customer?: string;
  /** The time up to which tokens are used up, in seconds of `now` (GCRA). */
  paidUntilS: number;
  untoldS: number;
  toldAtS: number;
  recordedAtS: number;
  usedAtS: number;
  /** Before the token that was counted last. */
  usedBeforeS: number;
  address?: string;
}

/** @param now seconds of a clock that is never set. */
export function tokenBudget(
  { tokensPerMinute, customerTokensPerMinute }: TokenLimits,
  now: () => number = () => performance.now() / 1_000,
): TokenBudget {
  const buckets = new LRUCache<string, Bucket>({ max: SUBJECTS_MAX });
  const ofAccount = tokensPerMinute === 0 ? 0 : 60 / tokensPerMinute;
  const ofCustomer = customerTokensPerMinute === 0 ? 0 : 60 / customerTokensPerMinute;
  const bucketOf = (subject: string): Bucket => {
    let bucket = buckets.get(subject);
    if (bucket === undefined) {
      const never = Number.NEGATIVE_INFINITY;
      bucket = {
        paidUntilS: never,
        untoldS: 0,
        toldAtS: never,
        recordedAtS: never,
        usedAtS: never,
        usedBeforeS: never,
      };
      buckets.set(subject, bucket);
    }
    return bucket;
  };
  return {
    take({ id, customer }) {
      const nowS = now();
      const account = bucketOf(id);
      const all = bucketOf(customer);
      const waitS = Math.max(overS(account, ofAccount, nowS), overS(all, ofCustomer, nowS));
      if (waitS > 0) {
        const first = nowS - account.recordedAtS >= RECORD_AFTER_S;
        if (first) account.recordedAtS = nowS;
        return { waitS: Math.ceil(waitS), first };
      }
      account.customer = customer;
      add(account, ofAccount, nowS);
      add(all, ofCustomer, nowS);
      return undefined;
    },
    giveBack(id) {
      const account = buckets.get(id);
      if (account?.customer === undefined) return;
      takeBack(account, ofAccount);
      takeBack(bucketOf(account.customer), ofCustomer);
    },
    used(ids, address) {
      for (const id of ids) {
        const bucket = bucketOf(id);
        bucket.address = address;
        bucket.usedAtS = now();
      }
    },
    async share(store, all = false) {
      const nowS = now();
      const told = [...buckets.entries()].filter(([, bucket]) => isDue(bucket, nowS, all));
      if (told.length === 0) return;
      const amounts = new Map(told.map(([subject, { untoldS }]) => [subject, untoldS]));
      const ahead = await store.add(told.map(([subject, bucket]) => useOf(subject, bucket, nowS)));
      for (const [subject, bucket] of told) {
        // Tokens that were given out while the store was asked are not in its answer.
        bucket.untoldS -= amounts.get(subject) ?? 0;
        bucket.paidUntilS = now() + (ahead.get(subject) ?? 0) + bucket.untoldS;
        bucket.toldAtS = nowS;
      }
    },
  };
}

function overS({ paidUntilS }: Bucket, eachS: number, nowS: number): number {
  return eachS === 0 ? 0 : Math.max(paidUntilS, nowS) + eachS - nowS - BURST_S;
}

function add(bucket: Bucket, eachS: number, nowS: number): void {
  bucket.paidUntilS = Math.max(bucket.paidUntilS, nowS) + eachS;
  bucket.untoldS += eachS;
  bucket.usedBeforeS = bucket.usedAtS;
  bucket.usedAtS = nowS;
}

function takeBack(bucket: Bucket, eachS: number): void {
  bucket.paidUntilS -= eachS;
  bucket.untoldS -= eachS;
  bucket.usedAtS = bucket.usedBeforeS;
}

function isDue({ usedAtS, toldAtS, untoldS }: Bucket, nowS: number, all: boolean): boolean {
  const waits = untoldS < SHARE_AT_S && nowS - toldAtS < SHARE_AFTER_S;
  return usedAtS > toldAtS && (all || !waits);
}

function useOf(subject: string, { untoldS, usedAtS, address }: Bucket, nowS: number): TokenUse {
  const use = { subject, takenS: untoldS, agoS: nowS - usedAtS };
  return address === undefined ? use : { ...use, address };
}

/**
 * Where verification keys come from: one pinned JWKS URL, read in the background, off every
 * request's path. While the issuer is down, the last good set stays in use, so that the API goes on
 * working. A document that is not a valid key set never replaces a good one.
 */

import { usableKeys } from '@cls/shared/access/key-check';
import { KeysUnavailable, type VerificationKeys } from '@cls/shared/access/verification-keys';
import { aheadOfDate } from '@cls/shared/clock-offset';
import { fetchDocument } from '@cls/shared/http/fetch-document';
import type { Log } from '@cls/shared/log';
import { type OutageWords, outageLog, whyFailed } from '@cls/shared/outage-log';
import type { CryptoKey } from 'jose';
import { type Memories, openMemories } from '../memory/memories.ts';

export interface KeySource extends VerificationKeys {
  /** True once a usable key set was read. */
  readonly ready: boolean;
  /** Seconds since the issuer last answered with its keys; undefined where it never did. */
  readonly ageS: number | undefined;
  /**
   * Seconds that this machine's clock was ahead of the issuer's, by the `Date` of its last answer;
   * undefined where that says nothing, or is older than two reads.
   */
  readonly aheadS: number | undefined;
  /** Calls back with the kids of keys that are no longer the issuer's. */
  onRemoved(listener: (kids: ReadonlySet<string>) => void): void;
  stop(): void;
}

export interface KeptDocument {
  /** As the issuer served it. */
  readonly document: unknown;
  /** Milliseconds since it was read from the issuer. */
  readonly ageMs: number;
}

export interface DocumentFile {
  /** Undefined when there is no file, or none that fits this issuer and clock. */
  load(): KeptDocument | undefined;
  /** Writes the file when it would be out of date. @param ageMs since the document was read; 0 where left out. */
  keep(document: unknown, ageMs?: number): void;
}

export interface KeySourceOptions {
  readonly url: string;
  readonly refreshMs: number;
  readonly memories?: Memories;
  /** Where the last good set is kept over a restart; undefined keeps none. */
  readonly file?: DocumentFile;
  readonly onFailure: (error: Error) => void;
  /** Called after each good read. */
  readonly onRead?: () => void;
}

type Messages = Pick<OutageWords, 'begins' | 'continues' | 'ends'>;

const KEY_SET: Messages = {
  begins: 'the key set cannot be read',
  continues: 'the key set could not be read in the last minute',
  ends: 'the key set is read again',
};

/** Writes to the log when something of the issuer cannot be read, and when it is read again. */
export function logReads(
  log: Log,
  messages: Messages = KEY_SET,
): Required<Pick<KeySourceOptions, 'onFailure' | 'onRead'>> {
  const outage = outageLog(log, { level: 'warn', ...messages });
  return { onFailure: (error) => outage.failed(whyFailed(error)), onRead: outage.answered };
}

const FETCH_LIMITS = { timeoutMs: 2_000, maxBytes: 256 * 1024 };
/** Tokens with an unknown kid, of all callers together, fetch the set this often at most. */
const UNKNOWN_KID_REFRESH_MS = 5_000;
/** The longest token life (24 h) and an hour: no token outlives the keys we hold. */
const MAX_STALE_MS = 25 * 3_600_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/** The keys in use. */
interface HeldKeys {
  readonly byKid: ReadonlyMap<string, CryptoKey>;
  /** Those that the last read did not have; of a set from the file, all. */
  readonly missing: ReadonlySet<string>;
  readonly readAtMs: number;
}

/** Starts reading at once. Times are monotonic, so setting the clock changes nothing here. */
export function remoteKeySource(options: KeySourceOptions): KeySource {
  const { url, refreshMs, file, onFailure, onRead, memories = openMemories() } = options;
  let held: HeldKeys | undefined;
  const count = memories.register('keys', () => ({ entries: held?.byKid.size ?? 0, size: 0 }));
  let issuerClock: { readonly aheadS: number | undefined; readonly atMs: number } | undefined;
  let askedForUnknownAtMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  const removalListeners: ((kids: ReadonlySet<string>) => void)[] = [];

  const read = async (): Promise<void> => {
    try {
      const { document, headers, tookMs } = await fetchDocument(url, FETCH_LIMITS);
      issuerClock = { aheadS: aheadOfDate(headers, tookMs), atMs: performance.now() };
      const fresh = await usableKeys(document);
      if (fresh === undefined || fresh.size === 0) throw new Error('no usable key in the document');
      const { removed, ...kept } = adopt(fresh, held);
      held = kept;
      if (removed.size > 0) for (const listener of removalListeners) listener(removed);
      failures = 0;
      onRead?.();
      file?.keep(document);
    } catch (error) {
      failures += 1;
      onFailure(error instanceof Error ? error : new Error(String(error)));
      held ??= await restore(file);
    }
  };
  const pauseMs = (): number => {
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
    const settling = held?.missing.size ? LAST_RETRY_MS : refreshMs;
    return Math.min(failures > 0 ? retryMs : settling, refreshMs);
  };
  const reads = repeat(read, pauseMs);
  const usable = () => held !== undefined && performance.now() - held.readAtMs < MAX_STALE_MS;

  return {
    get ready() {
      return usable();
    },
    get ageS() {
      return held && (performance.now() - held.readAtMs) / 1_000;
    },
    get aheadS() {
      if (issuerClock === undefined) return undefined;
      const isOld = performance.now() - issuerClock.atMs > 2 * refreshMs + LAST_RETRY_MS;
      return isOld ? undefined : issuerClock.aheadS;
    },
    async find(kid) {
      const known = held?.byKid.get(kid);
      count(known !== undefined);
      if (known !== undefined && usable()) return known;
      // A first read that is under way may be just what this request needs.
      if (!usable()) {
        await reads.underWay;
        if (!usable()) throw new KeysUnavailable('the key set was never read');
        return held?.byKid.get(kid);
      }
      const nowMs = performance.now();
      if (nowMs - askedForUnknownAtMs >= UNKNOWN_KID_REFRESH_MS) {
        askedForUnknownAtMs = nowMs;
        reads.begin();
      }
      await reads.underWay;
      const learnt = held?.byKid.get(kid);
      // While the issuer does not answer, an unknown key may be new or foreign.
      if (learnt === undefined && failures > 0) {
        throw new KeysUnavailable('the key set cannot be read');
      }
      return learnt;
    },
    onRemoved: (listener) => void removalListeners.push(listener),
    stop: reads.stop,
  };
}

/**
 * A key that is missing once may be a bad read. A key that is missing in two reads in a row was
 * removed.
 */
function adopt(
  fresh: ReadonlyMap<string, CryptoKey>,
  held: HeldKeys | undefined,
): HeldKeys & { readonly removed: ReadonlySet<string> } {
  const gone = [...(held?.byKid ?? [])].filter(([kid]) => !fresh.has(kid));
  const missing = new Set(gone.map(([kid]) => kid));
  const removed = new Set([...missing].filter((kid) => held?.missing.has(kid)));
  const byKid = new Map([...gone.filter(([kid]) => !removed.has(kid)), ...fresh]);
  return { byKid, missing, removed, readAtMs: performance.now() };
}

/**
 * After a restart the issuer is asked first. The set from the file is used while the issuer is
 * down: its first answer removes what it lacks.
 */
async function restore(file: DocumentFile | undefined): Promise<HeldKeys | undefined> {
  const kept = file?.load();
  const byKid = kept && (await usableKeys(kept.document));
  const readAtMs = performance.now() - (kept?.ageMs ?? 0);
  return byKid && { byKid, missing: new Set(byKid.keys()), readAtMs };
}

/** Works at once, and again after each pause. However many begin the work, it runs once at a time. */
function repeat(work: () => Promise<void>, pauseMs: () => number) {
  let underWay: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const begin = (): void => {
    underWay ??= work().finally(() => {
      underWay = undefined;
      clearTimeout(timer);
      if (!stopped) timer = setTimeout(begin, pauseMs()).unref();
    });
  };
  const stop = (): void => {
    stopped = true;
    clearTimeout(timer);
  };
  begin();
  return {
    get underWay() {
      return underWay;
    },
    begin,
    stop,
  };
}

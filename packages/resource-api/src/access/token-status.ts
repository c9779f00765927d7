/**
 * Which tokens are revoked, as the issuer publishes it (Token Status List): each list that a token of now is
 * in is read in the background, off every request's path.
 */

import {
  isRevokedIn,
  STATUS_LIST_MEDIA_TYPE,
  STATUS_LIST_TYPE,
  type StatusReference,
  statusListNumber,
  unpackBits,
} from '@cls/shared/access/status-list';
import { revocationsUnavailable, tokenRevoked } from '@cls/shared/access/token-refusals';
import type { VerificationKeys } from '@cls/shared/access/verification-keys';
import { ACCESS_TOKEN_ALG } from '@cls/shared/access-token';
import { type Clock, epochSeconds } from '@cls/shared/clock';
import { fetchBounded } from '@cls/shared/http/fetch-document';
import { type CryptoKey, compactVerify } from 'jose';
import { type Memories, openMemories } from '../memory/memories.ts';
import type { DocumentFile } from './key-source.ts';

export interface TokenStatus {
  /** Whether it is known, now, that nobody revoked the token. */
  isGood(token: StatusReference | undefined): boolean;
  /** The same; reads the list where it is not known. @throws {Refusal} `token_revoked`, `revocations_unavailable` */
  assertGood(token: StatusReference | undefined): Promise<void>;
  /** Seconds since the issuer last said what is revoked, of the list that is oldest; undefined where no token needed one. */
  readonly ageS: number | undefined;
  /** Reads all lists again: something was revoked. */
  readNow(): void;
  stop(): void;
}

export interface TokenStatusOptions {
  readonly issuer: string;
  /** Where the lists are: at an inner address perhaps, whatever the tokens say. */
  readonly url: string;
  readonly keys: VerificationKeys;
  /** For how long what was known last counts where the issuer does not answer. */
  readonly failOpenS: number;
  readonly everyMs?: number;
  readonly file?: DocumentFile;
  readonly clock: Clock;
  readonly memories?: Memories;
  readonly onFailure: (error: Error) => void;
  readonly onRead?: () => void;
}

/** A revocation counts everywhere within five seconds. */
const EVERY_MS = 3_000;
const FETCH_LIMITS = { timeoutMs: 2_000, maxBytes: 512 * 1_024 };
/** Longer than a token lives: a list that no token was in for so long is not read any more. */
const FORGET_MS = 25 * 3_600_000;
const never = Number.NEGATIVE_INFINITY;

interface List {
  readonly url: string;
  /** The `sub` of the list: what tokens call it. */
  readonly uri: string;
  /** As signed. */
  text?: string;
  bits?: Uint8Array;
  expiresAtS?: number;
  etag?: string;
  /** Of a list that was never read: when the issuer was last heard before a token needed it. */
  readAtMs: number;
  readonly madeAtMs: number;
  neededAtMs: number;
  reading?: Promise<void> | undefined;
}

/** Begins with what the file has, which the issuer's keys must verify. */
export function remoteTokenStatus(options: TokenStatusOptions): TokenStatus {
  const { issuer, url, keys, failOpenS, everyMs = EVERY_MS, file, clock, onFailure } = options;
  const lists = new Map<string, List>();
  let heardAtMs = never;
  const memories = options.memories ?? openMemories();
  const count = memories.register('statusLists', () => sizeOf(lists));
  const counts = (list: List) => performance.now() - list.readAtMs <= failOpenS * 1_000;
  const listOf = (uri: string): List | undefined => {
    const known = lists.get(uri);
    if (known !== undefined) return known;
    const number = statusListNumber(issuer, uri);
    if (number === undefined) return undefined;
    const madeAtMs = performance.now();
    const list = {
      ...{ url: `${url}/${number}`, uri, readAtMs: heardAtMs },
      ...{ madeAtMs, neededAtMs: madeAtMs },
    };
    lists.set(uri, list);
    return list;
  };
  const read = (list: List): Promise<void> => {
    list.reading ??= fetchList(list, keys, clock)
      .then(
        () => {
          heardAtMs = list.readAtMs;
          options.onRead?.();
        },
        (error: unknown) => onFailure(error instanceof Error ? error : new Error(String(error))),
      )
      .finally(() => {
        list.reading = undefined;
      });
    return list.reading;
  };

  const rounds = repeatedly(async () => {
    // A reading that began before may miss what was just revoked.
    await Promise.all([...lists.values()].map(({ reading }) => reading));
    for (const [uri, { neededAtMs }] of lists) {
      if (performance.now() - neededAtMs > FORGET_MS) lists.delete(uri);
    }
    await Promise.all([...lists.values()].map(read));
    save([...lists.values()], file);
  }, everyMs);
  const restored = restore(file, keys, (uri, read, ageMs) => {
    const list = listOf(uri);
    if (list === undefined || list.bits !== undefined) return;
    Object.assign(list, read, { readAtMs: performance.now() - ageMs });
    heardAtMs = Math.max(heardAtMs, list.readAtMs);
  });

  return {
    isGood(token) {
      if (token === undefined) return true;
      const list = lists.get(token.uri);
      count(list?.bits !== undefined);
      if (list?.bits === undefined || !counts(list)) return false;
      list.neededAtMs = performance.now();
      return !isRevokedIn(list.bits, token.idx);
    },
    async assertGood(token) {
      if (token === undefined) return;
      if (!lists.has(token.uri)) await restored;
      const list = listOf(token.uri);
      if (list === undefined) throw revocationsUnavailable();
      list.neededAtMs = performance.now();
      if (list.bits === undefined) await read(list);
      if (list.bits !== undefined && isRevokedIn(list.bits, token.idx)) throw tokenRevoked();
      if (!counts(list)) throw revocationsUnavailable();
    },
    get ageS() {
      const known = [...lists.values()].map(({ readAtMs, madeAtMs }) =>
        readAtMs === never ? madeAtMs : readAtMs,
      );
      return known.length === 0 ? undefined : (performance.now() - Math.min(...known)) / 1_000;
    },
    readNow: rounds.begin,
    stop: rounds.stop,
  };
}

function sizeOf(lists: ReadonlyMap<string, List>) {
  let size = 0;
  for (const { bits, text } of lists.values()) size += (bits?.length ?? 0) + (text?.length ?? 0);
  return { entries: lists.size, size };
}

/** What could not be read now is as old as it is, after a restart too. */
function save(lists: readonly List[], file: DocumentFile | undefined): void {
  const known = lists.filter(({ text }) => text !== undefined);
  if (known.length === 0) return;
  const oldestMs = Math.min(...known.map(({ readAtMs }) => readAtMs));
  const document = Object.fromEntries(known.map(({ uri, text }) => [uri, text]));
  file?.keep(document, performance.now() - oldestMs);
}

/** Work that is asked for while it runs is done once more. @param work never throws. */
function repeatedly(work: () => Promise<void>, everyMs: number) {
  let again = false;
  let running = false;
  const run = async () => {
    again = true;
    if (running) return;
    running = true;
    while (again) {
      again = false;
      await work();
    }
    running = false;
  };
  const timer = setInterval(() => void run(), everyMs);
  timer.unref();
  return { begin: () => void run(), stop: () => clearInterval(timer) };
}

/** @throws {Error} for a list whose time is over, too: a cache on the way may have kept it. */
async function fetchList(list: List, keys: VerificationKeys, clock: Clock): Promise<void> {
  const startedMs = performance.now();
  const known = list.etag === undefined ? {} : { 'if-none-match': list.etag };
  const asked = { accept: STATUS_LIST_MEDIA_TYPE, ...known };
  const { status, body, headers } = await fetchBounded(list.url, asked, FETCH_LIMITS);
  const changed =
    status === 200 ? await readList(body.toString('latin1'), list.uri, keys) : undefined;
  const { expiresAtS = Number.POSITIVE_INFINITY } = changed ?? list;
  if (expiresAtS <= epochSeconds(clock)) throw new Error('a status list that has expired');
  if (changed !== undefined) {
    Object.assign(list, changed);
    const etag = headers.get('etag');
    if (etag === null) delete list.etag;
    else list.etag = etag;
  }
  list.readAtMs = startedMs;
}

type ReadList = Pick<List, 'expiresAtS'> & Required<Pick<List, 'text' | 'bits'>>;

/** @throws {Error} for anything but the list that the issuer signed under this name. */
async function readList(text: string, uri: string, keys: VerificationKeys): Promise<ReadList> {
  const find = async ({ kid, typ }: { kid?: string; typ?: string }): Promise<CryptoKey> => {
    const key = typ === STATUS_LIST_TYPE ? await keys.find(kid ?? '') : undefined;
    if (key === undefined) throw new Error('a status list that no key of the issuer signed');
    return key;
  };
  const { payload } = await compactVerify(text, find, { algorithms: [ACCESS_TOKEN_ALG] });
  const claims = JSON.parse(Buffer.from(payload).toString('utf8')) as {
    sub?: unknown;
    exp?: unknown;
    status_list?: { bits?: unknown; lst?: unknown };
  };
  const { bits, lst } = claims.status_list ?? {};
  if (claims.sub !== uri || bits !== 1 || typeof lst !== 'string') {
    throw new Error(`expected the status list ${uri} with one bit for each token`);
  }
  const expires = typeof claims.exp === 'number' ? { expiresAtS: claims.exp } : {};
  return { text, bits: await unpackBits(lst), ...expires };
}

/** What cannot be verified is left out: the issuer is asked then. The file's age counts, not the lists' `exp`. */
async function restore(
  file: DocumentFile | undefined,
  keys: VerificationKeys,
  use: (uri: string, read: ReadList, ageMs: number) => void,
): Promise<void> {
  const kept = file?.load();
  for (const [uri, text] of Object.entries((kept?.document ?? {}) as Record<string, unknown>)) {
    const read = await readList(String(text), uri, keys).catch(() => undefined);
    if (read !== undefined) use(uri, read, kept?.ageMs ?? 0);
  }
}

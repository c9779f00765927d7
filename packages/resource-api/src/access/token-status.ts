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
import { fetchBounded } from '@cls/shared/http/fetch-document';
import { type CryptoKey, compactVerify } from 'jose';
import { type Memories, openMemories } from '../memory/memories.ts';
import type { DocumentFile } from './key-source.ts';

export interface TokenStatus {
  /** Whether it is known, now, that nobody revoked the token. */
  isGood(token: StatusReference | undefined): boolean;
  /** The same; reads the list where it is not known. @throws {Refusal} `token_revoked`, `revocations_unavailable` */
  assertGood(token: StatusReference | undefined): Promise<void>;
  /** Seconds since the issuer last said what is revoked; undefined where it never did, or no token needed it. */
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
  etag?: string;
  readAtMs: number;
  neededAtMs: number;
  reading?: Promise<void> | undefined;
}

/** Begins with what the file has, which the issuer's keys must verify. */
export function remoteTokenStatus(options: TokenStatusOptions): TokenStatus {
  const { issuer, url, keys, failOpenS, everyMs = EVERY_MS, file, onFailure, onRead } = options;
  const lists = new Map<string, List>();
  let heardAtMs = never;
  const memories = options.memories ?? openMemories();
  const count = memories.register('statusLists', () => ({
    entries: lists.size,
    size: [...lists.values()].reduce(
      (sum, { bits, text }) => sum + (bits?.length ?? 0) + (text?.length ?? 0),
      0,
    ),
  }));
  const counts = (list: List) => performance.now() - list.readAtMs <= failOpenS * 1_000;
  const listOf = (uri: string): List | undefined => {
    const known = lists.get(uri);
    if (known !== undefined) return known;
    const number = statusListNumber(issuer, uri);
    if (number === undefined) return undefined;
    const neededAtMs = performance.now();
    const list = { url: `${url}/${number}`, uri, readAtMs: never, neededAtMs };
    lists.set(uri, list);
    return list;
  };
  const read = (list: List): Promise<void> => {
    list.reading ??= fetchList(list, keys)
      .then(
        () => {
          heardAtMs = list.readAtMs;
          onRead?.();
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
    const texts = [...lists].flatMap(([uri, { text }]) =>
      text === undefined ? [] : [[uri, text]],
    );
    if (texts.length > 0) file?.keep(Object.fromEntries(texts));
  }, everyMs);
  const restored = restore(file, keys, (uri, text, bits, ageMs) => {
    const list = listOf(uri);
    if (list === undefined || list.bits !== undefined) return;
    Object.assign(list, { text, bits, readAtMs: performance.now() - ageMs });
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
      const list = listOf(token.uri);
      if (list === undefined) throw revocationsUnavailable();
      list.neededAtMs = performance.now();
      if (list.bits === undefined) {
        await restored;
        await read(list);
      }
      if (list.bits !== undefined && isRevokedIn(list.bits, token.idx)) throw tokenRevoked();
      // Of a list that is new while the issuer does not answer nothing is known.
      const knownAtMs = list.bits === undefined ? heardAtMs : list.readAtMs;
      if (performance.now() - knownAtMs > failOpenS * 1_000) throw revocationsUnavailable();
    },
    get ageS() {
      return heardAtMs === never ? undefined : (performance.now() - heardAtMs) / 1_000;
    },
    readNow: rounds.begin,
    stop: rounds.stop,
  };
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

async function fetchList(list: List, keys: VerificationKeys): Promise<void> {
  const startedMs = performance.now();
  const known = list.etag === undefined ? {} : { 'if-none-match': list.etag };
  const asked = { accept: STATUS_LIST_MEDIA_TYPE, ...known };
  const { status, body, headers } = await fetchBounded(list.url, asked, FETCH_LIMITS);
  if (status === 200) {
    const text = body.toString('latin1');
    Object.assign(list, { text, bits: await bitsOf(text, list.uri, keys) });
    const etag = headers.get('etag');
    if (etag === null) delete list.etag;
    else list.etag = etag;
  }
  list.readAtMs = startedMs;
}

/** @throws {Error} for anything but the list that the issuer signed under this name. */
async function bitsOf(text: string, uri: string, keys: VerificationKeys): Promise<Buffer> {
  const find = async ({ kid, typ }: { kid?: string; typ?: string }): Promise<CryptoKey> => {
    const key = typ === STATUS_LIST_TYPE ? await keys.find(kid ?? '') : undefined;
    if (key === undefined) throw new Error('a status list that no key of the issuer signed');
    return key;
  };
  const { payload } = await compactVerify(text, find, { algorithms: [ACCESS_TOKEN_ALG] });
  const claims = JSON.parse(Buffer.from(payload).toString('utf8')) as {
    sub?: unknown;
    status_list?: { bits?: unknown; lst?: unknown };
  };
  const { bits, lst } = claims.status_list ?? {};
  if (claims.sub !== uri || bits !== 1 || typeof lst !== 'string') {
    throw new Error(`expected the status list ${uri} with one bit for each token`);
  }
  return unpackBits(lst);
}

/** What cannot be verified is left out: the issuer is asked then. */
async function restore(
  file: DocumentFile | undefined,
  keys: VerificationKeys,
  use: (uri: string, text: string, bits: Uint8Array, ageMs: number) => void,
): Promise<void> {
  const kept = file?.load();
  for (const [uri, text] of Object.entries((kept?.document ?? {}) as Record<string, unknown>)) {
    const bits = await bitsOf(String(text), uri, keys).catch(() => undefined);
    if (bits !== undefined) use(uri, String(text), bits, kept?.ageMs ?? 0);
  }
}

import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { get, globalAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from '@cls/shared/http/public-address';
import type { Log } from '@cls/shared/log';
import { whyFailed } from '@cls/shared/outage-log';

export interface KeySetFetchSettings {
  /** For developers: key sets on this machine. */
  readonly keySetsFromLoopback: boolean;
  readonly log: Log;
}

const BODY_MAX_BYTES = 65_536;
const HEADERS_MAX_BYTES = 16_384;
/** A set that could not be read is left alone for so long: anybody can send assertions. */
const PAUSE_MS = 5_000;

export type ReadKeySet = (url: URL, signal: AbortSignal) => Promise<Response>;

/** `fetchKeySet`, which asks no host again at once that failed. */
export function keySetReader(settings: KeySetFetchSettings): ReadKeySet {
  /** By the addresses that operators registered. */
  const failed = new Map<string, { readonly error: unknown; readonly atMs: number }>();
  return async (url, signal) => {
    const known = failed.get(url.href);
    if (known !== undefined && performance.now() - known.atMs < PAUSE_MS) throw known.error;
    failed.delete(url.href);
    try {
      return await fetchKeySet(url, signal, settings);
    } catch (error) {
      failed.set(url.href, { error, atMs: performance.now() });
      throw error;
    }
  };
}

/**
 * Reads the key set that a client publishes. Its host must be public: every address of the name is
 * checked, and the connection goes to one of these. A redirect is a refusal. The library says how long
 * it waits; it reads the set again after a minute, because the answer's own times are left out.
 */
export async function fetchKeySet(
  url: URL,
  signal: AbortSignal,
  { keySetsFromLoopback, log }: KeySetFetchSettings,
): Promise<Response> {
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (keySetsFromLoopback && isLoopbackAddress(address));
  try {
    const answer = await request(url, signal, isAllowed);
    return new Response(new Uint8Array(await bodyOf(answer)));
  } catch (error) {
    const why = whyFailed(error as Error);
    log.warn({ url: url.href, ...why }, 'the key set of a client cannot be read');
    throw error;
  }
}

function request(
  url: URL,
  signal: AbortSignal,
  isAllowed: (address: string) => boolean,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    // A host that is an address is not looked up.
    if (isIP(host) !== 0 && !isAllowed(host)) throw notPublic();
    const options = {
      signal,
      lookup: checkedLookup(isAllowed),
      maxHeaderSize: HEADERS_MAX_BYTES,
      headers: { accept: 'application/json' },
      // A connection of its own each time, because a kept one would not be looked up.
      agent: false,
      ca: globalAgent.options.ca,
    };
    get(url, options, resolve).on('error', reject);
  });
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (answer.statusCode !== 200) {
      throw new Error(`the key set was answered with status ${answer.statusCode}`);
    }
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_MAX_BYTES)
        throw new Error(`the key set has more than ${BODY_MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    answer.destroy();
  }
}

function checkedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error !== null || first === undefined) return callback(error ?? notPublic(), '');
      if (!found.every(({ address }) => isAllowed(address))) return callback(notPublic(), '');
      if (options.all) return callback(null, found);
      callback(null, first.address, first.family);
    });
  };
}

function notPublic(): Error {
  return new Error('the host has an address that is not public');
}

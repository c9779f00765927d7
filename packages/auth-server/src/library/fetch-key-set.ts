import type { IncomingMessage } from 'node:http';
import { get, globalAgent } from 'node:https';
import { isIP } from 'node:net';
import { checkedLookup } from '@cls/shared/http/checked-lookup';
import { hostOf, requireAllowed, type TargetPolicy } from '@cls/shared/http/public-host';
import type { Log } from '@cls/shared/log';
import { whyFailed } from '@cls/shared/outage-log';
import { readBody } from '../web/read-body.ts';

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
 * Reads the key set that a client publishes. Its host must be public. A redirect is a refusal. The library
 * says how long it waits; it reads the set again after a minute, because the answer's own times are left out.
 */
export async function fetchKeySet(
  url: URL,
  signal: AbortSignal,
  { keySetsFromLoopback, log }: KeySetFetchSettings,
): Promise<Response> {
  try {
    const answer = await request(url, signal, { allowLoopback: keySetsFromLoopback });
    return new Response(new Uint8Array(await bodyOf(answer)));
  } catch (error) {
    const why = whyFailed(error as Error);
    log.warn({ url: url.href, ...why }, 'the key set of a client cannot be read');
    throw error;
  }
}

function request(url: URL, signal: AbortSignal, policy: TargetPolicy): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (isIP(hostOf(url)) !== 0) requireAllowed(hostOf(url), policy);
    const options = {
      signal,
      lookup: checkedLookup(policy),
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
  try {
    if (answer.statusCode !== 200) {
      throw new Error(`the key set was answered with status ${answer.statusCode}`);
    }
    const body = await readBody(answer, BODY_MAX_BYTES);
    if (body === undefined) throw new Error(`the key set has more than ${BODY_MAX_BYTES} bytes`);
    return body;
  } finally {
    answer.destroy();
  }
}

import { GatheredBytes } from './gathered-bytes.ts';

export interface FetchLimits {
  /** From the request to the end of the answer. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface Fetched {
  /** 304 only where the request had `If-None-Match`. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Until the head of the answer had come. */
  readonly tookMs: number;
}

/**
 * Reads from an address of the configuration, without following a redirect.
 *
 * @throws {Error} for another status than 200 and 304, and for an answer that is too large or too slow.
 */
export async function fetchBounded(
  url: string,
  headers: Readonly<Record<string, string>>,
  { timeoutMs, maxBytes }: FetchLimits,
): Promise<Fetched> {
  const startedMs = performance.now();
  const giveUp = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { headers, redirect: 'error', signal: giveUp });
  const { body, status } = response;
  const tookMs = performance.now() - startedMs;
  const known = status === 304 && 'if-none-match' in headers;
  if (known || status !== 200 || body === null) {
    await body?.cancel();
    if (!known) throw new Error(`the answer has status ${status}`);
    return { status, headers: response.headers, body: Buffer.alloc(0), tookMs };
  }
  // Once fetch has answered, its own hold on the signal is weak, and garbage collection can undo it.
  const reader = body.getReader();
  const cancel = () => void reader.cancel(giveUp.reason).catch(() => undefined);
  giveUp.addEventListener('abort', cancel);
  try {
    return { status, headers: response.headers, body: await read(reader, maxBytes), tookMs };
  } catch (error) {
    cancel();
    throw giveUp.aborted ? giveUp.reason : error;
  } finally {
    giveUp.removeEventListener('abort', cancel);
  }
}

export interface FetchedDocument extends Pick<Fetched, 'headers' | 'tookMs'> {
  readonly document: unknown;
}

/** The same, of a JSON document. */
export async function fetchDocument(url: string, limits: FetchLimits): Promise<FetchedDocument> {
  const { body, ...rest } = await fetchBounded(url, { accept: 'application/json' }, limits);
  return { ...rest, document: JSON.parse(body.toString('utf8')) };
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Buffer> {
  const bytes = new GatheredBytes();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.take();
    bytes.add(value);
    if (bytes.length > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
  }
}

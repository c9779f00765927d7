const TIMEOUT_MS = 2_000;

export interface Fetched {
  /** 304 only where the request had `If-None-Match`. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Until the head of the answer had come. */
  readonly tookMs: number;
}

/**
 * Reads what the issuer publishes, without following a redirect.
 *
 * @throws {Error} for another status than 200 and 304, a body that is too large, or no answer in two seconds.
 */
export async function fetchBounded(
  url: string,
  { headers, maxBytes }: { readonly headers: Record<string, string>; readonly maxBytes: number },
): Promise<Fetched> {
  const startedMs = performance.now();
  const giveUp = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { headers, redirect: 'error', signal: giveUp });
  const { body, status } = response;
  const tookMs = performance.now() - startedMs;
  const known = status === 304 && 'if-none-match' in headers;
  if (known || status !== 200 || body === null) {
    await body?.cancel();
    if (!known) throw new Error(`${url} was answered with status ${status}`);
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

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes / 1_024} KiB`);
    chunks.push(value);
  }
}

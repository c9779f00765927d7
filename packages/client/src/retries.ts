import { ClsError, errorOf, retryAfterMs } from './errors.ts';

export type Fetch = (request: Request) => Promise<Response>;

export interface RetryPolicy {
  /** How often a request is sent at most. */
  readonly attempts: number;
  /** A longer `Retry-After` is left to the caller, as an error. */
  readonly maxWaitMs: number;
  /** How long one attempt may take: an export until its first byte, all else to its end. */
  readonly timeoutMs: number;
  /** Waits; rejects when the signal aborts. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const RETRIES: RetryPolicy = {
  attempts: 4,
  maxWaitMs: 60_000,
  timeoutMs: 60_000,
  wait: waitFor,
};

const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_BACKOFF_MS = 250;

/**
 * Sends a request that may be repeated until it is answered by something else than "later".
 *
 * @param attempt what is sent each time; its body has not been read.
 * @param streams hands the body over unread; otherwise it has been read, so that an answer that is
 *   cut is asked for again.
 * @returns the answer, an error's or not.
 * @throws {ClsError} `network_error`, or what the last answer said.
 */
export async function sendWithRetries(
  fetch: Fetch,
  attempt: () => Request,
  policy: RetryPolicy,
  { signal, streams = false }: { signal?: AbortSignal | undefined; streams?: boolean } = {},
): Promise<Response> {
  for (let sent = 1; ; sent += 1) {
    signal?.throwIfAborted();
    const answer = await sendOnce(fetch, attempt(), policy.timeoutMs, signal, streams);
    if (answer instanceof Response && !AGAIN.has(answer.status)) return answer;
    const wanted = answer instanceof Response ? retryAfterMs(answer.headers) : undefined;
    const backoff = FIRST_BACKOFF_MS * 2 ** (sent - 1) * (0.5 + Math.random() / 2);
    const waitMs = wanted ?? Math.min(backoff, policy.maxWaitMs);
    if (sent >= policy.attempts || waitMs > policy.maxWaitMs) {
      throw answer instanceof Response ? await errorOf(answer) : answer;
    }
    if (answer instanceof Response) await answer.body?.cancel();
    await policy.wait(waitMs, signal);
  }
}

async function sendOnce(
  fetch: Fetch,
  request: Request,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  streams: boolean,
): Promise<Response | ClsError> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const either = AbortSignal.any(signal === undefined ? [late.signal] : [late.signal, signal]);
  try {
    const response = await fetch(new Request(request, { signal: either }));
    if (streams && response.ok) return response;
    const { status, headers } = response;
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, { status, headers });
  } catch (cause) {
    signal?.throwIfAborted();
    const what = late.signal.aborted ? `no answer within ${timeoutMs} ms` : 'no complete answer';
    return new ClsError('network_error', `${what} from ${new URL(request.url).origin}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Settles as `work` does, or rejects as soon as the signal aborts; `work` goes on for others. */
export function orAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((done) => {
    timer = setTimeout(done, ms);
  });
  return orAborted(waited, signal).finally(() => clearTimeout(timer));
}

/**
 * What a request spends (a code, a refresh token, a one-time password) must not be lost when its
 * answer fails: the same request is sent again, and must get an answer. So a request collects what
 * it spends, and the work that must wait until its answer is certain.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '@cls/shared/log';

/** An entry of the StateStore that is consumed together with the answer. */
export interface Spendable {
  readonly kind: string;
  readonly key: string;
  /** The bearer secret itself, under which the answer is sealed. */
  readonly secret: string;
  /** Digest of the grant that ends when the entry is spent a second time. */
  readonly grantId?: string;
}

export interface Answering {
  /** Consumed at the token endpoint, with the answer: see oauth/token/spend.ts. */
  spendable: Spendable | undefined;
  readonly afterwards: (() => Promise<void>)[];
  /** Work for when the answer was sent, or cannot be. */
  readonly sent: (() => Promise<void>)[];
  /** Whether this request may still answer, and not another one in its place; asked at the very end. */
  mayAnswer: (() => Promise<boolean>) | undefined;
  /** The request recorded an audit event, which must be safe before the answer goes out. */
  audited: boolean;
}

const current = new AsyncLocalStorage<Answering>();

/** The request under way; undefined outside of one. */
export function answering(): Answering | undefined {
  return current.getStore();
}

/**
 * Does `work` once the answer is certain, and at once where no request is under way. The answer goes
 * out whether it succeeds or not: it is tried a few times more.
 */
export async function whenAnswered(work: () => Promise<void>): Promise<void> {
  const request = answering();
  if (request === undefined) await work();
  else request.afterwards.push(work);
}

/**
 * Does `work` once the answer was sent, or the connection is gone; not where the answer is a failure. A process
 * that dies before leaves the work undone. At once where no request is under way.
 */
export async function whenSent(work: () => Promise<void>): Promise<void> {
  const request = answering();
  if (request === undefined) await work();
  else request.sent.push(work);
}

/** Waits until the audit event of this request is safe. @throws at most once in a request. */
export async function auditedSafely(audit: { synced(): Promise<void> }): Promise<void> {
  const request = answering();
  if (!request?.audited) return;
  request.audited = false;
  await audit.synced();
}

/** An answer waits no longer for what comes after it; in milliseconds. */
const WAIT_MS = 1_000;
const TRY_AGAIN_MS = [1_000, 5_000, 30_000];

interface AnsweredContext {
  readonly status: number;
  readonly res: {
    readonly destroyed: boolean;
    once(event: 'close', listener: () => void): unknown;
  };
}

/** Around everything that answers. @param audit resolves when its events are safe. */
export function answeringScope(audit: { synced(): Promise<void> }, log: Log) {
  return async (ctx: AnsweredContext, next: () => Promise<unknown>) => {
    const request: Answering = {
      ...{ spendable: undefined, mayAnswer: undefined, audited: false },
      ...{ afterwards: [], sent: [] },
    };
    const afterSending = () => {
      if (ctx.status < 500) for (const work of request.sent.splice(0)) void attempt(work, log, 0);
    };
    ctx.res.once('close', afterSending);
    await current.run(request, async () => {
      await next();
      await auditedSafely(audit);
    });
    if (ctx.status < 500) await finishAnswer(request, log);
    if (ctx.res.destroyed) afterSending(); // The caller went away before there was an answer.
  };
}

/** Does the work that waited until the answer was certain. */
export async function finishAnswer({ afterwards }: Answering, log: Log): Promise<void> {
  const work = afterwards.splice(0);
  if (work.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS);
  });
  await Promise.race([Promise.all(work.map((one) => attempt(one, log, 0))), enough]);
  clearTimeout(timer);
}

async function attempt(work: () => Promise<void>, log: Log, n: number): Promise<void> {
  try {
    await work();
  } catch (err) {
    const waitMs = TRY_AGAIN_MS[n];
    if (waitMs === undefined) {
      log.warn({ err }, 'state could not be deleted after the answer; it will expire');
      return;
    }
    setTimeout(() => void attempt(work, log, n + 1), waitMs).unref();
  }
}

import type { Log } from '../log.ts';
import { type OutageLog, type OutageWords, outageLog, whyFailed } from '../outage-log.ts';
import { DatabaseUnavailable, Overloaded } from '../sql/database.ts';
import { allPass, type ReadinessCheck } from './health.ts';

/** How long one line stands for all faults of its kind. */
const QUIET_MS = 60_000;
/** Kinds that are told apart; all others are one. */
const KINDS_MAX = 100;
/** How often a store that does not answer is asked whether it answers again. */
const ASK_MS = 1_000;

/** Writes why a request failed on our side. */
export type LogFault = (err: unknown, requestId: unknown) => void;

/**
 * A fault is logged when it happens, an unexpected one with its stack. When the same happens again,
 * one line a minute says how often. When a store does not answer, or more arrives than can be answered,
 * every request fails in the same way, so each of these is one kind of fault. Others are of one kind where they have the same name, and come
 * from the same line of code.
 *
 * @param checks pass when all stores answer. While one was reported they are asked, so that a line says
 *   when the outage has ended; without them there is no such line.
 * @param words for a service that needs more than stores.
 */
export function faultLog(
  log: Log,
  checks: readonly ReadinessCheck[] = [],
  words: OutageWords = OUTAGE,
): LogFault {
  const outage = outageLog(log, words);
  const askUntilItEnds = checks.length === 0 ? () => undefined : endFinder(outage, checks);
  /** Those that happened within the last minute, and how often since the last line about them. */
  const repeated = new Map<string, { count: number; last: object }>();
  const report = (kind: string) => {
    const fault = repeated.get(kind);
    if (fault === undefined || fault.count === 0) {
      repeated.delete(kind);
      return;
    }
    const { count, last } = fault;
    log.error({ count, ...last }, kind === FULL ? WERE_REFUSED : 'requests failed again');
    fault.count = 0;
    rest(kind);
  };
  const rest = (kind: string) => {
    setTimeout(report, QUIET_MS, kind).unref();
  };
  return (err, requestId) => {
    if (err instanceof DatabaseUnavailable && !(err instanceof Overloaded)) {
      outage.failed(whyFailed(err), { requestId });
      askUntilItEnds();
      return;
    }
    const place = kindOf(err);
    const kind = repeated.has(place) || repeated.size < KINDS_MAX ? place : OTHERS;
    const before = repeated.get(kind);
    const last = err instanceof Overloaded ? whyFailed(err) : { reason: kind };
    if (before !== undefined) {
      before.count += 1;
      before.last = last;
      return;
    }
    repeated.set(kind, { count: 0, last });
    rest(kind);
    if (err instanceof Overloaded) log.error({ ...last, requestId }, REFUSED);
    else log.error({ err, requestId }, 'request failed');
  };
}

/** Asks the stores while the outage lasts. Requests alone do not show its end where none come. */
function endFinder(outage: OutageLog, checks: readonly ReadinessCheck[]): () => void {
  let asking = false;
  const ask = async () => {
    if (await allPass(checks)) outage.answered();
    else outage.failedUnasked();
    if (outage.lasts) setTimeout(ask, ASK_MS).unref();
    else asking = false;
  };
  return () => {
    if (asking) return;
    asking = true;
    setTimeout(ask, ASK_MS).unref();
  };
}

const OUTAGE = {
  level: 'error',
  begins: 'a store that is needed does not answer',
  continues: 'requests got no answer in the last minute: a store that is needed did not answer',
  ends: 'the stores that are needed answer again',
} as const;
const FULL = 'too much at once';
const REFUSED = 'requests are refused: too many are under way';
const WERE_REFUSED = 'requests were refused in the last minute: too many were under way';
const OTHERS = 'other faults';

/** `TypeError at present.js:41:12`; its message may name what was sent, so it is no part of it. */
function kindOf(err: unknown): string {
  if (err instanceof Overloaded) return FULL;
  if (!(err instanceof Error)) return typeof err;
  const frame = /\n\s+at (.*)/.exec(err.stack ?? '')?.[1] ?? 'an unknown place';
  return `${err.name} at ${frame.replace(/file:\/\/\S*\//, '')}`;
}

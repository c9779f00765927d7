import type { Log } from '../log.ts';
import { DatabaseUnavailable, Overloaded } from '../sql/database.ts';

/** How long one line stands for all faults of its kind. */
const QUIET_MS = 60_000;
/** Kinds that are told apart; all others are one. */
const KINDS_MAX = 100;

/** Writes why a request failed on our side. */
export type LogFault = (err: unknown, requestId: unknown) => void;

/**
 * A fault is logged when it happens, an unexpected one with its stack. When the same happens again,
 * one line a minute says how often. When a store does not answer, or more arrives than can be answered,
 * every request fails in the same way, so each of these is one kind of fault. Others are of one kind where they have the same name, and come
 * from the same line of code.
 */
export function faultLog(log: Log): LogFault {
  /** Those that happened within the last minute, and how often since the last line about them. */
  const repeated = new Map<string, { count: number; last: object }>();
  const report = (kind: string) => {
    const fault = repeated.get(kind);
    if (fault === undefined || fault.count === 0) {
      repeated.delete(kind);
      return;
    }
    const { count, last } = fault;
    log.error({ count, ...last }, GOES_ON[kind] ?? 'requests failed again');
    fault.count = 0;
    rest(kind);
  };
  const rest = (kind: string) => {
    setTimeout(report, QUIET_MS, kind).unref();
  };
  return (err, requestId) => {
    const place = kindOf(err);
    const kind = repeated.has(place) || repeated.size < KINDS_MAX ? place : OTHERS;
    const before = repeated.get(kind);
    const last = err instanceof DatabaseUnavailable ? whyAway(err) : { reason: kind };
    if (before !== undefined) {
      before.count += 1;
      before.last = last;
      return;
    }
    repeated.set(kind, { count: 0, last });
    rest(kind);
    if (!(err instanceof DatabaseUnavailable)) {
      log.error({ err, requestId }, 'request failed');
      return;
    }
    const begins = kind === FULL ? REFUSED : 'a store that is needed does not answer';
    log.error({ ...last, requestId }, begins);
  };
}

/** The reason may change while it lasts: a server that is down, then starting, then full. */
function whyAway({ message: reason, cause }: DatabaseUnavailable): object {
  return cause instanceof Error ? { reason, cause: cause.message } : { reason };
}

const AWAY = 'a store is away';
const FULL = 'too much at once';
const REFUSED = 'requests are refused: too many are under way';
const GOES_ON: Readonly<Record<string, string>> = {
  [AWAY]: 'a store that is needed still does not answer',
  [FULL]: 'requests are still refused: too many are under way',
};
const OTHERS = 'other faults';

/** `TypeError at present.js:41:12`; its message may name what was sent, so it is no part of it. */
function kindOf(err: unknown): string {
  if (err instanceof Overloaded) return FULL;
  if (err instanceof DatabaseUnavailable) return AWAY;
  if (!(err instanceof Error)) return typeof err;
  const frame = /\n\s+at (.*)/.exec(err.stack ?? '')?.[1] ?? 'an unknown place';
  return `${err.name} at ${frame.replace(/file:\/\/\S*\//, '')}`;
}

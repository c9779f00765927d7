import type { Caller } from '@cls/shared/access/caller';
import type { Reader } from '@cls/shared/http/long-answers';
import { Refusal } from '@cls/shared/http/refusal';
import { type Memories, openMemories } from '../memory/memories.ts';

/** What each caller may use of this replica. */
export interface CallerLimits {
  /** Seconds of statements per minute; 0: no limit. */
  readonly statementSeconds: number;
  /** Requests under way at once; 0: no limit. */
  readonly requestsAtOnce: number;
}

/** A caller's name in limits and shares. */
export function callerName({ clientId, subject }: Caller): string {
  return `${clientId}:${subject}`;
}

/** All that read without a token share one caller's limits of long answers: the documentation has such. */
const WITHOUT_TOKEN: Reader = { caller: '', customer: '' };

/** Whose limits of long answers count. */
export function readerOf(caller: Caller | undefined): Reader {
  if (caller === undefined) return WITHOUT_TOKEN;
  return { caller: callerName(caller), customer: caller.customer };
}

/** What a caller has used of its limits; each limit has its own part. */
export interface CallerUsage {
  lease?: { points: number; left: number; endsMs: number };
  window?: { points: number; begunMs: number };
  statements?: { spentMs: number; atMs: number };
}

export type CallersUsage = (caller: string) => CallerUsage;

/** Of callers that were counted the longest ago, nothing is known. */
export function callersUsage(memories: Memories = openMemories()): CallersUsage {
  const callers = memories.open<string, CallerUsage>('callers');
  return (caller) => {
    const usage = callers.get(caller) ?? {};
    callers.set(caller, usage);
    return usage;
  };
}

export interface CallerBudgets {
  /**
   * Counts a request of the caller as under way until the returned function is called. @throws
   * {Refusal} 429
   */
  begin(caller: string): () => void;
  /** What statements took. */
  spend(caller: string, ms: number): void;
  /** Milliseconds of statements that the caller used recently. */
  spentBy(caller: string): number;
}

const MINUTE_MS = 60_000;
/**
 * The most that a caller can owe, in budgets of a minute: after one long export, a caller waits for
 * at most a minute.
 */
const DEBT_MAX = 2;
const AT_ONCE_RETRY_S = 1;

/**
 * Used time is given back evenly: with a budget of 30 s a minute, half a second each second. A
 * request is refused while the budget is used up. A request under way is completed, and the caller
 * owes the time beyond the budget.
 */
export function callerBudgets(
  { statementSeconds, requestsAtOnce }: CallerLimits,
  nowMs: () => number = () => performance.now(),
  usageOf: CallersUsage = callersUsage(),
): CallerBudgets {
  const budgetMs = statementSeconds * 1_000;
  // Without a limit, the meter still shows which caller used more recently.
  const ratePerMs = (budgetMs || MINUTE_MS) / MINUTE_MS;
  const underWay = new Map<string, number>();

  const spentBy = (caller: string): number => {
    const { statements } = usageOf(caller);
    if (statements === undefined) return 0;
    return Math.max(0, statements.spentMs - (nowMs() - statements.atMs) * ratePerMs);
  };
  return {
    spentBy,
    spend(caller, ms) {
      const spentMs = Math.min(spentBy(caller) + ms, (budgetMs || MINUTE_MS) * DEBT_MAX);
      usageOf(caller).statements = { spentMs, atMs: nowMs() };
    },
    begin(caller) {
      const count = underWay.get(caller) ?? 0;
      if (requestsAtOnce > 0 && count >= requestsAtOnce) throw tooManyAtOnce(requestsAtOnce);
      const overMs = spentBy(caller) - budgetMs;
      if (budgetMs > 0 && overMs >= 0) {
        throw budgetSpent(statementSeconds, Math.floor(overMs / ratePerMs / 1_000) + 1);
      }
      underWay.set(caller, count + 1);
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        const left = (underWay.get(caller) ?? 1) - 1;
        if (left === 0) underWay.delete(caller);
        else underWay.set(caller, left);
      };
    },
  };
}

function tooManyAtOnce(limit: number): Refusal {
  return new Refusal({
    status: 429,
    code: 'too_many_at_once',
    title: 'Too many requests at once',
    detail: `${limit} requests of this caller are under way; wait for one of them to end.`,
    headers: { 'Retry-After': `${AT_ONCE_RETRY_S}` },
  });
}

function budgetSpent(seconds: number, retryS: number): Refusal {
  return new Refusal({
    status: 429,
    code: 'statement_budget_spent',
    title: 'Database time used up',
    detail: `The requests of this caller took more than ${seconds} seconds of database time within a minute; try again in ${retryS} seconds.`,
    headers: { 'Retry-After': `${retryS}` },
  });
}

import { Abandoned, type Database, Overloaded } from '@cls/shared/sql/database';
import { currentAsker } from '../access/asker.ts';
import type { CallerBudgets } from '../access/caller-budget.ts';
import type { ReplicatedDatabase } from './read-replicas.ts';

export interface FairOptions {
  /** Statements at once in each database that answers now: as many as there are connections to it. */
  readonly slots: number;
  readonly budgets: Pick<CallerBudgets, 'spend' | 'spentBy'>;
  /** Questions that may wait for their first connection, of all callers together. */
  readonly waitingMax?: number;
}

interface Waiting {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  /** Whether its request was given a connection before. */
  readonly begun: boolean;
  readonly admit: () => void;
  readonly refuse: () => void;
}

const WAITING_MAX = 200;

export interface FairDatabase extends Database {
  /** Questions that wait for their turn. */
  readonly waiting: number;
  /** Whether a further question puts another out. @param ahead further ones that will come before it. */
  isFull(ahead: number): boolean;
  /** Whether a first question of the caller's next request would be refused at once. */
  refuses(name: string, ahead: number): boolean;
}

/** What the service reads for itself. */
const SERVICE = '';

/**
 * A database whose connections are shared out between callers. A caller has half of them at the
 * most; what it asks beyond that waits in its own queue. A connection that falls free goes to the
 * caller that used the least lately, so a queue of expensive questions keeps nobody else waiting
 * for more than the statement that runs. A question whose caller has gone leaves the queue, or is
 * cancelled if it runs. When the queue is full, the last question of the caller that has the most in
 * it is refused. A request that was given a connection before is not refused at a later statement,
 * after it has waited, and takes no other's place in the queue; of those there are never more than
 * requests under way.
 *
 * For reads alone: a statement by itself runs in a read-only transaction.
 */
export function fairDatabase(
  database: Database & Partial<Pick<ReplicatedDatabase, 'sources'>>,
  { slots, budgets, waitingMax = WAITING_MAX }: FairOptions,
): FairDatabase {
  const turns = fairQueue(() => slots * (database.sources ?? 1), budgets, waitingMax);
  const transaction: Database['transaction'] = async (work, transactionOptions) => {
    const { name = SERVICE, signal } = currentAsker() ?? {};
    if (signal?.aborted) throw new Abandoned();
    await turns.enter(name, signal);
    const startedMs = performance.now();
    try {
      return await database.transaction(work, { ...transactionOptions, signal });
    } finally {
      budgets.spend(name, performance.now() - startedMs);
      turns.leave(name);
    }
  };
  return {
    ...database,
    get waiting() {
      return turns.waiting();
    },
    isFull: turns.isFull,
    refuses: turns.refuses,
    transaction,
    query: (sql, params) => transaction((inside) => inside.query(sql, params), { readOnly: true }),
  };
}

/** Whose turn it is: who runs, and who waits. */
function fairQueue(
  slots: () => number,
  budgets: Pick<CallerBudgets, 'spentBy'>,
  waitingMax: number,
) {
  const running = new Map<string, number>();
  const queue = new Set<Waiting>();
  const begun = new WeakSet<AbortSignal>();
  let taken = 0;

  const mayRun = (name: string) => {
    const now = slots();
    const perCaller = Math.max(1, Math.floor(now / 2));
    return taken < now && (running.get(name) ?? 0) < perCaller;
  };
  const take = (name: string, signal: AbortSignal | undefined) => {
    taken += 1;
    count(running, name, 1);
    if (signal !== undefined) begun.add(signal);
  };
  /** Those that wait for their first connection. */
  const fresh = () => [...queue].filter((waiting) => !waiting.begun);
  const admitNext = () => {
    const next = firstOfTheLeast(queue, mayRun, budgets);
    if (next === undefined) return;
    queue.delete(next);
    take(next.name, next.signal);
    next.admit();
  };
  const enter = (name: string, signal: AbortSignal | undefined): Promise<void> | undefined => {
    if (queue.size === 0 && mayRun(name)) {
      take(name, signal);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const gone = () => {
        queue.delete(waiting);
        reject(new Abandoned());
      };
      const admit = () => {
        signal?.removeEventListener('abort', gone);
        resolve();
      };
      const refuse = () => {
        queue.delete(waiting);
        signal?.removeEventListener('abort', gone);
        reject(new Overloaded('too many questions wait for the database'));
      };
      const hasBegun = signal !== undefined && begun.has(signal);
      const waiting = { name, signal, begun: hasBegun, admit, refuse };
      queue.add(waiting);
      const waitingFirst = fresh();
      if (waitingFirst.length > waitingMax) lastOfTheMost(waitingFirst)?.refuse();
      signal?.addEventListener('abort', gone, { once: true });
      admitNext();
    });
  };
  const leave = (name: string) => {
    taken -= 1;
    count(running, name, -1);
    admitNext();
  };

  const isFull = (ahead: number) => fresh().length + ahead >= waitingMax;
  return {
    enter,
    leave,
    isFull,
    refuses(name: string, ahead: number) {
      const counts = countsOf(fresh());
      return isFull(ahead) && (counts.get(name) ?? 0) + 1 >= Math.max(...counts.values());
    },
    waiting: () => queue.size,
  };
}

/** Those that have none are not in it. */
function count(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const counted = (counts.get(name) ?? 0) + change;
  if (counted === 0) counts.delete(name);
  else counts.set(name, counted);
}

/** In the order of their coming: the first one of the caller that used the least, of those that may run. */
function firstOfTheLeast(
  queue: ReadonlySet<Waiting>,
  mayRun: (name: string) => boolean,
  budgets: Pick<CallerBudgets, 'spentBy'>,
): Waiting | undefined {
  let next: Waiting | undefined;
  let least = Number.POSITIVE_INFINITY;
  const seen = new Set<string>();
  for (const waiting of queue) {
    if (seen.has(waiting.name)) continue;
    seen.add(waiting.name);
    const used = budgets.spentBy(waiting.name);
    if (used < least && mayRun(waiting.name)) {
      least = used;
      next = waiting;
    }
  }
  return next;
}

/** The last one of the caller that waits with the most. @param queue in the order of their coming */
function lastOfTheMost(queue: readonly Waiting[]): Waiting | undefined {
  const counts = countsOf(queue);
  const most = Math.max(...counts.values());
  return queue.findLast(({ name }) => counts.get(name) === most);
}

function countsOf(queue: readonly Waiting[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of queue) count(counts, name, 1);
  return counts;
}

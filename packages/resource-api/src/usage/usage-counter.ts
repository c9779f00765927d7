import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { newId } from '@cls/shared/new-id';
import { regularly } from '@cls/shared/regularly';
import { businessDateOf } from '../ledger/business-date.ts';
import { addUsage, type UsageBatch, type UsageStore, type UsageSubject } from './version-usage.ts';

export interface UsageCounter {
  count(use: VersionUse): void;
  /** Sends what was counted: nothing is lost by a stop in order. */
  stop(): Promise<void>;
}

interface CounterOptions {
  readonly store: UsageStore;
  /** Takes the last counts of a process that stops while `store` does not answer. */
  readonly fallback?: UsageStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Between two batches; a process that is killed loses what it counted in this time. */
  readonly everyMs?: number;
}

/** One request, for the day on which it is counted. */
export type VersionUse = Omit<UsageSubject, 'day'>;

const EVERY_MS = 5_000;
/** Subjects that wait while the store does not answer. */
const MOST_SUBJECTS = 100_000;

/** Counts in memory, and sends batch after batch; one that was not confirmed is sent again. */
export function usageCounter(options: CounterOptions): UsageCounter {
  const { store, fallback, clock, log, everyMs = EVERY_MS } = options;
  const source = newId('use');
  let counted = new Map<string, UsageSubject & { requests: number }>();
  let number = 0;
  let unsent: UsageBatch | undefined;
  let failing = false;

  const nextBatch = (): UsageBatch | undefined => {
    if (counted.size === 0) return undefined;
    const counts = [...counted.values()];
    counted = new Map();
    number += 1;
    return { source, number, counts };
  };
  const send = async (): Promise<void> => {
    unsent ??= nextBatch();
    if (unsent === undefined) return;
    try {
      await store.add(unsent);
      unsent = undefined;
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'usage of versions cannot be kept; it is sent again');
      failing = true;
    }
  };
  const sending = regularly(send, everyMs);

  return {
    count(use) {
      const { customer, clientId, subject, requested, served, operation } = use;
      const day = businessDateOf(clock.now());
      // For every request: quicker than a text that can be read again. None of these has a line break.
      const key = `${day}\n${customer}\n${clientId}\n${subject}\n${requested}\n${served}\n${operation}`;
      const known = counted.get(key);
      if (known !== undefined) known.requests += 1;
      else if (counted.size < MOST_SUBJECTS) counted.set(key, { ...use, day, requests: 1 });
    },
    async stop() {
      await sending.stop();
      // What waited, then what was counted since.
      await send();
      await send();
      const counts = addUsage(unsent?.counts ?? [], nextBatch()?.counts ?? []);
      if (counts.length === 0) return;
      const last = { source, number: number + 1, counts };
      await (fallback ?? store).add(last).catch((error: unknown) => {
        log.error({ err: error, subjects: counts.length }, 'usage of versions is lost');
      });
    },
  };
}

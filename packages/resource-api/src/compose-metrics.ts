import type { Clock } from '@cls/shared/clock';
import type { RecordAnswer } from '@cls/shared/http/request-log';
import { type Metrics, oneValue } from '@cls/shared/metrics/metrics';
import type { Database } from '@cls/shared/sql/database';
import type { KeySource } from './access/key-source.ts';
import type { FairDatabase } from './store/fair-database.ts';
import { bookFigures } from './store/sql-book-figures.ts';

export interface MeasuredDeps {
  readonly database: Database;
  readonly keys: Pick<KeySource, 'ageS'>;
  readonly shared: Pick<FairDatabase, 'waiting'>;
  readonly clock: Clock;
}

const CACHES = ['answers'] as const;
export type RecordLookup = (cache: (typeof CACHES)[number], found: boolean) => void;

/** What the limits of callers refuse with; see the pages of these errors. */
const LIMITS = ['rate_limited', 'statement_budget_spent', 'too_many_at_once'];

/** What is read when somebody asks for the metrics, and what is counted besides requests. */
export function measureResourceApi(
  metrics: Metrics,
  { database, keys, shared }: MeasuredDeps,
): { readonly recordAnswer: RecordAnswer; readonly recordLookup: RecordLookup } {
  const one = (name: string, help: string, read: () => number | undefined) =>
    metrics.gauge({ name, help, labels: {} }, () => oneValue(read()));
  one('cls_key_set_age_seconds', 'Since the issuer last answered with its keys.', () => keys.ageS);
  one(
    'cls_questions_waiting',
    'Questions of callers that wait for their turn at the database.',
    () => shared.waiting,
  );
  measureBook(metrics, database);
  const throttled = metrics.counter({
    name: 'cls_throttled_total',
    help: 'Requests that were refused because the caller used up a limit.',
    labels: { tried: LIMITS },
  });
  const lookups = metrics.counter({
    name: 'cls_cache_lookups_total',
    help: 'Questions to what this process keeps, and whether they were answered from there.',
    labels: { cache: CACHES, result: ['hit', 'miss'] },
  });
  return {
    recordAnswer: ({ status, refused }) => {
      if (status === 429) throttled({ tried: refused ?? '' });
    },
    recordLookup: (cache, found) => lookups({ cache, result: found ? 'hit' : 'miss' }),
  };
}

/** One statement for all of them, at most once a scrape. */
function measureBook(metrics: Metrics, database: Database): void {
  const figures = bookFigures(database);
  metrics.gauge(
    {
      name: 'cls_ledger_sequence',
      help: 'The number of the newest journal that this database has.',
      labels: {},
    },
    async () => oneValue(Number((await figures()).sequence)),
  );
  metrics.gauge(
    {
      name: 'cls_ledger_newest_journal_age_seconds',
      help: 'Since the newest journal was posted.',
      labels: {},
    },
    async () => oneValue((await figures()).newestAgeS),
  );
  metrics.gauge(
    {
      name: 'cls_database_replay_lag_seconds',
      help: 'Of a standby: since the last transaction of the primary that it has applied.',
      labels: {},
    },
    async () => oneValue((await figures()).replayLagS),
  );
  metrics.gauge(
    {
      name: 'cls_notices',
      help: 'Notices to customers about versions, of all replicas, by state.',
      labels: { state: ['pending', 'sending', 'failed'] },
    },
    async () => {
      const { pending, sending, failed } = await figures();
      return Object.entries({ pending, sending, failed }).map(([state, value]) => ({
        labels: { state },
        value,
      }));
    },
  );
}

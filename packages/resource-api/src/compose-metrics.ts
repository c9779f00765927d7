import type { RecordAnswer } from '@cls/shared/http/request-log';
import { type Metrics, oneValue } from '@cls/shared/metrics/metrics';
import { besideRequests, type Database } from '@cls/shared/sql/database';
import type { KeySource } from './access/key-source.ts';
import type { TokenStatus } from './access/token-status.ts';
import type { FairDatabase } from './database/fair-database.ts';
import {
  LEFT_OUT_BECAUSE,
  READ_FROM,
  type ReadReplica,
  type RecordRead,
} from './database/read-replicas.ts';
import { type BookFigures, bookFigures } from './database/sql-book-figures.ts';

export interface MeasuredDeps {
  readonly database: Database;
  readonly replicas: readonly ReadReplica[];
  readonly keys: Pick<KeySource, 'ageS'>;
  readonly status: Pick<TokenStatus, 'ageS'>;
  readonly shared: Pick<FairDatabase, 'waiting'>;
}

/** What the limits of callers refuse with; see the pages of these errors. */
const LIMITS = ['rate_limited', 'statement_budget_spent', 'too_many_at_once'];

/** Less than the second within which a metric is read. */
const ASK_REPLICAS_MS = 500;

/** What is read when somebody asks for the metrics, and what is counted besides requests. */
export function measureResourceApi(
  metrics: Metrics,
  { database, replicas, keys, status, shared }: MeasuredDeps,
): RecordAnswer {
  const one = (name: string, help: string, read: () => number | undefined) =>
    metrics.gauge({ name, help, labels: {} }, () => oneValue(read()));
  one('cls_key_set_age_seconds', 'Since the issuer last answered with its keys.', () => keys.ageS);
  one(
    'cls_revocations_age_seconds',
    'Since the issuer last said which tokens are revoked.',
    () => status.ageS,
  );
  one(
    'cls_questions_waiting',
    'Questions of callers that wait for their turn at the database.',
    () => shared.waiting,
  );
  const figures = bookFigures(database);
  measureBook(metrics, figures);
  measureReplicas(metrics, figures, replicas);
  const throttled = metrics.counter({
    name: 'cls_throttled_total',
    help: 'Requests that were refused because the caller used up a limit.',
    labels: { tried: LIMITS },
  });
  return ({ status, refused }) => {
    if (status === 429) throttled({ tried: refused ?? '' });
  };
}

/** Where questions are answered, if the database has replicas. */
export function readCounter(metrics: Metrics): RecordRead {
  const count = metrics.counter({
    name: 'cls_replica_reads_total',
    help: 'Questions to a database with replicas, by who answered; again: the primary, after a replica failed.',
    labels: { from: READ_FROM },
  });
  return (from) => count({ from });
}

/** What is asked of a replica that does not answer is left out. */
function measureReplicas(
  metrics: Metrics,
  primary: () => Promise<BookFigures>,
  replicas: readonly ReadReplica[],
): void {
  const label = (number: number) => `${number}`;
  const replica = replicas.map(({ number }) => label(number));
  const states = ['used', ...LEFT_OUT_BECAUSE];
  metrics.gauge(
    {
      name: 'cls_read_replica_state',
      help: '1 for the state that each replica has: used, or why it is left out.',
      labels: { replica, state: states },
    },
    () =>
      replicas.flatMap(({ number, leftOutBecause = 'used' }) =>
        states.map((state) => ({
          labels: { replica: label(number), state },
          value: state === leftOutBecause ? 1 : 0,
        })),
      ),
  );
  const asked = replicas.map(({ number, database }) => ({
    labels: { replica: label(number) },
    figures: bookFigures(besideRequests(database)),
  }));
  const measure = (
    name: string,
    help: string,
    read: (its: BookFigures) => number | undefined | Promise<number>,
  ) =>
    metrics.gauge({ name, help, labels: { replica } }, async () => {
      const readings = asked.map(async ({ labels, figures }) => {
        const value = await read(await figures());
        return value === undefined ? [] : [{ labels, value }];
      });
      return answered(readings);
    });
  measure(
    'cls_read_replica_journals_behind',
    'Journals of the primary that the replica has not applied.',
    async ({ sequence }) => Math.max(0, Number((await primary()).sequence - sequence)),
  );
  measure(
    'cls_read_replica_replay_lag_seconds',
    'Since the last transaction of the primary that the replica has applied; 0 where it has all it was sent.',
    ({ replayLagS }) => replayLagS,
  );
}

/** Of those that come soon: one replica that is frozen must not keep back the others. */
async function answered<T>(works: readonly Promise<readonly T[]>[]): Promise<readonly T[]> {
  const values: T[] = [];
  const all = works.map((work) =>
    work.then(
      (found) => void values.push(...found),
      () => undefined,
    ),
  );
  const soon = new Promise((resolve) => setTimeout(resolve, ASK_REPLICAS_MS).unref());
  await Promise.race([Promise.all(all), soon]);
  return [...values];
}

/** One statement for all of them, at most once a scrape. */
function measureBook(metrics: Metrics, figures: () => Promise<BookFigures>): void {
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

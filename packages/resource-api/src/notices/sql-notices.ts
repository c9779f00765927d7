import { valuesOf } from '@cls/shared/sql/array-literal';
import type { Database, SqlValue } from '@cls/shared/sql/database';
import type {
  ClaimedNotice,
  Contact,
  NoticeFilter,
  NoticeOutbox,
  NoticeRecord,
} from './notice-outbox.ts';
import { type NoticeSubject, stageOrder } from './notice-stage.ts';

/** RFC 3339 in whole seconds. */
export const instant = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

const EVENT = 'n.event = $1 AND n.version_id = $2 AND n.happens_at = $3';

export function sqlNotices(database: Database): NoticeOutbox {
  return { ...writing(database), ...sending(database), ...asking(database) };
}

/** What is to be told, to whom. */
function writing(database: Database) {
  return {
    missing: (due, customers) =>
      database.query<Contact>(
        `SELECT c.customer_id AS customer, c.channel, c.target FROM notice_contact c
         WHERE c.customer_id = ANY ($5::text[]) AND NOT EXISTS (
           SELECT FROM version_notice n WHERE ${EVENT} AND n.stage_order >= $4
             AND (n.customer_id, n.channel, n.target) = (c.customer_id, c.channel, c.target))
         ORDER BY c.customer_id, c.channel, c.target`,
        [...eventOf(due), stageOrder(due.stage), customers],
      ),
    async add(due, notices, now) {
      await database.query(
        `INSERT INTO version_notice (event, version_id, happens_at, stage, stage_order, id,
           customer_id, channel, target, document, next_attempt_at, created_at)
         SELECT $1, $2, $3::timestamptz, $5, $4::smallint, a.*, $11::timestamptz, $11::timestamptz
         FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
           AS a (id, customer_id, channel, target, document)
         WHERE NOT EXISTS (SELECT FROM version_notice n WHERE ${EVENT} AND n.stage_order > $4
           AND (n.customer_id, n.channel, n.target) = (a.customer_id, a.channel, a.target))
         ORDER BY a.customer_id, a.channel, a.target
         ON CONFLICT DO NOTHING`,
        [
          ...eventOf(due),
          ...[stageOrder(due.stage), due.stage],
          ...valuesOf(notices, 'id', 'customer', 'channel', 'target', 'document'),
          now.toISOString(),
        ],
      );
    },
    async replaceEarlier(due, now) {
      await database.query(
        `UPDATE version_notice n SET state = 'replaced', lease = NULL, lease_until = NULL
         WHERE ${EVENT} AND n.stage_order < $4
           AND (n.state = 'pending' OR n.state = 'sending' AND n.lease_until <= $5)`,
        [...eventOf(due), stageOrder(due.stage), now.toISOString()],
      );
    },
  } satisfies Partial<NoticeOutbox>;
}

/** Who holds the lease of a notice sends it. */
function sending(database: Database) {
  return {
    async claim(due, lease, now) {
      const [claimed] = await database.query<ClaimedNotice>(
        // Materialized: a plan that asks for the next one twice would claim two.
        `WITH next AS MATERIALIZED (
           SELECT n.id, c.sealed_secret FROM version_notice n
           JOIN notice_contact c USING (customer_id, channel, target)
           WHERE (n.state = 'pending' AND n.next_attempt_at <= $3
               OR n.state = 'sending' AND n.lease_until <= $3)
             AND (n.event, n.version_id, n.happens_at, n.stage) IN (
               SELECT * FROM unnest($4::text[], $5::text[], $6::timestamptz[], $7::text[]))
           ORDER BY n.next_attempt_at, n.id LIMIT 1 FOR UPDATE OF n SKIP LOCKED
         )
         UPDATE version_notice n SET state = 'sending', lease = $1, lease_until = $2,
           attempts = n.attempts + 1, attempted_at = $3
         FROM next WHERE n.id = next.id
         RETURNING n.id, n.customer_id AS customer, n.channel, n.target, n.document, n.stage,
           n.attempts, next.sealed_secret AS "sealedSecret"`,
        [
          ...[lease.id, lease.until.toISOString(), now.toISOString()],
          ...valuesOf(due, 'event', 'version', 'happensAt', 'stage'),
        ],
      );
      return claimed;
    },
    async record(id, lease, result, now) {
      const next = result.outcome === 'pending' ? result.nextAttemptAt : now;
      await database.query(
        `UPDATE version_notice SET state = $3, answer = $4, lease = NULL, lease_until = NULL,
           next_attempt_at = $5, delivered_at = CASE WHEN $3 = 'delivered' THEN $6::timestamptz END
         WHERE id = $1 AND state <> 'delivered' AND (lease = $2 OR $3 = 'delivered')`,
        [id, lease, result.outcome, result.answer, next.toISOString(), now.toISOString()],
      );
    },
  } satisfies Partial<NoticeOutbox>;
}

/** What became of notices, for operators. */
function asking(database: Database) {
  return {
    list: (filter) =>
      database.query<NoticeRecord>(
        `SELECT n.id, n.event, n.version_id AS version, ${instant('n.happens_at')} AS "happensAt",
           n.stage, n.customer_id AS customer, n.channel, n.target, n.state, n.attempts, n.answer,
           ${instant('n.created_at')} AS "createdAt", ${instant('n.attempted_at')} AS "attemptedAt",
           CASE WHEN n.state = 'pending' THEN ${instant('n.next_attempt_at')} END AS "nextAttemptAt",
           ${instant('n.delivered_at')} AS "deliveredAt"
         FROM version_notice n WHERE ${FILTER}
         ORDER BY n.happens_at, n.version_id, n.customer_id, n.stage_order, n.channel, n.target`,
        filterOf(filter),
      ),
    async retryFailed(filter, now) {
      const retried = await database.query(
        `UPDATE version_notice n SET state = 'pending', next_attempt_at = $4
         WHERE ${FILTER} AND n.state = 'failed' RETURNING 1`,
        [...filterOf(filter), now.toISOString()],
      );
      return retried.length;
    },
    async toldOf(subject) {
      const rows = await database.query<{ customer: string }>(
        `SELECT DISTINCT n.customer_id AS customer FROM version_notice n
         WHERE ${EVENT} AND n.state = 'delivered'`,
        eventOf(subject),
      );
      return new Set(rows.map(({ customer }) => customer));
    },
  } satisfies Partial<NoticeOutbox>;
}

const FILTER = `($1::text IS NULL OR n.customer_id = $1) AND ($2::text IS NULL OR n.version_id = $2)
  AND ($3::text IS NULL OR n.state = $3)`;

function filterOf({ customer, version, state }: NoticeFilter): SqlValue[] {
  return [customer ?? null, version ?? null, state ?? null];
}

function eventOf({ event, version, happensAt }: NoticeSubject): [string, string, string] {
  return [event, version, happensAt];
}

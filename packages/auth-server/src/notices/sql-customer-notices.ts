import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import type {
  Channel,
  ClaimedNotice,
  CustomerNoticeOutbox,
  NoticeDocument,
  QueueNotice,
} from './customer-notice.ts';

export const queueNotice: QueueNotice = async (sql, customer, type, about, now) => {
  const document: NoticeDocument<typeof type> = {
    ...{ type, timestamp: now.toISOString() },
    data: { format: 1, customer, ...about },
  };
  const rows = await sql.query<{ channel: Channel }>(
    `INSERT INTO customer_notice (id, channel, customer_id, document, due_at)
     SELECT $1, way.channel, c.customer_id, $3, $4
     FROM security_contact c
     CROSS JOIN LATERAL (VALUES ('email', c.email), ('webhook', c.webhook)) AS way (channel, target)
     WHERE c.customer_id = $2 AND way.target IS NOT NULL
     RETURNING channel`,
    [newId('ntc'), customer, JSON.stringify(document), now.toISOString()],
  );
  return rows.map(({ channel }) => channel).sort();
};

/** Materialized: a plan that asks for the next ones twice would claim more. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT id, channel, customer_id FROM customer_notice
    WHERE state = 'pending' AND due_at <= $3
    ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  UPDATE customer_notice n
  SET attempts = n.attempts + 1, due_at = $3::timestamptz + make_interval(secs => $2)
  FROM due LEFT JOIN security_contact c USING (customer_id)
  WHERE (n.id, n.channel) = (due.id, due.channel)
  RETURNING n.id, n.channel, n.customer_id AS customer, n.document, n.attempts,
    coalesce(CASE n.channel WHEN 'email' THEN c.email ELSE c.webhook END, '') AS target,
    c.sealed_webhook_secret AS "sealedSecret", coalesce(c.locale, 'en') AS locale`;

export function sqlCustomerNotices(database: Database): CustomerNoticeOutbox {
  return {
    claim: (limit, leaseS, now) =>
      database.query<ClaimedNotice>(CLAIM, [limit, leaseS, now.toISOString()]),
    async record({ id, channel, attempts }, result, now) {
      const next = result.outcome === 'pending' ? result.nextAttemptAt : now;
      await database.query(
        `UPDATE customer_notice SET state = $4, answer = $5, due_at = $6,
           ended_at = CASE WHEN $4 <> 'pending' THEN $7::timestamptz END
         WHERE id = $1 AND channel = $2 AND state <> 'delivered'
           AND (attempts = $3 OR $4 = 'delivered')`,
        [
          ...[id, channel, attempts, result.outcome, result.answer],
          ...[next.toISOString(), now.toISOString()],
        ],
      );
    },
    async waiting() {
      const [row] = await database.query<{ n: bigint }>(
        `SELECT count(*) AS n FROM customer_notice WHERE state = 'pending'`,
      );
      return Number(row?.n ?? 0n);
    },
  };
}

/** Drops the records of what customers were told. @param days after its end. */
export async function sweepCustomerNotices(database: Database, days: number): Promise<void> {
  await database.query(
    'DELETE FROM customer_notice WHERE ended_at < now() - make_interval(days => $1)',
    [days],
  );
}

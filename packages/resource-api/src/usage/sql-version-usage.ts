import type { Database } from '@cls/shared/sql/database';
import {
  type CallerUse,
  type ClientUse,
  type CustomerUsage,
  SUBJECT_FIELDS,
  type UsageCount,
  type UsageStore,
  type UsageSummaries,
} from './version-usage.ts';

const COLUMNS = ['day', 'customer_id', 'client_id', 'subject', 'requested', 'served', 'operation'];

export function sqlVersionUsage(database: Database): UsageStore & UsageSummaries & CustomerUsage {
  return {
    async add({ source, number, counts }) {
      // In one order, so that two replicas do not wait for each other's rows.
      const fields = [...SUBJECT_FIELDS, 'requests'] as const;
      await database.query(
        `WITH first AS (
           INSERT INTO version_usage_source AS s (id, batch) VALUES ($1, $2)
           ON CONFLICT (id) DO UPDATE SET batch = excluded.batch WHERE s.batch < excluded.batch
           RETURNING id
         )
         INSERT INTO version_usage AS u (${COLUMNS.join(', ')}, requests)
         SELECT c.* FROM unnest($3::date[], $4::text[], $5::text[], $6::text[], $7::text[],
             $8::text[], $9::text[], $10::bigint[]) AS c (${COLUMNS.join(', ')}, requests), first
         ORDER BY ${COLUMNS.map((name) => `c.${name}`).join(', ')}
         ON CONFLICT (${COLUMNS.join(', ')})
           DO UPDATE SET requests = u.requests + excluded.requests`,
        [source, number, ...fields.map((name) => counts.map((count) => count[name]))],
      );
    },
    async since(day) {
      const rows = await database.query<Omit<UsageCount, 'requests'> & { requests: bigint }>(
        `SELECT day::text, customer_id AS customer, client_id AS "clientId", subject, requested,
           served, operation, requests
         FROM version_usage WHERE day >= $1 ORDER BY ${COLUMNS.join(', ')}`,
        [day],
      );
      return rows.map((row) => ({ ...row, requests: Number(row.requests) }));
    },
    async summarize(firstDay, requested) {
      const rows = await database.query<Omit<CallerUse, 'requests'> & { requests: string }>(
        `SELECT customer_id AS customer, client_id AS "clientId", subject, requested, operation,
           sum(requests)::text AS requests, max(day)::text AS "lastDay"
         FROM version_usage WHERE day >= $1 AND requested = ANY ($2::text[])
         GROUP BY customer_id, client_id, subject, requested, operation
         ORDER BY customer_id, client_id, subject, requested, operation`,
        [firstDay, requested],
      );
      return rows.map((row) => ({ ...row, requests: Number(row.requests) }));
    },
    async ofCustomer(customer, firstDay, lastDay) {
      // A day at a time: the index begins with the day.
      const rows = await database.query<Omit<ClientUse, 'requests'> & { requests: string }>(
        `SELECT u.day::text, client_id AS "clientId", requested, served, operation,
           sum(requests)::text AS requests
         FROM generate_series($2::date, $3::date, interval '1 day') AS period (day)
           JOIN version_usage AS u ON u.day = period.day::date AND u.customer_id = $1
         GROUP BY u.day, client_id, requested, served, operation`,
        [customer, firstDay, lastDay],
      );
      return rows.map((row) => ({ ...row, requests: Number(row.requests) }));
    },
  };
}

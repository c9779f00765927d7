import { type Database, epochMs, recordOf, type SqlValue } from '@cls/shared/sql/database';
import type { AuditReader, FoundEvent, StoredEvent } from './audit-log.ts';

/** As `StoredEvent` has them. */
const COLUMNS = `id, ${epochMs('at')} AS at, type, client_id AS "clientId", address, reason, about, actor,
  CASE WHEN num_nonnulls(browser, system) > 0
    THEN json_strip_nulls(json_build_object('browser', browser, 'system', system)) END AS device`;

/** The largest bigint. */
const LAST_ID = 9_223_372_036_854_775_807n;

/**
 * Reads what `sqlAuditLog` wrote.
 *
 * @param keptSince events that are older are not shown, although their month may still be there;
 *   without it, or undefined, all are.
 */
export function sqlAuditReader(
  database: Database,
  keptSince: () => Date | undefined = () => undefined,
): AuditReader {
  return {
    async eventsOf(subjects, { types, before, limit }) {
      const rows = await database.query(
        // Each subject by itself, in an order that its index alone has. In the order of ids, the
        // planner may read all events that are newer than the subject's, those of others too.
        `SELECT event.* FROM unnest($1::text[]) AS asked (subject)
         CROSS JOIN LATERAL (
           SELECT ${COLUMNS} FROM audit_event
           WHERE subject >= asked.subject
             AND (subject, id) < (asked.subject, coalesce($3::bigint, ${LAST_ID}))
             AND at >= $5::timestamptz
             AND ($2::text[] IS NULL OR type = ANY ($2::text[]))
           ORDER BY subject DESC, id DESC LIMIT $4
         ) AS event
         ORDER BY id DESC LIMIT $4`,
        [subjects, types ?? null, before ?? null, limit, keptSince()?.toISOString() ?? '-infinity'],
      );
      return rows.map((row) => recordOf<StoredEvent>(row, 'at'));
    },

    async search({ subjects, client, address, types, since, until }, limit) {
      const parameters: SqlValue[] = [limit];
      const conditions: string[] = [];
      const where = (condition: string, value: SqlValue | undefined) => {
        if (value === undefined) return;
        parameters.push(value);
        conditions.push(condition.replaceAll('?', `$${parameters.length}`));
      };
      where('subject = ANY (?::text[])', subjects);
      where('(client_id = ? OR subject = ?)', client);
      where('address = ?', address);
      where('type LIKE ANY (?::text[])', types?.map(asPattern));
      where('at >= ?::timestamptz', latest([since, keptSince()])?.toISOString());
      where('at < ?::timestamptz', until?.toISOString());
      // By time: only the months asked for are read. In the order of ids, the planner may read all others too.
      const rows = await database.query(
        `SELECT ${COLUMNS}, subject, request_id AS "requestId" FROM audit_event WHERE ${conditions.join(' AND ') || 'true'}
         ORDER BY audit_event.at DESC, id DESC LIMIT $1`,
        parameters,
      );
      return rows.map((row) => recordOf<FoundEvent>(row, 'at'));
    },
  };
}

/** `key.*` stands for all types that begin so. */
function asPattern(type: string): string {
  return type.replaceAll('_', '\\_').replace(/\*$/, '%');
}

function latest(moments: readonly (Date | undefined)[]): Date | undefined {
  return moments.reduce((one, other) =>
    other === undefined || (one !== undefined && one > other) ? one : other,
  );
}

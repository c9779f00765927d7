import type { Database, SqlValue } from '@cls/shared/sql/database';
import type { AuditEventType, AuditReader, StoredEvent } from './audit-log.ts';

interface Row {
  readonly id: bigint;
  readonly atMs: number;
  readonly type: AuditEventType;
  readonly client_id: string | null;
  readonly address: string | null;
  readonly reason: string | null;
  readonly browser: string | null;
  readonly system: string | null;
  readonly about: string | null;
  readonly actor: string | null;
}

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
      const rows = await database.query<Row>(
        // Each subject by itself, in an order that its index alone has. In the order of ids, the
        // planner may read all events that are newer than the subject's, those of others too.
        `SELECT event.* FROM unnest($1::text[]) AS asked (subject)
         CROSS JOIN LATERAL (
           SELECT id, (extract(epoch FROM at) * 1000)::float8 AS "atMs", type, client_id, address,
                  reason, browser, system, about, actor
           FROM audit_event
           WHERE subject >= asked.subject
             AND (subject, id) < (asked.subject, coalesce($3::bigint, ${LAST_ID}))
             AND at >= $5::timestamptz
             AND ($2::text[] IS NULL OR type = ANY ($2::text[]))
           ORDER BY subject DESC, id DESC LIMIT $4
         ) AS event
         ORDER BY id DESC LIMIT $4`,
        [subjects, types ?? null, before ?? null, limit, keptSince()?.toISOString() ?? '-infinity'],
      );
      return rows.map(storedEvent);
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
      const rows = await database.query<Row & { subject: string; request_id: string | null }>(
        `SELECT id, (extract(epoch FROM at) * 1000)::float8 AS "atMs", type, subject, client_id, address,
                request_id, reason, browser, system, about, actor
         FROM audit_event WHERE ${conditions.join(' AND ') || 'true'}
         ORDER BY at DESC, id DESC LIMIT $1`,
        parameters,
      );
      return rows.map((row) => ({
        ...storedEvent(row),
        subject: row.subject,
        ...(row.request_id === null ? {} : { requestId: row.request_id }),
      }));
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

function storedEvent(row: Row): StoredEvent {
  const { id, atMs, type, client_id, address, reason, browser, system, about, actor } = row;
  return {
    id,
    at: new Date(atMs),
    type,
    ...(client_id === null ? {} : { clientId: client_id }),
    ...(address === null ? {} : { address }),
    ...(reason === null ? {} : { reason }),
    ...(browser === null && system === null
      ? {}
      : {
          device: {
            ...(browser === null ? {} : { browser }),
            ...(system === null ? {} : { system }),
          },
        }),
    ...(about === null ? {} : { about }),
    ...(actor === null ? {} : { actor }),
  };
}

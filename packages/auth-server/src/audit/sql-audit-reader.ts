import type { Database } from '@cls/shared/sql/database';
import type { AuditEventType, AuditReader } from './audit-log.ts';

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
      return rows.map(
        ({ id, atMs, type, client_id, address, reason, browser, system, about, actor }) => ({
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
        }),
      );
    },
  };
}

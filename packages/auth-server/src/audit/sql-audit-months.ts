import { type Clock, DAY_MS } from '@cls/shared/clock';
import { type Database, epochMs, recordOf } from '@cls/shared/sql/database';

/** A partition of the audit. Without `startsAt`, it holds all events before `endsAt`; without both, all other times. */
export interface AuditPartition {
  /** Of its table. */
  readonly name: string;
  readonly startsAt?: Date;
  readonly endsAt?: Date;
  /** By the clock of the database, which drops no other. */
  readonly over: boolean;
}

/** No request is sent again so late: its event is recorded again under the same name. */
const NAMES_KEPT_DAYS = 100;
const SWEEP_BATCH = 5_000;

/** In the order of time; the one for all other times is the last. */
export async function auditPartitions(database: Database): Promise<readonly AuditPartition[]> {
  const rows = await database.query(
    `SELECT name, ${epochMs('starts')} AS "startsAt", ${epochMs('ends')} AS "endsAt",
       coalesce(ends <= now(), false) AS over
     FROM audit_month ORDER BY ends NULLS LAST`,
  );
  return rows.map((row) => recordOf<AuditPartition>(row, 'startsAt', 'endsAt'));
}

/** The moment before which events are removed with their month; undefined where they are kept for ever. */
export function auditKeptSince(clock: Clock, days: number): Date | undefined {
  return days === 0 ? undefined : new Date(clock.now().getTime() - days * DAY_MS);
}

/**
 * Makes the months ahead, and removes what ended before the last `days`: months as a whole, so an event
 * stays until the last day of its month is old enough. `days` 0 removes nothing.
 */
export async function sweepAudit(database: Database, clock: Clock, days: number): Promise<void> {
  const since = auditKeptSince(clock, days);
  await database.query('SELECT make_audit_months($1)', [since?.toISOString() ?? '-infinity']);
  const namesSince = new Date(clock.now().getTime() - NAMES_KEPT_DAYS * DAY_MS).toISOString();
  await database.query('DELETE FROM audit_event_name WHERE at < $1', [namesSince]);
  if (since === undefined) return;
  // Who an erased person was is kept as long as there may be events of that person.
  await database.query(
    `DELETE FROM erased_identity i USING account a
     WHERE a.id = i.account_id AND a.erased_at < date_trunc('month', $1::timestamptz)`,
    [since.toISOString()],
  );
  for (const { name, startsAt, endsAt, over } of await auditPartitions(database)) {
    if (endsAt === undefined) continue;
    if (endsAt <= since && over) await database.query('SELECT drop_audit_month($1)', [name]);
    else if (startsAt === undefined) await sweepRows(database, since);
  }
}

/**
 * Events from before there were months lie in one table. Ids rise with time, so that only the oldest
 * are looked at, and a batch that was not all of them ends it.
 */
async function sweepRows(database: Database, since: Date): Promise<void> {
  let swept: unknown[];
  do {
    swept = await database.query(
      `DELETE FROM audit_event
       WHERE id IN (SELECT id FROM audit_event ORDER BY id LIMIT $2)
         AND at < date_trunc('month', $1::timestamptz) RETURNING 1`,
      [since.toISOString(), SWEEP_BATCH],
    );
  } while (swept.length === SWEEP_BATCH);
}

import { createHash } from 'node:crypto';
import { type Database, Deadlocked, type Sql, SqlError } from '@cls/shared/sql/database';
import { rollback, tentativeTransaction } from '@cls/shared/sql/tentative-transaction';
import type { AuditArchive, AuditPeriod, DropOutcome, EventSet } from './audit-archive.ts';

const EVENTS_AT_ONCE = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** @param actor who drops a month. */
export function sqlAuditArchive(database: Database, actor?: string): AuditArchive {
  return {
    async months({ count }) {
      const counted = count ? await countEvents(database) : undefined;
      const rows = await database.query<MonthRow>(MONTHS);
      return rows.map(({ name, fromMs, untilMs, over, about, bytes, attached }) => ({
        month: periodName(name),
        from: fromMs === null ? undefined : new Date(fromMs),
        until: untilMs === null ? undefined : new Date(untilMs),
        over: over === true,
        events: counted && attached ? (counted.get(name) ?? 0n) : (about ?? undefined),
        bytes,
        state: attached ? 'attached' : 'detached',
      }));
    },

    export: (period, write) =>
      exportEvents(database, IN_PERIOD, bounds(period), { month: period.name }, write),

    async countOf(customer) {
      const [row] = await database.query<{ events: bigint }>(
        `SELECT count(*) AS events FROM audit_event WHERE ${OF_CUSTOMER}`,
        [customer],
      );
      return row?.events ?? 0n;
    },

    exportOf: (customer, write) =>
      exportEvents(database, OF_CUSTOMER, [customer], { customer }, write),

    async drop(period, { file, apply }) {
      try {
        return await tentativeTransaction<DropOutcome>(
          database,
          async (transaction) => {
            // Before the lock on the table, as the sweep takes them. Who writes events waits, with
            // the events in its file; who reads does not.
            if (apply) {
              await transaction.query(`SELECT pg_advisory_xact_lock(hashtext('audit_month'))`);
              await transaction.execute('LOCK TABLE audit_event IN SHARE MODE');
            }
            const there = await eventSet(transaction, period);
            const { events } = there;
            if (file !== undefined && !sameEvents(file, there))
              return { outcome: 'differs', events };
            if (!apply) return { outcome: 'would_drop', events };
            const about = `${events} events${file === undefined ? '' : `, sha256 ${file.sha256}`}`;
            await transaction.query(
              `INSERT INTO audit_event (at, type, subject, about, actor, event_id)
               VALUES (now(), 'audit.month_dropped', $1, $2, $3, gen_random_uuid())`,
              [period.name, about, actor ?? null],
            );
            const [row] = await transaction.query<{ dropped: boolean }>(
              'SELECT drop_audit_month($1) AS dropped',
              [tableName(period)],
            );
            // Somebody else has dropped the month.
            if (row?.dropped !== true) return rollback({ outcome: 'gone' });
            return { outcome: 'dropped', events };
          },
          { setup: "SET LOCAL lock_timeout = '1s';" },
        );
      } catch (error) {
        const busy =
          error instanceof Deadlocked ||
          (error instanceof SqlError && error.code === LOCK_NOT_AVAILABLE);
        if (busy) return { outcome: 'busy' };
        throw error;
      }
    },
  };
}

function sameEvents(one: EventSet, other: EventSet): boolean {
  return one.events === other.events && one.ids === other.ids && one.eventIds === other.eventIds;
}

interface MonthRow {
  readonly name: string;
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  readonly over: boolean | null;
  readonly about: bigint | null;
  readonly bytes: bigint;
  readonly attached: boolean;
}

const MONTHS = `
  SELECT name, (extract(epoch FROM starts) * 1000)::float8 AS "fromMs",
    (extract(epoch FROM ends) * 1000)::float8 AS "untilMs", ends <= now() AS over,
    (SELECT CASE WHEN reltuples >= 0 THEN reltuples::bigint END
     FROM pg_class WHERE oid = to_regclass(name)) AS about,
    bytes, true AS attached, ends AS sorted
  FROM audit_month
  UNION ALL
  SELECT relname, NULL, NULL, NULL, CASE WHEN reltuples >= 0 THEN reltuples::bigint END,
    pg_total_relation_size(oid), false, NULL
  FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND NOT relispartition
    AND relname ~ '^audit_event_(before_)?\\d{4}_\\d\\d$'
  ORDER BY attached DESC, sorted NULLS LAST, name`;

const IN_PERIOD = 'at >= $1::timestamptz AND at < $2::timestamptz';

/**
 * Addresses are subjects of refused sign-ins. Those of an account that is `elsewhere` belong to another
 * customer's account.
 */
const OF_CUSTOMER = `subject IN (
  SELECT $1
  UNION ALL SELECT id FROM account WHERE customer_id = $1
  UNION ALL SELECT email FROM account WHERE customer_id = $1 AND NOT elsewhere
  UNION ALL SELECT id FROM service_account WHERE customer_id = $1
  UNION ALL SELECT domain FROM upstream_provider WHERE customer_id = $1)`;

/**
 * In the order of their ids, with a summary. While the transaction is open, no sweep can drop a month.
 *
 * @param which a condition on `audit_event`, for `parameters`.
 */
function exportEvents<N extends object>(
  database: Database,
  which: string,
  parameters: readonly string[],
  named: N,
  write: (text: string) => Promise<void>,
) {
  const [last, limit] = [parameters.length + 1, parameters.length + 2];
  const page = `${EVENTS} WHERE ${which} AND id > $${last}::bigint ORDER BY id LIMIT $${limit}`;
  return database.transaction(
    async (transaction) => {
      const digest = createHash('sha256');
      let events = 0;
      let after = 0n;
      for (;;) {
        const rows = await transaction.query<{ id: bigint; line: string }>(page, [
          ...[...parameters, after, EVENTS_AT_ONCE],
        ]);
        const text = rows.map(({ line }) => `${line}\n`).join('');
        digest.update(text);
        await write(text);
        events += rows.length;
        after = rows.at(-1)?.id ?? after;
        if (rows.length < EVENTS_AT_ONCE) break;
      }
      const sha256 = digest.digest('hex');
      const summary = { object: 'summary' as const, ...named, events, sha256 };
      await write(`${JSON.stringify(summary)}\n`);
      return summary;
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

const EVENTS = `
  SELECT id, json_strip_nulls(json_build_object(
      'id', id::text, 'eventId', event_id, 'at', at, 'type', type, 'subject', subject,
      'clientId', client_id, 'address', address, 'requestId', request_id, 'reason', reason,
      'browser', browser, 'system', system, 'about', about, 'actor', actor))::text AS line
  FROM audit_event`;

const EVENT_SET = `
  SELECT count(*) AS events, coalesce(sum(id), 0)::text AS ids,
    coalesce(sum(('x' || left(event_id::text, 8))::bit(32)::bigint), 0)::text AS "eventIds"
  FROM audit_event WHERE ${IN_PERIOD}`;

async function eventSet(sql: Sql, period: AuditPeriod): Promise<EventSet> {
  const [row] = await sql.query<{ events: bigint; ids: string; eventIds: string }>(
    EVENT_SET,
    bounds(period),
  );
  if (row === undefined) throw new Error('a count without a row');
  return { events: row.events, ids: BigInt(row.ids), eventIds: BigInt(row.eventIds) };
}

async function countEvents(database: Database): Promise<ReadonlyMap<string, bigint>> {
  const rows = await database.query<{ name: string; events: bigint }>(
    `SELECT relname::text AS name, events
     FROM (SELECT tableoid, count(*) AS events FROM audit_event GROUP BY tableoid) AS counted
     JOIN pg_class ON pg_class.oid = counted.tableoid`,
  );
  return new Map(rows.map(({ name, events }) => [name, events]));
}

function bounds({ from, until }: AuditPeriod): [string, string] {
  return [from?.toISOString() ?? '-infinity', until.toISOString()];
}

function tableName({ name }: AuditPeriod): string {
  return `audit_event_${name.replaceAll('-', '_')}`;
}

function periodName(table: string): string {
  return table.replace(/^audit_event_/, '').replaceAll('_', '-');
}

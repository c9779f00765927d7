import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { type Database, SqlError } from '@cls/shared/sql/database';
import type { AuditEvent, AuditLog } from '../audit/audit-log.ts';

const FLUSH_AFTER_MS = 200;
const BATCH_MAX = 1_000;
/** Events kept while the database is down; older ones stay, newer ones are told to the log. */
const WAITING_MAX = 50_000;

type Taken = AuditEvent & { readonly at: string };

/** Audit events in SQL, written in batches off the request's path. */
export function sqlAuditLog(database: Database, clock: Clock, log: Log): AuditLog {
  let waiting: Taken[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const schedule = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void write();
    }, FLUSH_AFTER_MS);
  };
  const writeAll = async (): Promise<void> => {
    let size = BATCH_MAX;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, size);
      try {
        await insert(database, batch);
        waiting = waiting.slice(batch.length);
      } catch (err) {
        if (!(err instanceof SqlError)) {
          log.error(
            { err, waiting: waiting.length },
            'audit events cannot be written; trying again',
          );
          schedule();
          return;
        }
        // Refused rather than unreachable: one event must not keep the others from being written.
        if (batch.length === 1) {
          log.error({ err, event: batch[0] }, 'an audit event cannot be stored; it is only here');
          waiting = waiting.slice(1);
        }
        size = 1;
      }
    }
  };
  const write = (): Promise<void> => {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  };

  const catchUp = async (): Promise<void> => {
    await write();
    if (waiting.length > 0) await write(); // What came while the last batch was written.
  };

  return {
    record(event) {
      if (waiting.length >= WAITING_MAX) {
        log.error({ event }, 'the audit log is full; this event is only here');
        return;
      }
      waiting.push({ ...event, at: clock.now().toISOString() });
      schedule();
    },
    catchUp,
    async flush() {
      clearTimeout(timer);
      timer = undefined;
      await catchUp();
      clearTimeout(timer);
    },
  };
}

const SWEEP_BATCH = 5_000;

/**
 * Removes events that are older than `days`. Ids rise with time, so that only the oldest are looked
 * at, and a batch that was not all of them ends it.
 */
export async function sweepAudit(database: Database, clock: Clock, days: number): Promise<void> {
  const until = new Date(clock.now().getTime() - days * 86_400_000).toISOString();
  let swept: unknown[];
  do {
    swept = await database.query(
      `DELETE FROM audit_event
       WHERE id IN (SELECT id FROM audit_event ORDER BY id LIMIT $2) AND at < $1 RETURNING 1`,
      [until, SWEEP_BATCH],
    );
  } while (swept.length === SWEEP_BATCH);
}

async function insert(database: Database, events: readonly Taken[]): Promise<void> {
  const column = (of: (event: Taken) => string | undefined) => events.map((e) => of(e) ?? null);
  await database.query(
    `INSERT INTO audit_event (at, type, subject, client_id, address, request_id, reason,
                              browser, system, about)
     SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[],
                          $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])`,
    [
      column((e) => e.at),
      column((e) => e.type),
      column((e) => e.subject),
      column((e) => e.clientId),
      column((e) => e.address),
      column((e) => e.requestId),
      column((e) => e.reason),
      column((e) => e.device?.browser),
      column((e) => e.device?.system),
      column((e) => e.about),
    ],
  );
}

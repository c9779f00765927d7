import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '@cls/shared/clock';
import type { Log } from '@cls/shared/log';
import { type Database, DatabaseUnavailable, SqlError } from '@cls/shared/sql/database';
import { answering } from '../state/answering.ts';
import type { AuditEvent, AuditEventType, AuditLog } from './audit-log.ts';
import { type AuditSpool, leftSpools, openAuditSpool } from './audit-spool.ts';

const WRITE_AFTER_MS = 200;
const TRY_AGAIN_MS = 2_000;
const LOOK_FOR_LEFT_MS = 30_000;

export interface SpooledAuditLog extends AuditLog {
  /** Of events in the file that wait for the table. */
  readonly waitingBytes: number;
  /** Resolves while events can be kept: where the last one could not be, it tries whether one can now. */
  writable(): Promise<void>;
}

export interface AuditLogSettings {
  /** Where events wait for the database; outlives the process. */
  readonly directory: string;
  readonly fsync: AuditFsync;
  /** Called for each event whose only record is a line of the log. */
  readonly onLost?: () => void;
}

type ReportLost = (err: unknown, event: object, message: string) => void;

/**
 * Which events survive a crash of the machine before the answer goes out: all, `changes` (all but
 * tokens), or none. A token's event survives one of the process; it is in the table within a second.
 */
export type AuditFsync = 'all' | 'changes' | 'none';

/**
 * Audit events in SQL. They go to a file of this process first (audit-spool.ts), and from there to
 * the table in batches, by an id that the table has once. When a process ends with events in its
 * file, the next process on the same directory writes them.
 *
 * @throws {DirectoryUnusable} when they cannot be kept.
 */
export async function sqlAuditLog(
  database: Database,
  clock: Clock,
  log: Log,
  { directory, fsync, onLost = () => undefined }: AuditLogSettings,
): Promise<SpooledAuditLog> {
  const lost: ReportLost = (err, event, message) => {
    onLost();
    log.error({ err, event }, message);
  };
  const own = await openAuditSpool(directory);
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let failing = false;
  let stopped = false;
  let again = false;
  let lookForLeft = true;
  let syncFailed = false;

  const writeAll = async (spool: AuditSpool): Promise<void> => {
    for (;;) {
      const { lines, end } = spool.read();
      if (lines.length > 0) await insertAll(database, lines, log, lost);
      spool.done(end);
      if (lines.length === 0) return;
    }
  };
  const unreadable = new Set<string>();
  const warnOfUnreadable = (folder: string) => {
    if (unreadable.has(folder)) return;
    unreadable.add(folder);
    log.warn({ folder }, 'audit events of another user cannot be read, and wait in their folder');
  };
  const takeOver = async (): Promise<void> => {
    for await (const spool of leftSpools(directory, warnOfUnreadable)) {
      await writeAll(spool).finally(() => spool.close());
    }
  };
  /** One at a time; what comes meanwhile is written before it resolves. */
  const write = (): Promise<void> => {
    again = true;
    working ??= (async () => {
      try {
        while (again) {
          again = false;
          await writeAll(own);
          if (lookForLeft) await takeOver();
          lookForLeft = false;
        }
        if (failing) log.info({}, 'audit events are written again');
        failing = false;
      } catch (err) {
        if (!failing) log.error({ err }, 'audit events wait in their file; trying again');
        failing = true;
        if (fsync !== 'none') await own.synced().catch(() => undefined);
        schedule(TRY_AGAIN_MS);
      } finally {
        working = undefined;
      }
    })();
    return working;
  };
  const schedule = (ms: number) => {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void write();
    }, ms);
  };
  const looking = setInterval(() => {
    lookForLeft = true;
    void write();
  }, LOOK_FOR_LEFT_MS);
  looking.unref();
  void write();

  const take = (event: AuditEvent): void => {
    try {
      own.append(lineOf(event, clock));
    } catch (err) {
      lost(
        err,
        event,
        'audit event cannot be written to its file; this log line is its only record',
      );
      if (event.type === 'token.refused' || event.type === 'sign_in.refused') return;
      throw new DatabaseUnavailable('the audit cannot be written', { cause: err });
    }
    schedule(WRITE_AFTER_MS);
  };
  const synced = async (): Promise<void> => {
    await own.synced().catch((err) => {
      syncFailed = true;
      log.error({ err }, 'audit events cannot be written to the disk');
      throw new DatabaseUnavailable('the audit cannot be written', { cause: err });
    });
  };

  return {
    record(event) {
      take(event);
      const request = answering();
      if (request !== undefined && mustBeSynced(event.type, fsync)) request.audited = true;
    },
    async recordSafely(event) {
      take(event);
      if (mustBeSynced(event.type, fsync)) await synced();
    },
    synced,
    async writable() {
      own.probe();
      if (syncFailed) await own.synced();
      syncFailed = false;
    },
    get waitingBytes() {
      return own.waitingBytes;
    },
    catchUp: write,
    async flush() {
      stopped = true;
      clearTimeout(timer);
      clearInterval(looking);
      await write();
      await own.close();
    },
  };
}

/** Each member by name: Node 20 takes long to spread objects, and this runs for each token. */
function lineOf(event: AuditEvent, clock: Clock): string {
  const { once, type, clientId, address, requestId, reason, device, about, actor } = event;
  const id = once === undefined ? randomUUID() : uuidOf(once);
  const at = clock.now().toISOString();
  // As UTF-8: what somebody typed may hold half a character, which the database would refuse.
  const subject = Buffer.from(event.subject).toString();
  const line = {
    id,
    at,
    type,
    subject,
    clientId,
    address,
    requestId,
    reason,
    device,
    about,
    actor,
  };
  return JSON.stringify(line);
}

/** The same for the same name: RFC 9562 §5.8, of a digest. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}

function mustBeSynced(type: AuditEventType, fsync: AuditFsync): boolean {
  return fsync === 'all' || (fsync === 'changes' && !type.startsWith('token.'));
}

/** @throws when the database did not take them: they are tried again. */
async function insertAll(
  database: Database,
  lines: readonly string[],
  log: Log,
  lost: ReportLost,
): Promise<void> {
  try {
    await insert(database, lines);
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    // One event must not keep the others from being written.
    for (const line of lines) await insertAlone(database, line, log, lost);
  }
}

async function insertAlone(
  database: Database,
  line: string,
  log: Log,
  lost: ReportLost,
): Promise<void> {
  const event = parsed(line);
  if (event === undefined) return log.warn({}, 'an incomplete line of the audit file is skipped');
  try {
    await insert(database, [line]);
  } catch (err) {
    if (!isRefusedForGood(err)) throw err;
    lost(err, event, 'audit event rejected by the database; this log line is its only record');
  }
}

/** Classes 22 and 23: the data themselves. Everything else is the state of the database. */
function isRefusedForGood(error: unknown): boolean {
  return error instanceof SqlError && /^2[23]/.test(error.code);
}

/** Undefined for a torn line: its event was never acknowledged. */
function parsed(line: string): object | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The lines are JSON, so the database reads them itself: one parameter, and no work here. */
async function insert(database: Database, lines: readonly string[]): Promise<void> {
  await database.query(
    `INSERT INTO audit_event (at, type, subject, client_id, address, request_id, reason,
                              browser, system, about, actor, event_id)
     SELECT at, type, subject, "clientId", address, "requestId", reason,
            device->>'browser', device->>'system', about, actor, id
     FROM json_to_recordset($1::json) AS event (
       id uuid, at timestamptz, type text, subject text, "clientId" text, address text,
       "requestId" text, reason text, device json, about text, actor text)
     ON CONFLICT DO NOTHING`,
    [`[${lines.join(',')}]`],
  );
}

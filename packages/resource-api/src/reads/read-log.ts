import { countedLines } from '@cls/shared/http/counted-lines';
import type { Log } from '@cls/shared/log';
import { type Metrics, oneValue } from '@cls/shared/metrics/metrics';
import { regularly } from '@cls/shared/regularly';
import { DatabaseUnavailable, SqlError } from '@cls/shared/sql/database';
import type { ReadRecord, ReadRecords } from './read-record.ts';

/**
 * `on`: answers go out whether their rows can be written or not; `required`: while rows cannot be
 * written and as many wait as may, questions are refused.
 */
export const READ_LOG_MODES = ['off', 'on', 'required'] as const;
export type ReadLogMode = (typeof READ_LOG_MODES)[number];

export interface ReadLogSettings {
  readonly mode: ReadLogMode;
  /** 0: for ever. */
  readonly keptDays: number;
}

export interface ReadLog {
  /** Ahead of the answer. @throws {DatabaseUnavailable} where reads must be logged and cannot be */
  admit(): void;
  record(record: ReadRecord): void;
  /** Writes what waits. */
  stop(): Promise<void>;
}

export interface ReadLogDeps {
  readonly records: Pick<ReadRecords, 'add' | 'sweep'>;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly everyMs?: number;
  readonly waitingMax?: number;
}

const WRITE_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 3_600_000;
/** Rows of one statement: some 200 KB. */
const BATCH = 500;
/** Some 10 MB: three minutes of 100 reads a second. */
const WAITING_MAX = 20_000;

/** Gathers rows in memory; a process that is killed loses those of the last second. */
export function readLog({ mode, keptDays }: ReadLogSettings, deps: ReadLogDeps): ReadLog {
  const { records, metrics, log, everyMs = WRITE_EVERY_MS, waitingMax = WAITING_MAX } = deps;
  const waiting: ReadRecord[] = [];
  let failing = false;
  metrics.gauge(
    {
      name: 'cls_read_log_waiting',
      help: 'Rows of the log of reads that are not written yet.',
      labels: {},
    },
    () => oneValue(waiting.length),
  );
  const lose = lossReport(metrics, log);

  const writeAll = async (): Promise<void> => {
    let size = BATCH;
    try {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, size);
        const refused = await records.add(batch).then(() => undefined, faultOfRow);
        if (refused !== undefined && batch.length > 1) {
          // The others do not go with the one: smaller batches find it.
          size = Math.ceil(batch.length / 2);
          continue;
        }
        waiting.splice(0, batch.length);
        size = Math.min(size * 2, BATCH);
        if (refused === undefined) continue;
        // Kept, it would keep back all that come after it.
        log.error({ err: refused }, 'the database refused a row of the log of reads');
        lose();
      }
      if (failing) log.info({}, 'the log of reads is written again');
      failing = false;
    } catch (err) {
      if (!failing) log.error({ err }, 'the log of reads cannot be written; its rows wait');
      failing = true;
    }
  };
  const sweep = () =>
    records.sweep(keptDays).catch((err: unknown) => {
      log.warn(
        { err },
        'old rows of the log of reads cannot be removed now; trying again in an hour',
      );
    });
  void sweep();
  const sweeping = setInterval(sweep, SWEEP_EVERY_MS).unref();
  const writing = regularly(writeAll, everyMs);

  return {
    admit() {
      if (mode !== 'required' || waiting.length < waitingMax) return;
      throw new DatabaseUnavailable(
        'reads must be logged (READ_LOG=required), and their rows cannot be written',
      );
    },
    record(record) {
      if (mode === 'off') return;
      if (mode === 'required' || waiting.length < waitingMax) waiting.push(record);
      else lose();
    },
    async stop() {
      clearInterval(sweeping);
      await writing.stop();
      await writeAll();
      if (waiting.length > 0)
        log.error({ lost: waiting.length }, 'rows of the log of reads are lost');
    },
  };
}

/** Counts a read whose row is lost, and says so in the log. */
function lossReport(metrics: Metrics, log: Log): () => void {
  const count = metrics.counter({
    name: 'cls_read_log_lost_total',
    help: 'Reads that are not in the log of reads, because the database did not take their rows.',
    labels: {},
  });
  const warn = countedLines<'lost'>((counts) =>
    log.error(counts, 'reads are not in the log of reads: the database does not take their rows'),
  );
  return () => {
    count({});
    warn('lost');
  };
}

/**
 * Data that a column does not take, and rows that a constraint or an index does not: another fault, as
 * a missing right, is none of the row, and the row is taken once it is mended.
 */
const FAULTS_OF_ROWS: readonly string[] = ['22', '23', '54'];

/** @returns why a row is refused for good. @throws where the database may take it later */
function faultOfRow(error: unknown): SqlError {
  if (error instanceof SqlError && FAULTS_OF_ROWS.includes(error.code.slice(0, 2))) return error;
  throw error;
}

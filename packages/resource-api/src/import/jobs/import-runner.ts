import type { Log } from '@cls/shared/log';
import { newId } from '@cls/shared/new-id';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { ClaimedJob, FinishedJob, ImportJobs, ImportResult } from './import-job.ts';

/** A job that runs; `stop` ends it and rolls back what it wrote. */
export interface StartedImport {
  /** @throws {ImportStopped | ImportFailed | DatabaseUnavailable} */
  readonly result: Promise<ImportResult>;
  stop(): Promise<void>;
}

/** The work was ended from outside: it may be begun again. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
}

/** The message is for the caller. */
export class ImportFailed extends Error {
  override readonly name = 'ImportFailed';
}

export interface ImportRunnerDeps {
  readonly jobs: Pick<ImportJobs, 'claim' | 'renew' | 'finish' | 'release' | 'sweep'>;
  readonly start: (job: ClaimedJob) => StartedImport;
  readonly keptDays: number;
  /** How long a job may take, where it is not an hour. */
  readonly longestMs?: number;
  readonly log: Log;
}

export type ImportRunner = ReturnType<typeof importRunner>;

/** Between two looks for jobs that another process has left behind. */
const EVERY_MS = 10_000;
/** How long a job stays with a process that is gone. */
const LEASE_MS = 60_000;
/** While one runs, no other one does: a file made to take for ever must not keep all others away. */
const LONGEST_MS = 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;
/** A file that ends its process again and again is not tried for ever. */
const ATTEMPTS_MAX = 3;

/**
 * Runs the jobs of imports, one at a time over all processes. Posting is one transaction, and the book
 * remembers the digest of each statement, so a job whose process was killed may run again.
 */
export function importRunner(deps: ImportRunnerDeps) {
  const { jobs, start, keptDays, log } = deps;
  let stopping = false;
  let wanted = false;
  let isFailing = false;
  let current: { readonly job: ClaimedJob; readonly started: StartedImport } | undefined;
  let working: Promise<void> | undefined;

  const runNext = async (): Promise<boolean> => {
    const job = await jobs.claim(newId('run'), LEASE_MS);
    if (job === undefined) return false;
    if (stopping) {
      await jobs.release(job);
      return false;
    }
    if (job.attempts > ATTEMPTS_MAX) {
      const times = `The import was begun ${ATTEMPTS_MAX} times, and interrupted each time: its process ended, or the database did not answer.`;
      await jobs.finish(job, failed(times));
      return true;
    }
    const started = start(job);
    current = { job, started };
    await runOne(deps, job, started);
    return true;
  };
  const runAll = async (): Promise<void> => {
    try {
      while (wanted && !stopping) {
        wanted = false;
        while (!stopping && (await runNext()));
      }
      isFailing = false;
    } catch (err) {
      if (!isFailing) log.warn({ err }, 'jobs of imports cannot be run now; trying again');
      isFailing = true;
    }
    current = undefined;
    working = undefined;
  };
  const wake = (): void => {
    wanted = true;
    working ??= runAll();
  };
  const sweep = () =>
    jobs.sweep(keptDays).catch((err: unknown) => {
      log.warn({ err }, 'old jobs of imports cannot be removed now; trying again in an hour');
    });
  wake();
  void sweep();
  const timers = [setInterval(wake, EVERY_MS).unref(), setInterval(sweep, SWEEP_EVERY_MS).unref()];
  return {
    /** A job waits: it is begun at once where none runs. */
    wake,
    /** Leaves a job that runs to another process, or to the next start. */
    async stop(): Promise<void> {
      stopping = true;
      for (const timer of timers) clearInterval(timer);
      const left = current;
      await left?.started.stop();
      await working;
      // It has ended where it was done before it could be stopped; then this does nothing.
      await (left && jobs.release(left.job).catch(() => undefined));
    },
  };
}

async function runOne(
  { jobs, log, longestMs = LONGEST_MS }: ImportRunnerDeps,
  job: ClaimedJob,
  started: StartedImport,
): Promise<void> {
  const { kind, apply } = job.parameters;
  const facts = { job: job.id, kind, apply };
  const renewing = setInterval(async () => {
    // An embedded database has one session, which the import itself may hold.
    const isOurs = await jobs.renew(job, LEASE_MS).catch(() => true);
    if (!isOurs) await started.stop();
  }, LEASE_MS / 4).unref();
  let isOverdue = false;
  const overdue = setTimeout(() => {
    isOverdue = true;
    void started.stop();
  }, longestMs).unref();
  try {
    const { status, importId, report } = await started.result;
    await jobs.finish(job, { status, importId, report });
    // `status` alone is the name of an HTTP status in log lines.
    log.info({ ...facts, importStatus: status, importId }, 'an import over HTTP ended');
  } catch (err) {
    if (isOverdue && err instanceof ImportStopped) {
      const minutes = `${longestMs / 60_000} minutes`;
      log.warn({ ...facts, err }, 'an import over HTTP took too long');
      await jobs.finish(job, failed(`The import took longer than ${minutes}.`));
      return;
    }
    // Another attempt follows when the lease has ended.
    if (err instanceof DatabaseUnavailable || err instanceof ImportStopped) {
      log.warn({ ...facts, err }, 'an import over HTTP was interrupted; it is tried again');
      return;
    }
    log.error({ ...facts, err }, 'an import over HTTP failed');
    const why = err instanceof ImportFailed ? err.message : 'The import ended unexpectedly.';
    await jobs.finish(job, failed(why));
  } finally {
    clearInterval(renewing);
    clearTimeout(overdue);
  }
}

/** Its process may have ended just after the book took the file, so nobody is told that it did not. */
function failed(why: string): FinishedJob {
  const advice =
    'If you post the file again, take another key: a file that is in the book is not applied twice.';
  return { status: 'failed', report: { outcome: 'failed', detail: `${why} ${advice}` } };
}

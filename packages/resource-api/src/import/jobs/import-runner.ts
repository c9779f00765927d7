import type { Log } from '@cls/shared/log';
import { newId } from '@cls/shared/new-id';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { ClaimedJob, FinishedJob, ImportJobs, ImportResult } from './import-job.ts';

/** A job that runs; `stop` ends it and rolls back what it wrote. */
export interface StartedImport {
  readonly result: Promise<ImportResult>;
  stop(): Promise<void>;
}

export interface ImportRunnerDeps {
  readonly jobs: Pick<ImportJobs, 'claim' | 'renew' | 'finish' | 'release' | 'sweep'>;
  readonly start: (job: ClaimedJob) => StartedImport;
  readonly keptDays: number;
  readonly log: Log;
  /** Between two looks for a job that another process received or left behind. */
  readonly everyMs?: number;
  /** How long a job stays with a process that is gone. */
  readonly leaseMs?: number;
}

export interface ImportRunner {
  /** A job waits: it is begun at once where none runs. */
  wake(): void;
  /** Leaves a job that runs to another process, or to the next start. */
  stop(): Promise<void>;
}

const EVERY_MS = 2_000;
const LEASE_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
/** A file that ends its process again and again is not tried for ever. */
const ATTEMPTS_MAX = 3;

/**
 * Runs the jobs of imports, one at a time over all processes. Posting is one transaction, and the book
 * remembers the digest of each statement, so a job whose process was killed may run again.
 */
export function importRunner(deps: ImportRunnerDeps): ImportRunner {
  const { jobs, keptDays, log, everyMs = EVERY_MS } = deps;
  let stopping = false;
  let isFailing = false;
  let current: { readonly job: ClaimedJob; readonly started: StartedImport } | undefined;
  let working: Promise<void> | undefined;

  const runAll = async (): Promise<void> => {
    try {
      for (;;) {
        if (stopping) return;
        const job = await jobs.claim(newId('run'), deps.leaseMs ?? LEASE_MS);
        if (job === undefined) break;
        if (job.attempts > ATTEMPTS_MAX) {
          await jobs.finish(job, interrupted(job.attempts - 1));
          continue;
        }
        current = { job, started: deps.start(job) };
        await runOne(deps, current);
        current = undefined;
      }
      isFailing = false;
    } catch (err) {
      if (!isFailing) log.warn({ err }, 'jobs of imports cannot be run now; trying again');
      isFailing = true;
    } finally {
      current = undefined;
    }
  };
  const wake = (): void => {
    if (stopping) return;
    working ??= runAll().finally(() => {
      working = undefined;
    });
  };
  const sweep = () =>
    jobs.sweep(keptDays).catch((err: unknown) => {
      log.warn({ err }, 'old jobs of imports cannot be removed now; trying again in an hour');
    });
  wake();
  void sweep();
  const timers = [setInterval(wake, everyMs).unref(), setInterval(sweep, SWEEP_EVERY_MS).unref()];
  return {
    wake,
    async stop() {
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
  { jobs, log, leaseMs = LEASE_MS }: ImportRunnerDeps,
  { job, started }: { readonly job: ClaimedJob; readonly started: StartedImport },
): Promise<void> {
  const facts = { job: job.id, kind: job.parameters.kind, apply: job.parameters.apply };
  const renewing = setInterval(async () => {
    // An embedded database has one session, which the import itself may hold.
    const isOurs = await jobs.renew(job, leaseMs).catch(() => true);
    if (!isOurs) await started.stop();
  }, leaseMs / 4).unref();
  try {
    const { status, importId, report } = await started.result;
    await jobs.finish(job, { status, importId, report });
    log.info({ ...facts, status, importId }, 'an import over HTTP ended');
  } catch (err) {
    // Another attempt follows when the lease has ended.
    if (err instanceof DatabaseUnavailable || err instanceof ImportStopped) {
      log.warn({ ...facts, err }, 'an import over HTTP was interrupted; it is tried again');
      return;
    }
    log.error({ ...facts, err }, 'an import over HTTP failed');
    await jobs.finish(job, FAILED);
  } finally {
    clearInterval(renewing);
  }
}

/** The work was ended from outside. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
}

/** Its process may have ended just after the book took the file, so nobody is told that it did not. */
const failed = (what: string): FinishedJob => ({
  status: 'failed',
  report: {
    outcome: 'failed',
    detail: `${what} Post the file again with another key: a file that is in the book is not applied twice.`,
  },
});
const FAILED = failed('The import ended unexpectedly.');

function interrupted(times: number): FinishedJob {
  return failed(`The import was begun ${times} times, and its process ended each time.`);
}

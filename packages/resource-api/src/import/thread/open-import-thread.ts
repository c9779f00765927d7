import { Worker } from 'node:worker_threads';
import type { DatabaseLocation } from '@cls/shared/service/open-database';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { ClaimedJob, ImportResult } from '../jobs/import-job.ts';
import { ImportFailed, ImportStopped, type StartedImport } from '../jobs/import-runner.ts';
import type { ImportWorkerData, ImportWorkerMessage } from './import-worker.ts';

/** Of JavaScript objects; a job that needs more fails, and the service goes on. */
const MEMORY_MIB = 1_024;
const TOO_LARGE = `The file needs more memory than an import over HTTP may use (${MEMORY_MIB} MiB): split it, or have the operator import it.`;

/**
 * Runs a job in a thread with a connection of its own, as the operator's tools work: its statements take as
 * long as they take.
 */
export function importThread(location: DatabaseLocation): (job: ClaimedJob) => StartedImport {
  const place =
    location.kind === 'postgres'
      ? { url: location.url.expose() }
      : { directory: location.directory };
  return (job) => {
    const worker = new Worker(new URL('./import-worker.js', import.meta.url), {
      workerData: { place, job } satisfies ImportWorkerData,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
    });
    const result = new Promise<ImportResult>((resolve, reject) => {
      worker.once('message', (message: ImportWorkerMessage) => {
        if ('result' in message) return resolve(message.result);
        const { error, message: text } = message;
        reject(error === 'unavailable' ? new DatabaseUnavailable(text) : new Error(text));
      });
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ImportFailed(TOO_LARGE) : error),
      );
      // After a message or an error this changes nothing.
      worker.once('exit', () => reject(new ImportStopped('the thread of an import was ended')));
    });
    // The runner hears of it when it waits.
    result.catch(() => undefined);
    return {
      result,
      stop: async () => {
        await worker.terminate();
      },
    };
  };
}

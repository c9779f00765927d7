import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DatabaseLocation } from '@cls/shared/service/open-database';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { ClaimedJob, ImportResult } from '../jobs/import-job.ts';
import { ImportFailed, ImportStopped, type StartedImport } from '../jobs/import-runner.ts';

const PROGRAM = fileURLToPath(new URL('./import-process.js', import.meta.url));
/** Of JavaScript objects; a job that needs more fails, and the service goes on. */
const MEMORY_MIB = 1_024;
const TOO_LARGE = `The file needs more memory than an import over HTTP may use (${MEMORY_MIB} MiB): split it, or have the operator import it.`;
/** How V8 ends a process that it gives no more memory, or a list or text that would be too long. */
const ENDED_BY_V8: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 134];

/** The first message to the process, and the only one. */
export interface ImportOrder {
  /** The store; a URL, because a `Secret` does not go from process to process. */
  readonly place: { readonly url: string } | { readonly directory: string };
  readonly job: ClaimedJob;
}

/** Its answer. `unavailable`: another attempt may succeed. */
export type ImportMessage =
  | { readonly result: ImportResult }
  | { readonly error: 'unavailable' | 'unexpected'; readonly message: string };

/**
 * Runs a job in a process with a connection of its own, as the operator's tools work: its statements take as
 * long as they take.
 */
export function importProcess(location: DatabaseLocation): (job: ClaimedJob) => StartedImport {
  const place =
    location.kind === 'postgres'
      ? { url: location.url.expose() }
      : { directory: location.directory };
  return (job) => {
    const child = fork(PROGRAM, {
      execArgv: [`--max-old-space-size=${MEMORY_MIB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const result = new Promise<ImportResult>((resolve, reject) => {
      child.once('message', (message: ImportMessage) => {
        if ('result' in message) return resolve(message.result);
        const { error, message: text } = message;
        reject(error === 'unavailable' ? new DatabaseUnavailable(text) : new Error(text));
      });
      child.once('error', reject);
      // After a message this changes nothing.
      child.once('exit', (code, signal) => {
        const how = signal ?? code;
        reject(
          ENDED_BY_V8.includes(how)
            ? new ImportFailed(TOO_LARGE)
            : new ImportStopped(`the process of an import was ended (${how})`),
        );
      });
    });
    // The runner hears of it when it waits.
    result.catch(() => undefined);
    child.send({ place, job } satisfies ImportOrder, () => undefined);
    return {
      result,
      async stop() {
        // A process that could not be started has no end to wait for.
        if (child.kill('SIGKILL')) await ended;
      },
    };
  };
}

/** The thread in which one job runs: to read a large file takes seconds, and requests go on meanwhile. */
import { buffer } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { sqlJournals } from '../../journal-file/sql/sql-journals.ts';
import { bytesSource } from '../file/bytes-source.ts';
import type { ClaimedJob, ImportResult } from '../jobs/import-job.ts';
import { importerOf } from '../jobs/run-import.ts';
import { jobFile } from '../jobs/sql/sql-import-jobs.ts';
import { sqlBook } from '../sql/sql-book.ts';

export interface ImportWorkerData {
  /** The store; a URL, because a `Secret` does not go from thread to thread. */
  readonly place: { readonly url: string } | { readonly directory: string };
  readonly job: ClaimedJob;
}

/** `unavailable`: another attempt may succeed. */
export type ImportWorkerMessage =
  | { readonly result: ImportResult }
  | { readonly error: 'unavailable' | 'unexpected'; readonly message: string };

const port = parentPort;
if (port !== null) {
  const { place, job } = workerData as ImportWorkerData;
  const location: DatabaseLocation =
    'url' in place
      ? { kind: 'postgres', url: new Secret(place.url), poolSize: 2 }
      : { kind: 'embedded', directory: place.directory };
  port.postMessage(await run(location, job));
}

async function run(location: DatabaseLocation, job: ClaimedJob): Promise<ImportWorkerMessage> {
  try {
    const database = await openDatabaseAsOperator(location, 'cls-import', silentLog);
    try {
      // Ahead of the import, whose transaction may have the only session of the database. The size of a
      // file is limited when it is posted.
      const source = bytesSource(job.id, await buffer(jobFile(database, job)));
      const runImport = importerOf(sqlBook(database), sqlJournals(database));
      const { parameters, document, poster } = job;
      return { result: await runImport({ ...parameters, document, poster, source }) };
    } finally {
      await database.close();
    }
  } catch (error) {
    const kind = error instanceof DatabaseUnavailable ? 'unavailable' : 'unexpected';
    const { stack, message } = error as Error;
    return { error: kind, message: stack ?? message };
  }
}

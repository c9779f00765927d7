/** The process in which one job runs: to read a large file takes seconds, and requests go on meanwhile. */
import { buffer } from 'node:stream/consumers';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import { sqlJournals } from '../../journal-file/sql/sql-journals.ts';
import { bytesSource } from '../file/bytes-source.ts';
import type { ClaimedJob } from '../jobs/import-job.ts';
import { importerOf } from '../jobs/run-import.ts';
import { jobFile } from '../jobs/sql/sql-import-jobs.ts';
import { sqlBook } from '../sql/sql-book.ts';
import type { ImportMessage, ImportOrder } from './start-import-process.ts';

// The service ends it. A signal to all processes of a terminal is not meant for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.once('message', async ({ place, job }: ImportOrder) => {
  const location: DatabaseLocation =
    'url' in place
      ? { kind: 'postgres', url: new Secret(place.url), poolSize: 2 }
      : { kind: 'embedded', directory: place.directory };
  const message = await run(location, job);
  process.send?.(message, () => process.exit());
});
// The service is gone: what is not committed is rolled back.
process.once('disconnect', () => process.exit());

async function run(location: DatabaseLocation, job: ClaimedJob): Promise<ImportMessage> {
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

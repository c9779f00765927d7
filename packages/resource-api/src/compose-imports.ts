import type { Log } from '@cls/shared/log';
import { besideRequests, type Database } from '@cls/shared/sql/database';
import type { ResourceApiConfig } from './config.ts';
import { type ImportRunner, importRunner } from './import/jobs/import-runner.ts';
import { sqlImportJobs } from './import/jobs/sql/sql-import-jobs.ts';
import { sqlImportProfiles } from './import/jobs/sql/sql-import-profiles.ts';
import { importProcess } from './import/process/start-import-process.ts';
import { sqlBook } from './import/sql/sql-book.ts';
import type { ImportDeps } from './versions/v1/import-routes.ts';

/** Imports over HTTP: what their routes work with, and what runs their jobs. */
export function composeImports(
  { imports, scopeBase, database: location }: ResourceApiConfig,
  database: Database,
  log: Log,
): { readonly deps: ImportDeps; readonly start: () => Pick<ImportRunner, 'stop'> } {
  const jobs = sqlImportJobs(database);
  const { enabled, keptDays } = imports;
  let runner: ImportRunner | undefined;
  const onQueued = () => runner?.wake();
  return {
    deps: {
      ...{ ...imports, scopeBase },
      jobs,
      profiles: sqlImportProfiles(database),
      book: sqlBook(database),
      onQueued,
    },
    start() {
      if (!enabled) return { stop: async () => undefined };
      // Requests that use all other sessions keep no job from its lease.
      const own = sqlImportJobs(besideRequests(database));
      runner = importRunner({ jobs: own, start: importProcess(location), keptDays, log });
      return runner;
    },
  };
}

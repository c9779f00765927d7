import type { Command } from 'commander';
import { createLog } from '../log.ts';
import { type DatabaseLocation, openDatabaseAsOwner } from '../service/open-database.ts';
import { grantToService, migrate, migrationStatus, readSchema } from '../sql/migrate.ts';
import { CommandRefused, printer } from './command-line.ts';

/** `<tool> migrate`: brings a service's database to this build's schema. */
export function addMigrateCommand(
  program: Command,
  migrationFiles: URL,
  readLocation: () => DatabaseLocation,
): void {
  program
    .command('migrate')
    .description('apply pending migrations and grant the service role what it needs, as the owner')
    .option('--check', 'apply nothing; exit 1 when some are pending')
    .action(async ({ check }: { check?: true }, command: Command) => {
      const log = createLog(program.name(), 'silent');
      const database = await openDatabaseAsOwner(
        readLocation(),
        program.name(),
        log,
        check !== true,
      );
      try {
        const { migrations, grants } = readSchema(migrationFiles);
        const status = check
          ? await migrationStatus(database, migrations)
          : await migrate(database, migrations, grants);
        if (!check) await grantToService(database, grants);
        if (status.pending.length > 0) {
          throw new CommandRefused(`pending: ${status.pending.join(', ')}`, status);
        }
        const text = check ? 'nothing is pending' : `applied ${status.applied.length} migration(s)`;
        printer(command).result(status, text);
      } finally {
        await database.close();
      }
    });
}

import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { createLog } from '@cls/shared/log';
import { migrate, migrationStatus, readMigrations } from '@cls/shared/sql/migrate';
import { openDatabaseAsOperator } from '@cls/shared/sql/open-database';
import type { Command } from 'commander';
import { parseConfig } from '../config.ts';
import { MIGRATIONS } from '../store/migrations.ts';

/** `cls-api migrate`: brings the database to this build's schema. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply pending migrations (services do so at start, too)')
    .option('--check', 'apply nothing; exit 1 when some are pending')
    .action(async ({ check }: { check?: true }, command: Command) => {
      const { database: location } = parseConfig(process.env);
      const log = createLog('cls-api', 'silent');
      const database = await openDatabaseAsOperator(location, 'cls-api', log);
      try {
        const migrations = readMigrations(MIGRATIONS);
        const status = check
          ? await migrationStatus(database, migrations)
          : await migrate(database, migrations);
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

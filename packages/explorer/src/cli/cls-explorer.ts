import { addCheckCommand } from '@cls/shared/cli/check-command';
import { CommandRefused, runCommandLine } from '@cls/shared/cli/command-line';
import { addMigrateCommand } from '@cls/shared/cli/migrate-command';
import { Command } from 'commander';
import { describeConfig, parseConfig, parseDatabase } from '../config.ts';
import { MIGRATIONS } from '../sessions/open-session-store.ts';
import { checks } from './check.ts';

const EXAMPLES = {
  migrate: ['cls-explorer migrate', 'cls-explorer migrate --check'],
  check: ['cls-explorer check', 'cls-explorer check --json'],
};
const manifest = new URL('../../../package.json', import.meta.url);

const program = new Command('cls-explorer')
  .description('Prepares and checks the explorer.')
  .option('--json', 'print one JSON document on stdout');
addMigrateCommand(program, MIGRATIONS, () => {
  const database = parseDatabase(process.env);
  if (database.kind === 'postgres') return database;
  throw new CommandRefused(
    'EXPLORER_DATABASE_URL is not set: sessions are kept in Redis or in memory, and nothing is to be migrated',
  );
});
addCheckCommand(
  program,
  () => parseConfig(process.env),
  { prefix: 'EXPLORER_', describe: describeConfig },
  checks,
);
process.exitCode = await runCommandLine(program, process.argv, EXAMPLES, manifest);

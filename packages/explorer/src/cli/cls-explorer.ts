import { runCommandLine } from '@cls/shared/cli/command-line';
import { addMigrateCommand } from '@cls/shared/cli/migrate-command';
import { Command } from 'commander';
import { parseConfig } from '../config.ts';
import { MIGRATIONS } from '../sessions/open-session-store.ts';

const EXAMPLES = { migrate: ['EXPLORER_DATABASE_URL=postgres://… cls-explorer migrate --check'] };
const manifest = new URL('../../../package.json', import.meta.url);

const program = new Command('cls-explorer')
  .description('Brings the explorer’s database of sessions to this build’s schema.')
  .option('--json', 'print one JSON document on stdout');
addMigrateCommand(program, MIGRATIONS, () => parseConfig(process.env).database);
process.exitCode = await runCommandLine(program, process.argv, EXAMPLES, manifest);

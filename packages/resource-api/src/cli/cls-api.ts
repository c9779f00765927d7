import { runCommandLine } from '@cls/shared/cli/command-line';
import { Command } from 'commander';
import { asOperator } from './as-operator.ts';
import { addDirectoryCommands } from './directory.ts';
import { addEntitlementCommands } from './entitlements.ts';
import { addImportCommand } from './import.ts';
import { addMigrateCommand } from './migrate.ts';

const program = new Command('cls-api')
  .description('Operates the ledger: schema, imports, entitlements.')
  .option('--json', 'print one JSON document on stdout');
addImportCommand(program, asOperator);
addEntitlementCommands(program, asOperator);
addDirectoryCommands(program, asOperator);
addMigrateCommand(program);

process.exitCode = await runCommandLine(program, process.argv);

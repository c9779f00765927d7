import { runCommandLine } from '@cls/shared/cli/command-line';
import { Command } from 'commander';
import { addAccountCommands } from './accounts.ts';
import { asOperator } from './as-operator.ts';
import { addCustomerCommands } from './customers.ts';
import { addKeyCommands } from './keys.ts';
import { addMigrateCommand } from './migrate.ts';
import { addServiceAccountCommands } from './service-accounts.ts';

const program = new Command('cls-auth')
  .description('Operates the OpenID provider’s records: customers, callers and keys.')
  .option('--json', 'print one JSON document on stdout');
addCustomerCommands(program, asOperator);
addServiceAccountCommands(program, asOperator);
addAccountCommands(program, asOperator);
addKeyCommands(program, asOperator);
addMigrateCommand(program);

process.exitCode = await runCommandLine(program, process.argv);

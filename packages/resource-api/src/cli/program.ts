import { addCheckCommand } from '@cls/shared/cli/check-command';
import { addMigrateCommand } from '@cls/shared/cli/migrate-command';
import { addTaskCommands } from '@cls/shared/cli/task-commands';
import { Command } from 'commander';
import { describeConfig, parseConfig } from '../config.ts';
import { MIGRATIONS } from '../database/migrations.ts';
import { TASKS } from '../tasks.ts';
import { addAfterRestoreCommand } from './after-restore.ts';
import { asOperator } from './as-operator.ts';
import { addBillCommand } from './bill.ts';
import { addBookCommands } from './book.ts';
import { checks } from './check.ts';
import { addContractCommands } from './contract.ts';
import { addDirectoryCommands } from './directory.ts';
import { addEntitlementCommands } from './entitlements.ts';
import { addFxCommands } from './fx.ts';
import { addImportCommand } from './import.ts';
import { addImportInspectCommand } from './import-inspect.ts';
import { addImportProfileCommands } from './import-profiles.ts';
import { addImportsCommands } from './imports.ts';
import { addJournalCommands } from './journals.ts';
import { addLedgerCommands } from './ledger.ts';
import { addPartyCommands } from './parties.ts';
import { addPeriodCommands } from './periods.ts';
import { addReadsCommand } from './reads.ts';
import { addReconcileCommand } from './reconcile.ts';
import { addExplainCommand } from './token.ts';
import { addVersionCommands } from './versions.ts';

/** All that `cls-api` can do. */
export function program(): Command {
  const program = new Command('cls-api')
    .description('Manages the ledger: schema, imports, billing, entitlements.')
    .option('--json', 'print one JSON document on stdout');
  const importCommand = addImportCommand(program, asOperator);
  addImportInspectCommand(importCommand);
  addImportProfileCommands(program, asOperator);
  addImportsCommands(program, asOperator);
  addBillCommand(program, asOperator);
  addJournalCommands(program, asOperator);
  addBookCommands(program, asOperator);
  addAfterRestoreCommand(program, asOperator);
  addEntitlementCommands(program, asOperator);
  addDirectoryCommands(program, asOperator);
  addPartyCommands(program, asOperator);
  addReconcileCommand(program, asOperator);
  addLedgerCommands(program, asOperator);
  addPeriodCommands(program, asOperator);
  addFxCommands(program, asOperator);
  addContractCommands(program);
  addReadsCommand(program, asOperator);
  addVersionCommands(program, asOperator);
  addExplainCommand(program);
  addTaskCommands(program, TASKS, (work) => asOperator(({ taskRuns }) => work(taskRuns)));
  addMigrateCommand(program, MIGRATIONS, () => parseConfig(process.env).database);
  addCheckCommand(
    program,
    () => parseConfig(process.env),
    { prefix: 'API_', describe: describeConfig },
    checks,
  );
  return program;
}

import { addCheckCommand } from '@cls/shared/cli/check-command';
import { addMigrateCommand } from '@cls/shared/cli/migrate-command';
import { addTaskCommands } from '@cls/shared/cli/task-commands';
import { Command } from 'commander';
import { describeConfig, parseConfig } from '../config.ts';
import { MIGRATIONS } from '../server/migrations.ts';
import { TASKS } from '../tasks.ts';
import { addAccountCommands } from './accounts.ts';
import { addAfterRestoreCommand } from './after-restore.ts';
import { addApplicationCommands } from './applications.ts';
import { asOperator } from './as-operator.ts';
import { addAuditCommands } from './audit.ts';
import { checks } from './check.ts';
import { addCustomerCommands } from './customers.ts';
import { addInstallationCommands } from './installation.ts';
import { addKeyCommands } from './keys.ts';
import { addSecretCommands } from './secrets.ts';
import { addServiceAccountCommands } from './service-accounts.ts';
import { addExplainCommand } from './token.ts';
import { addUpstreamCommands } from './upstream.ts';

/** All that `cls-auth` can do. */
export function program(): Command {
  const program = new Command('cls-auth')
    .description('Manages customers, accounts, clients and signing keys.')
    .option('--json', 'print one JSON document on stdout');
  addCustomerCommands(program, asOperator);
  addServiceAccountCommands(program, asOperator);
  addApplicationCommands(program, asOperator);
  addSecretCommands(program, asOperator);
  addAccountCommands(program, asOperator);
  addUpstreamCommands(program, asOperator);
  addKeyCommands(program, asOperator);
  addExplainCommand(program, asOperator);
  addAuditCommands(program, asOperator);
  addInstallationCommands(program, asOperator);
  addAfterRestoreCommand(program, asOperator);
  addTaskCommands(program, TASKS, (work) => asOperator(({ taskRuns }) => work(taskRuns)));
  addMigrateCommand(program, MIGRATIONS, () => parseConfig(process.env).database);
  addCheckCommand(
    program,
    () => parseConfig(process.env),
    { prefix: 'AUTH_', describe: describeConfig },
    checks,
  );
  return program;
}

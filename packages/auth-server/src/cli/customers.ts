import { CUSTOMER_ID } from '@cls/shared/access-token';
import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { isUniqueViolation } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import { type AsOperator, requireCustomer } from './operator.ts';

/** `cls-auth customers …`: the organisations that callers belong to. */
export function addCustomerCommands(program: Command, asOperator: AsOperator): void {
  const customers = program
    .command('customers')
    .description('organisations that callers belong to');

  customers
    .command('create <id>')
    .description('create a customer; the id goes into tokens and joins them to entitlements')
    .requiredOption('--name <name>', 'the name that people know')
    .option('--demo', 'for evaluation only: production does not start with such a customer')
    .action(async (id: string, { name, demo }: { name: string; demo?: true }, command: Command) => {
      if (!CUSTOMER_ID.test(id)) {
        throw new CommandRefused(
          'a customer id is lower-case letters, digits and hyphens, 1 to 63',
        );
      }
      await asOperator(async (operator) => {
        try {
          await operator.customers.create(id, name, demo === true);
        } catch (error) {
          if (isUniqueViolation(error))
            throw new CommandRefused(`there is a customer ${id} already`);
          throw error;
        }
        operator.audit.record({ type: 'customer.created', subject: id });
      });
      printer(command).result({ id, name }, `created customer ${id}`);
    });

  customers
    .command('list')
    .description('list customers')
    .action(async (_: unknown, command: Command) => {
      const found = await asOperator((operator) => operator.customers.list());
      const rows = found.map(({ id, name, disabled }) => [id, name, disabled ? 'disabled' : '']);
      printer(command).result(found, table(['id', 'name', 'status'], rows));
    });

  for (const [word, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    customers
      .command(`${word} <id>`)
      .description(`${word} a customer and with it every caller of it`)
      .action(async (id: string, _: unknown, command: Command) => {
        await asOperator(async (operator) => {
          await requireCustomer(operator, id);
          await operator.customers.setDisabled(id, disabled);
          operator.audit.record({ type: `customer.${word}d`, subject: id });
        });
        printer(command).result({ id, disabled }, `${word}d customer ${id}`);
      });
  }
}

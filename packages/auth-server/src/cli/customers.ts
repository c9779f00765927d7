import { CUSTOMER_ID } from '@cls/shared/access-token';
import { printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import { refuseTaken } from '@cls/shared/cli/refuse-taken';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Account } from '../accounts/account.ts';
import { addOffboardCommand } from './offboard.ts';
import {
  type AsOperator,
  MAY_CREATE,
  type Operator,
  refuseDeletion,
  requireCustomer,
  revokeEntitlements,
} from './operator.ts';
import { NAME_VALUE } from './option-values.ts';
import { addSecurityContactCommand, presentContact } from './security-contact.ts';

const ID = z
  .string()
  .regex(CUSTOMER_ID, 'a customer id is lower-case letters, digits and hyphens, 1 to 63');
const CREATE = z.object({ name: NAME_VALUE, demo: z.boolean().exactOptional() });
const RENAME = z.object({ name: NAME_VALUE });

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
    .action(async (given: string, options: object, command: Command) => {
      const id = readOptions(ID, given);
      const { name, demo = false } = readOptions(CREATE, options);
      await asOperator(async (operator) => {
        const create = () => operator.customers.create(id, name, demo);
        await refuseTaken(`there is a customer ${id} already`, create);
        operator.audit.record({ type: 'customer.created', subject: id });
      }, MAY_CREATE);
      printer(command).result({ id, name }, `created customer ${id}`);
    });

  addListCommand(customers, {
    description: 'list customers',
    load: () => asOperator(listCustomers),
    columns: [
      'id',
      'name',
      ['status', ({ disabled }) => (disabled ? 'disabled' : 'active')],
      ['security contact', ({ securityContact }) => waysOf(securityContact).join(', ')],
    ],
  });

  customers
    .command('rename <id>')
    .description('change the name that people see; the id stays')
    .requiredOption('--name <name>', 'the new name')
    .action(async (id: string, options: object, command: Command) => {
      const { name } = readOptions(RENAME, options);
      await asOperator(async (operator) => {
        await requireCustomer(operator, id);
        await operator.customers.rename(id, name);
        operator.audit.record({ type: 'customer.renamed', subject: id, about: name });
      });
      printer(command).result({ id, name }, `customer ${id} is called ${name} now`);
    });

  customers
    .command('delete <id>')
    .description('delete a customer that never had an account, a service account or a provider')
    .action(async (id: string, _: unknown, command: Command) => {
      await asOperator(async (operator) => {
        await requireCustomer(operator, id);
        const deleted = await operator.customers.deleteUnused(id);
        refuseDeletion(`customer ${id}`, deleted ? undefined : 'used');
        operator.audit.record({ type: 'customer.deleted', subject: id });
      });
      printer(command).result({ id, deleted: true }, `deleted customer ${id}`);
    });

  for (const [word, disabled, about] of [
    ['disable', true, 'disable a customer: its clients are refused and its people’s sessions end'],
    ['enable', false, 'enable a customer, its clients and its people again'],
  ] as const) {
    customers
      .command(`${word} <id>`)
      .description(about)
      .action(async (id: string, _: unknown, command: Command) => {
        await asOperator(async (operator) => {
          const known = await requireCustomer(operator, id);
          if (!disabled && !known.disabled) return; // Nothing changes, so nobody is signed out.
          if (!disabled) await forEachAccountOf(operator, id, operator.access.endLeft);
          await operator.customers.setDisabled(id, disabled);
          operator.audit.record({ type: `customer.${word}d`, subject: id });
          if (disabled) await forEachAccountOf(operator, id, operator.access.endAll);
        });
        const out = printer(command);
        if (disabled) out.message(revokeEntitlements(id));
        out.result({ id, disabled }, `${word}d customer ${id}`);
      });
  }

  addSecurityContactCommand(customers, asOperator);
  addOffboardCommand(customers, asOperator);
}

function waysOf(contact: ReturnType<typeof presentContact>): readonly string[] {
  return [contact?.email ?? [], contact?.webhook ? 'webhook' : []].flat();
}

async function listCustomers({ customers, securityContacts }: Operator) {
  const contacts = new Map((await securityContacts.list()).map((one) => [one.customer, one]));
  return (await customers.list()).map((customer) => ({
    ...customer,
    securityContact: presentContact(contacts.get(customer.id)),
  }));
}

const PAGE = 100;

async function forEachAccountOf(
  { accounts }: Operator,
  customer: string,
  work: (accountId: string) => Promise<void>,
): Promise<void> {
  let page: readonly Account[];
  let after: string | undefined;
  do {
    page = await accounts.listOf(customer, { ...(after && { after }), limit: PAGE });
    for (const { id } of page) await work(id);
    after = page.at(-1)?.id;
  } while (page.length === PAGE);
}

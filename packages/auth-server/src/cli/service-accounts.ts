import { PERMISSIONS } from '@cls/shared/access-token';
import { CommandRefused, printer, table, UsageError } from '@cls/shared/cli/command-line';
import { isUniqueViolation } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import type { ServiceAccount } from '../clients/service-account.ts';
import { OVERLAP, parseOverlap, secretText } from './client-secret.ts';
import {
  type AsOperator,
  type Operator,
  parseName,
  parsePermissions,
  refuseDeletion,
  requireCustomer,
} from './operator.ts';

interface CreateOptions {
  readonly name: string;
  readonly customer: string;
  readonly permission: string[];
}

/** `cls-auth service-accounts …`: system-to-system integrations and their secrets. */
export function addServiceAccountCommands(program: Command, asOperator: AsOperator): void {
  const serviceAccounts = program
    .command('service-accounts')
    .description('integrations, which get tokens by client credentials');

  serviceAccounts
    .command('create')
    .description('create a service account; its secret is shown once')
    .requiredOption('--name <name>', 'what it is for, unique')
    .requiredOption('--customer <id>', 'the customer it belongs to')
    .requiredOption('--permission <name...>', `what it may do: ${PERMISSIONS.join(', ')}`)
    .action(async (options: CreateOptions, command: Command) => {
      const permissions = parsePermissions(options.permission, PERMISSIONS);
      const name = parseName(options.name);
      const { customer } = options;
      const created = await asOperator(async (operator) => {
        await requireCustomer(operator, customer);
        const wanted = { name, customer, permissions };
        const result = await unlessTaken(name, () => operator.serviceAccounts.create(wanted));
        operator.audit.record({ type: 'service_account.created', subject: result.id });
        return result;
      });
      const { id: clientId, secret } = created;
      const document = { clientId, clientSecret: secret.expose(), name, customer, permissions };
      printer(command).result(document, secretText(clientId, document.clientSecret));
    });

  serviceAccounts
    .command('list')
    .description('list service accounts, without secrets')
    .action(async (_: unknown, command: Command) => {
      const found = await asOperator((operator) => operator.serviceAccounts.list());
      const documents = found.map(({ id, name, customer, permissions, disabled, secrets }) => ({
        clientId: id,
        name,
        customer,
        permissions,
        disabled,
        secrets: secrets.length,
      }));
      const rows = documents.map((one) => [
        one.clientId,
        one.name,
        one.customer,
        one.permissions.join(' '),
        one.disabled ? 'disabled' : 'active',
      ]);
      const header = ['client id', 'name', 'customer', 'permissions', 'status'];
      printer(command).result(documents, table(header, rows));
    });

  serviceAccounts
    .command('replace-secret <client-id>')
    .description('make a new secret, shown once; the old one ends at once or after an overlap')
    .option(...OVERLAP)
    .action(async (clientId: string, { overlap }: { overlap: string }, command: Command) => {
      const overlapS = parseOverlap(overlap);
      const secret = await asOperator(async (operator) => {
        await requireServiceAccount(operator, clientId);
        const replaced = await operator.serviceAccounts.replaceSecret(clientId, overlapS);
        operator.audit.record({ type: 'service_account.secret_replaced', subject: clientId });
        return replaced;
      });
      const document = { clientId, clientSecret: secret.expose() };
      printer(command).result(document, secretText(clientId, document.clientSecret));
    });

  serviceAccounts
    .command('update <client-id>')
    .description('change the name or the permissions; tokens that were issued before keep theirs')
    .option('--name <name>', 'what it is for, unique')
    .option('--permission <name...>', `all that it may do from now on: ${PERMISSIONS.join(', ')}`)
    .action(async (clientId: string, options: UpdateOptions, command: Command) => {
      const change = changeOf(options);
      const { name, customer, permissions } = await asOperator(async (operator) => {
        await requireServiceAccount(operator, clientId);
        await unlessTaken(change.name, () => operator.serviceAccounts.update(clientId, change));
        const about = Object.values(change).flat().join(' ');
        operator.audit.record({ type: 'service_account.changed', subject: clientId, about });
        return requireServiceAccount(operator, clientId);
      });
      const text = `${clientId} (${name}) may ${permissions.join(' ')} from now on`;
      printer(command).result({ clientId, name, customer, permissions }, text);
    });

  serviceAccounts
    .command('delete <client-id>')
    .description('delete a service account that never got a token')
    .action(async (clientId: string, _: unknown, command: Command) => {
      await asOperator(async (operator) => {
        await requireServiceAccount(operator, clientId);
        const why = await operator.serviceAccounts.deleteUnused(clientId, operator.auditDays);
        refuseDeletion(clientId, why);
        operator.audit.record({ type: 'service_account.deleted', subject: clientId });
      });
      printer(command).result({ clientId, deleted: true }, `deleted ${clientId}`);
    });

  for (const [word, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    serviceAccounts
      .command(`${word} <client-id>`)
      .description(`${word} a service account`)
      .action(async (clientId: string, _: unknown, command: Command) => {
        await asOperator(async (operator) => {
          await requireServiceAccount(operator, clientId);
          await operator.serviceAccounts.setDisabled(clientId, disabled);
          operator.audit.record({ type: `service_account.${word}d`, subject: clientId });
        });
        printer(command).result({ clientId, disabled }, `${word}d ${clientId}`);
      });
  }
}

interface UpdateOptions {
  readonly name?: string;
  readonly permission?: string[];
}

/** @throws {UsageError} where nothing is to be changed. */
function changeOf({ name, permission }: UpdateOptions) {
  if (name === undefined && permission === undefined) {
    throw new UsageError('give --name, --permission, or both');
  }
  return {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...(permission === undefined ? {} : { permissions: parsePermissions(permission, PERMISSIONS) }),
  };
}

async function unlessTaken<T>(name: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new CommandRefused(`there is a service account named ${name} already`);
  }
}

async function requireServiceAccount(operator: Operator, id: string): Promise<ServiceAccount> {
  const account = await operator.serviceAccounts.find(id);
  if (account === undefined) throw new CommandRefused(`there is no service account ${id}`);
  return account;
}

import { PERMISSIONS } from '@cls/shared/access-token';
import { printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import { refuseTaken } from '@cls/shared/cli/refuse-taken';
import type { Command } from 'commander';
import { z } from 'zod';
import type { ListedServiceAccount } from '../clients/service-account-records.ts';
import { secretText } from './client-secret.ts';
import { addCompromisedCommand } from './compromised.ts';
import {
  type AsOperator,
  refuseDeletion,
  requireCustomer,
  requireServiceAccount,
} from './operator.ts';
import { NAME_VALUE, someOf } from './option-values.ts';

const CREATE = z.object({
  name: NAME_VALUE,
  customer: z.string(),
  permission: someOf(PERMISSIONS),
});
const CHANGE = z
  .object({ name: NAME_VALUE.exactOptional(), permission: someOf(PERMISSIONS).exactOptional() })
  .refine((options) => Object.keys(options).length > 0, 'give --name, --permission, or both')
  .transform(({ permission: permissions, ...named }) =>
    permissions === undefined ? named : { ...named, permissions },
  );

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
    .action(async (options: object, command: Command) => {
      const { name, customer, permission: permissions } = readOptions(CREATE, options);
      const created = await asOperator(async (operator) => {
        await requireCustomer(operator, customer);
        const wanted = { name, customer, permissions };
        const create = () => operator.serviceAccounts.create(wanted);
        const result = await refuseTaken(
          `there is a service account named ${name} already`,
          create,
        );
        operator.audit.record({ type: 'service_account.created', subject: result.id });
        return result;
      });
      const { id: clientId, secret } = created;
      const document = { clientId, clientSecret: secret.expose(), name, customer, permissions };
      printer(command).result(document, secretText(clientId, document.clientSecret));
    });

  addListCommand(serviceAccounts, {
    description: 'list service accounts, with when and from where each got its last token',
    load: async () => (await asOperator((operator) => operator.serviceAccounts.list())).map(listed),
    columns: [
      ['client id', 'clientId'],
      'name',
      'customer',
      ['permissions', ({ permissions }) => permissions.join(' ')],
      ['created', ({ createdAt }) => createdAt.slice(0, 10)],
      ['last token', ({ lastUsedAt }) => (lastUsedAt ? `${lastUsedAt.slice(0, 16)}Z` : '')],
      ['from', 'lastUsedFrom'],
      ['status', ({ disabled }) => (disabled ? 'disabled' : 'active')],
    ],
  });

  serviceAccounts
    .command('update <client-id>')
    .description('change the name or the permissions; tokens that were issued before keep theirs')
    .option('--name <name>', 'what it is for, unique')
    .option('--permission <name...>', `all that it may do from now on: ${PERMISSIONS.join(', ')}`)
    .action(async (clientId: string, options: object, command: Command) => {
      const change = readOptions(CHANGE, options);
      const { name, customer, permissions } = await asOperator(async (operator) => {
        await requireServiceAccount(operator, clientId);
        const update = () => operator.serviceAccounts.update(clientId, change);
        await refuseTaken(`there is a service account named ${change.name} already`, update);
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

  addCompromisedCommand(serviceAccounts, asOperator);

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

function listed({ id, secrets, createdAt, lastUsedAt, ...account }: ListedServiceAccount) {
  return {
    clientId: id,
    ...account,
    secrets: secrets.length,
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  };
}

import { SERVICE_PERMISSIONS } from '@cls/shared/access-token';
import { printer, UsageError } from '@cls/shared/cli/command-line';
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
import { aboutProof, addProofOptions, readProof } from './proof-options.ts';

const CREATE = z.object({
  name: NAME_VALUE,
  customer: z.string(),
  permission: someOf(SERVICE_PERMISSIONS),
});
const CHANGE = z
  .object({
    name: NAME_VALUE.exactOptional(),
    permission: someOf(SERVICE_PERMISSIONS).exactOptional(),
  })
  .transform(({ permission: permissions, ...named }) =>
    permissions === undefined ? named : { ...named, permissions },
  );

/** `cls-auth service-accounts …`: system-to-system integrations and their secrets. */
export function addServiceAccountCommands(program: Command, asOperator: AsOperator): void {
  const serviceAccounts = program
    .command('service-accounts')
    .description('integrations, which get tokens by client credentials');

  const creating = serviceAccounts
    .command('create')
    .description('create a service account; its secret, if it has one, is shown once')
    .requiredOption('--name <name>', 'what it is for, unique')
    .requiredOption('--customer <id>', 'the customer it belongs to')
    .requiredOption('--permission <name...>', `what it may do: ${SERVICE_PERMISSIONS.join(', ')}`);
  addProofOptions(creating).action(async (options: object, command: Command) => {
    const { name, customer, permission: permissions } = readOptions(CREATE, options);
    const proof = readProof(options);
    const wanted = { name, customer, permissions, ...(proof && { proof }) };
    const created = await asOperator(async (operator) => {
      await requireCustomer(operator, customer);
      const create = () => operator.serviceAccounts.create(wanted);
      const result = await refuseTaken(`there is a service account named ${name} already`, create);
      operator.audit.record({ type: 'service_account.created', subject: result.id });
      return result;
    });
    const { id: clientId } = created;
    const clientSecret = proof?.token_endpoint_auth_method ? undefined : created.secret.expose();
    printer(command).result(
      { clientId, ...(clientSecret && { clientSecret }), ...wanted },
      clientSecret ? secretText(clientId, clientSecret) : `client id  ${clientId}`,
    );
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
      ['proof', ({ proof }) => proof?.token_endpoint_auth_method ?? 'secret'],
      ['status', ({ disabled }) => (disabled ? 'disabled' : 'active')],
    ],
  });

  serviceAccounts;
  const updating = serviceAccounts
    .command('update <client-id>')
    .description(
      'change the name, the permissions or how it proves itself; taking a permission ends its tokens',
    )
    .option('--name <name>', 'what it is for, unique')
    .option(
      '--permission <name...>',
      `all that it may do from now on: ${SERVICE_PERMISSIONS.join(', ')}`,
    );
  addProofOptions(updating).action(async (clientId: string, options: object, command: Command) => {
    const change = readOptions(CHANGE, options);
    const proof = readProof(options);
    const about = [...Object.values(change).flat(), ...aboutProof(proof)].join(' ');
    if (about === '') throw new UsageError(NO_CHANGE);
    const after = await asOperator(async (operator) => {
      await requireServiceAccount(operator, clientId);
      const update = () =>
        operator.serviceAccounts.update(clientId, {
          ...change,
          ...(proof !== undefined && { proof }),
        });
      await refuseTaken(`there is a service account named ${change.name} already`, update);
      operator.audit.record({ type: 'service_account.changed', subject: clientId, about });
      return requireServiceAccount(operator, clientId);
    });
    const { name, customer, permissions, secrets } = after;
    const text = `${clientId} (${name}) may ${permissions.join(' ')} from now on`;
    const lacksSecret = secrets.length === 0 && !after.proof?.token_endpoint_auth_method;
    printer(command).result(
      { clientId, name, customer, permissions, ...(after.proof && { proof: after.proof }) },
      lacksSecret ? `${text}\n${LACKS_SECRET}` : text,
    );
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

function listed({ id, secrets, proof, createdAt, lastUsedAt, ...account }: ListedServiceAccount) {
  return {
    clientId: id,
    ...account,
    secrets: secrets.length,
    ...(proof && { proof }),
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  };
}

const NO_CHANGE = 'give --name, --permission, --auth-method, or several of these';
const LACKS_SECRET = 'It has no secret yet: cls-auth secrets create makes one.';

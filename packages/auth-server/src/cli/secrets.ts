import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions, text } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { isConfidential } from '../clients/application.ts';
import {
  type ListedClientSecret,
  type NewClientSecret,
  SECRETS_MAX,
  TooManySecrets,
} from '../clients/client-secret-records.ts';
import {
  KEEP_OLD_MAX_S,
  manageSecrets,
  SECRET_LIFE_MAX_S,
  SecretInUse,
} from '../clients/manage-secrets.ts';
import { requireApplication } from './application-options.ts';
import { secretText } from './client-secret.ts';
import { type AsOperator, type Operator, requireServiceAccount } from './operator.ts';
import { durationS, NAME_VALUE } from './option-values.ts';
import { refuseWithoutSecret } from './proof-options.ts';

const NAME = ['--name <name>', 'what the secret is for, such as the system that has it'] as const;
const ENDS_IN = [
  '--ends-in <time>',
  'until when it is good, such as 90d; without it, until it is replaced',
] as const;
const OPTIONS = {
  name: NAME_VALUE.optional(),
  endsIn: upTo(
    1,
    SECRET_LIFE_MAX_S,
    'expected a time such as 12h or 90d, at most ten years',
  ).optional(),
};
const CREATE = z.object(OPTIONS);
const REPLACE = z.object({
  ...OPTIONS,
  keepOldFor: upTo(0, KEEP_OLD_MAX_S, 'expected a time such as 90m, 24h or 7d, at most 30d'),
});
const REVOKE = z.object({ force: z.boolean().default(false) });

/** `cls-auth secrets …`: what service accounts and applications prove themselves with. */
export function addSecretCommands(program: Command, asOperator: AsOperator): void {
  const secrets = program
    .command('secrets')
    .description('secrets of service accounts and confidential applications');

  addListCommand(secrets, {
    description: 'list secrets, without their text: live ones and those that ended',
    load: async ({ client }: { readonly client?: string }) => {
      const found = await asOperator(async (operator) => {
        if (client?.startsWith('svc_')) await requireServiceAccount(operator, client);
        else if (client !== undefined) await requireApplication(operator, client);
        return operator.secrets.list(client);
      });
      return found.map(listed);
    },
    columns: [
      ['secret', 'secretId'],
      ['client id', 'clientId'],
      ['client', 'clientName'],
      'name',
      ['created', ({ createdAt }) => createdAt.slice(0, 10)],
      ['last used', ({ lastUsedAt }) => minute(lastUsedAt)],
      ['from', 'lastUsedFrom'],
      ['ends', ({ endsAt }) => minute(endsAt)],
      ['status', 'status'],
    ],
  }).option('--client <id>', 'of this client only');

  secrets
    .command('create <client-id>')
    .description('make one more secret, shown once; those that there are stay good')
    .option(...NAME)
    .option(...ENDS_IN)
    .action(async (clientId: string, given: object, command: Command) => {
      const { name, endsIn: endsInS } = readOptions(CREATE, given);
      const made = await asOperator(async (operator) => {
        await requireConfidential(operator, clientId);
        return refuseTooMany(manageSecrets(operator).create(clientId, { name, endsInS }));
      });
      show(command, clientId, made);
    });

  secrets
    .command('replace <client-id|secret-id>')
    .description('make a new secret, shown once, for all of a client or for one')
    .option('--keep-old-for <time>', 'how long the old one stays good, such as 7d', '0s')
    .option(...NAME)
    .option(...ENDS_IN)
    .action(async (of: string, given: object, command: Command) => {
      const { name, keepOldFor, endsIn: endsInS } = readOptions(REPLACE, given);
      const [clientId, made] = await asOperator(async (operator) => {
        const old = of.startsWith('sec_') ? await requireSecret(operator, of) : { clientId: of };
        await requireConfidential(operator, old.clientId);
        const options = { name, endsInS };
        const replacing = manageSecrets(operator).replace(old, keepOldFor, options);
        return [old.clientId, await refuseTooMany(replacing)];
      });
      show(command, clientId, made);
    });

  secrets
    .command('revoke <secret-id>')
    .description('end a secret now, and the tokens that it got')
    .option('--force', 'also one that was used within 24 hours')
    .action(async (id: string, given: object, command: Command) => {
      const { force } = readOptions(REVOKE, given);
      const secret = await asOperator(async (operator) => {
        const found = await requireSecret(operator, id);
        await refuseUsed(found, manageSecrets(operator).revoke(found, force));
        return found;
      });
      const document = { secretId: id, clientId: secret.clientId, revoked: true };
      printer(command).result(
        document,
        `revoked ${id} of ${secret.clientId} (${secret.clientName})`,
      );
    });
}

function upTo(min: number, max: number, expected: string) {
  return text((given) => {
    const seconds = durationS(given);
    return seconds !== undefined && seconds >= min && seconds <= max ? seconds : undefined;
  }, expected);
}

function show(command: Command, clientId: string, { id, secret }: NewClientSecret): void {
  const clientSecret = secret.expose();
  const document = { clientId, secretId: id, clientSecret };
  printer(command).result(document, `secret         ${id}\n${secretText(clientId, clientSecret)}`);
}

function listed({ id, live, name, createdAt, lastUsedAt, endsAt, ...secret }: ListedClientSecret) {
  return {
    secretId: id,
    ...secret,
    ...(name !== null && { name }),
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
    ...(endsAt && { endsAt: endsAt.toISOString() }),
    status: live ? 'live' : 'ended',
  };
}

function minute(time: string | undefined): string {
  return time === undefined ? '' : `${time.slice(0, 16)}Z`;
}

/** @throws {CommandRefused} */
async function requireSecret({ secrets }: Operator, id: string): Promise<ListedClientSecret> {
  const [found] = id.startsWith('sec_') ? await secrets.list(id) : [];
  if (found === undefined) {
    throw new CommandRefused(
      `there is no secret ${id}; cls-auth secrets list shows those that there are`,
    );
  }
  return found;
}

/** @throws {CommandRefused} for a client that has no secrets, or is not there. */
async function requireConfidential(operator: Operator, clientId: string): Promise<void> {
  if (clientId.startsWith('svc_')) {
    refuseWithoutSecret((await requireServiceAccount(operator, clientId)).proof);
    return;
  }
  const application = await requireApplication(operator, clientId);
  refuseWithoutSecret(application.proof);
  if (!isConfidential(application)) throw new CommandRefused(PUBLIC);
}

const PUBLIC =
  'this application is public and has no secret; a new one may be: applications create --confidential';

/** @throws {CommandRefused} */
async function refuseUsed(
  { id, clientId, lastUsedAt, lastUsedFrom }: ListedClientSecret,
  work: Promise<void>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof SecretInUse)) throw error;
    const leaked = clientId.startsWith('svc_')
      ? `cls-auth service-accounts compromised ${clientId}`
      : `cls-auth secrets replace ${clientId}, then applications disable and enable`;
    throw new CommandRefused(
      `${id} got a token at ${minute(lastUsedAt?.toISOString())} from ${lastUsedFrom}: its user would stop working. ` +
        `Replace it (cls-auth secrets replace ${id} --keep-old-for 7d), or give --force; ` +
        `if it leaked: ${leaked}`,
    );
  }
}

async function refuseTooMany<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TooManySecrets)) throw error;
    throw new CommandRefused(
      `a client has at most ${SECRETS_MAX} live secrets: revoke one, or replace one and do not keep the old one`,
    );
  }
}

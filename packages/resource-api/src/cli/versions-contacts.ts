import { CUSTOMER_ID } from '@cls/shared/access-token';
import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import { newWebhookSecret } from '@cls/shared/webhook/webhook-signature';
import type { Command } from 'commander';
import { z } from 'zod';
import { type Contact, secretContext } from '../notices/notice-outbox.ts';
import type { AsOperator, Operator } from './operator.ts';
import { requireCustomer } from './require-customer.ts';

const CUSTOMER = z.string().regex(CUSTOMER_ID, 'expected a customer id');
/** One plain address: no name, no list, nothing that ends a header line. */
const EMAIL = z
  .string()
  .max(254, 'expected an e-mail address')
  .regex(/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/, 'expected an e-mail address');
const TARGET = { email: EMAIL.optional(), webhook: z.string().optional() };

interface Targets {
  readonly email?: string | undefined;
  readonly webhook?: string | undefined;
}

const oneTarget = ({ email, webhook }: Targets) =>
  (email === undefined) !== (webhook === undefined);
const ONE_TARGET = 'give one of --email and --webhook';

const SET = z
  .object({ customer: CUSTOMER, newCustomer: z.boolean().default(false), ...TARGET })
  .refine(oneTarget, ONE_TARGET);
const LIST = z.object({ customer: CUSTOMER.optional() });
const REMOVE = z.object({ customer: CUSTOMER, ...TARGET }).refine(oneTarget, ONE_TARGET);

/** `cls-api versions contacts …`: where each customer is told about versions. */
export function addContactCommands(
  versions: Command,
  asOperator: AsOperator,
  now: () => Date,
): void {
  const contacts = versions
    .command('contacts')
    .description('where each customer is told about versions');

  contacts
    .command('set')
    .description('tell a customer at an e-mail address or a webhook, beside its other contacts')
    .requiredOption('--customer <id>', 'the customer, as in its callers’ tokens')
    .option('--email <address>', 'an e-mail address')
    .option('--webhook <url>', 'an https URL; its secret is made and printed once')
    .option(
      '--new-customer',
      'set it even if auth-server does not know the customer yet, or cannot be asked',
    )
    .action(async (given: object, command: Command) => {
      const { newCustomer, ...options } = readOptions(SET, given);
      const contact = contactOf(options);
      const secret = await asOperator(async (operator) => {
        if (!newCustomer) await requireCustomer(operator, contact.customer, 'set the contact');
        return addContact(operator, contact, now());
      });
      const made = secret === undefined ? contact : { ...contact, secret };
      const shown = secret === undefined ? '' : `\nsecret: ${secret} (it is not shown again)`;
      printer(command).result(made, `${contact.customer} is told at ${contact.target}${shown}`);
    });

  addListCommand(contacts, {
    description: 'list contacts',
    load: (given: object) => {
      const { customer } = readOptions(LIST, given);
      return asOperator((operator) => operator.contacts.list(customer));
    },
    columns: ['customer', 'channel', 'target', ['since', 'createdAt']],
  }).option('--customer <id>', 'only of this customer');

  contacts
    .command('remove')
    .description('tell a customer no longer at an address; what was sent stays in the evidence')
    .requiredOption('--customer <id>', 'the customer')
    .option('--email <address>', 'the e-mail address')
    .option('--webhook <url>', 'the URL')
    .action(async (given: object, command: Command) => {
      const contact = contactOf(readOptions(REMOVE, given));
      const done = await asOperator((operator) => operator.contacts.remove(contact));
      if (!done) throw new CommandRefused(`${contact.customer} has no contact ${contact.target}`);
      printer(command).result({ ...contact, removed: true }, `removed ${contact.target}`);
    });
}

function contactOf({ customer, email, webhook }: Targets & { customer: string }): Contact {
  return email === undefined
    ? { customer, channel: 'webhook', target: webhook ?? '' }
    : { customer, channel: 'email', target: email };
}

/** @returns the secret of a webhook. @throws {CommandRefused} */
async function addContact(
  { contacts, webhooks }: Pick<Operator, 'contacts' | 'webhooks'>,
  contact: Contact,
  now: Date,
): Promise<string | undefined> {
  const taken = `${contact.customer} has this contact already`;
  if (contact.channel === 'email') {
    if (await contacts.add(contact, null, now)) return undefined;
    throw new CommandRefused(taken);
  }
  const fault = webhooks.targetFault(contact.target);
  if (fault !== undefined) throw new CommandRefused(`--webhook: ${fault}`);
  const sealer = webhooks.sealer();
  if (sealer === undefined) {
    throw new CommandRefused('a webhook needs a key for its secret: set WEBHOOK_SECRETS_KEY');
  }
  const secret = newWebhookSecret();
  if (await contacts.add(contact, sealer.seal(secret, secretContext(contact)), now)) return secret;
  throw new CommandRefused(`${taken}; for a new secret, remove it and set it again`);
}

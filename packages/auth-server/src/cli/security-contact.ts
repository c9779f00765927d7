import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import { LOCALES } from '@cls/shared/pages/browser';
import { newWebhookSecret } from '@cls/shared/webhook/webhook-signature';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { ContactChange, SecurityContact } from '../notices/security-contact.ts';
import { type AsOperator, type Operator, requireCustomer } from './operator.ts';
import { EMAIL_ARGUMENT, someOf } from './option-values.ts';

const CHANGE = z
  .object({
    email: EMAIL_ARGUMENT.exactOptional(),
    webhook: z.string().exactOptional(),
    language: z.enum(LOCALES).exactOptional(),
    remove: someOf(['email', 'webhook']).default([]),
  })
  .refine(
    (given) => given.remove.every((way) => given[way] === undefined),
    'give either a new value or --remove, not both',
  );

/** `cls-auth customers security-contact`: where a customer is told that a secret leaked. */
export function addSecurityContactCommand(customers: Command, asOperator: AsOperator): void {
  customers
    .command('security-contact <id>')
    .description(
      'show or change where a customer is told what concerns the security of its clients, such as a secret that leaked',
    )
    .option('--email <address>', 'an e-mail address')
    .option('--webhook <url>', 'an https URL; a new secret is made for it and shown once')
    .addOption(new Option('--language <code>', 'language of the e-mails').choices(LOCALES))
    .option('--remove <way...>', 'tell the customer no longer by email, webhook, or both')
    .action(async (id: string, options: object, command: Command) => {
      const { email, webhook: url, language: locale, remove } = readOptions(CHANGE, options);
      const webhook = url === undefined ? undefined : { url, secret: newWebhookSecret() };
      const change: ContactChange = {
        ...Object.fromEntries(remove.map((way) => [way, null])),
        ...(email !== undefined && { email }),
        ...(webhook && { webhook }),
        ...(locale && { locale }),
      };
      const contact = await asOperator(async (operator) => {
        await requireCustomer(operator, id);
        return Object.keys(change).length === 0
          ? operator.securityContacts.find(id)
          : changeContact(operator, id, change);
      });
      const shown = webhook && { webhookSecret: webhook.secret };
      const document = { customer: id, securityContact: presentContact(contact), ...shown };
      printer(command).result(document, contactText(id, contact, webhook?.secret));
    });
}

/** For `--json`; null for a customer without. */
export function presentContact(contact: SecurityContact | undefined) {
  if (contact === undefined) return null;
  const { email, webhook, locale: language } = contact;
  return { email, webhook, language };
}

/** @throws {CommandRefused} */
async function changeContact(
  { securityContacts, webhookFault, audit }: Operator,
  customer: string,
  change: ContactChange,
): Promise<SecurityContact | undefined> {
  const fault = change.webhook ? webhookFault(change.webhook.url) : undefined;
  if (fault !== undefined) throw new CommandRefused(`--webhook: ${fault}`);
  const contact = await securityContacts.change(customer, change);
  if (contact === undefined && change.locale !== undefined && Object.keys(change).length === 1) {
    throw new CommandRefused(
      `${customer} has no security contact: give --email, --webhook or both`,
    );
  }
  const about = Object.entries(change)
    .map(([what, value]) => (value === null ? `${what} removed` : what))
    .join(', ');
  audit.record({ type: 'customer.security_contact_changed', subject: customer, about });
  return contact;
}

function contactText(id: string, contact: SecurityContact | undefined, secret?: string): string {
  if (contact === undefined) return `${id} has no security contact: nobody is told`;
  const { email, webhook, locale } = contact;
  const lines = [
    `customer  ${id}`,
    `e-mail    ${email === null ? 'none' : `${email} (${locale})`}`,
    `webhook   ${webhook ?? 'none'}`,
    ...(secret === undefined ? [] : [`secret    ${secret}`, 'The secret is not shown again.']),
  ];
  return lines.join('\n');
}

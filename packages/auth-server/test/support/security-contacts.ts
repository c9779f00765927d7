import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import type { Database } from '@cls/shared/sql/database';
import { newWebhookSecret } from '@cls/shared/webhook/webhook-signature';
import type { WebhookReceiver } from '@cls/testing/webhook-receiver';
import type { ContactChange } from '../../src/notices/security-contact.ts';
import { sqlSecurityContacts } from '../../src/notices/sql-security-contacts.ts';
import { KEY } from './auth-server.ts';

/** Has a customer told by a webhook on this machine. */
export async function setWebhook(
  database: Database,
  customer: string,
  { origin, secrets }: Pick<WebhookReceiver<unknown>, 'origin' | 'secrets'>,
  more: ContactChange = {},
): Promise<void> {
  const secret = newWebhookSecret();
  const path = `/${customer}`;
  secrets.set(path, secret);
  const contacts = sqlSecurityContacts(database, aesGcmSealer(new Secret(KEY)));
  await contacts.change(customer, { webhook: { url: origin + path, secret }, ...more });
}

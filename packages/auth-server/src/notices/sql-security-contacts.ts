import type { Sealer } from '@cls/shared/seal';
import type { Database } from '@cls/shared/sql/database';
import { SEALED } from '../crypto/seal.ts';
import type { SecurityContact, SecurityContacts } from './security-contact.ts';

const SELECT = 'SELECT customer_id AS customer, email, webhook, locale FROM security_contact';

export function sqlSecurityContacts(database: Database, sealer: Sealer): SecurityContacts {
  const find = async (sql: Pick<Database, 'query'>, customer: string) =>
    (await sql.query<SecurityContact>(`${SELECT} WHERE customer_id = $1`, [customer]))[0];
  return {
    list: () => database.query<SecurityContact>(`${SELECT} ORDER BY customer_id`),
    find: (customer) => find(database, customer),
    change: (customer, change) =>
      database.transaction(async (transaction) => {
        // One after the other, also where there is no contact yet.
        await transaction.query('SELECT FROM customer WHERE id = $1 FOR UPDATE', [customer]);
        const before = await find(transaction, customer);
        const { email = before?.email ?? null, webhook, locale = before?.locale ?? 'en' } = change;
        const url = webhook === undefined ? (before?.webhook ?? null) : (webhook?.url ?? null);
        if (email === null && url === null) {
          await transaction.query('DELETE FROM security_contact WHERE customer_id = $1', [
            customer,
          ]);
          return undefined;
        }
        const secret = webhook && sealer.seal(webhook.secret, context(customer));
        await transaction.query(
          `INSERT INTO security_contact AS c
             (customer_id, email, webhook, sealed_webhook_secret, locale)
           VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (customer_id) DO UPDATE SET email = $2, webhook = $3, locale = $5,
             sealed_webhook_secret = CASE WHEN $3::text IS NULL THEN NULL
               ELSE coalesce($4, c.sealed_webhook_secret) END, updated_at = now()`,
          [customer, email, url, secret ?? null, locale],
        );
        return { customer, email, webhook: url, locale };
      }),
  };
}

const { context } = SEALED.security_contact;

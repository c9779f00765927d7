import type { Sealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { type Database, isUniqueViolation } from '@cls/shared/sql/database';
import { SEALED } from '../crypto/seal.ts';
import type { UpstreamLinks, UpstreamListing, UpstreamRecords } from './upstream-provider.ts';

/** What sealed client secrets are bound to. */
const context = SEALED.upstream_provider.context;

const COLUMNS = `
  domain, customer_id AS customer, issuer, client_id AS "clientId", email_claim AS "emailClaim",
  email_verified_claim AS "emailVerifiedClaim"`;

type Row = UpstreamListing & { readonly sealed: string };

/** Customers' providers in SQL, the client secrets sealed. */
export function sqlUpstreamProviders(database: Database, sealer: Sealer): UpstreamRecords {
  return {
    list: () =>
      database.query<UpstreamListing>(`SELECT ${COLUMNS} FROM upstream_provider ORDER BY domain`),
    async find(domain) {
      const [row] = await database.query<Row>(
        `SELECT ${COLUMNS}, sealed_client_secret AS sealed
         FROM upstream_provider WHERE domain = $1`,
        [domain],
      );
      if (row === undefined) return undefined;
      const { sealed, ...listing } = row;
      return { ...listing, clientSecret: new Secret(sealer.unseal(sealed, context(domain))) };
    },
    async add({ domain, customer, issuer, clientId, clientSecret, ...claims }) {
      const sealed = sealer.seal(clientSecret.expose(), context(domain));
      const added = await database.query(
        `INSERT INTO upstream_provider (domain, customer_id, issuer, client_id,
           sealed_client_secret, email_claim, email_verified_claim)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1`,
        [domain, customer, issuer, clientId, sealed, claims.emailClaim, claims.emailVerifiedClaim],
      );
      return added.length === 1;
    },
    async replaceSecret(domain, clientSecret) {
      const replaced = await database.query(
        'UPDATE upstream_provider SET sealed_client_secret = $2 WHERE domain = $1 RETURNING 1',
        [domain, sealer.seal(clientSecret.expose(), context(domain))],
      );
      return replaced.length === 1;
    },
    async remove(domain) {
      const removed = await database.query(
        'DELETE FROM upstream_provider WHERE domain = $1 RETURNING 1',
        [domain],
      );
      return removed.length === 1;
    },
  };
}

export function sqlUpstreamLinks(database: Database): UpstreamLinks {
  return {
    async accountOf(issuer, subject) {
      const [row] = await database.query<{ accountId: string }>(
        `UPDATE upstream_link SET last_used_at = now() WHERE issuer = $1 AND subject = $2
         RETURNING account_id AS "accountId"`,
        [issuer, subject],
      );
      return row?.accountId;
    },
    async accountsOf(issuer, customer) {
      const rows = await database.query<{ id: string }>(
        `SELECT a.id FROM upstream_link l JOIN account a ON a.id = l.account_id
         WHERE l.issuer = $1 AND a.customer_id = $2`,
        [issuer, customer],
      );
      return rows.map(({ id }) => id);
    },
    async isLinked(issuer, accountId) {
      const found = await database.query(
        'SELECT 1 FROM upstream_link WHERE account_id = $1 AND issuer = $2',
        [accountId, issuer],
      );
      return found.length === 1;
    },
    async link(issuer, subject, accountId) {
      try {
        await database.transaction(async (transaction) => {
          await transaction.query(
            'INSERT INTO upstream_link (issuer, subject, account_id) VALUES ($1, $2, $3)',
            [issuer, subject, accountId],
          );
          await transaction.query('UPDATE account SET password_hash = NULL WHERE id = $1', [
            accountId,
          ]);
          await transaction.query('DELETE FROM account_link WHERE account_id = $1', [accountId]);
        });
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },
  };
}

import { randomBytes } from 'node:crypto';
import type { Clock } from '@cls/shared/clock';
import type { Database } from '@cls/shared/sql/database';
import { digest } from '../crypto/digest.ts';
import type { AccountLinks, LinkPurpose } from './account-link.ts';
import { isPending } from './sql-accounts.ts';

/**
 * Which accounts a link can open: an account that signs in at an organisation's provider gets no
 * password again.
 */
const OPENED_BY: Readonly<Record<LinkPurpose, string>> = {
  password_reset: 'password_hash IS NOT NULL',
  invitation: isPending('account'),
};

const REPEATABLE = `interval '10 minutes'`;
const TRIES_MAX = 10;

/** Links into accounts, in SQL. */
export function sqlAccountLinks(database: Database, clock: Clock): AccountLinks {
  return {
    async create(accountId, purpose, ttlS) {
      const token = randomBytes(32).toString('base64url');
      const expiresAt = new Date(clock.now().getTime() + ttlS * 1000);
      await database.query(
        `INSERT INTO account_link (account_id, purpose, token_sha256, expires_at)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, purpose) DO UPDATE
         SET token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at`,
        [accountId, purpose, digest(token), expiresAt.toISOString()],
      );
      return { token, accountId, expiresAt };
    },
    async find(purpose, token) {
      const [row] = await database.query<{ accountId: string; expiresAtMs: number }>(
        `SELECT account_id AS "accountId",
                (extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs"
         FROM account_link WHERE purpose = $1 AND token_sha256 = $2 AND expires_at > $3`,
        [purpose, digest(token), clock.now().toISOString()],
      );
      return row && { accountId: row.accountId, expiresAt: new Date(row.expiresAtMs) };
    },
    useForPassword: (purpose, token, passwordHash) =>
      database.transaction(async (transaction) => {
        // Lock the account before its links, in the order of every other change of a password.
        await transaction.query(
          `SELECT FROM account WHERE id IN
             (SELECT account_id FROM account_link WHERE purpose = $1 AND token_sha256 = $2)
           FOR NO KEY UPDATE`,
          [purpose, digest(token)],
        );
        const [used] = await transaction.query<{ accountId: string }>(
          `DELETE FROM account_link WHERE purpose = $1 AND token_sha256 = $2 AND expires_at > $3
           RETURNING account_id AS "accountId"`,
          [purpose, digest(token), clock.now().toISOString()],
        );
        if (used === undefined) return false;
        await transaction.query('DELETE FROM account_link WHERE account_id = $1', [used.accountId]);
        const nowText = clock.now().toISOString();
        await transaction.query(
          `DELETE FROM used_account_link WHERE used_at < $1::timestamptz - ${REPEATABLE}`,
          [nowText],
        );
        await transaction.query(
          `INSERT INTO used_account_link (token_sha256, account_id, purpose, used_at)
           VALUES ($1, $2, $3, $4)`,
          [digest(token), used.accountId, purpose, nowText],
        );
        const set = await transaction.query(
          `UPDATE account SET password_hash = $2, password_changed_at = $3
           WHERE id = $1 AND ${OPENED_BY[purpose]} RETURNING 1`,
          [used.accountId, passwordHash, clock.now().toISOString()],
        );
        if (set.length === 0) return false;
        // Links to a provider that was removed: if it is added again, it links anew and the
        // password ends.
        if (purpose === 'invitation') {
          await transaction.query('DELETE FROM upstream_link WHERE account_id = $1', [
            used.accountId,
          ]);
        }
        return true;
      }),
    async usedJustNow(purpose, token) {
      const [row] = await database.query<{ accountId: string }>(
        `UPDATE used_account_link SET tries = tries + 1
         WHERE token_sha256 = $1 AND purpose = $2 AND tries < ${TRIES_MAX}
           AND used_at > $3::timestamptz - ${REPEATABLE}
         RETURNING account_id AS "accountId"`,
        [digest(token), purpose, clock.now().toISOString()],
      );
      return row?.accountId;
    },
    async removeAll(accountId) {
      await database.query('DELETE FROM account_link WHERE account_id = $1', [accountId]);
    },
  };
}

import type { Database } from '@cls/shared/sql/database';
import {
  canonicalRecoveryCode,
  type RecoveryCodeCount,
  type RecoveryCodeRecords,
} from '../mfa/recovery-code.ts';

/** Recovery codes in SQL. @param hash a keyed one: the codes are short. */
export function sqlRecoveryCodes(
  database: Database,
  hash: (text: string) => string,
): RecoveryCodeRecords {
  const hashOf = (accountId: string, code: string) =>
    hash(`${accountId}:${canonicalRecoveryCode(code)}`);
  return {
    async replace(accountId, codes) {
      const hashes = codes.map((code) => hashOf(accountId, code));
      await database.transaction(async (transaction) => {
        // Two replacements at once: the later one's codes are those that count.
        await transaction.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
        await transaction.query('DELETE FROM recovery_code WHERE account_id = $1', [accountId]);
        await transaction.query(
          'INSERT INTO recovery_code (account_id, code_hash) SELECT $1, unnest($2::text[])',
          [accountId, hashes],
        );
      });
    },
    async use(accountId, code) {
      const used = await database.query(
        `UPDATE recovery_code SET used_at = now()
         WHERE account_id = $1 AND code_hash = $2 AND used_at IS NULL RETURNING 1`,
        [accountId, hashOf(accountId, code)],
      );
      return used.length === 1;
    },
    async count(accountId) {
      const [row] = await database.query<RecoveryCodeCount>(
        `SELECT (count(*) FILTER (WHERE used_at IS NULL))::int AS left, count(*)::int AS total
         FROM recovery_code WHERE account_id = $1`,
        [accountId],
      );
      return row ?? { left: 0, total: 0 };
    },
  };
}

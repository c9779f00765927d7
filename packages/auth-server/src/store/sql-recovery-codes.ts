import type { Database, Transaction } from '@cls/shared/sql/database';
import {
  canonicalRecoveryCode,
  type RecoveryCodeCount,
  type RecoveryCodeRecords,
} from '../mfa/recovery-code.ts';
import { UNSETTLED_S } from '../mfa/second-factor.ts';
import { digest } from '../provider/state/sealing.ts';

/** Recovery codes in SQL. @param hash a keyed one: the codes are short. */
export function sqlRecoveryCodes(
  database: Database,
  hash: (text: string) => string,
): RecoveryCodeRecords {
  const hashOf = (accountId: string, code: string) =>
    hash(`${accountId}:${canonicalRecoveryCode(code)}`);
  /** Two changes at once are one after the other. */
  const changing = <T>(accountId: string, change: (transaction: Transaction) => Promise<T>) =>
    database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
      return change(transaction);
    });
  const insert = async (transaction: Transaction, accountId: string, codes: readonly string[]) => {
    await transaction.query(
      'INSERT INTO recovery_code (account_id, code_hash) SELECT $1, unnest($2::text[])',
      [accountId, codes.map((code) => hashOf(accountId, code))],
    );
  };
  return {
    replace: (accountId, codes) =>
      changing(accountId, async (transaction) => {
        await transaction.query('DELETE FROM recovery_code WHERE account_id = $1', [accountId]);
        await insert(transaction, accountId, codes);
      }),
    addFirst: (accountId, codes) =>
      changing(accountId, async (transaction) => {
        const some = await transaction.query(
          'SELECT FROM recovery_code WHERE account_id = $1 LIMIT 1',
          [accountId],
        );
        if (some.length > 0) return false;
        await insert(transaction, accountId, codes);
        return true;
      }),
    async use(accountId, code, attempt) {
      const used = await database.query(
        `UPDATE recovery_code SET used_at = clock_timestamp(), claimed_by = $3
         WHERE account_id = $1 AND code_hash = $2 AND (used_at IS NULL OR claimed_by = $3
           OR (claimed_by IS NOT NULL
               AND used_at < clock_timestamp() - make_interval(secs => ${UNSETTLED_S})))
         RETURNING 1`,
        [accountId, hashOf(accountId, code), digest(attempt)],
      );
      return used.length === 1;
    },
    async settle(accountId, attempt) {
      await database.query(
        'UPDATE recovery_code SET claimed_by = NULL WHERE account_id = $1 AND claimed_by = $2',
        [accountId, digest(attempt)],
      );
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

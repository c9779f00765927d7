import type { Sealer } from '@cls/shared/seal';
import type { Database, Sql, Transaction } from '@cls/shared/sql/database';
import { digest, hashWith } from '../crypto/digest.ts';
import type { RecoveryKey } from '../crypto/recovery-key.ts';
import { SEALED } from '../crypto/seal.ts';
import {
  canonicalRecoveryCode,
  type RecoveryCodeCount,
  type RecoveryCodeRecords,
} from './recovery-code.ts';
import { UNSETTLED_S } from './second-factor.ts';

/**
 * Recovery codes in SQL, as hashes. Those of 60 bits, from before, are hashed with a key.
 *
 * @param keys of such hashes that may not be stored yet. @param sealer opens those that are.
 */
export function sqlRecoveryCodes(
  database: Database,
  keys: readonly RecoveryKey[],
  sealer: Sealer,
): RecoveryCodeRecords {
  const hashOf = (accountId: string, code: string, hash: (text: string) => string = digest) =>
    hash(`${accountId}:${canonicalRecoveryCode(code)}`);
  /** All that may be stored of a code. */
  const everyHashOf = async (accountId: string, code: string): Promise<readonly string[]> => {
    const stored = await database.query<{ id: string; sealed: string }>(
      'SELECT id, sealed_key AS sealed FROM recovery_code_key',
    );
    const opened = stored.map(({ id, sealed }) =>
      Buffer.from(sealer.unseal(sealed, SEALED.recovery_code_key.context(id)), 'base64url'),
    );
    const keyed = [...keys.map(({ bytes }) => bytes), ...opened].map((key) =>
      hashOf(accountId, code, hashWith(key)),
    );
    return [hashOf(accountId, code), ...keyed];
  };
  /** Two changes at once are one after the other. */
  const changing = <T>(accountId: string, change: (transaction: Transaction) => Promise<T>) =>
    database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
      return change(transaction);
    });
  const hashesOf = (accountId: string, codes: readonly string[]) =>
    codes.map((code) => hashOf(accountId, code));
  return {
    replace: (accountId, codes) =>
      changing(accountId, async (transaction) => {
        await transaction.query('DELETE FROM recovery_code WHERE account_id = $1', [accountId]);
        await insertCodes(transaction, accountId, hashesOf(accountId, codes));
      }),
    hashesOf,
    areCurrent: (accountId, codes) => haveCodes(database, accountId, hashesOf(accountId, codes)),
    async use(accountId, code, attempt) {
      const used = await database.query(
        `UPDATE recovery_code SET used_at = clock_timestamp(), claimed_by = $3
         WHERE account_id = $1 AND code_hash = ANY ($2::text[]) AND (used_at IS NULL OR claimed_by = $3
           OR (claimed_by IS NOT NULL
               AND used_at < clock_timestamp() - make_interval(secs => ${UNSETTLED_S})))
         RETURNING 1`,
        [accountId, await everyHashOf(accountId, code), digest(attempt)],
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

/** In the transaction that removes those before, or finds none. */
export async function insertCodes(
  transaction: Transaction,
  accountId: string,
  hashes: readonly string[],
): Promise<void> {
  await transaction.query(
    'INSERT INTO recovery_code (account_id, code_hash) SELECT $1, unnest($2::text[])',
    [accountId, hashes],
  );
}

/** Whether the account has these codes; false of none. */
export async function haveCodes(
  sql: Sql,
  accountId: string,
  hashes: readonly string[],
): Promise<boolean> {
  const [row] = await sql.query<{ same: boolean }>(
    `SELECT count(*) > 0 AND count(*) = cardinality($2::text[]) AS same
     FROM recovery_code WHERE account_id = $1 AND code_hash = ANY ($2::text[])`,
    [accountId, hashes],
  );
  return row?.same === true;
}

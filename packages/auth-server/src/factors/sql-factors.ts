import {
  type Database,
  epochMs,
  isUniqueViolation,
  recordOf,
  type Transaction,
} from '@cls/shared/sql/database';
import {
  FACTORS_MAX,
  type Factor,
  FactorNameTaken,
  type FactorRecords,
  type InsertedFactor,
  type NewFactor,
  type ProvableBy,
  TooManyFactors,
} from './factor.ts';
import { haveCodes, insertCodes } from './sql-recovery-codes.ts';

const COLUMNS = `
  id, kind, name, ${epochMs('created_at')} AS "addedAt", ${epochMs('last_used_at')} AS "lastUsedAt"`;

/** Second factors in SQL: what all kinds have in common. */
export function sqlFactors(database: Database): FactorRecords {
  return {
    async list(accountId) {
      const rows = await database.query(
        `SELECT ${COLUMNS} FROM factor WHERE account_id = $1 ORDER BY created_at, id`,
        [accountId],
      );
      return rows.map(toFactor);
    },
    async provableBy(accountId) {
      const [row] = await database.query<ProvableBy>(
        `SELECT coalesce(bool_or(kind = 'passkey'), false) AS passkey,
                coalesce(bool_or(kind = 'totp'), false) AS totp,
                count(*) > 0 AND EXISTS (
                  SELECT FROM recovery_code WHERE account_id = $1 AND used_at IS NULL
                ) AS recovery_code
         FROM factor WHERE account_id = $1`,
        [accountId],
      );
      return row ?? { passkey: false, totp: false, recovery_code: false };
    },
    async rename(accountId, id, name) {
      try {
        const renamed = await database.query(
          'UPDATE factor SET name = $3 WHERE account_id = $1 AND id = $2 RETURNING 1',
          [accountId, id, name],
        );
        return renamed.length === 1 ? 'renamed' : 'unknown';
      } catch (error) {
        if (isUniqueViolation(error, 'factor_name')) return 'taken';
        throw error;
      }
    },
    remove: (accountId, id, keepOne) =>
      database.transaction(async (transaction) => {
        await lockAccount(transaction, accountId);
        const factors = await transaction.query<Pick<Factor, 'id'>>(
          `SELECT ${COLUMNS} FROM factor WHERE account_id = $1`,
          [accountId],
        );
        const factor = factors.find((each) => each.id === id);
        if (factor === undefined) return 'unknown';
        if (factors.length > 1) {
          await transaction.query('DELETE FROM factor WHERE id = $1', [id]);
        } else if (keepOne) {
          return 'last';
        } else {
          await removeEverything(transaction, accountId);
        }
        return toFactor(factor);
      }),
    removeAll: (accountId) =>
      database.transaction(async (transaction) => {
        await lockAccount(transaction, accountId);
        await removeEverything(transaction, accountId);
      }),
  };
}

/**
 * Adds a factor's common part and its recovery codes, in the transaction that adds the rest.
 *
 * @returns `isNew` false: it is there already.
 * @throws {FactorNameTaken | TooManyFactors}
 */
export async function insertFactor(
  transaction: Transaction,
  accountId: string,
  kind: Factor['kind'],
  { id, name, codeHashes }: NewFactor,
): Promise<InsertedFactor & { readonly isNew: boolean }> {
  await lockAccount(transaction, accountId);
  const [there] = await transaction.query(
    `SELECT ${COLUMNS} FROM factor WHERE id = $1 AND account_id = $2 AND kind = $3`,
    [id, accountId, kind],
  );
  if (there !== undefined) {
    const withCodes = await haveCodes(transaction, accountId, codeHashes);
    return { factor: toFactor(there), withCodes, isNew: false };
  }
  const [count] = await transaction.query<{ taken: boolean; many: boolean }>(
    `SELECT coalesce(bool_or(name = $2), false) AS taken,
            count(*) FILTER (WHERE kind = $3) >= $4 AS many
     FROM factor WHERE account_id = $1`,
    [accountId, name, kind, FACTORS_MAX],
  );
  if (count?.taken) throw new FactorNameTaken('the account has a factor of this name');
  if (count?.many) throw new TooManyFactors(`an account has at most ${FACTORS_MAX} of a kind`);
  const [row] = await transaction.query(
    `INSERT INTO factor (id, account_id, kind, name) VALUES ($1, $2, $3, $4) RETURNING ${COLUMNS}`,
    [id, accountId, kind, name],
  );
  if (row === undefined) throw new Error('an INSERT returned no row');
  const codes = await transaction.query('SELECT FROM recovery_code WHERE account_id = $1 LIMIT 1', [
    accountId,
  ]);
  const withCodes = codes.length === 0 && codeHashes.length > 0;
  if (withCodes) await insertCodes(transaction, accountId, codeHashes);
  return { factor: toFactor(row), withCodes, isNew: true };
}

/** One change to an account's factors at a time: rules about all of them hold. */
async function lockAccount(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
}

async function removeEverything(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.query('DELETE FROM factor WHERE account_id = $1', [accountId]);
  await transaction.query('DELETE FROM recovery_code WHERE account_id = $1', [accountId]);
}

function toFactor(row: object): Factor {
  return recordOf<Factor>(row, 'addedAt', 'lastUsedAt');
}

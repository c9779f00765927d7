import { type Database, isUniqueViolation } from '@cls/shared/sql/database';
import { digest } from '../crypto/digest.ts';
import { type Passkey, type PasskeyRecords, PasskeyTaken } from './passkey.ts';
import { insertFactor } from './sql-factors.ts';

const SELECT = `
  SELECT factor_id AS "factorId", account_id AS "accountId", credential_id AS "credentialId",
         public_key AS "publicKey", counter::float8 AS counter, transports, synced,
         used_for AS "usedFor"
  FROM passkey`;

/** Passkeys in SQL. */
export function sqlPasskeys(database: Database): PasskeyRecords {
  return {
    ofAccount: (accountId) =>
      database.query<Passkey>(`${SELECT} WHERE account_id = $1 ORDER BY factor_id`, [accountId]),
    findPasskey: async (credentialId) =>
      (await database.query<Passkey>(`${SELECT} WHERE credential_id = $1`, [credentialId]))[0],
    async addPasskey(accountId, planned, passkey) {
      try {
        return await database.transaction(async (transaction) => {
          const { isNew, ...inserted } = await insertFactor(
            transaction,
            accountId,
            'passkey',
            planned,
          );
          if (!isNew) {
            const same = await transaction.query(
              'SELECT FROM passkey WHERE factor_id = $1 AND credential_id = $2',
              [planned.id, passkey.credentialId],
            );
            if (same.length === 1) return inserted;
            throw new PasskeyTaken('another passkey has answered this challenge');
          }
          await transaction.query(
            `INSERT INTO passkey (factor_id, account_id, credential_id, public_key, counter,
                                  transports, synced) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
            [
              planned.id,
              accountId,
              passkey.credentialId,
              passkey.publicKey,
              passkey.counter,
              passkey.transports,
              passkey.synced,
            ],
          );
          return inserted;
        });
      } catch (error) {
        if (!isUniqueViolation(error, 'passkey_credential')) throw error;
        throw new PasskeyTaken('this passkey is registered already');
      }
    },
    async usePasskey(credentialId, counter, challenge) {
      const used = await database.query(
        `WITH used AS (
           UPDATE passkey SET counter = $2, used_for = $3
           WHERE credential_id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)
             OR (counter = $2 AND used_for = $3))
           RETURNING factor_id)
         UPDATE factor SET last_used_at = now() FROM used WHERE id = factor_id RETURNING 1`,
        [credentialId, counter, digest(challenge)],
      );
      return used.length === 1;
    },
  };
}

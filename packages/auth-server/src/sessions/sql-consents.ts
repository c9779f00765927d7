import { type Database, epochMs, recordOf } from '@cls/shared/sql/database';
import type { Consent, ConsentRecords } from './session-store.ts';

const SELECT = `
  SELECT application_id AS "applicationId", scopes,
    ${epochMs('created_at')} AS "createdAt"
  FROM consent WHERE account_id = $1`;

export function sqlConsents(database: Database): ConsentRecords {
  return {
    async find(accountId, applicationId) {
      const [row] = await database.query(`${SELECT} AND application_id = $2`, [
        accountId,
        applicationId,
      ]);
      return row && toConsent(row);
    },
    list: async (accountId) =>
      (await database.query(`${SELECT} ORDER BY created_at`, [accountId])).map(toConsent),
    async allow(accountId, applicationId, scopes) {
      const added = await database.query(
        `INSERT INTO consent AS c (account_id, application_id, scopes) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, application_id) DO UPDATE
         SET scopes = ARRAY(SELECT DISTINCT unnest(c.scopes || excluded.scopes) ORDER BY 1)
         WHERE NOT excluded.scopes <@ c.scopes RETURNING 1`,
        [accountId, applicationId, scopes],
      );
      return added.length === 1;
    },
    async withdraw(accountId, applicationId) {
      const withdrawn = await database.query(
        'DELETE FROM consent WHERE account_id = $1 AND application_id = $2 RETURNING 1',
        [accountId, applicationId],
      );
      return withdrawn.length === 1;
    },
  };
}

function toConsent(row: object): Consent {
  return recordOf<Consent>(row, 'createdAt');
}

import type { Database } from '@cls/shared/sql/database';
import type { Consent, ConsentRecords } from './session-store.ts';

interface Row extends Omit<Consent, 'createdAt'> {
  readonly createdAtMs: number;
}

const SELECT = `
  SELECT application_id AS "applicationId", scopes,
    (extract(epoch FROM created_at) * 1000)::float8 AS "createdAtMs"
  FROM consent WHERE account_id = $1`;

export function sqlConsents(database: Database): ConsentRecords {
  return {
    async find(accountId, applicationId) {
      const [row] = await database.query<Row>(`${SELECT} AND application_id = $2`, [
        accountId,
        applicationId,
      ]);
      return row && toConsent(row);
    },
    list: async (accountId) =>
      (await database.query<Row>(`${SELECT} ORDER BY created_at`, [accountId])).map(toConsent),
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

function toConsent({ createdAtMs, ...row }: Row): Consent {
  return { ...row, createdAt: new Date(createdAtMs) };
}

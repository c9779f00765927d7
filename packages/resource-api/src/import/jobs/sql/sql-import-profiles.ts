import type { Database } from '@cls/shared/sql/database';
import { instant } from '../../../questions/ask/sql/statement.ts';
import { FOR_ALL, type ImportProfiles, type RegisteredProfile } from '../import-profiles.ts';

const MEMBERS = `name, profile, ${instant('changed_at')} AS "changedAt"`;
/** Of each name the customer's own, else the operator's. */
const VISIBLE = `SELECT DISTINCT ON (name) ${MEMBERS} FROM import_profile
  WHERE customer_id IN ($1, '${FOR_ALL}')`;
const OWN_FIRST = 'ORDER BY name, customer_id DESC';

export function sqlImportProfiles(database: Database): ImportProfiles {
  return {
    list: (customer) => database.query<RegisteredProfile>(`${VISIBLE} ${OWN_FIRST}`, [customer]),
    async find(customer, name) {
      const [found] = await database.query<RegisteredProfile>(
        `${VISIBLE} AND name = $2 ${OWN_FIRST}`,
        [customer, name],
      );
      return found;
    },
    async put(customer, name, document, by) {
      const [stored] = await database.query<RegisteredProfile>(
        `INSERT INTO import_profile (customer_id, name, profile, changed_by) VALUES ($1, $2, $3::jsonb, $4)
         ON CONFLICT (customer_id, name) DO UPDATE
           SET profile = EXCLUDED.profile, changed_at = now(), changed_by = EXCLUDED.changed_by
         RETURNING ${MEMBERS}`,
        [customer, name, JSON.stringify(document), by],
      );
      if (stored === undefined) throw new Error('INSERT returned no row');
      return stored;
    },
    async remove(customer, name) {
      const removed = await database.query(
        'DELETE FROM import_profile WHERE customer_id = $1 AND name = $2 RETURNING name',
        [customer, name],
      );
      return removed.length > 0;
    },
  };
}

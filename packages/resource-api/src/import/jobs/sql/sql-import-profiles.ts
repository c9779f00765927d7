import type { Database } from '@cls/shared/sql/database';
import { instant } from '../../../questions/ask/sql/statement.ts';
import type { ImportProfiles, RegisteredProfile } from '../import-profiles.ts';

const MEMBERS = `name, profile, ${instant('changed_at')} AS "changedAt"`;

/** Profiles in the table `import_profile`. */
export function sqlImportProfiles(database: Database): ImportProfiles {
  return {
    list: () =>
      database.query<RegisteredProfile>(`SELECT ${MEMBERS} FROM import_profile ORDER BY name`),
    async find(name) {
      const [found] = await database.query<RegisteredProfile>(
        `SELECT ${MEMBERS} FROM import_profile WHERE name = $1`,
        [name],
      );
      return found;
    },
    async put(name, document, by) {
      const [stored] = await database.query<RegisteredProfile>(
        `INSERT INTO import_profile (name, profile, changed_by) VALUES ($1, $2::jsonb, $3)
         ON CONFLICT (name) DO UPDATE
           SET profile = EXCLUDED.profile, changed_at = now(), changed_by = EXCLUDED.changed_by
         RETURNING ${MEMBERS}`,
        [name, JSON.stringify(document), by],
      );
      if (stored === undefined) throw new Error('INSERT returned no row');
      return stored;
    },
    async remove(name) {
      const removed = await database.query(
        'DELETE FROM import_profile WHERE name = $1 RETURNING name',
        [name],
      );
      return removed.length > 0;
    },
  };
}

import type { Database } from '@cls/shared/sql/database';
import type { Directory, Listed } from './directory.ts';

/** After every date: the newest name. */
const LATEST = `'infinity'`;
const DEAL_NAME = `coalesce((SELECT t.name FROM deal_details t
  WHERE t.deal_key = r.key AND counts_now(t.known_seq)
  ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1), r.name)`;

/** Finds deals and parties by their newest names, and by those that they had before. */
export function sqlDirectory(database: Database): Directory {
  const find =
    (kind: 'deal' | 'party', name: string, detail: string) => (search: string, limit: number) =>
      database.query<Listed>(
        `SELECT r.id, ${name} AS name, r.${detail} AS detail FROM ${kind} r
         WHERE $1 = '' OR r.name ILIKE '%' || $1 || '%' OR r.${detail} ILIKE '%' || $1 || '%'
           OR EXISTS (SELECT FROM ${kind}_details t
             WHERE t.${kind}_key = r.key AND t.name ILIKE '%' || $1 || '%')
         ORDER BY r.key LIMIT $2`,
        [search.replace(/[\\%_]/g, '\\$&'), limit],
      );
  return {
    deals: find('deal', DEAL_NAME, 'deal_number'),
    parties: find('party', `party_name(r.key, ${LATEST})`, 'country'),
  };
}

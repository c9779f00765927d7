import type { Database } from '@cls/shared/sql/database';
import type { Directory, Listed } from '../cli/operator.ts';

export function sqlDirectory(database: Database): Directory {
  const find = (table: string, detail: string) => (search: string, limit: number) =>
    database.query<Listed>(
      `SELECT id, name, ${detail} AS detail FROM ${table}
       WHERE $1 = '' OR name ILIKE '%' || $1 || '%' OR ${detail} ILIKE '%' || $1 || '%'
       ORDER BY key LIMIT $2`,
      [search, limit],
    );
  return { deals: find('deal', 'deal_number'), parties: find('party', 'country') };
}

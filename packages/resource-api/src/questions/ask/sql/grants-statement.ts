import type { ReaderAccess, Snapshot } from '../balance-store.ts';
import { hasRecord, partyName } from './balance-levels.ts';
import { BY_INDEX, SqlParameters, type Statement } from './statement.ts';

/** What a reader was granted (`GrantFacts`). Row-level security leaves its own grants alone. */
export function grantsStatement(access: ReaderAccess, snapshot: Snapshot, most: number): Statement {
  const parameters = new SqlParameters(snapshot);
  const limit = `LIMIT ${parameters.add(most + 1)}::bigint`;
  const deals =
    'fullControl' in access
      ? `deal d WHERE ${hasRecord('deal', 'd')}`
      : `(SELECT DISTINCT deal_key FROM entitlement) e JOIN deal d ON d.key = e.deal_key
           WHERE ${hasRecord('deal', 'd')}`;
  const named = `SELECT lender_key AS key FROM entitlement_rule WHERE lender_key <> 0
      UNION SELECT borrower_key FROM entitlement_rule WHERE borrower_key IS NOT NULL`;
  const sql = `
    SELECT (SELECT coalesce(json_agg(DISTINCT role), '[]') FROM entitlement_rule) AS roles,
      (SELECT coalesce(json_agg(json_build_object('id', y.id, 'name', ${partyName('y')})
         ORDER BY y.key), '[]') FROM (${named}) n JOIN party y ON y.key = n.key) AS parties,
      (SELECT count(*)::int FROM (SELECT FROM ${deals} ${limit}) d) AS deals`;
  return { sql, parameters: parameters.values, planning: BY_INDEX };
}

import type { ReconcileStatement } from './sql-reconciler.ts';

/** Each table that names a record of a deal: its deal, facility and contract, the name, and whether it is external. */
const OF_DEALS = `
  SELECT id AS record, key AS deal_key, 0::bigint AS facility_key, 0::bigint AS contract_key,
    name || ' ' || deal_number AS name, false AS is_external FROM deal
  UNION ALL SELECT d.id, d.key, 0, 0, t.name, false
  FROM deal_details t JOIN deal d ON d.key = t.deal_key
  UNION ALL SELECT id, deal_key, key, 0, name, false FROM facility
  UNION ALL SELECT f.id, f.deal_key, f.key, 0, t.name, false
  FROM facility_details t JOIN facility f ON f.key = t.facility_key
  UNION ALL SELECT d.id, d.key, 0, 0, x.value, true FROM external_id x JOIN deal d ON d.id = x.entity_id
  UNION ALL SELECT f.id, f.deal_key, f.key, 0, x.value, true
  FROM external_id x JOIN facility f ON f.id = x.entity_id
  UNION ALL SELECT c.id, c.deal_key, c.facility_key, c.key, x.value, true
  FROM external_id x JOIN loan_contract c ON c.id = x.entity_id`;
const OF_PARTIES = `
  SELECT id AS record, key AS party_key, name, false AS is_external FROM party
  UNION ALL SELECT y.id, y.key, t.name, false
  FROM party_details t JOIN party y ON y.key = t.party_key
  UNION ALL SELECT y.id, y.key, x.value, true
  FROM external_id x JOIN party y ON y.id = x.entity_id`;

/** What a search looks up: without a word of its name a record is not found by it. */
export const SEARCH_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'words_kept',
    states: 'every word of every name and external id is kept for searches',
    checked: 'SELECT (SELECT count(*) FROM deal_word) + (SELECT count(*) FROM party_word)',
    breaks: `
      SELECT n.record, 'missing' AS found, w AS expected
      FROM (${OF_DEALS}) n CROSS JOIN words_of(n.name) w
      WHERE NOT EXISTS (SELECT FROM deal_word k WHERE k.deal_key = n.deal_key AND k.word = w
        AND k.facility_key = n.facility_key AND k.contract_key = n.contract_key
        AND k.is_external = n.is_external)
      UNION ALL
      SELECT n.record, 'missing', w
      FROM (${OF_PARTIES}) n CROSS JOIN words_of(n.name) w
      WHERE NOT EXISTS (SELECT FROM party_word k WHERE k.party_key = n.party_key AND k.word = w
        AND k.is_external = n.is_external)`,
  },
];

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

/**
 * Words that are missing among those that are stored, and stored words that no name has: an external word is
 * found by without a look at a name.
 */
function storedWords(
  names: string,
  stored: string,
  record: string,
  ...key: readonly string[]
): string {
  const of = (table: string) =>
    [...key, 'word', 'is_external'].map((column) => `${table}.${column}`).join(', ');
  return `(
      WITH named AS MATERIALIZED (
        SELECT n.*, w AS word FROM (${names}) n CROSS JOIN words_of(n.name) w
      )
      SELECT record, 'missing' AS found, word AS expected FROM named
      WHERE NOT EXISTS (SELECT FROM ${stored} k WHERE (${of('k')}) = (${of('named')}))
      UNION ALL
      SELECT r.id, k.word, 'no such word'
      FROM (SELECT ${of(stored)} FROM ${stored} EXCEPT SELECT ${of('named')} FROM named) k
      LEFT JOIN ${record} r ON r.key = k.${record}_key)`;
}

/** What a search looks up: without a word of its name a record is not found by it. */
export const SEARCH_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'words_kept',
    states: 'every word of every name and external id is stored for searches, and no other',
    checked: 'SELECT (SELECT count(*) FROM deal_word) + (SELECT count(*) FROM party_word)',
    breaks: `
      ${storedWords(OF_DEALS, 'deal_word', 'deal', 'deal_key', 'facility_key', 'contract_key')}
      UNION ALL
      ${storedWords(OF_PARTIES, 'party_word', 'party', 'party_key')}`,
  },
];

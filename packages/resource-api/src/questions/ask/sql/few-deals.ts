import type { SqlValue, Transaction } from '@cls/shared/sql/database';
import type { PageRequest, ReaderAccess } from '../balance-store.ts';
import { BY_LOOKUP } from './balance-levels.ts';
import { filterSql } from './filter-sql.ts';
import { BEYOND, searchedWords } from './search-condition.ts';
import type { Statement } from './statement.ts';

/** How many deals are few: to sort all of their items, or to look up the keys of these. */
export const FEW_DEALS = { toSort: 200, toWalk: 1_000 };
/** Rows that are looked at to find the deals of one part of a filter. */
const LOOKED_AT = 1_000;

/** The deals that a filter and the caller's grants leave, by their keys; undefined where not few. */
export async function fewDeals(
  transaction: Transaction,
  access: ReaderAccess,
  request: Pick<PageRequest, 'level' | 'filter'>,
  most: number,
): Promise<readonly bigint[] | undefined> {
  const parameters: SqlValue[] = [];
  const asked = filterSql('deals', request, (value) => `$${parameters.push(value)}`);
  const { search } = request.filter;
  // A search looks in all of them.
  const granted = dealsGranted(search === undefined ? most : LOOKED_AT);
  const parts = 'fullControl' in access ? asked : [...asked, granted];
  const rows =
    parts.length === 0 ? [] : await transaction.query<DealsRow>(partsStatement(parts), parameters);
  const fewest = least(rows);
  if (fewest !== undefined && fewest.length <= most) return fewest;
  if (search === undefined) return undefined;
  const statement = searchStatement(search, fewest);
  const found = least(await transaction.query<DealsRow>(statement.sql, statement.parameters));
  return found !== undefined && found.length <= most ? found : undefined;
}

function least(rows: readonly DealsRow[]): readonly bigint[] | undefined {
  return rows.map(({ deals }) => deals).sort((a, b) => a.length - b.length)[0];
}

/** Words of a search that are looked up, the longest ones. */
const WORDS = 3;

/**
 * The deals that each word of a search may leave: among given deals, else by an index of all words. A
 * reader who sees a part of the book and no few deals has none of these rows: how long the index
 * takes would go by the words of deals that it does not see.
 */
function searchStatement(search: string, among: readonly bigint[] | undefined): Statement {
  const parameters: SqlValue[] = [search];
  const words = Array.from(
    { length: WORDS },
    (_, index) => `(${searchedWords('$1')})[${index + 1}]`,
  );
  const within = (word: string) => `s.word >= ${word} AND s.word < ${word} || ${BEYOND}`;
  const borrowed = (party: string) => `
      SELECT key FROM deal WHERE borrower_key = ${party}
      UNION ALL SELECT deal_key FROM deal_details WHERE borrower_key = ${party}`;
  const ofIndex = (word: string) => `
      SELECT s.deal_key AS key FROM deal_word s WHERE ${within(word)}
      UNION ALL SELECT b.key FROM party_word s CROSS JOIN LATERAL (${borrowed('s.party_key')}) b
      WHERE ${within(word)}
      UNION ALL SELECT NULL WHERE ${word} IS NULL
      UNION ALL SELECT NULL WHERE current_setting('cls.full_control', true) <> 'on'
        AND NOT EXISTS (SELECT FROM entitlement_rule WHERE all_deals)`;
  if (among === undefined) return { sql: partsStatement(words.map(ofIndex)), parameters };
  const has = (word: string) => `(${word} IS NULL
        OR EXISTS (SELECT FROM deal_word s WHERE s.deal_key = a.key AND ${within(word)} ${BY_LOOKUP})
        OR EXISTS (SELECT FROM (
            SELECT borrower_key FROM deal WHERE key = a.key
            UNION ALL SELECT borrower_key FROM deal_details WHERE deal_key = a.key ${BY_LOOKUP}) b
          CROSS JOIN LATERAL (SELECT s.word FROM party_word s
            WHERE s.party_key = b.borrower_key AND ${within(word)} ${BY_LOOKUP}) s))`;
  const deals = `$${parameters.push(among)}::bigint[]`;
  const part = `SELECT a.key FROM unnest(${deals}) AS a (key) WHERE ${words.map(has).join(' AND ')}`;
  return { sql: partsStatement([part]), parameters };
}

/** The deals that one part of a filter may leave. */
interface DealsRow {
  readonly deals: readonly bigint[];
}

/** Each part that leaves few deals gives them; one that leaves more gives no row. */
function partsStatement(parts: readonly string[]): string {
  return parts
    .map(
      (part) => `
    SELECT coalesce(array_agg(DISTINCT key), '{}') AS deals
    FROM (SELECT key FROM (${part}) p LIMIT ${LOOKED_AT + 1}) p
    HAVING count(*) <= ${LOOKED_AT} AND count(*) = count(key)`,
    )
    .join(' UNION ALL ');
}

/** Null for a grant of all deals, which narrows nothing. @param most more than these need not be told apart */
const dealsGranted = (most: number) => `
      SELECT NULL::bigint AS key WHERE EXISTS (SELECT FROM entitlement_rule WHERE all_deals)
      UNION ALL
      SELECT * FROM (SELECT DISTINCT deal_key FROM entitlement ORDER BY deal_key
        LIMIT ${most + 1}) e
      WHERE NOT EXISTS (SELECT FROM entitlement_rule WHERE all_deals)`;

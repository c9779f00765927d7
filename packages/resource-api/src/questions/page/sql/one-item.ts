import type { Database } from '@cls/shared/sql/database';
import type { BalanceItem, ItemName, ReaderAccess, Snapshot } from '../../ask/balance-store.ts';
import {
  BY_LOOKUP,
  dealDetail,
  GUARANTOR,
  hasRecord,
  inBook,
  LEVEL_SQL,
  partyName,
  sinceOf,
} from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, lookUp, SqlParameters, type Statement } from '../../ask/sql/statement.ts';
import { readFound } from './page-rows.ts';

/** An item by its name, where the book has it at the snapshot and the reader sees it. */
export function readItem(
  database: Database,
  access: ReaderAccess,
  { level, id, currency }: ItemName,
  snapshot: Snapshot,
): Promise<BalanceItem | undefined> {
  const { values, add } = new SqlParameters(snapshot);
  const named =
    level === 'deal'
      ? `d.id = ${add(id)} AND f.currency = ${add(currency ?? '')}`
      : `i.id = ${add(id)}`;
  const sql = `SELECT i.key FROM ${LEVEL_SQL[level].items} WHERE ${named} AND ${inBook(level)}`;
  return lookUp(database, access, async (transaction) => {
    const [row] = await transaction.query<{ key: bigint }>(sql, values);
    if (row === undefined) return undefined;
    const end = { key: row.key, sortValue: null };
    return (await readFound(transaction, level, snapshot, [end]))[0];
  });
}

/** A deal as one JSON value (`DealFacts`). */
export function dealStatement(id: string, snapshot: Snapshot): Statement {
  const parameters = new SqlParameters(snapshot);
  const party = (key: string) => `(SELECT json_build_object('id', y.id, 'name', ${partyName('y')})
        FROM (SELECT ${key} AS key ${BY_LOOKUP}) k
        CROSS JOIN LATERAL (SELECT * FROM party WHERE key = k.key ${BY_LOOKUP}) y)`;
  const sql = `
    SELECT json_build_object(
      'id', d.id, 'name', ${dealDetail('name')}, 'dealNumber', d.deal_number,
      'status', ${LEVEL_SQL.deal.status}, 'country', ${dealDetail('country')},
      'closingDate', d.closing_date, 'dataFrom', ${sinceOf('deal', 'd')},
      'borrower', ${party(dealDetail('borrower_key'))},
      'agent', ${party('d.agent_key')},
      'guarantor', ${party(GUARANTOR)},
      'roles', (SELECT coalesce(json_agg(DISTINCT e.role), '[]') FROM entitlement e
        WHERE e.deal_key = d.key)) AS deal
    FROM deal d WHERE d.id = ${parameters.add(id)} AND ${hasRecord('deal', 'd')}`;
  return { sql, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}

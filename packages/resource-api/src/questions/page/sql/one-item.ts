import type { Database } from '@cls/shared/sql/database';
import type { BalanceItem, ItemName, ReaderAccess, Snapshot } from '../../ask/balance-store.ts';
import {
  BY_LOOKUP,
  dealDetail,
  GUARANTOR,
  hasRecord,
  LEVEL_SQL,
  partyName,
  sinceOf,
} from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, lookUp, Parameters, type Statement } from '../../ask/sql/statement.ts';
import { readFound } from './page-rows.ts';

/** The key of an item by its name, where the book has it at the snapshot and the reader sees it. */
export function itemStatement({ level, id, currency }: ItemName, snapshot: Snapshot): Statement {
  const { items, only, record, booked } = LEVEL_SQL[level];
  const parameters = new Parameters(snapshot);
  const named =
    level === 'deal'
      ? `d.id = ${parameters.add(id)} AND f.currency = ${parameters.add(currency ?? '')}`
      : `i.id = ${parameters.add(id)}`;
  const sql = `SELECT i.key FROM ${items} WHERE ${named} AND ${only} AND ${hasRecord(record, booked)}`;
  return { sql, parameters: parameters.values };
}

export function readItem(
  database: Database,
  access: ReaderAccess,
  name: ItemName,
  snapshot: Snapshot,
): Promise<BalanceItem | undefined> {
  return lookUp(database, access, async (on) => {
    const asked = itemStatement(name, snapshot);
    const [found] = await on.query<{ key: bigint }>(asked.sql, asked.parameters);
    if (found === undefined) return undefined;
    const end = { key: found.key, sortValue: null };
    return (await readFound(on, name.level, snapshot, [end]))[0];
  });
}

/** A deal as one JSON value (`DealFacts`). */
export function dealStatement(id: string, snapshot: Snapshot): Statement {
  const parameters = new Parameters(snapshot);
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

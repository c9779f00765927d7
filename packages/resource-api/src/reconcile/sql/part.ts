import type { Transaction } from '@cls/shared/sql/database';
import { NOW } from '../../questions/ask/sql/balance-levels.ts';
import { type BookPart, UnknownDeals } from '../reconciler.ts';
import type { ReconcileStatement } from './sql-reconciler.ts';

/** Deals whose records, journals and balances are checked. */
export interface DealScope {
  readonly deals: readonly { readonly key: bigint; readonly id: string }[];
  /**
   * Stands before a statement, and narrows it: each table is replaced by what it has of the deals,
   * under its own name, so that the statements of the whole book are those of its parts.
   */
  readonly tables: string;
}

/** An invariant of past points, whose date is `$1` and whose sequence `$2`, and of all that is known now. */
export function nowAndInThePast(
  statement: ReconcileStatement,
  statesOfPast: string,
): readonly ReconcileStatement[] {
  const { invariant, breaks } = statement;
  return [
    { ...statement, breaks: breaks.replaceAll('$1', `'9999-12-31'`).replaceAll('$2', NOW) },
    { ...statement, invariant: `past_${invariant}`, states: statesOfPast, perPoint: true },
  ];
}

/** `every_journal` is never narrowed: what else was posted with a journal is of any deal. */
const EVERY_JOURNAL = 'every_journal AS NOT MATERIALIZED (SELECT seq, posted_at FROM journal)';
/** In front of a statement about the whole book. */
export const WHOLE_BOOK = `WITH ${EVERY_JOURNAL}`;

const OF_A_DEAL = [
  'journal',
  'facility',
  'loan_contract',
  'lender_position',
  'balance_line',
  'rate_period',
  'accrual_settlement',
  'journal_standing',
  'deal_now',
  'entitlement',
  'sort_amount',
  'sort_label',
  'deal_word',
];
/** Found by their lines: one index look-up for each. */
const OF_A_LINE = ['posting', 'balance'];

/** @throws {UnknownDeals} */
export async function dealScope(transaction: Transaction, part: BookPart): Promise<DealScope> {
  const deals = await transaction.query<{ key: bigint; id: string }>(
    part.since === undefined
      ? 'SELECT key, id FROM deal WHERE id = ANY($1) ORDER BY key'
      : `SELECT key, id FROM deal
         WHERE key IN (SELECT deal_key FROM journal WHERE posted_at >= $1::timestamptz) ORDER BY key`,
    [part.since ?? part.deals],
  );
  const found = new Set(deals.map(({ id }) => id));
  const unknown = part.deals?.filter((id) => !found.has(id)) ?? [];
  if (unknown.length > 0) throw new UnknownDeals(unknown);
  return { deals, tables: tablesOf(deals.map(({ key }) => key)) };
}

function tablesOf(keys: readonly bigint[]): string {
  const of = (column: string) => `${column} = ANY('{${keys.join()}}'::bigint[])`;
  const narrowed = (table: string, condition: string) =>
    `${table} AS NOT MATERIALIZED (SELECT * FROM ${table} WHERE ${condition})`;
  return `WITH ${[
    EVERY_JOURNAL,
    narrowed('deal', of('key')),
    ...OF_A_DEAL.map((table) => narrowed(table, of('deal_key'))),
    ...OF_A_LINE.map((table) => narrowed(table, 'line_key IN (SELECT key FROM balance_line)')),
  ].join(',\n')}`;
}

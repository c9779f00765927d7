import { TOTAL_COMPONENTS } from '../../ledger/balance.ts';
import { LEVELS, NO_FILTER } from '../../questions/ask/balance-store.ts';
import { bookTotals, totalsStatement } from '../../questions/totals/sql/totals.ts';
import { nowAndInThePast } from './part.ts';
import type { ReconcileStatement } from './sql-reconciler.ts';

const STORED = ['items', ...TOTAL_COMPONENTS] as const;
const COUNTED = ['count', ...TOTAL_COMPONENTS] as const;
/** Neither is needed: the text has the two times as `$1` and `$2`. */
const SNAPSHOT = { asOf: '9999-12-31', ledgerSeq: 0n } as never;

/** Totals that are kept and that differ from the sum over items, at the date and the sequence. */
const differing = LEVELS.map((level) => {
  // What the book keeps of ends is not believed here.
  const everyItem = { level, filter: NO_FILTER, snapshot: SNAPSHOT };
  const { sql: counted } = totalsStatement(everyItem, undefined, 'read');
  const texts = (alias: string) => COUNTED.map((name) => `${alias}.${name}`).join(', ');
  return `
      SELECT '${level}' AS level, coalesce(k.currency, c.currency) AS currency, $1::date::text AS "asOf",
        $2::bigint::text AS "ledgerSeq", concat_ws(' ', ${texts('k')}) AS found,
        concat_ws(' ', ${texts('c')}) AS expected
      FROM (${bookTotals(level)}) k FULL JOIN (${counted}) c ON c.currency = k.currency
      WHERE (${texts('k')}) IS DISTINCT FROM (${texts('c')})`;
}).join(' UNION ALL ');

/** How each row of a grain differs from the one known before it, by the coarser grain. */
const added = (grain: string, coarse: string) => `
        SELECT grain, level, currency, date_trunc('${coarse}', start)::date AS start, known_seq,
          ${STORED.map((name) => `${name} - lag(${name}, 1, 0::int8) OVER w AS ${name}`).join(', ')}
        FROM book_total WHERE grain = '${grain}'
        WINDOW w AS (PARTITION BY level, currency, start ORDER BY known_seq)`;

/** Years are the sums of their months, and months of their days, in each state of knowledge. */
const unfooted = [
  ['year', 'month'],
  ['month', 'day'],
].map(([coarse = '', fine = '']) => {
  const sums = (grain: string) =>
    STORED.map((name) => `coalesce(sum(${name}) FILTER (WHERE grain = '${grain}'), 0)`).join(', ');
  return `
      SELECT '${coarse}' AS grain, level, currency, start::text AS start,
        known_seq::text AS "ledgerSeq", concat_ws(' ', ${sums(coarse)}) AS found,
        concat_ws(' ', ${sums(fine)}) AS expected
      FROM (${added(coarse, coarse)} UNION ALL ${added(fine, coarse)}) a
      GROUP BY level, currency, start, known_seq
      HAVING (${sums(coarse)}) <> (${sums(fine)})`;
});

/** What is kept of totals, against the items that they are totals of. */
export const TOTAL_STATEMENTS: readonly ReconcileStatement[] = [
  ...nowAndInThePast(
    {
      invariant: 'totals_add_up',
      ofBook: true,
      states: 'kept totals of the whole book are the sums over its items',
      checked: 'SELECT count(DISTINCT (level, currency)) FROM book_total',
      breaks: differing,
    },
    'so they were at past dates, as they were known in the past',
  ),
  {
    invariant: 'totals_foot',
    ofBook: true,
    states: 'kept totals of a year are the sums of its months, and those of a month of its days',
    checked: 'SELECT count(*) FROM book_total',
    breaks: unfooted.join(' UNION ALL '),
  },
];

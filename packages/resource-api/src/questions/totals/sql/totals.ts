import { TOTAL_COMPONENTS, type TotalBalance } from '../../../ledger/balance.ts';
import type {
  BookedGroup,
  Grouping,
  GroupKey,
  GroupRequest,
  Level,
  NamedParty,
} from '../../ask/balance-store.ts';
import { hasSublimits } from '../../ask/counted-once.ts';
import {
  ALL_DUE,
  AVAILABLE,
  BY_LOOKUP,
  borrowerJson,
  COMMITMENT,
  countedOnce,
  dealDetail,
  hasWarnedLender,
  LEVEL_SQL,
  type LevelSql,
  livesUntil,
  livingItems,
  NOT_ZERO,
  OVERDRAWN,
  OVERPAID,
  PAST_DUE,
  partyJson,
  pastDueAge,
} from '../../ask/sql/balance-levels.ts';
import { conditions, filterSql } from '../../ask/sql/filter-sql.ts';
import { BY_INDEX, SqlParameters, type Statement } from '../../ask/sql/statement.ts';

/** What an item is grouped by, as a text: a party by its key. */
const GROUPED: Readonly<Record<Grouping, (sql: LevelSql) => string>> = {
  borrower: () => `${dealDetail('borrower_key')}::text`,
  country: () => dealDetail('country'),
  facilityType: () => 'f.type',
  status: ({ status }) => status,
  lender: ({ ownLender }) => `${ownLender}::text`,
  daysPastDue: pastDueAge,
  maturityYear: ({ maturity }) => `extract(year FROM ${maturity})::int::text`,
};

export function groupOf(sql: LevelSql, groupBy: Grouping | undefined): string {
  return groupBy === undefined ? 'NULL::text' : GROUPED[groupBy](sql);
}

/** Sums of an item over its own lines. */
const SUMS = Object.fromEntries(TOTAL_COMPONENTS.map((name) => [name, `sum_minor(b.${name})`]));
/** What groups tell beside them. */
const DETAILS = { commitment: `sum_minor(${COMMITMENT})`, available: AVAILABLE };

/**
 * Item by item. The planner takes what filters find for very few, and would then compare each item with
 * each record; and no line is looked up twice.
 */
const BY_ITEM = `${BY_INDEX}SET LOCAL enable_material = off;SET LOCAL enable_memoize = off;`;

type Totalled = Pick<GroupRequest, 'level' | 'filter' | 'snapshot'>;

interface AddedUp {
  readonly groupBy?: Grouping | undefined;
  /** Whether `DETAILS`, what is past due and warnings are told too. */
  readonly isDetailed?: boolean;
  /** The only deals that may have items of the filter, by their keys. */
  readonly deals: readonly bigint[] | undefined;
  /** Items that `item_life` says have ended are passed over, or read to see that they are zero. */
  readonly ended?: 'passed over' | 'read' | undefined;
}

/**
 * What the items of a filter come to, by currency and group. A sublimit whose facility is among the
 * items adds its principal and no commitment, whichever group it is in, so groups add up to the whole.
 */
function addedUp(
  { level, filter }: Totalled,
  parameters: SqlParameters,
  { groupBy, isDetailed = false, deals, ended = 'passed over' }: AddedUp,
) {
  const sql = LEVEL_SQL[level];
  const { includeZero } = filter;
  const asked = { level, filter: { ...filter, includeZero: true } };
  const where = conditions(asked, parameters, { deals });
  // The lines at hand show whether an item is zero; it needs no look-up of its own.
  const passesOver = !includeZero && ended === 'passed over';
  const isWhole = passesOver && deals === undefined;
  if (passesOver && !isWhole) where.push(`${livesUntil(level, 'i.key')} > $1`);
  const items = isWhole
    ? `(${livingItems(level)}) c JOIN (${sql.items}) ON i.key = c.key`
    : sql.items;
  const [lenders, own] = isDetailed
    ? [`IN (0, ${sql.ownLender})`, ` FILTER (WHERE l.lender_key = ${sql.ownLender})`]
    : [`= ${sql.ownLender}`, ''];
  const sums = Object.entries(isDetailed ? { ...SUMS, ...DETAILS } : SUMS);
  const columns = sums.map(([name, sum]) => `${sum}${own} AS ${name}`);
  const names = sums.map(([name]) => name);
  const joins: string[] = [];
  const groups = ['i.key', 'f.key', 'f.currency', 'f.sublimit_of_key'];
  const lookUp = (name: string, value: string) => {
    joins.push(`CROSS JOIN LATERAL (SELECT ${value} AS v ${BY_LOOKUP}) ${name}`);
    groups.push(`${name}.v`);
  };
  if (groupBy !== undefined) lookUp('grouped', groupOf(sql, groupBy));
  if (isDetailed) {
    lookUp('of_lenders', hasWarnedLender(sql));
    // Shares of what is past due add up only together, and are worked out from all lenders' lines.
    columns.push(
      `${level === 'position' ? '0' : `coalesce(sum(${PAST_DUE}), 0)`} AS late`,
      `coalesce(bool_or(${OVERDRAWN} OR ${OVERPAID} OR ${ALL_DUE})
          FILTER (WHERE l.lender_key = 0), false) OR of_lenders.v AS warned`,
    );
    names.push('late');
  }
  const isPart = hasSublimits(level)
    ? `b.sublimit_of_key IS NOT NULL AND bool_or(b.sublimit_of_key IS NULL) OVER (
          PARTITION BY coalesce(b.sublimit_of_key, b.facility_key), b.holder)`
    : 'false';
  const added = names.map(
    (name) => `coalesce(sum(${countedOnce(name, `b.${name}`, 'b.is_part')}), 0)::int8 AS ${name}`,
  );
  const text = `
    SELECT b.currency, b."group", count(*) AS count, ${added.join(', ')}
      ${isDetailed ? ', count(*) FILTER (WHERE b.warned) AS warnings' : ''}
    FROM (
      SELECT b.*, ${isPart} AS is_part
      FROM (
        SELECT f.currency, f.key AS facility_key, f.sublimit_of_key, ${sql.ownLender} AS holder,
          ${groupBy === undefined ? 'NULL::text' : 'grouped.v'} AS "group",
          bool_or(${NOT_ZERO})${own} AS live, ${columns.join(', ')}
        FROM ${items}
        ${joins.join('\n        ')}
        CROSS JOIN LATERAL (SELECT l.* FROM balance_line l
          WHERE ${sql.lines} AND l.lender_key ${lenders} ${BY_LOOKUP}) l
        LEFT JOIN LATERAL (${sql.newest}) b ON true
        WHERE ${where.join('\n          AND ')}
        GROUP BY ${groups.join(', ')}
      ) b
      WHERE ${includeZero ? 'true' : 'b.live'}
    ) b
    GROUP BY b.currency, b."group"`;
  return { sql: text, names };
}

/** What the items of a filter come to, by currency. */
export function totalsStatement(
  request: Totalled,
  deals?: readonly bigint[],
  ended?: AddedUp['ended'],
): Statement {
  const parameters = new SqlParameters(request.snapshot);
  const { sql, names } = addedUp(request, parameters, { deals, ended });
  return {
    sql: `SELECT currency, count, ${names.join(', ')} FROM (${sql}) t ORDER BY currency`,
    parameters: parameters.values,
    planning: BY_ITEM,
    prepared: true,
  };
}

/**
 * The same by group, with details: the groups with the most outstanding principal, and the rest.
 *
 * @param deals the only ones that may have items of the filter, by their keys
 */
export function groupTotalsStatement(request: GroupRequest, deals?: readonly bigint[]): Statement {
  const { snapshot, groupBy, top, first = [] } = request;
  const parameters = new SqlParameters(snapshot);
  const { sql, names } = addedUp(request, parameters, { groupBy, isDetailed: true, deals });
  const places = parameters.add(top);
  const isFirst =
    first.length === 0
      ? ''
      : `g.currency || coalesce(' ' || g."group", '') = ANY(${parameters.add(first.map(nameOf))}) DESC, `;
  const sums = ['count', 'warnings', ...names].map((name) => `sum(g.${name})::int8 AS ${name}`);
  const key = 't."group"::bigint';
  const party =
    groupBy === 'borrower'
      ? borrowerJson(key)
      : groupBy === 'lender'
        ? partyJson(key)
        : 'NULL::json';
  const text = `
    SELECT t.*, ${party} AS party
    FROM (
      SELECT g.currency, g.place > ${places} AS rest,
        CASE WHEN g.place <= ${places} THEN g."group" END AS "group",
        min(g.place) AS place, ${sums.join(', ')}
      FROM (
        SELECT g.*, row_number() OVER (PARTITION BY g.currency
          ORDER BY ${isFirst}g.principal_cash + g.principal_pik DESC, g."group" COLLATE "C") AS place
        FROM (${sql}) g
      ) g
      GROUP BY 1, 2, 3
    ) t
    ORDER BY t.currency, t.rest, t.place`;
  return { sql: text, parameters: parameters.values, planning: BY_ITEM };
}

function nameOf({ currency, group }: GroupKey): string {
  return group === null ? currency : `${currency} ${group}`;
}

export type GroupRow = TotalBalance & {
  readonly currency: string;
  readonly rest: boolean;
  readonly group: string | null;
  readonly count: bigint;
  readonly warnings: bigint;
  readonly commitment: bigint;
  readonly available: bigint;
  readonly late: bigint;
  readonly party: NamedParty | null;
};

export function toGroup(row: GroupRow, { level }: Pick<GroupRequest, 'level'>): BookedGroup {
  const { currency, rest, group, count, party, warnings, commitment, available, late } = row;
  const sums = TOTAL_COMPONENTS.map((name) => [name, row[name]] as const);
  return {
    currency,
    rest,
    group,
    party,
    count: Number(count),
    balance: Object.fromEntries(sums) as TotalBalance,
    details: {
      commitment,
      available,
      pastDue: level === 'position' ? undefined : late,
      warnings: Number(warnings),
    },
  };
}

/**
 * Totals of the whole book per currency, from the sums that it keeps of each year, month and day:
 * the years before the date's, the months before the date's in its year, and the days of its month
 * through the date. `$1` is the date, `$2` the sequence; `among` is a condition on the currency `code`.
 */
export function bookTotals(level: Level, among = 'true'): string {
  const stored = `FROM book_total WHERE level = '${level}'`;
  const nextCode = (after: string) => `(SELECT currency ${stored}
        AND currency > ${after} ORDER BY currency LIMIT 1)`;
  const nextStart = (from: string) => `(SELECT start ${stored} AND currency = c.code
          AND grain = g.grain AND start >= ${from} AND start < g.before ORDER BY start LIMIT 1)`;
  return `
    WITH RECURSIVE code AS (
      SELECT ${nextCode("''")} AS code
      UNION ALL SELECT ${nextCode('code')} FROM code WHERE code IS NOT NULL
    )
    SELECT c.code AS currency, sum(t.items)::int8 AS count, ${STORED_SUMS}
    FROM (SELECT code FROM code WHERE code IS NOT NULL AND ${among}) c
    CROSS JOIN (
      SELECT 'year' AS grain, '-infinity'::date AS since, a.year AS before FROM ${STARTS}
      UNION ALL SELECT 'month', a.year, a.month FROM ${STARTS}
      UNION ALL SELECT 'day', a.month, $1::date + 1 FROM ${STARTS}) g
    CROSS JOIN LATERAL (
      WITH RECURSIVE part AS (
        SELECT ${nextStart('g.since')} AS start
        UNION ALL SELECT ${nextStart('part.start + 1')} FROM part WHERE part.start IS NOT NULL
      )
      SELECT start FROM part WHERE start IS NOT NULL) p
    CROSS JOIN LATERAL (SELECT * ${stored} AND currency = c.code AND grain = g.grain
      AND start = p.start AND known_seq <= $2 ORDER BY known_seq DESC LIMIT 1) t
    GROUP BY c.code HAVING sum(t.items) > 0 ORDER BY c.code`;
}

const STORED_SUMS = TOTAL_COMPONENTS.map((name) => `sum(t.${name})::int8 AS ${name}`).join(', ');
const STARTS = `(SELECT date_trunc('year', $1::date)::date AS year,
        date_trunc('month', $1::date)::date AS month) a`;

/** Totals of the whole book. One row that is not `seen` where the reader may not see them. */
export function bookTotalsStatement(request: Totalled): Statement {
  const { level, snapshot } = request;
  const parameters = new SqlParameters(snapshot);
  const among = filterSql('ofBookTotals', request, parameters.add).join(' AND ');
  // As the policy of `book_total` has it: without a row the book may be empty, or not for the reader.
  const role = level === 'position' ? " AND role = 'agent'" : '';
  const text = `
    SELECT seen.seen, total.*
    FROM (SELECT current_setting('cls.full_control', true) = 'on'
        OR EXISTS (SELECT FROM entitlement_rule WHERE all_deals${role}) AS seen) seen
    LEFT JOIN (${bookTotals(level, among || 'true')}) total ON true
    ORDER BY total.currency`;
  return { sql: text, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}

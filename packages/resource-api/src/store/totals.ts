import type {
  BookedGroup,
  Grouping,
  GroupKey,
  GroupRequest,
  PageRequest,
} from '../balances/balance-store.ts';
import { TOTAL_COMPONENTS, type TotalBalance } from '../ledger/balance.ts';
import {
  ALL_DUE,
  AVAILABLE,
  BY_LOOKUP,
  COMMITMENT,
  COMMITMENTS,
  dealDetail,
  hasWarnedLender,
  LATE,
  LEVEL_SQL,
  type LevelSql,
  livesUntil,
  NOT_ZERO,
  OVERDRAWN,
  OVERPAID,
  partyJson,
  TOTAL_SUMS,
  TOTALS,
} from './balance-levels.ts';
import { BY_INDEX, Parameters, type Statement } from './balance-statements.ts';
import { conditions } from './filter-sql.ts';

const PARTIES: readonly (Grouping | undefined)[] = ['borrower', 'lender'];

/** What an item is grouped by, as a text: a party by its key. */
export function groupOf(sql: LevelSql, groupBy: Grouping | undefined): string {
  switch (groupBy) {
    case undefined:
      return 'NULL::text';
    case 'borrower':
      return `${dealDetail('borrower_key')}::text`;
    case 'country':
      return dealDetail('country');
    case 'facilityType':
      return 'f.type';
    case 'status':
      return sql.status;
    case 'lender':
      return `${sql.holder}::text`;
    case 'maturityYear':
      return `extract(year FROM ${sql.maturity})::int::text`;
  }
}

/**
 * @param deals the only ones that may have items of the filter, by their keys
 * @param ended whether items that `item_life` says have ended are passed over, or read to see that they are zero
 */
export function totalsStatement(
  { level, filter, snapshot }: Pick<PageRequest, 'level' | 'filter' | 'snapshot'>,
  deals?: readonly bigint[],
  ended: 'passed over' | 'read' = 'passed over',
): Statement {
  const parameters = new Parameters(snapshot);
  const sql = LEVEL_SQL[level];
  const { includeZero } = filter;
  const asked = { level, filter: { ...filter, includeZero: true } };
  const where = conditions(asked, parameters, deals);
  // The lines at hand show whether an item is zero; it needs no look-up of its own.
  const shown = includeZero ? 'true' : 'b.live';
  if (!includeZero && ended === 'passed over') where.push(`${livesUntil(level, 'i.key')} > $1`);
  // At these levels a sublimit may stand beside the facility that it is carved out of.
  const within =
    level === 'facility' || level === 'position'
      ? `b.sublimit_of_key IS NOT NULL AND bool_or(b.sublimit_of_key IS NULL) OVER (
          PARTITION BY coalesce(b.sublimit_of_key, b.facility_key), b.holder)`
      : 'false';
  const text = `
    SELECT b.currency, count(*) AS count, ${TOTALS}
    FROM (
      SELECT b.*, ${within} AS within
      FROM (
        SELECT f.currency, f.key AS facility_key, f.sublimit_of_key, ${sql.holder} AS holder,
          ${TOTAL_SUMS}, bool_or(${NOT_ZERO}) AS live
        FROM ${sql.items}
        CROSS JOIN LATERAL (SELECT l.key, l.parent_line_key FROM balance_line l
          WHERE ${sql.lines} AND l.lender_key = ${sql.holder} ${BY_LOOKUP}) l
        LEFT JOIN LATERAL (${sql.newest}) b ON true
        WHERE ${where.join('\n          AND ')}
        GROUP BY i.key, f.key, f.currency, f.sublimit_of_key
      ) b
      WHERE ${shown}
    ) b
    GROUP BY b.currency ORDER BY b.currency`;
  const statement = { sql: text, parameters: parameters.values };
  if (deals === undefined) return statement;
  return { ...statement, planning: BY_INDEX, prepared: true };
}

/** Sums of an item over its own lines, beside the components of totals. */
const OWN_SUMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TOTAL_COMPONENTS.map((name) => [name, `sum_minor(b.${name})`])),
  commitment: `sum_minor(${COMMITMENT})`,
  available: AVAILABLE,
};

/**
 * What the items of a filter come to, by group and currency. A sublimit whose facility is among the
 * items adds its principal and no commitment, whichever group it is in, so groups add up to the whole.
 *
 * @param deals the only ones that may have items of the filter, by their keys
 */
export function groupTotalsStatement(
  { level, filter, snapshot, groupBy, top, first = [] }: GroupRequest,
  deals?: readonly bigint[],
): Statement {
  const parameters = new Parameters(snapshot);
  const sql = LEVEL_SQL[level];
  const { includeZero } = filter;
  const asked = { level, filter: { ...filter, includeZero: true } };
  const where = conditions(asked, parameters, deals);
  const places = parameters.add(top);
  const isFirst =
    first.length === 0
      ? ''
      : `b.currency || coalesce(' ' || b."group", '') = ANY(${parameters.add(first.map(nameOf))}) DESC, `;
  const own = `FILTER (WHERE l.lender_key = ${sql.holder})`;
  const sums = Object.entries(OWN_SUMS).map(([name, sum]) => `${sum} ${own} AS ${name}`);
  // Shares of what is past due add up only together, and are worked out from all lenders' lines.
  const late = level === 'position' ? '0' : `coalesce(sum(${LATE}), 0)`;
  const within =
    level === 'facility' || level === 'position'
      ? `b.sublimit_of_key IS NOT NULL AND bool_or(b.sublimit_of_key IS NULL) OVER (
          PARTITION BY coalesce(b.sublimit_of_key, b.facility_key), b.holder)`
      : 'false';
  const once = [...COMMITMENTS, 'commitment', 'available'];
  const counted = (name: string) =>
    once.includes(name) ? `CASE WHEN b.within THEN 0 ELSE b.${name} END` : `b.${name}`;
  const names = [...Object.keys(OWN_SUMS), 'late'];
  const added = names.map((name) => `coalesce(sum(${counted(name)}), 0) AS ${name}`).join(', ');
  const addedUp = names.map((name) => `sum(g.${name})::int8 AS ${name}`).join(', ');
  const party = PARTIES.includes(groupBy) ? partyJson('t."group"::bigint') : 'NULL::json';
  const text = `
    SELECT t.*, ${party} AS party
    FROM (
      SELECT g.currency, g.place > ${places} AS rest,
        CASE WHEN g.place <= ${places} THEN g."group" END AS "group",
        min(g.place) AS place, sum(g.count)::int8 AS count, sum(g.warnings)::int8 AS warnings,
        ${addedUp}
      FROM (
        SELECT b.currency, b."group", count(*) AS count, count(*) FILTER (WHERE b.warned) AS warnings,
          ${added},
          row_number() OVER (PARTITION BY b.currency
            ORDER BY ${isFirst}sum(b.principal_cash + b.principal_pik) DESC, b."group" COLLATE "C") AS place
        FROM (
          SELECT b.*, ${within} AS within
          FROM (
            SELECT f.currency, f.key AS facility_key, f.sublimit_of_key, ${sql.holder} AS holder,
              n."group", ${sums.join(', ')}, ${late} AS late,
              bool_or(${NOT_ZERO}) ${own} AS live,
              coalesce(bool_or(${OVERDRAWN} OR ${OVERPAID} OR ${ALL_DUE})
                FILTER (WHERE l.lender_key = 0), false) OR of_lenders.warned AS warned
            FROM ${sql.items}
            CROSS JOIN LATERAL (SELECT ${groupOf(sql, groupBy)} AS "group" ${BY_LOOKUP}) n
            CROSS JOIN LATERAL (SELECT ${hasWarnedLender(sql)} AS warned ${BY_LOOKUP}) of_lenders
            CROSS JOIN LATERAL (SELECT l.* FROM balance_line l
              WHERE ${sql.lines} AND l.lender_key IN (0, ${sql.holder}) ${BY_LOOKUP}) l
            LEFT JOIN LATERAL (${sql.newest}) b ON true
            WHERE ${where.join('\n              AND ')}
            GROUP BY i.key, f.key, f.currency, f.sublimit_of_key, n."group", of_lenders.warned
          ) b
          WHERE ${includeZero ? 'true' : 'b.live'}
        ) b
        GROUP BY b.currency, b."group"
      ) g
      GROUP BY 1, 2, 3
    ) t
    ORDER BY t.currency, t.rest, t.place`;
  return { sql: text, parameters: parameters.values };
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
  readonly party: { readonly id: string; readonly name: string } | null;
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

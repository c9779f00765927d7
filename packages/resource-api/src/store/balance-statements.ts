import type { SqlValue } from '@cls/shared/sql/database';
import type {
  BalanceFilter,
  Level,
  MovementRequest,
  PageEnd,
  PageRequest,
  Snapshot,
  Sort,
} from '../balances/balance-store.ts';
import {
  BY_LOOKUP,
  borrowerOf,
  dealHas,
  dealsWith,
  FACILITY_NAME,
  hadFrom,
  hasRecord,
  itemSum,
  KNOWN_LENDER,
  LEVEL_SQL,
  type LevelSql,
  LINE_SUMS,
  NOT_ZERO,
  OUTSTANDING,
  partyName,
  sinceOf,
  TOTAL_SUMS,
  TOTALS,
  termsJoins,
} from './balance-levels.ts';
import { bookTotals } from './book-totals.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** Settings that it is planned with: `SET LOCAL …;`. */
  readonly planning?: string;
  /** Planned once by each session: it is look-ups alone, whatever its parameters are. */
  readonly prepared?: boolean;
}

/**
 * Each table is read by an index, for the rows that were found before. A plan that is kept may be made
 * while the tables are empty, when any other way looks as good.
 */
export const BY_INDEX =
  'SET LOCAL enable_seqscan = off;SET LOCAL enable_hashjoin = off;SET LOCAL enable_mergejoin = off;';

/** A bitmap reads all that a condition finds, and may join what each of two indexes finds. */
const BY_ONE_INDEX = 'SET LOCAL enable_bitmapscan = off;';
/** An index gives the order: sorting would read all that is to come before the first row. */
const IN_ORDER = `SET LOCAL enable_sort = off;${BY_ONE_INDEX}`;

/** Look-ups alone, in the order of the index that comes first. */
export const LOOK_UPS = `${BY_INDEX}${IN_ORDER}`;

export type SortedRequest = PageRequest & { readonly sort: Sort };

/** Parameters in the order in which the text names them; `$1` is the date, `$2` the sequence. */
export class Parameters {
  readonly values: SqlValue[];

  constructor({ asOf, ledgerSeq }: Snapshot) {
    this.values = [asOf, ledgerSeq];
  }

  add(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/**
 * One page with all that its items tell, global balances before lenders' ones: all items of a filter
 * are sorted.
 *
 * @param deals the only ones that may have items of the page, by their keys
 */
export function sortingStatement(request: SortedRequest, deals?: readonly bigint[]): Statement {
  const { level, filter, snapshot, sort, after, limit } = request;
  const parameters = new Parameters(snapshot);
  const sql = LEVEL_SQL[level];
  const where = conditions(sql, level, filter, parameters);
  if (deals !== undefined) where.push(`i.deal_key = ANY(${parameters.add(deals)})`);
  const order = orderOf(sql, sort);
  if (after !== undefined) where.push(order.after(after, parameters));
  const page = `
      SELECT i.key, ${order.value}::text AS sort_value,
        row_number() OVER (ORDER BY ${order.by}) AS number
      FROM ${sql.items}
      WHERE ${where.join('\n        AND ')}
      ORDER BY ${order.by} LIMIT ${parameters.add(limit + 1)}`;
  const text = detailsOf(level, page);
  return { sql: text, parameters: parameters.values, planning: BY_ONE_INDEX };
}

/** The same of items that are found already, in their order. */
export function foundPageStatement(
  level: Level,
  snapshot: Snapshot,
  found: readonly PageEnd[],
): Statement {
  const parameters = new Parameters(snapshot);
  const keys = parameters.add(found.map(({ key }) => key));
  const values = parameters.add(found.map(({ sortValue }) => sortValue));
  const page = `
      SELECT * FROM unnest(${keys}::bigint[], ${values}::text[])
        WITH ORDINALITY AS found (key, sort_value, number)`;
  const text = detailsOf(level, page);
  return { sql: text, parameters: parameters.values };
}

/**
 * Everything that a page tells of its items. `page` is a SELECT that finds them: their `key`, what they
 * are sorted by (`sort_value`), and their place on the page (`number`).
 */
export function detailsOf(level: Level, page: string): string {
  const sql = LEVEL_SQL[level];
  const contract =
    level === 'contract' ? 'loan_contract c ON c.key = i.key' : 'loan_contract c ON false';
  const holder =
    level === 'position' ? 'party holder ON holder.key = i.lender_key' : 'party holder ON false';
  return `
    WITH page AS MATERIALIZED (${page}
    )
    SELECT page.key, page.sort_value, f.currency,
      d.id AS deal_id, coalesce(dd.name, d.name) AS deal_name, d.deal_number,
      coalesce(dd.country, d.country) AS country,
      coalesce(dt.status, d.status) AS deal_status,
      f.id AS facility_id, ${FACILITY_NAME} AS facility_name, f.type AS facility_type,
      (SELECT id FROM facility g WHERE g.key = f.sublimit_of_key) AS sublimit_of,
      CASE WHEN ft.facility_key IS NULL THEN f.maturity_date ELSE ft.maturity_date END
        AS maturity_date,
      CASE WHEN ft.facility_key IS NULL THEN f.availability_end_date
           ELSE ft.availability_end_date END AS availability_end_date,
      coalesce(ft.status, f.status) AS facility_status,
      c.id AS contract_id, c.contract_number, coalesce(ct.status, c.status) AS contract_status,
      CASE WHEN ct.contract_key IS NULL THEN c.maturity_date ELSE ct.maturity_date END
        AS contract_maturity_date,
      (CASE WHEN ct.contract_key IS NULL THEN c.all_in_rate ELSE ct.all_in_rate END)::text
        AS all_in_rate,
      ${level === 'position' ? 'i.id' : 'NULL'} AS position_id,
      ${level === 'position' ? 'i.kind' : 'NULL'} AS position_kind, holder.id AS holder_id,
      borrower.id AS borrower_id, ${partyName('borrower')} AS borrower_name,
      lender.id AS lender_id, ${partyName('lender')} AS lender_name,
      (SELECT coalesce(array_agg(DISTINCT e.role), '{}') FROM entitlement e
       WHERE e.deal_key = d.key) AS roles,
      EXISTS (SELECT FROM rate_period r WHERE r.deal_key = d.key) AS accrues,
      (SELECT coalesce(max(greatest(t.known_seq, (SELECT max(s.known_seq) FROM journal_standing s
          WHERE s.seq = t.known_seq AND s.known_seq <= $2))), 0)
       FROM facility g JOIN facility_terms t ON t.facility_key = g.key
       WHERE g.deal_key = d.key AND t.effective_date <= $1 AND t.known_seq <= $2) AS terms_seq,
      ${hadFrom(sql.record, sql.booked)} AS booked_seq,
      coalesce(s.last_effective_date, ${sinceOf(sql.record, sql.booked)})::text
        AS last_effective_date,
      coalesce(s.last_seq, ${sql.booked}.booked_seq) AS last_seq, s.*
    FROM page JOIN (${sql.items}) ON i.key = page.key
    LEFT JOIN ${contract}
    LEFT JOIN ${holder}${termsJoins('c.key')}
    CROSS JOIN LATERAL (SELECT coalesce(dd.borrower_key, d.borrower_key) AS key ${BY_LOOKUP}) borrows
    CROSS JOIN LATERAL (SELECT * FROM party WHERE key = borrows.key ${BY_LOOKUP}) borrower
    CROSS JOIN LATERAL (
      SELECT l.lender_key, max(b.effective_date) AS last_effective_date,
        max(b.known_seq) AS last_seq, ${LINE_SUMS}
      FROM balance_line l LEFT JOIN LATERAL (${sql.newest}) b ON true
      WHERE ${sql.lines} AND ${KNOWN_LENDER} GROUP BY l.lender_key
    ) s
    LEFT JOIN party lender ON lender.key = s.lender_key
    ORDER BY page.number, s.lender_key`;
}

/** Balances of given items at a snapshot, by item and lender. */
export function balancesStatement(
  level: Level,
  keys: readonly bigint[],
  snapshot: Snapshot,
): Statement {
  const parameters = new Parameters(snapshot);
  const { items, lines, newest } = LEVEL_SQL[level];
  const text = `
    SELECT i.key, lender.id AS lender_id, s.*
    FROM ${items}
    CROSS JOIN LATERAL (
      SELECT l.lender_key, ${LINE_SUMS}
      FROM balance_line l LEFT JOIN LATERAL (${newest}) b ON true
      WHERE ${lines} AND ${KNOWN_LENDER} GROUP BY l.lender_key
    ) s
    LEFT JOIN party lender ON lender.key = s.lender_key
    WHERE i.key = ANY(${parameters.add(keys)})`;
  return { sql: text, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}

/** @param deals the only ones that may have items of the filter, by their keys */
export function totalsStatement(
  { level, filter, snapshot }: Pick<PageRequest, 'level' | 'filter' | 'snapshot'>,
  deals?: readonly bigint[],
): Statement {
  const parameters = new Parameters(snapshot);
  const sql = LEVEL_SQL[level];
  const { includeZero, ...rest } = filter;
  const where = conditions(sql, level, { ...rest, includeZero: true }, parameters);
  if (deals !== undefined) where.push(`i.deal_key = ANY(${parameters.add(deals)})`);
  // The lines at hand show whether an item is zero; it needs no look-up of its own.
  const shown = includeZero ? 'true' : 'b.live';
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
  return { sql: text, parameters: parameters.values };
}

/** Whether the filter leaves nothing out but currencies: the book keeps such totals. */
export function asksWholeBook({ includeZero, currencies: _, ...rest }: BalanceFilter): boolean {
  const asked = Object.values(rest).filter((value) => value !== undefined);
  return !includeZero && asked.every((value) => Array.isArray(value) && value.length === 0);
}

/** Totals of the whole book. One row that is not `seen` where they are kept from the reader. */
export function bookTotalsStatement({
  level,
  filter,
  snapshot,
}: Pick<PageRequest, 'level' | 'filter' | 'snapshot'>): Statement {
  const parameters = new Parameters(snapshot);
  const among = filter.currencies.length > 0 && `code = ANY(${parameters.add(filter.currencies)})`;
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

/**
 * Items of a filter in which something accrues: among the items of given deals, or of the deals with
 * rates, because few of many deals may have any.
 */
export function accruingStatement(
  { level, filter, snapshot, limit }: Pick<PageRequest, 'level' | 'filter' | 'snapshot' | 'limit'>,
  deals?: readonly bigint[],
): Statement {
  const parameters = new Parameters(snapshot);
  const sql = LEVEL_SQL[level];
  const where = conditions(sql, level, filter, parameters).join('\n      AND ');
  const holder = level === 'position' ? '(SELECT id FROM party WHERE key = i.lender_key)' : `''`;
  const most = parameters.add(limit + 1);
  const columns = `i.key, f.currency, ${holder} AS holder`;
  const next = (after: string) => `(SELECT deal_key FROM rate_period
        WHERE deal_key > ${after} ORDER BY deal_key LIMIT 1)`;
  const text =
    deals === undefined
      ? `
    WITH RECURSIVE rated AS (
      SELECT ${next('0')} AS key
      UNION ALL SELECT ${next('rated.key')} FROM rated WHERE rated.key IS NOT NULL
    )
    SELECT item.* FROM rated CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${sql.items}
      WHERE i.deal_key = rated.key AND ${where} ${BY_LOOKUP}) item
    LIMIT ${most}`
      : `
    SELECT ${columns}
    FROM ${sql.items}
    WHERE i.deal_key = ANY(${parameters.add(deals)}) AND ${where}
      AND EXISTS (SELECT FROM rate_period r WHERE r.deal_key = d.key)
    ORDER BY i.key LIMIT ${most}`;
  return { sql: text, parameters: parameters.values };
}

/** A posting `p` of line `l` in journal `j`, which may reverse `r` or correct the bill `b`. */
const MOVEMENT_COLUMNS = `
      p.journal_seq AS seq, p.number, j.id AS journal_id, j.type, p.effective_date,
      ${instant('j.posted_at')} AS posted_at, j.reason, r.id AS reverses, b.id AS corrects,
      d.id AS deal_id, f.id AS facility_id, c.id AS contract_id, c.contract_number,
      lender.id AS lender_id, ${partyName('lender')} AS lender_name,
      p.movement::text AS movement, p.account::text AS account, p.amount_minor, l.currency`;

/** Up to this many deals, or days, a page of movements is put together one by one. */
const FEW = 50;

/**
 * Principal movements as they were posted, in posting order. The page is found by keys alone, and
 * only then read in full. Where the filter or the caller's grants leave few deals, it is merged from
 * their journals, and where the period has few days, from the days'; otherwise the book is walked in
 * posting order, from the first journal of the period on, until the page is full. Each ends with the
 * page, and none goes by what the planner knows of the tables.
 */
export function movementsStatement(request: MovementRequest, narrowed: boolean): Statement {
  const { filter, snapshot, fromDate, after, limit } = request;
  const parameters = new Parameters(snapshot);
  const asked = movementConditions(filter, parameters);
  const from = fromDate === undefined ? undefined : parameters.add(fromDate);
  const seq = after === undefined ? undefined : parameters.add(after.seq);
  const place = after && `(p.journal_seq, p.number) > (${seq}, ${parameters.add(after.number)})`;
  const count = parameters.add(limit + 1);
  const where = ['p.movement IS NOT NULL', ...(place ? [place] : []), ...asked.ofLine].join(
    ' AND ',
  );
  // A posting has the date of its journal.
  const dated = (alias: string) =>
    `${alias}.effective_date <= $1${from ? ` AND ${alias}.effective_date >= ${from}` : ''}`;
  const journals = `${dated('j')} AND j.seq <= $2${seq ? ` AND j.seq >= ${seq}` : ''}`;
  const start = from ? ' AND p.journal_seq >= (SELECT seq FROM first_in_time)' : '';
  const walk = `SELECT p.journal_seq, p.number FROM posting p
      WHERE p.journal_seq <= $2${start} AND ${dated('p')} AND ${where}`;
  /** The first movements of journals `j` of each of few groups, in posting order. */
  const merged = (groups: string, ofGroup: string) => `SELECT p.journal_seq, p.number
      FROM ${groups} CROSS JOIN LATERAL (
        SELECT p.journal_seq, p.number FROM journal j CROSS JOIN LATERAL (
          SELECT p.journal_seq, p.number FROM posting p WHERE p.journal_seq = j.seq AND ${where}
          ORDER BY p.number ${BY_LOOKUP}) p
        WHERE ${ofGroup} AND ${journals}
        ORDER BY j.seq, p.number LIMIT ${count}) p`;
  const narrow = narrowed || asked.ofDeal.length > 0;
  const ways = [
    ...(narrow ? [{ of: merged('wanted', 'j.deal_key = wanted.key'), when: 'few_deals' }] : []),
    ...(from ? [{ of: merged('days', 'j.effective_date = days.day'), when: 'few_days' }] : []),
  ];
  const noneOf = (others: typeof ways) =>
    others.map(({ when }) => ` AND NOT (SELECT so FROM ${when})`).join('');
  const parts = [
    ...ways.map(
      ({ of, when }, index) =>
        `(${of} WHERE (SELECT so FROM ${when})${noneOf(ways.slice(0, index))})`,
    ),
    `(${walk}${noneOf(ways)} ORDER BY p.journal_seq, p.number LIMIT ${count})`,
  ];
  const tables = [
    ...(narrow ? [wantedDeals(asked.ofDeal)] : []),
    ...(from ? [daysFrom(from, journals)] : []),
    `page AS MATERIALIZED (
      SELECT * FROM (${parts.join('\n      UNION ALL ')}) found
      ORDER BY journal_seq, number LIMIT ${count}
    )`,
  ];
  const text = `
    WITH RECURSIVE ${tables.join(', ')}
    SELECT ${MOVEMENT_COLUMNS}
    FROM page
    CROSS JOIN LATERAL (SELECT * FROM posting q
      WHERE q.journal_seq = page.journal_seq AND q.number = page.number ${BY_LOOKUP}) p
    CROSS JOIN LATERAL (SELECT * FROM balance_line WHERE key = p.line_key ${BY_LOOKUP}) l
    CROSS JOIN LATERAL (SELECT * FROM journal WHERE seq = p.journal_seq ${BY_LOOKUP}) j
    CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = l.facility_key ${BY_LOOKUP}) f
    CROSS JOIN LATERAL (SELECT * FROM deal WHERE key = l.deal_key ${BY_LOOKUP}) d
    LEFT JOIN journal r ON r.seq = j.reverses_seq
    LEFT JOIN journal b ON b.seq = j.corrects_seq
    LEFT JOIN loan_contract c ON c.key = l.contract_key
    LEFT JOIN party lender ON lender.key = l.lender_key
    ORDER BY p.journal_seq, p.number`;
  return { sql: text, parameters: parameters.values, planning: IN_ORDER };
}

function wantedDeals(conditions: readonly string[]): string {
  return `wanted AS MATERIALIZED (
      SELECT d.key FROM deal d WHERE ${['true', ...conditions].join(' AND ')} LIMIT ${FEW + 1}
    ), few_deals AS MATERIALIZED (SELECT count(*) <= ${FEW} AS so FROM wanted)`;
}

/** The days of a period on which journals `j` are effective, and the first of these journals. */
function daysFrom(from: string, journals: string): string {
  const next = (after: string) => `(SELECT effective_date FROM journal
        WHERE effective_date ${after} AND effective_date <= $1 ORDER BY effective_date LIMIT 1)`;
  return `every_day AS (
      SELECT ${next(`>= ${from}`)} AS day
      UNION ALL SELECT ${next('> day')} FROM every_day WHERE day IS NOT NULL
    ), days AS MATERIALIZED (SELECT day FROM every_day WHERE day IS NOT NULL),
    few_days AS MATERIALIZED (SELECT count(*) <= ${FEW} AS so FROM days),
    first_in_time AS MATERIALIZED (
      SELECT min(f.seq) AS seq FROM days CROSS JOIN LATERAL (
        SELECT j.seq FROM journal j WHERE j.effective_date = days.day AND ${journals}
        ORDER BY j.seq LIMIT 1) f)`;
}

/** What a filter asks of a movement `p` by itself, and what follows of its deal `d`. */
function movementConditions(filter: BalanceFilter, parameters: Parameters) {
  const { dealIds, facilityIds, contractIds, lenderIds, borrowerIds, currencies } = filter;
  const ofDeal: string[] = [];
  const ofLine: string[] = [];
  const add = (values: readonly string[], deals: (list: string) => string, line?: string) => {
    if (values.length === 0) return;
    const list = parameters.add(values);
    ofDeal.push(deals(list));
    ofLine.push((line ?? deals('LIST')).replaceAll('LIST', list));
  };
  const subjects = (table: string) => (list: string) =>
    `d.key IN (
        SELECT deal_key FROM ${table} WHERE id = ANY(${list})
        UNION SELECT key FROM deal WHERE id = ANY(${list}))`;
  const parties = (list: string) => `(SELECT key FROM party WHERE id = ANY(${list}))`;
  add(dealIds, (list) => `d.id = ANY(${list})`);
  add(borrowerIds, (list) => dealsWith('borrower_key', keysOf(list)));
  add(
    facilityIds,
    subjects('facility'),
    `(d.id = ANY(LIST)
        OR EXISTS (SELECT FROM facility WHERE key = l.facility_key AND id = ANY(LIST)))`,
  );
  add(
    contractIds,
    subjects('loan_contract'),
    `(d.id = ANY(LIST)
        OR EXISTS (SELECT FROM loan_contract WHERE key = l.contract_key AND id = ANY(LIST)))`,
  );
  add(
    lenderIds,
    (list) =>
      `d.key IN (SELECT deal_key FROM lender_position WHERE lender_key IN ${parties(list)})`,
    `l.lender_key IN ${parties('LIST')}`,
  );
  add(
    currencies,
    (list) => `EXISTS (SELECT FROM facility
        WHERE deal_key = d.key AND currency = ANY(${list}) ${BY_LOOKUP})`,
    'l.currency = ANY(LIST)',
  );
  if (ofLine.length === 0) return { ofDeal, ofLine };
  const line = `EXISTS (SELECT FROM balance_line l JOIN deal d ON d.key = l.deal_key
        WHERE l.key = p.line_key AND ${ofLine.join(' AND ')} ${BY_LOOKUP})`;
  return { ofDeal, ofLine: [line] };
}

/** The first movements of each of given items, in posting order. */
export function itemMovementsStatement(
  level: Level,
  keys: readonly bigint[],
  snapshot: Snapshot,
  fromDate: string | undefined,
  limit: number,
): Statement {
  const parameters = new Parameters(snapshot);
  const { items, lines } = LEVEL_SQL[level];
  const from = fromDate === undefined ? 'true' : `p.effective_date >= ${parameters.add(fromDate)}`;
  const text = `
    SELECT i.key AS item, ${MOVEMENT_COLUMNS}
    FROM ${items}
    CROSS JOIN LATERAL (
      SELECT p.* FROM balance_line l JOIN posting p ON p.line_key = l.key
      WHERE ${lines} AND p.movement IS NOT NULL AND p.effective_date <= $1
        AND p.journal_seq <= $2 AND ${from}
      ORDER BY p.journal_seq, p.number LIMIT ${parameters.add(limit)}
    ) p
    JOIN balance_line l ON l.key = p.line_key
    JOIN journal j ON j.seq = p.journal_seq
    LEFT JOIN journal r ON r.seq = j.reverses_seq
    LEFT JOIN journal b ON b.seq = j.corrects_seq
    LEFT JOIN loan_contract c ON c.key = l.contract_key
    LEFT JOIN party lender ON lender.key = l.lender_key
    WHERE i.key = ANY(${parameters.add(keys)})
    ORDER BY i.key, p.journal_seq, p.number`;
  return { sql: text, parameters: parameters.values };
}

/** RFC 3339 in UTC, with all the digits that the database keeps. */
export function instant(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

function among(column: string, values: readonly string[], parameters: Parameters): string[] {
  return values.length === 0 ? [] : [`${column} = ANY(${parameters.add(values)})`];
}

function amongEither(
  columns: readonly string[],
  values: readonly string[],
  parameters: Parameters,
): string[] {
  if (values.length === 0) return [];
  const list = parameters.add(values);
  return [`(${columns.map((column) => `${column} = ANY(${list})`).join(' OR ')})`];
}

/** @param deals whether the deal is given, or is to be found by an index where the filter names some */
export function conditions(
  sql: LevelSql,
  level: Level,
  filter: BalanceFilter,
  parameters: Parameters,
  deals: 'to be found' | 'of the candidate' = 'to be found',
): string[] {
  const ofDeal = deals === 'to be found' ? dealsWith : dealHas;
  const { booked, record, status, lines, holder, newest } = sql;
  const list = (values: readonly string[]) => parameters.add(values);
  const where = [
    sql.only,
    hasRecord(record, booked),
    ...among('d.id', filter.dealIds, parameters),
    ...amongEither(['f.id', 'd.id'], filter.facilityIds, parameters),
    ...(level === 'contract' ? amongEither(['i.id', 'd.id'], filter.contractIds, parameters) : []),
    ...among('f.currency', filter.currencies, parameters),
    ...among('f.type', filter.facilityTypes, parameters),
    ...among(status, filter.statuses, parameters),
  ];
  if (filter.countries.length > 0) where.push(ofDeal('country', list(filter.countries)));
  if (filter.borrowerIds.length > 0) {
    where.push(ofDeal('borrower_key', keysOf(list(filter.borrowerIds))));
  }
  if (filter.lenderIds.length > 0) {
    const keys = `(SELECT key FROM party WHERE id = ANY(${list(filter.lenderIds)}))`;
    where.push(
      level === 'position'
        ? `i.lender_key IN ${keys}`
        : `EXISTS (SELECT FROM lender_position q WHERE q.lender_key IN ${keys}
            AND ${hasRecord('position', 'q')}
            AND ${level === 'deal' ? 'q.deal_key = d.key' : 'q.facility_key = f.key'})`,
    );
  }
  if (filter.minOutstandingMinor !== undefined) {
    where.push(`${itemSum(sql, OUTSTANDING)} >= ${parameters.add(filter.minOutstandingMinor)}`);
  }
  if (filter.maxOutstandingMinor !== undefined) {
    where.push(`${itemSum(sql, OUTSTANDING)} <= ${parameters.add(filter.maxOutstandingMinor)}`);
  }
  if (!filter.includeZero) {
    where.push(`EXISTS (SELECT FROM balance_line l CROSS JOIN LATERAL (${newest}) b
      WHERE ${lines} AND l.lender_key = ${holder} AND ${NOT_ZERO} ${BY_LOOKUP})`);
  }
  return where;
}

interface Order {
  readonly value: string;
  readonly by: string;
  after(end: { sortValue: string | null; key: bigint }, parameters: Parameters): string;
}

/** The keys of parties with these ids. */
export function keysOf(list: string): string {
  return `ARRAY(SELECT key FROM party WHERE id = ANY(${list}))`;
}

/** What an item is sorted by, and its type. Text sorts by code point, the same everywhere. */
export function sortValue(sql: LevelSql, by: Sort['by']): readonly [string, string] {
  const values: Readonly<Record<Sort['by'], readonly [string, string]>> = {
    dealNumber: ['d.deal_number COLLATE "C"', 'text'],
    facilityName: [`${FACILITY_NAME} COLLATE "C"`, 'text'],
    borrower: [`(SELECT ${partyName('y')} FROM ${borrowerOf()} y) COLLATE "C"`, 'text'],
    maturityDate: [`coalesce(${sql.maturity}, 'infinity')`, 'date'],
    outstanding: [itemSum(sql, OUTSTANDING), 'numeric'],
    unfunded: [itemSum(sql, 'b.unfunded'), 'numeric'],
  };
  return values[by];
}

function orderOf(sql: LevelSql, sort: Sort): Order {
  const [value, type] = sortValue(sql, sort.by);
  const [direction, beyond] = sort.descending ? ['DESC', '<'] : ['ASC', '>'];
  return {
    value,
    by: `${value} ${direction}, i.key`,
    after: ({ sortValue, key }, parameters) => {
      const last = `${parameters.add(sortValue)}::${type}`;
      return `(${value} ${beyond} ${last} OR (${value} = ${last} AND i.key > ${parameters.add(key)}))`;
    },
  };
}

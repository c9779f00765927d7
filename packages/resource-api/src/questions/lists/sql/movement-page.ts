import type { Database } from '@cls/shared/sql/database';
import type { BusinessDate } from '../../../ledger/business-date.ts';
import type {
  BalanceFilter,
  FoundMovements,
  Level,
  Movement,
  MovementPlace,
  MovementRequest,
  ReaderAccess,
  Snapshot,
} from '../../ask/balance-store.ts';
import { BY_LOOKUP, LEVEL_SQL, partyName } from '../../ask/sql/balance-levels.ts';
import { fewDeals } from '../../ask/sql/few-deals.ts';
import { filterSql } from '../../ask/sql/filter-sql.ts';
import {
  instant,
  lastQuery,
  lookUp,
  SqlParameters,
  type Statement,
} from '../../ask/sql/statement.ts';
import { PASSED_OVER, type WalkBounds, walkLength } from '../../page/sql/page-walk.ts';

/** Movements that are looked up where a page is merged from the journals of deals. */
const MERGED = 20_000;
/** Up to so many days, a page is merged from the journals of each. */
const FEW_DAYS = 50;
/** Beyond the last posting of a journal. */
const LAST_NUMBER = 32_767;

/** Journals that a page looks at. */
interface Stretch {
  readonly from: bigint;
  readonly through: bigint;
  /** The only days of these journals that have movements of the period. */
  readonly days?: readonly BusinessDate[];
}

/**
 * Principal movements as they were posted, in posting order. Where the filter or the caller's grants
 * leave few deals, a page is merged from their journals. Otherwise it looks at a stretch of so many
 * journals, of the whole book or of a period's days, and is short where too few of their movements
 * are asked for; in a small ledger it is filled whatever it takes.
 */
export async function readMovements(
  database: Database,
  facts: Database,
  access: ReaderAccess,
  request: MovementRequest,
  bounds: WalkBounds,
): Promise<FoundMovements> {
  const page = await readStretch(database, facts, access, request, bounds);
  if (!page.givenUp) return page;
  // Each journal has a sequence.
  if (request.snapshot.ledgerSeq > BigInt(bounds.smallLedger)) return page;
  return readStretch(database, facts, access, request, undefined);
}

async function readStretch(
  database: Database,
  facts: Database,
  access: ReaderAccess,
  request: MovementRequest,
  bounds: WalkBounds | undefined,
): Promise<FoundMovements & { readonly givenUp: boolean }> {
  const { filter, snapshot, limit } = request;
  const length = walkLength(limit, bounds);
  // Many of these may be of deals that the caller does not see.
  const stretch = await stretchOf(facts, request, length * PASSED_OVER);
  if (stretch === undefined) return { movements: [], next: undefined, givenUp: false };
  return lookUp(database, access, async (on) => {
    const few = Math.floor(MERGED / (limit + 1));
    const deals = await fewDeals(on, access, { level: 'contract', filter }, few);
    const walk = movementWalkStatement(request, deals ?? stretch, length);
    const walked = await on.query<WalkRow>(walk.sql, walk.parameters);
    const found = walked
      .filter(({ given_up }) => !given_up)
      .map(({ seq, number }): MovementPlace => ({ seq, number }));
    const shown = found.slice(0, limit);
    const isLast = deals !== undefined || stretch.through >= snapshot.ledgerSeq;
    const stopped = walked.find(({ given_up }) => given_up);
    const end = isLast ? undefined : { seq: stretch.through, number: LAST_NUMBER };
    const place = stopped ? { seq: stopped.seq, number: stopped.number - 1 } : end;
    const isFull = found.length > limit;
    return {
      movements:
        shown.length === 0
          ? []
          : await lastQuery<Movement>(on, foundMovementsStatement(snapshot, shown)),
      next: isFull ? shown.at(-1) : place,
      givenUp: !isFull && place !== undefined,
    };
  });
}

/** A movement of the page, or the one before which the walk was given up. */
interface WalkRow extends MovementPlace {
  readonly given_up: boolean;
}

/** Undefined where no journal of the period is left. */
async function stretchOf(
  facts: Database,
  { snapshot, fromDate, after }: MovementRequest,
  length: number,
): Promise<Stretch | undefined> {
  const { ledgerSeq } = snapshot;
  const start = after?.seq ?? 0n;
  const through = (from: bigint) => least(from + BigInt(length), ledgerSeq);
  if (fromDate === undefined) return { from: start, through: through(start) };
  const { sql, parameters } = periodStatement(snapshot, fromDate, start, length);
  const [period] = await facts.query<PeriodRow>(sql, parameters);
  if (period?.first == null) return undefined;
  const { first: from, days, furthest } = period;
  if (days === null) return { from, through: through(from) };
  return { from, through: furthest ?? ledgerSeq, days };
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

interface PeriodRow {
  /** Null where they are many. */
  readonly days: readonly BusinessDate[] | null;
  /** The first journal of the period from a place on; null for none. */
  readonly first: bigint | null;
  /** Of few days' journals, the last one that a page looks at; null where it is the last of all. */
  readonly furthest: bigint | null;
}

/** The days of a period on which journals are effective, and which of these journals a page looks at. */
function periodStatement(
  snapshot: Snapshot,
  fromDate: BusinessDate,
  start: bigint,
  length: number,
): Statement {
  const parameters = new SqlParameters(snapshot);
  const from = parameters.add(fromDate);
  const most = parameters.add(length);
  const next = (after: string) => `(SELECT effective_date FROM journal
        WHERE effective_date ${after} AND effective_date <= $1 ORDER BY effective_date LIMIT 1)`;
  /** The first journals of each day, from the place on. */
  const journals = (count: string) => `days CROSS JOIN LATERAL (
        SELECT seq FROM journal
        WHERE effective_date = days.day AND seq >= ${parameters.add(start)} AND seq <= $2
        ORDER BY seq LIMIT ${count}) j`;
  const text = `
    WITH RECURSIVE every_day AS (
      SELECT ${next(`>= ${from}`)} AS day
      UNION ALL SELECT ${next('> day')} FROM every_day WHERE day IS NOT NULL
    ), days AS MATERIALIZED (SELECT day FROM every_day WHERE day IS NOT NULL),
    few AS MATERIALIZED (
      SELECT array_agg(day::text) AS days FROM days HAVING count(*) <= ${FEW_DAYS})
    SELECT (SELECT days FROM few) AS days,
      (SELECT min(j.seq) FROM ${journals('1')}) AS first,
      CASE WHEN EXISTS (SELECT FROM few) THEN (
        SELECT max(seq) FROM (
          SELECT j.seq FROM ${journals(most)} ORDER BY j.seq LIMIT ${most}) f
        HAVING count(*) = ${most}) END AS furthest`;
  return { sql: text, parameters: parameters.values };
}

/** Of a posting `p` of line `l` in journal `j`, which may reverse `r` or correct the bill `b`. */
const MOVEMENT_FIELDS: Readonly<Record<keyof Movement, string>> = {
  seq: 'p.journal_seq',
  number: 'p.number',
  journalId: 'j.id',
  type: 'j.type',
  effectiveDate: 'p.effective_date',
  postedAt: instant('j.posted_at'),
  reason: 'j.reason',
  // The name of somebody at the agent's is not for the other parties of the deal.
  postedBy: `CASE WHEN current_setting('cls.full_control', true) = 'on'
        OR EXISTS (SELECT FROM entitlement e WHERE e.deal_key = d.key AND e.role = 'agent')
      THEN j.created_by END`,
  reverses: 'r.id',
  corrects: 'b.id',
  dealId: 'd.id',
  facilityId: '(SELECT id FROM facility WHERE key = l.facility_key)',
  contractId: 'c.id',
  contractNumber: 'c.contract_number',
  lender: `CASE WHEN lender.key IS NOT NULL
        THEN json_build_object('id', lender.id, 'name', ${partyName('lender')}) END`,
  movement: 'p.movement::text',
  account: 'p.account::text',
  amountMinor: 'p.amount_minor',
  currency: 'l.currency',
};
const MOVEMENT_COLUMNS = Object.entries(MOVEMENT_FIELDS)
  .map(([name, sql]) => `${sql} AS "${name}"`)
  .join(', ');

const MOVEMENT_JOINS = `LEFT JOIN journal r ON r.seq = j.reverses_seq
    LEFT JOIN journal b ON b.seq = j.corrects_seq
    LEFT JOIN loan_contract c ON c.key = l.contract_key
    LEFT JOIN party lender ON lender.key = l.lender_key`;

/**
 * Finds the movements of a page, one too many where there are more.
 *
 * @param among few deals by their keys, or the journals that a page looks at
 * @param length so many movements of a stretch are looked at
 */
export function movementWalkStatement(
  { filter, snapshot, fromDate, after, limit }: MovementRequest,
  among: readonly bigint[] | Stretch,
  length: number,
): Statement {
  const parameters = new SqlParameters(snapshot);
  const from = fromDate && parameters.add(fromDate);
  const seq = after && parameters.add(after.seq);
  const place =
    after && `(p.journal_seq, p.number) > (${seq}, ${parameters.add(after.number)}::smallint)`;
  const asked = movementConditions(filter, parameters);
  const count = parameters.add(limit + 1);
  const where = (conditions: readonly string[]) =>
    ['p.movement IS NOT NULL', ...(place ? [place] : []), ...conditions].join(' AND ');
  // A posting has the date of its journal.
  const dated = (alias: string) =>
    `${alias}.effective_date <= $1${from ? ` AND ${alias}.effective_date >= ${from}` : ''}`;
  /** The first movements of journals `j` of each of few groups. */
  const merged = (groups: string, ofGroup: string, journals: string) => `
    SELECT p.journal_seq AS seq, p.number, false AS given_up
    FROM unnest(${groups}) AS few (one) CROSS JOIN LATERAL (
      SELECT p.journal_seq, p.number FROM journal j CROSS JOIN LATERAL (
        SELECT p.journal_seq, p.number FROM posting p
        WHERE p.journal_seq = j.seq AND ${where(asked)}
        ORDER BY p.number ${BY_LOOKUP}) p
      WHERE ${ofGroup} AND ${dated('j')} AND j.seq <= $2 AND ${journals}
      ORDER BY j.seq, p.number LIMIT ${count}) p
    ORDER BY seq, number LIMIT ${count}`;
  const statement = (sql: string) => ({ sql, parameters: parameters.values });
  if (!('through' in among)) {
    const deals = `${parameters.add(among)}::bigint[]`;
    return statement(merged(deals, 'j.deal_key = few.one', seq ? `j.seq >= ${seq}` : 'true'));
  }
  const [first, last] = [among.from, among.through].map((one) => parameters.add(one));
  if (among.days !== undefined) {
    const days = `${parameters.add(among.days)}::date[]`;
    const journals = `j.seq >= ${first} AND j.seq <= ${last}`;
    return statement(merged(days, 'j.effective_date = few.one', journals));
  }
  const most = `${parameters.add(length)}::bigint`;
  return statement(`
    SELECT c.journal_seq AS seq, c.number, c.place > ${most} AS given_up
    FROM (
      SELECT p.*, row_number() OVER () AS place
      FROM (
        SELECT p.journal_seq, p.number, p.line_key FROM posting p
        WHERE p.journal_seq >= ${first} AND p.journal_seq <= ${last} AND p.journal_seq <= $2
          AND ${dated('p')} AND ${where([])}
        ORDER BY p.journal_seq, p.number LIMIT ${most} + 1
      ) p
    ) c
    LEFT JOIN LATERAL (
      SELECT true AS so FROM (SELECT c.line_key) p
      WHERE ${['true', ...asked].join(' AND ')} ${BY_LOOKUP}) asked ON c.place <= ${most}
    WHERE asked.so OR c.place > ${most}
    LIMIT ${count}`);
}

/** Movements that were found, in posting order, with all that a page tells of them. */
export function foundMovementsStatement(
  snapshot: Snapshot,
  found: readonly MovementPlace[],
): Statement {
  const parameters = new SqlParameters(snapshot);
  const seqs = parameters.add(found.map(({ seq }) => seq));
  const numbers = parameters.add(found.map(({ number }) => number));
  const text = `
    SELECT ${MOVEMENT_COLUMNS}
    FROM unnest(${seqs}::bigint[], ${numbers}::smallint[]) AS found (seq, number)
    CROSS JOIN LATERAL (SELECT * FROM posting q
      WHERE q.journal_seq = found.seq AND q.number = found.number ${BY_LOOKUP}) p
    CROSS JOIN LATERAL (SELECT * FROM balance_line WHERE key = p.line_key ${BY_LOOKUP}) l
    CROSS JOIN LATERAL (SELECT * FROM journal WHERE seq = p.journal_seq ${BY_LOOKUP}) j
    CROSS JOIN LATERAL (SELECT * FROM deal WHERE key = l.deal_key ${BY_LOOKUP}) d
    ${MOVEMENT_JOINS}
    ORDER BY p.journal_seq, p.number`;
  return { sql: text, parameters: parameters.values };
}

/** What a filter asks of a movement `p`. */
function movementConditions(filter: BalanceFilter, parameters: SqlParameters): string[] {
  const asked = filterSql('ofLine', { level: 'contract', filter }, parameters.add);
  if (asked.length === 0) return [];
  return [
    `EXISTS (SELECT FROM balance_line l JOIN deal d ON d.key = l.deal_key
        WHERE l.key = p.line_key AND ${asked.join(' AND ')} ${BY_LOOKUP})`,
  ];
}

/** The first movements of each of given items, in posting order. */
export function itemMovementsStatement(
  level: Level,
  keys: readonly bigint[],
  snapshot: Snapshot,
  fromDate: string | undefined,
  limit: number,
): Statement {
  const parameters = new SqlParameters(snapshot);
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
    ${MOVEMENT_JOINS}
    WHERE i.key = ANY(${parameters.add(keys)})
    ORDER BY i.key, p.journal_seq, p.number`;
  return { sql: text, parameters: parameters.values };
}

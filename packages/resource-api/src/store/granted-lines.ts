import type { Database, Transaction } from '@cls/shared/sql/database';
import { LRUCache } from 'lru-cache';
import type { FilterRequest, Level, ReaderAccess, Snapshot } from '../balances/balance-store.ts';
import {
  BY_LOOKUP,
  hasRecord,
  ITEM_TABLES,
  LEVEL_SQL,
  NOT_ZERO,
  TOTAL_SUMS,
  TOTALS,
} from './balance-levels.ts';
import { asksWholeBook, BY_INDEX, Parameters, type Statement } from './balance-statements.ts';
import type { GrantedItems } from './granted-items.ts';
import { lookUp } from './read-as.ts';

/** What totals of a caller's few deals look at. */
export interface GrantedLines {
  /** Items that ever owed something, or could be drawn on; undefined where they are not few. */
  readonly items: readonly GrantedItem[] | undefined;
  /** Deals with rates; undefined where the caller's deals are not few. */
  readonly rated: readonly bigint[] | undefined;
}

/** An item, with the lines that decide whether it is zero, and what never changes about them. */
interface GrantedItem {
  readonly key: bigint;
  readonly currency: string;
  /** The facility and the holder whose commitment a sublimit is part of. */
  readonly whole: string;
  readonly sublimit: boolean;
  readonly booked_on: string;
  readonly booked_seq: bigint;
  /** Until when it lives, by the sequence from which on this is known: `12 2025-01-31,40 infinity`. */
  readonly lives: string;
  readonly lines: readonly bigint[];
  /** The sequence with which the contract of each line was booked; 0: a line of the facility. */
  readonly line_seqs: readonly bigint[];
  /** Lines of sublimits. */
  readonly sublimit_lines: readonly boolean[];
}

interface Kept extends GrantedLines {
  readonly generation: bigint;
  readonly today: string;
}

const KEPT = 100;
const LINES_MAX = 5_000;

/**
 * Lines of a caller's few deals, looked up once for a state of the book. They only say where totals
 * look: each balance is read under row-level security.
 *
 * @returns what gives undefined where the question is not about all that the caller sees, or nobody said
 *   in which state of the book it is asked
 */
export function grantedLines(
  database: Database,
  granted: GrantedItems,
): (
  access: ReaderAccess,
  request: Pick<FilterRequest, 'level' | 'filter' | 'snapshot'>,
) => Promise<GrantedLines | undefined> {
  const kept = new LRUCache<string, Kept>({ max: KEPT });
  return async (access, { level, filter, snapshot }) => {
    const { edition } = snapshot;
    if ('fullControl' in access || edition === undefined || !asksWholeBook(filter)) return undefined;
    const key = `${access.customer} ${level}`;
    const { generation, today } = edition;
    const known = kept.get(key);
    if (known?.generation === generation && known.today === today) return known;
    const found = await lookUp(database, access, async (transaction) => {
      const few = await granted.of(transaction, access, { level, filter, snapshot });
      if (few?.deals === undefined) return { items: undefined, rated: undefined, today };
      const keys = level === 'deal' ? `{${few.deals.join(',')}}` : few.items;
      return readLines(transaction, level, few.deals, keys);
    });
    if (found.today === today) kept.set(key, { ...found, generation });
    return found;
  };
}

async function readLines(
  transaction: Transaction,
  level: Level,
  deals: readonly bigint[],
  keys: string | undefined,
): Promise<GrantedLines & { readonly today: string }> {
  const [[row], items] = await Promise.all([
    transaction.query<{ today: string; rated: readonly bigint[] }>(RATED, [deals]),
    keys === undefined ? undefined : transaction.query<GrantedItem>(linesOf(level), [keys]),
  ]);
  const { today = '', rated } = row ?? {};
  const lines = items?.reduce((count, item) => count + item.lines.length, 0) ?? 0;
  return { today, rated, items: lines > LINES_MAX ? undefined : items };
}

const RATED = `
  SELECT (now() AT TIME ZONE 'UTC')::date AS today,
    ARRAY(SELECT key FROM unnest($1::bigint[]) AS asked (key) WHERE EXISTS (
      SELECT FROM rate_period WHERE deal_key = asked.key ${BY_LOOKUP})) AS rated`;

/** What has never lived is passed over by one look-up. `$1`: the items by their keys; of a deal its own. */
function linesOf(level: Level): string {
  const { lines, holder } = LEVEL_SQL[level];
  const table = level === 'deal' ? 'deal' : ITEM_TABLES[level];
  const facility = { deal: '', facility: 'i', contract: '', position: 'g' }[level];
  const whole = facility === '' ? `''` : `coalesce(${facility}.sublimit_of_key, ${facility}.key)`;
  return `
    SELECT key, currency, whole, sublimit, booked_on::text, booked_seq, lives,
      array_agg(line) AS lines, array_agg(line_seq) AS line_seqs,
      array_agg(sublimit_line) AS sublimit_lines
    FROM (
      SELECT i.key, l.currency, ${whole} || ' ' || ${holder} AS whole,
        ${facility === '' ? 'false' : `${facility}.sublimit_of_key IS NOT NULL`} AS sublimit,
        i.booked_on, i.booked_seq, lived.lives, l.key AS line, coalesce(c.booked_seq, 0) AS line_seq,
        l.parent_line_key IS NOT NULL AS sublimit_line
      FROM (
        SELECT asked.key, l.currency,
          string_agg(l.known_seq || ' ' || l.lives_until, ',' ORDER BY l.known_seq) AS lives
        FROM unnest($1::bigint[]) AS asked (key) CROSS JOIN LATERAL (
          SELECT currency, known_seq, lives_until FROM item_life
          WHERE level = '${level}' AND item_key = asked.key ${BY_LOOKUP}) l
        GROUP BY asked.key, l.currency ${BY_LOOKUP}
      ) lived
      CROSS JOIN LATERAL (SELECT *${level === 'deal' ? ', key AS deal_key' : ''} FROM ${table}
        WHERE key = lived.key ${BY_LOOKUP}) i
      ${facility === 'g' ? `CROSS JOIN LATERAL (SELECT key, sublimit_of_key FROM facility
        WHERE key = i.facility_key ${BY_LOOKUP}) g` : ''}
      CROSS JOIN LATERAL (SELECT lived.currency) f
      CROSS JOIN LATERAL (SELECT * FROM balance_line l
        WHERE ${lines} AND l.lender_key = ${holder} ${BY_LOOKUP}) l
      LEFT JOIN LATERAL (SELECT booked_seq FROM loan_contract
        WHERE key = l.contract_key ${BY_LOOKUP}) c ON true
      LIMIT ${LINES_MAX + 1}
    ) l
    GROUP BY key, currency, whole, sublimit, booked_on, booked_seq, lives`;
}

/** Lines of the items that live at a snapshot, one after the other. */
export interface LivingLines {
  readonly items: readonly GrantedItem[];
  /** How many lines the book had of them. */
  readonly count: number;
}

/** As the book was known at the snapshot: what is booked later changes nothing. */
export function livingLines(
  items: readonly GrantedItem[],
  { filter, snapshot: { asOf, ledgerSeq } }: Pick<FilterRequest, 'filter' | 'snapshot'>,
): LivingLines {
  const { currencies } = filter;
  const living = items.filter(
    ({ currency, booked_seq, lives }) =>
      booked_seq <= ledgerSeq &&
      (currencies.length === 0 || currencies.includes(currency)) &&
      livesUntil(lives, ledgerSeq) > asOf,
  );
  const known = living.map(({ line_seqs }) => line_seqs.filter((seq) => seq <= ledgerSeq).length);
  return { items: living, count: known.reduce((sum, lines) => sum + lines, 0) };
}

/** Empty where nothing is known; `infinity` comes after all dates. */
function livesUntil(lives: string, ledgerSeq: bigint): string {
  const known = lives.split(',').map((version) => version.split(' '));
  return known.findLast(([seq = '']) => BigInt(seq) <= ledgerSeq)?.[1] ?? '';
}

/** What living items come to, as `totalsStatement` has it: a look-up for each line. */
export function lineTotalsStatement(
  level: Level,
  snapshot: Snapshot,
  { items }: LivingLines,
): Statement {
  const parameters = new Parameters(snapshot);
  const { newest, record } = LEVEL_SQL[level];
  const ofLines = <T extends bigint | string | boolean | null>(
    value: (item: GrantedItem, index: number) => T,
  ) => parameters.add(items.flatMap((item) => item.lines.map((_, index) => value(item, index))));
  const lines = [
    `${ofLines(({ lines }, index) => lines[index] ?? null)}::bigint[]`,
    `${ofLines(({ sublimit_lines }, index) => (sublimit_lines[index] ? 1n : null))}::bigint[]`,
    `${ofLines(({ key }) => key)}::bigint[]`,
    `${ofLines(({ currency }) => currency)}::text[]`,
    `${ofLines(({ whole }) => whole)}::text[]`,
    `${ofLines(({ sublimit }) => sublimit)}::boolean[]`,
    `${ofLines(({ booked_on }) => booked_on)}::date[]`,
    `${ofLines(({ booked_seq }) => booked_seq)}::bigint[]`,
  ];
  const columns = 'item, currency, whole, sublimit, booked_on, booked_seq';
  // One of its facilities stands for a deal.
  const only =
    level === 'deal'
      ? `AND EXISTS (SELECT FROM facility g WHERE g.deal_key = b.key AND g.currency = b.currency
          AND ${hasRecord('facility', 'g')} ${BY_LOOKUP})`
      : '';
  const text = `
    SELECT b.currency, count(*) AS count, ${TOTALS}
    FROM (
      SELECT b.*, b.sublimit AND bool_or(NOT b.sublimit) OVER (PARTITION BY b.whole) AS within
      FROM (
        SELECT l.item AS key, l.currency, l.whole, l.sublimit, l.booked_on, l.booked_seq,
          ${TOTAL_SUMS}, bool_or(${NOT_ZERO}) AS live
        FROM unnest(${lines.join(', ')}) AS l (key, parent_line_key, ${columns})
        LEFT JOIN LATERAL (${newest}) b ON true
        GROUP BY 1, 2, 3, 4, 5, 6
      ) b
      WHERE b.live AND ${hasRecord(record, 'b')} ${only}
    ) b
    GROUP BY b.currency ORDER BY b.currency`;
  return { sql: text, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}

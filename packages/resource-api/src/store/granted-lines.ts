import type { Database, Transaction } from '@cls/shared/sql/database';
import { LRUCache } from 'lru-cache';
import type { FilterRequest, Level, ReaderAccess } from '../balances/balance-store.ts';
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

/** A line of an item that a caller was granted: one of those that decide whether the item is zero. */
interface GrantedLine {
  readonly currency: string;
  /** The sequence with which its item was booked. */
  readonly itemSeq: bigint;
  /** Until when its item lives, and from which sequence on this is known. */
  readonly lives: readonly Life[];
  /** The deal, where it has rates. */
  readonly ratedDeal: bigint | undefined;
  /** Values of `COLUMNS`, as elements of an array's literal. */
  readonly values: readonly string[];
}

interface Life {
  readonly knownSeq: bigint;
  /** `infinity` comes after all dates. */
  readonly until: string;
}

/** What totals of a caller's few deals look at. */
type GrantedLines = (
  access: ReaderAccess,
  request: Pick<FilterRequest, 'level' | 'filter' | 'snapshot'>,
) => Promise<readonly GrantedLine[] | undefined>;

interface Kept {
  readonly generation: bigint;
  readonly today: string;
  readonly lines: readonly GrantedLine[] | undefined;
}

/** Lines of all callers together: some 10 MB. */
const KEPT_LINES = 20_000;
const LINES_MAX = 2_000;

/**
 * Lines of those items of a caller's few deals that have ever lived, looked up once for a state of the
 * book. They only say where totals look: each balance is read under row-level security.
 *
 * @returns what gives undefined where the deals or their lines are not few, where the question is not
 *   about all that the caller sees, or where nobody said in which state of the book it is asked
 */
export function grantedLines(database: Database, granted: GrantedItems): GrantedLines {
  const kept = new LRUCache<string, Kept>({
    maxSize: KEPT_LINES,
    sizeCalculation: ({ lines = [] }) => 1 + lines.length,
  });
  return async (access, { level, filter, snapshot }) => {
    const { edition } = snapshot;
    if ('fullControl' in access || edition === undefined) return undefined;
    if (!asksWholeBook(filter)) return undefined;
    const key = `${access.customer} ${level}`;
    const { generation, today } = edition;
    const known = kept.get(key);
    if (known?.generation === generation && known.today === today) return known.lines;
    return lookUp(database, access, async (transaction) => {
      const few = await granted.of(transaction, access, { level, filter, snapshot });
      const { deals, items } = few ?? {};
      const keys = level === 'deal' && deals ? `{${deals.join(',')}}` : items;
      const lines = keys === undefined ? undefined : await readLines(transaction, level, keys);
      if (few?.today === today) kept.set(key, { generation, today, lines });
      return lines;
    });
  };
}

async function readLines(
  transaction: Transaction,
  level: Level,
  keys: string,
): Promise<readonly GrantedLine[] | undefined> {
  const [row] = await transaction.query<Readonly<Record<string, string | null>>>(
    linesStatement(level),
    [keys],
  );
  const valuesOf = (name: string) => row?.[name]?.slice(1, -1).split(',') ?? [];
  const columns = Object.keys(COLUMNS).map(valuesOf);
  const [currencies, itemSeqs] = [valuesOf('currency'), valuesOf('booked_seq')];
  const rated = valuesOf('rated_deal');
  const lives = valuesOf('lives').map(toLives);
  if (lives.length > LINES_MAX) return undefined;
  return lives.map((life, index) => ({
    currency: currencies[index] ?? '',
    itemSeq: BigInt(itemSeqs[index] ?? 0),
    ratedDeal: rated[index] === NULL ? undefined : BigInt(rated[index] ?? 0),
    lives: life,
    values: columns.map((values) => values[index] ?? NULL),
  }));
}

/** As an element of an array's literal. */
const NULL = 'NULL';

/** Of `12:2025-01-31/40:infinity`. */
function toLives(text: string): readonly Life[] {
  return text.split('/').map((version) => {
    const [seq = '', until = ''] = version.split(':');
    return { knownSeq: BigInt(seq), until };
  });
}

/** Columns of a line, and their types: no value is quoted in the literal of an array. */
const COLUMNS = {
  line: 'bigint',
  parent_line_key: 'bigint',
  /** The item. */
  key: 'bigint',
  currency: 'text',
  /** The facility whose commitment a sublimit is part of, and the holder. */
  whole: 'bigint',
  holder: 'bigint',
  sublimit: 'boolean',
  booked_on: 'date',
  booked_seq: 'bigint',
};

/**
 * A row of literals, one for each column. What has never lived is passed over by one look-up. `$1`:
 * the items by their keys; deals by theirs.
 */
export function linesStatement(level: Level): string {
  const { lines, holder } = LEVEL_SQL[level];
  const [table, dealKey, ofDeal] =
    level === 'deal' ? ['deal', 'key', 'o.key AS deal_key,'] : [ITEM_TABLES[level], 'deal_key', ''];
  // At these levels a sublimit may stand beside the facility that it is carved out of.
  const facility = { deal: undefined, contract: undefined, facility: 'i', position: 'g' }[level];
  const [whole, sublimit] =
    facility === undefined
      ? ['0', 'false']
      : [
          `coalesce(${facility}.sublimit_of_key, ${facility}.key)`,
          `${facility}.sublimit_of_key IS NOT NULL`,
        ];
  const around =
    level === 'position'
      ? `CROSS JOIN LATERAL (SELECT key, sublimit_of_key FROM facility
        WHERE key = i.facility_key ${BY_LOOKUP}) g`
      : '';
  const columns = [...Object.keys(COLUMNS), 'rated_deal', 'lives'];
  return `
    SELECT ${columns.map((name) => `array_agg(${name})::text AS ${name}`).join(', ')}
    FROM (
      SELECT i.key, l.currency, ${whole} AS whole, ${holder} AS holder, ${sublimit} AS sublimit,
        i.booked_on, i.booked_seq, lived.lives, l.key AS line, l.parent_line_key, i.rated_deal
      FROM (
        SELECT asked.key, l.currency,
          string_agg(l.known_seq || ':' || l.lives_until, '/' ORDER BY l.known_seq) AS lives
        FROM unnest($1::bigint[]) AS asked (key) CROSS JOIN LATERAL (
          SELECT currency, known_seq, lives_until FROM item_life
          WHERE level = '${level}' AND item_key = asked.key ${BY_LOOKUP}) l
        GROUP BY asked.key, l.currency ${BY_LOOKUP}
      ) lived
      CROSS JOIN LATERAL (
        SELECT o.*, ${ofDeal} CASE WHEN EXISTS (SELECT FROM rate_period
          WHERE deal_key = o.${dealKey} ${BY_LOOKUP}) THEN o.${dealKey} END AS rated_deal
        FROM ${table} o WHERE o.key = lived.key ${BY_LOOKUP}) i
      ${around}
      CROSS JOIN LATERAL (SELECT lived.currency) f
      CROSS JOIN LATERAL (SELECT * FROM balance_line l
        WHERE ${lines} AND l.lender_key = ${holder} ${BY_LOOKUP}) l
      LIMIT ${LINES_MAX + 1}
    ) l`;
}

/** Lines of the items that live at a snapshot: what was booked later changes nothing. */
export function livingLines(
  lines: readonly GrantedLine[],
  { filter, snapshot: { asOf, ledgerSeq } }: Pick<FilterRequest, 'filter' | 'snapshot'>,
): readonly GrantedLine[] {
  const { currencies } = filter;
  return lines.filter(({ currency, itemSeq, lives }) => {
    if (itemSeq > ledgerSeq) return false;
    if (currencies.length > 0 && !currencies.includes(currency)) return false;
    const life = lives.findLast(({ knownSeq }) => knownSeq <= ledgerSeq);
    return life !== undefined && life.until > asOf;
  });
}

/** What the items of lines come to, as `totalsStatement` has it: a look-up for each line. */
export function lineTotalsStatement(
  { level, snapshot }: Pick<FilterRequest, 'level' | 'snapshot'>,
  lines: readonly GrantedLine[],
): Statement {
  const parameters = new Parameters(snapshot);
  const { newest, record } = LEVEL_SQL[level];
  const arrays = Object.values(COLUMNS).map((type, index) => {
    const elements = lines.map(({ values }) => values[index]).join(',');
    return `${parameters.add(`{${elements}}`)}::${type}[]`;
  });
  // One of its facilities stands for a deal.
  const only =
    level === 'deal'
      ? `AND EXISTS (SELECT FROM facility g WHERE g.deal_key = b.key AND g.currency = b.currency
          AND ${hasRecord('facility', 'g')} ${BY_LOOKUP})`
      : '';
  const text = `
    SELECT b.currency, count(*) AS count, ${TOTALS}
    FROM (
      SELECT b.*, b.sublimit AND bool_or(NOT b.sublimit) OVER (PARTITION BY b.whole, b.holder) AS within
      FROM (
        SELECT i.key, i.currency, i.whole, i.holder, i.sublimit, i.booked_on, i.booked_seq,
          ${TOTAL_SUMS}, bool_or(${NOT_ZERO}) AS live
        FROM unnest(${arrays.join(', ')}) AS i (${Object.keys(COLUMNS).join(', ')})
        CROSS JOIN LATERAL (SELECT i.line AS key, i.parent_line_key) l
        LEFT JOIN LATERAL (${newest}) b ON true
        GROUP BY 1, 2, 3, 4, 5, 6, 7
      ) b
      WHERE b.live AND ${hasRecord(record, 'b')} ${only}
    ) b
    GROUP BY b.currency ORDER BY b.currency`;
  return { sql: text, parameters: parameters.values, planning: BY_INDEX, prepared: true };
}

/** Deals that have rates, of items where something may accrue. */
export function ratedDeals(lines: readonly GrantedLine[]): readonly bigint[] {
  return [...new Set(lines.flatMap(({ ratedDeal }) => ratedDeal ?? []))];
}

import { BALANCE_COMPONENTS, COMPONENTS, type Component } from '../../../ledger/balance.ts';
import { LEVELS, type Level } from '../balance-store.ts';
import { COUNTED_ONCE } from '../counted-once.ts';

/**
 * How the items of each level are found, and which balance lines belong to an item: `i` is the item,
 * `f` its facility, `d` its deal, `l` a balance line. `$1` is the date, `$2` the sequence.
 */
export interface LevelSql {
  readonly items: string;
  /** The newest balance of line `l` at the snapshot, as far as it counts at the level. */
  readonly newest: string;
  /** Whether row `i` is an item: of a deal's facilities in a currency, the first one is. */
  readonly isItem: string;
  readonly lines: string;
  /** Lender (0: none) of the lines that decide whether the item is zero, and what it is sorted by. */
  readonly ownLender: string;
  /** Kind and alias of the record by which the book has the item. */
  readonly record: RecordKind;
  readonly recordAlias: string;
  readonly status: string;
  /** When it ends, as it stands at the snapshot. */
  readonly maturity: string;
}

export type RecordKind = 'deal' | 'facility' | 'contract' | 'position';

/** What is made once for each level: the text of a statement, for example. */
export function byLevel<T>(make: (level: Level) => T): Readonly<Record<Level, T>> {
  return Object.fromEntries(LEVELS.map((level) => [level, make(level)])) as Record<Level, T>;
}

/** After every sequence: all that is known. */
export const NOW = '9223372036854775807';

/** Since when the book has a record, as known at `seq`; `infinity`: it has it no more. */
export function sinceOf(kind: RecordKind, alias: string, seq = '$2'): string {
  return `coalesce((SELECT p.since FROM presence p WHERE p.kind = '${kind}'
    AND p.record_key = ${alias}.key AND p.known_seq <= ${seq}
    ORDER BY p.known_seq DESC LIMIT 1), ${alias}.booked_on)`;
}

/** The book has the record on the date, as known at the snapshot. */
export function hasRecord(kind: RecordKind, alias: string): string {
  return `(${alias}.booked_seq <= $2 AND ${sinceOf(kind, alias)} <= $1)`;
}

/** The sequence from which on the book has had the record on the date, up to the snapshot. */
export function hadFrom(kind: RecordKind, alias: string): string {
  const versions = `FROM presence p WHERE p.kind = '${kind}' AND p.record_key = ${alias}.key
    AND p.known_seq <= $2`;
  return `coalesce((SELECT min(p.known_seq) ${versions} AND p.known_seq > coalesce(
    (SELECT max(p.known_seq) ${versions} AND p.since > $1),
    CASE WHEN ${alias}.booked_on > $1 THEN ${alias}.booked_seq END)), ${alias}.booked_seq)`;
}

/**
 * Whether what became known with a journal counts, as known at `seq`: not once the journal is taken back, and not
 * what a reversal repeats of the journal that it takes back.
 */
export function stands(knownSeq: string, seq = '$2'): string {
  return `coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = ${knownSeq}
    AND s.known_seq <= ${seq} ORDER BY s.known_seq DESC LIMIT 1), true)`;
}

type DatedTable =
  | `${'deal' | 'facility' | 'contract'}_terms`
  | `${'deal' | 'facility' | 'party'}_details`;

/** Columns of the newest terms or details `t` of a record at the snapshot. */
function newestTerms(table: DatedTable, key: string, columns: string): string {
  const [record] = table.split('_');
  return `SELECT ${columns} FROM ${table} t
    WHERE t.${record}_key = ${key} AND t.effective_date <= $1
      AND t.known_seq <= $2 AND ${stands('t.known_seq')}
    ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1`;
}

/** A column of a record that newer terms or details may change. */
function dated(table: DatedTable, alias: string, column: string): string {
  return `coalesce((${newestTerms(table, `${alias}.key`, `t.${column}`)}), ${alias}.${column})`;
}

/** A column of a record that newer terms or details may change or empty. */
function datedOrNone(table: DatedTable, alias: string, column: string): string {
  return `(SELECT CASE WHEN t.found THEN t.${column} ELSE ${alias}.${column} END
    FROM (SELECT 1) one LEFT JOIN LATERAL (
      ${newestTerms(table, `${alias}.key`, `true AS found, t.${column}`)}) t ON true)`;
}

/**
 * Of a fact that dates may change, as known at `$2`: `date value` of each, one after the other, by
 * their dates. The base holds before all of them.
 *
 * @param rows terms `t` of a record: to be followed by AND
 */
export function datedValues(rows: string, value: string, base: string): string {
  return `concat_ws(',', '-infinity ' || ${base}, (
      SELECT string_agg(concat_ws(' ', t.effective_date, t.value), ',' ORDER BY t.effective_date)
      FROM (SELECT DISTINCT ON (t.effective_date) t.effective_date, ${value} AS value FROM ${rows}
        AND t.known_seq <= $2 AND ${stands('t.known_seq')}
        ORDER BY t.effective_date, t.known_seq DESC) t))`;
}

/** Whether an item ends within a range of dates; a deal ends when one of its facilities does. */
export function maturesWithin(level: Level, from: string, to: string): string {
  const within = (maturity: string) => `${maturity} BETWEEN ${from} AND ${to}`;
  if (level !== 'deal') return within(LEVEL_SQL[level].maturity);
  return `EXISTS (SELECT FROM facility g WHERE g.deal_key = i.deal_key AND g.currency = f.currency
    AND ${hasRecord('facility', 'g')}
    AND ${within(datedOrNone('facility_terms', 'g', 'maturity_date'))} ${BY_LOOKUP})`;
}

/** A fact of deal `d` that may change with the date, as it stands at the snapshot. */
export function dealDetail(column: 'name' | 'borrower_key' | 'country'): string {
  return dated('deal_details', 'd', column);
}

/** The key of the guarantor of deal `d` at the snapshot; newer details may leave it without one. */
export const GUARANTOR = datedOrNone('deal_details', 'd', 'guarantor_key');

/** The name of a facility at the snapshot. */
export function facilityName(alias: string): string {
  return dated('facility_details', alias, 'name');
}
export const FACILITY_NAME = facilityName('f');

/** The name of a party at the snapshot. */
export function partyName(alias: string): string {
  return dated('party_details', alias, 'name');
}

/** The id and the name of a party at the snapshot, by its key. */
export function partyJson(key: string): string {
  return `(SELECT json_build_object('id', y.id, 'name', ${partyName('y')})
        FROM party y WHERE y.key = ${key})`;
}

/** The same of a borrower, with the country of its deals that the reader sees; null where they are of several. */
export function borrowerJson(key: string): string {
  return `(SELECT json_build_object('id', y.id, 'name', ${partyName('y')}, 'country', (
          SELECT CASE WHEN min(c.country) = max(c.country) THEN min(c.country) END
          FROM (SELECT ${dealDetail('country')} AS country FROM deal d
            WHERE ${hasRecord('deal', 'd')} AND ${dealsWith('borrower_key', `ARRAY[${key}]`)}) c))
        FROM party y WHERE y.key = ${key})`;
}

/** Whether deal `d` has a fact from a list, as of the snapshot. */
export function dealHas(column: 'borrower_key' | 'country', list: string): string {
  return `${dealDetail(column)} = ANY(${list})`;
}

/** Deals `d` with a fact from a list: candidates by an index, then as of the snapshot. */
export function dealsWith(column: 'borrower_key' | 'country', list: string): string {
  return `(d.key IN (SELECT key FROM deal WHERE ${column} = ANY(${list})
      UNION SELECT deal_key FROM deal_details WHERE ${column} = ANY(${list}))
    AND ${dealHas(column, list)})`;
}

/**
 * At the end of a subquery, it makes the subquery one index look-up for each row. Without it the
 * planner may turn the subquery into a join. Where it knows too little of the tables, that join reads
 * the whole book: nothing analyses them after a load, and an embedded database never does by itself.
 */
export const BY_LOOKUP = 'OFFSET 0';

/**
 * The party that borrows in deal `d` at the snapshot. Its key is found first: PostgreSQL checks
 * row-level security before a condition that has a subquery in it, and would so check all parties for
 * each deal.
 */
export const BORROWER = `(SELECT y.* FROM (SELECT ${dealDetail('borrower_key')} AS key ${BY_LOOKUP}) k
    CROSS JOIN LATERAL (SELECT * FROM party WHERE key = k.key ${BY_LOOKUP}) y)`;

/**
 * The newest balance of a line at the snapshot, or up to another date: one index look-up, however long the
 * history.
 */
export function newestBalance({ columns = '*', line = 'l', date = '$1' } = {}): string {
  return `SELECT ${columns} FROM balance
  WHERE line_key = ${line}.key AND effective_date <= ${date} AND known_seq <= $2
  ORDER BY effective_date DESC, known_seq DESC LIMIT 1`;
}

const ONCE: readonly string[] = [...COUNTED_ONCE, 'commitment', 'available'];

/** An amount, without what a sublimit has where its facility has it too. */
export function countedOnce(name: string, amount: string, isPart: string): string {
  return ONCE.includes(name) ? `CASE WHEN ${isPart} THEN 0 ELSE ${amount} END` : amount;
}

/** A deal holds the facility of each sublimit, whose commitment has nothing used for it then. */
const COLUMNS_OF_DEAL = `line_key, effective_date, known_seq, ${COMPONENTS.map((name) =>
  name === 'sublimit_used'
    ? '0::int8 AS sublimit_used'
    : `${countedOnce(name, name, 'l.parent_line_key IS NOT NULL')} AS ${name}`,
).join(', ')}`;

/** The item is its facility: it is read once, under both names. */
const OWN_FACILITY =
  'facility i CROSS JOIN LATERAL (SELECT i.*) f JOIN deal d ON d.key = i.deal_key';

const ofFacility = {
  status: dated('facility_terms', 'f', 'status'),
  maturity: datedOrNone('facility_terms', 'f', 'maturity_date'),
};
const EVERY_LINE = { newest: newestBalance(), isItem: 'true', ownLender: '0' };

export const LEVEL_SQL: Readonly<Record<Level, LevelSql>> = {
  deal: {
    // One facility stands for all of the deal in its currency: the first of those known then.
    items: OWN_FACILITY,
    newest: newestBalance({ columns: COLUMNS_OF_DEAL }),
    isItem: `${hasRecord('facility', 'i')} AND NOT EXISTS (
      SELECT FROM facility g WHERE g.deal_key = i.deal_key AND g.currency = i.currency
        AND g.key < i.key AND ${hasRecord('facility', 'g')} ${BY_LOOKUP})`,
    lines: 'l.deal_key = i.deal_key AND l.currency = f.currency',
    ownLender: '0',
    recordAlias: 'd',
    record: 'deal',
    status: dated('deal_terms', 'd', 'status'),
    maturity: ofFacility.maturity,
  },
  facility: {
    ...EVERY_LINE,
    ...ofFacility,
    items: OWN_FACILITY,
    lines: 'l.facility_key = i.key',
    recordAlias: 'i',
    record: 'facility',
  },
  contract: {
    ...EVERY_LINE,
    items: `loan_contract i JOIN facility f ON f.key = i.facility_key
      JOIN deal d ON d.key = i.deal_key`,
    lines: 'l.contract_key = i.key',
    recordAlias: 'i',
    record: 'contract',
    status: dated('contract_terms', 'i', 'status'),
    maturity: datedOrNone('contract_terms', 'i', 'maturity_date'),
  },
  position: {
    ...EVERY_LINE,
    ...ofFacility,
    items: `lender_position i JOIN facility f ON f.key = i.facility_key
      JOIN deal d ON d.key = i.deal_key`,
    lines: 'l.facility_key = i.facility_key AND l.lender_key IN (0, i.lender_key)',
    ownLender: 'i.lender_key',
    recordAlias: 'i',
    record: 'position',
  },
};

/** Whether the book has item `i` at the snapshot. */
export function inBook(level: Level): string {
  const { isItem, record, recordAlias } = LEVEL_SQL[level];
  return `${isItem} AND ${hasRecord(record, recordAlias)}`;
}

/** The lines `l` of an item with their newest balances `b`: to be followed by AND. */
function linesOf({ lines, newest }: LevelSql): string {
  return `balance_line l CROSS JOIN LATERAL (${newest}) b WHERE ${lines}`;
}

/** Those that decide whether an item is zero. */
export function ownLines(sql: LevelSql): string {
  return `${linesOf(sql)} AND l.lender_key = ${sql.ownLender}`;
}

/** A lender whose position was not booked yet has no share, rather than a share of zero. */
function isKnownLender(facilityKey: string): string {
  return `(l.lender_key = 0 OR EXISTS (
  SELECT FROM lender_position q WHERE q.facility_key = ${facilityKey}
    AND q.lender_key = l.lender_key AND ${hasRecord('position', 'q')} ${BY_LOOKUP}))`;
}
const KNOWN_LENDER = isKnownLender('l.facility_key');

/** What is undrawn of the global line of the facility of line `l`, and not blocked. */
const WHOLE_UNDRAWN = `(SELECT w.unfunded - w.unavailable FROM balance_line g CROSS JOIN LATERAL (
    ${newestBalance({ line: 'g' })}) w
  WHERE g.facility_key = l.facility_key AND g.contract_key = 0 AND g.lender_key = 0)`;

/**
 * What may be drawn on lines `l`: nothing once nothing can be drawn of the facility any more. Globally never
 * below zero. Lenders' parts are what is undrawn of them, also below zero where one funds more than its
 * commitment, and nothing where globally nothing is available: so they add up to the global amount.
 */
export const AVAILABLE = `sum_minor(CASE
  WHEN l.contract_key = 0 AND b.unfunded <> b.unavailable
    AND coalesce(drawable_until(l.facility_key, $1, $2) >= $1, true)
  THEN CASE WHEN l.parent_line_key IS NOT NULL THEN sublimit_available(l.key, $1, $2)
            WHEN l.lender_key = 0 THEN greatest(b.unfunded - b.unavailable, 0)
            WHEN ${WHOLE_UNDRAWN} > 0 THEN b.unfunded - b.unavailable ELSE 0 END
  ELSE 0 END)`;

export const OUTSTANDING = '(b.principal_cash + b.principal_pik)';
/** Capitalised interest of a line `l` that is drawn of the commitment, where the facility says so. */
const PIK_DRAWN = `CASE WHEN b.principal_pik <> 0
  AND (SELECT u.pik_uses_commitment FROM facility u WHERE u.key = l.facility_key)
  THEN b.principal_pik ELSE 0 END`;
/** As `currentCommitment` has it. */
export const COMMITMENT = `b.principal_cash + ${PIK_DRAWN} + b.letter_of_credit + b.sublimit_used
  + b.unfunded`;

function sumOf(component: Component): string {
  return `sum_minor(b.${component})`;
}

const maturityOf = (terms: DatedTable, table: string, key: string) =>
  `(SELECT ${datedOrNone(terms, 'r', 'maturity_date')} FROM ${table} r WHERE r.key = ${key})`;
/** When the contract of line `l` matures: with its facility at the latest. Contract 0: the facility. */
export const MATURES_ON = `least(${maturityOf('facility_terms', 'facility', 'l.facility_key')},
  ${maturityOf('contract_terms', 'loan_contract', 'l.contract_key')})`;
/** Whether a line with outstanding principal is beyond its maturity. */
export function hasMatured(maturesOn: string): string {
  return `(${OUTSTANDING} <> 0 AND ${maturesOn} < $1)`;
}
const HAS_MATURED = hasMatured(MATURES_ON);
/** Something was billed on a line, and is not even. */
const HAS_OPEN_BILL = '(b.principal_due <> 0 OR b.interest_due <> 0 OR b.fees_due <> 0)';

/** A facility, or a lender's part of one, that is drawn beyond its commitment. */
export const OVERDRAWN = '(l.contract_key = 0 AND b.unfunded < 0)';
/** A contract, or a lender's part of one, on which more was repaid than was owed. */
export const OVERPAID = `(${OUTSTANDING} < 0)`;

/** Whether a lender of an item, as far as the reader sees them, is drawn beyond its commitment or overpaid. */
export function hasWarnedLender(sql: LevelSql): string {
  return `EXISTS (SELECT FROM ${linesOf(sql)}
    AND l.lender_key <> 0 AND (${OVERDRAWN} OR ${OVERPAID}) AND ${KNOWN_LENDER} ${BY_LOOKUP})`;
}

/**
 * The sums of lines `l`, what may be drawn and what PIK has drawn (`amounts`, which `toBalance` reads), whether a
 * line is drawn beyond its commitment or overpaid, and whether anything due stands open. The amounts are one
 * text: a column for each would take longer to send and to read than to add up. What matured is looked
 * up for the global line, which decides for all lenders.
 */
const LINE_SUMS = `concat_ws(',', ${COMPONENTS.map(sumOf).join(', ')}, ${AVAILABLE},
    sum_minor(${PIK_DRAWN})) AS amounts,
  coalesce(bool_or(${OVERDRAWN}), false) AS overdrawn,
  coalesce(bool_or(${OVERPAID}), false) AS overpaid,
  coalesce(bool_or(${HAS_OPEN_BILL} OR l.lender_key = 0 AND ${HAS_MATURED}), false) AS owes`;

/** The balance of an item, and of each lender in it, with what else is asked of their lines. */
export function lenderSums(level: Level, alsoOfLines = ''): string {
  const { lines, newest } = LEVEL_SQL[level];
  // Once for all lines of a lender, except in a deal, where it may hold one facility and not another.
  const ofGroup = `GROUP BY l.lender_key HAVING ${
    level === 'position'
      ? `(l.lender_key = 0 OR ${hasRecord('position', 'i')})`
      : isKnownLender('f.key')
  }`;
  const known = level === 'deal' ? `AND ${KNOWN_LENDER} GROUP BY l.lender_key` : ofGroup;
  return `SELECT l.lender_key, ${alsoOfLines}${LINE_SUMS}
      FROM balance_line l LEFT JOIN LATERAL (${newest}) b ON true
      WHERE ${lines} ${known}`;
}

/**
 * An item owes nothing, and nothing can be drawn, when these are zero. Commitments that were made
 * and cancelled remain; so does a residue of exchange rates on a loan that was repaid, which is
 * nobody's debt.
 */
const LIVE_COMPONENTS = BALANCE_COMPONENTS.filter(
  (name) => !['original_commitment', 'cancelled_commitment', 'fx_revaluation'].includes(name),
);
export const NOT_ZERO = `(${LIVE_COMPONENTS.map((name) => `b.${name} <> 0`).join(' OR ')})`;

/** Whether something billed stands open on a line `l`, or something outstanding after its maturity. */
export const HAS_DUE = `(${HAS_OPEN_BILL} OR ${HAS_MATURED})`;

/** Of a global line: whether all that is outstanding is due, as `isAllDue` works it out. */
export const ALL_DUE = `(${OUTSTANDING} > 0 AND ${OUTSTANDING} >= b.principal_due AND ${HAS_MATURED})`;

/** What is due of line `l` with the balance `b`, by account. */
export const DUE_ACCOUNTS = `(VALUES ('PRINCIPAL_DUE'::ledger_account, b.principal_due),
      ('INTEREST_DUE', b.interest_due), ('FEES_DUE', b.fees_due)) due(account, balance)`;
/** Postings `p` that bill line `l` in the account `due.account`. */
export const BILLS_OF_LINE = `FROM posting p WHERE p.line_key = l.key AND p.account = due.account
    AND p.due_date IS NOT NULL AND p.effective_date <= $1 AND p.journal_seq <= $2`;
/** What is due of line `l` with the balance `b` (`due`), and what of this is not due yet (`later`). */
export const DUE = `${DUE_ACCOUNTS}
    CROSS JOIN LATERAL (SELECT coalesce(sum(p.amount_minor), 0)::int8 AS amount
      ${BILLS_OF_LINE} AND p.due_date >= $1) later`;

/** What is past due of a global line `l` with the balance `b`, as `pastDue` works it out. */
export const PAST_DUE = `CASE
  WHEN b.principal_due > 0 OR b.interest_due > 0 OR b.fees_due > 0 OR ${OUTSTANDING} > 0 THEN (
    SELECT CASE WHEN matured.all_due THEN ${OUTSTANDING} ELSE 0 END + coalesce((
        SELECT sum(least(greatest(due.balance - later.amount, 0), due.balance)) FROM ${DUE}
        WHERE due.balance > 0 AND NOT (matured.all_due AND due.account = 'PRINCIPAL_DUE')), 0)
    FROM (SELECT ${ALL_DUE} AS all_due ${BY_LOOKUP}) matured) ELSE 0 END`;

/**
 * The due date of the oldest bill in `DUE` that is not paid; none where nothing is past due. Payments and credits
 * settle the oldest one first, so it is where newer ones no longer cover what is past due.
 */
export const OLDEST_UNPAID = `(
        SELECT min(item.due_date) FROM (
          SELECT p.due_date, sum(sum(p.amount_minor)) OVER newer AS with_newer,
            sum(p.amount_minor) AS billed
          ${BILLS_OF_LINE} AND p.due_date < $1 GROUP BY p.due_date HAVING sum(p.amount_minor) > 0
          WINDOW newer AS (ORDER BY p.due_date DESC)
        ) item, LATERAL (SELECT least(due.balance, due.balance - later.amount) AS unpaid) late
        WHERE late.unpaid > 0 AND item.with_newer - item.billed < late.unpaid)`;
/** Since when something of a global line `l` with the balance `b` is past due. */
const PAST_DUE_SINCE = `least(CASE WHEN ${ALL_DUE} THEN ${MATURES_ON} END, CASE WHEN ${HAS_OPEN_BILL}
    THEN (SELECT min(${OLDEST_UNPAID}) FROM ${DUE} WHERE due.balance > 0) END)`;

/** The one of `PAST_DUE_AGES` that an item is in; a position is where its facility is. */
export function pastDueAge(sql: LevelSql): string {
  const since = `SELECT min(${PAST_DUE_SINCE}) FROM ${linesOf(sql)} AND l.lender_key = 0`;
  return `(SELECT CASE WHEN late.days <= 30 THEN '1-30' WHEN late.days <= 60 THEN '31-60'
      WHEN late.days <= 90 THEN '61-90' WHEN late.days > 90 THEN 'over-90' ELSE '0' END
    FROM (SELECT $1::date - (${since}) AS days OFFSET 0) late)`;
}

/**
 * Whether something of an item is past due. A lender's part follows from the parts of all lenders,
 * which a reader may not see; so a position is found where something is due to it.
 */
export function isPastDue(level: Level): string {
  const sql = LEVEL_SQL[level];
  if (level !== 'position') return `${itemSum(sql, PAST_DUE)} > 0`;
  return `EXISTS (SELECT FROM ${ownLines(sql)} AND ${HAS_DUE} ${BY_LOOKUP})`;
}

const termSeqs = (record: string, table: string) => `SELECT t.known_seq FROM ${table} g
      JOIN ${record}_terms t ON t.${record}_key = g.key
      WHERE g.deal_key = d.key AND t.effective_date <= $1 AND t.known_seq <= $2`;
/** The sequences (`known_seq`) of all terms of the facilities and contracts of deal `d` at the snapshot. */
export const TERM_SEQS_OF_DEAL = `${termSeqs('facility', 'facility')}
    UNION ALL ${termSeqs('contract', 'loan_contract')}`;

/** Whether what is told of an item may be something else since a sequence. */
export function mayHaveChanged(level: Level, seq: string): string {
  const since = (column: string) => `${column} > ${seq} AND ${column} <= $2`;
  return `(EXISTS (SELECT FROM ${linesOf(LEVEL_SQL[level])} AND b.known_seq > ${seq} ${BY_LOOKUP})
    OR EXISTS (SELECT FROM (${TERM_SEQS_OF_DEAL}) t
      WHERE t.known_seq > ${seq} OR EXISTS (SELECT FROM journal_standing s
        WHERE s.seq = t.known_seq AND ${since('s.known_seq')}) ${BY_LOOKUP})
    OR ((f.sublimit_of_key IS NOT NULL
        OR EXISTS (SELECT FROM rate_period r WHERE r.deal_key = d.key ${BY_LOOKUP}))
      AND EXISTS (SELECT FROM journal j WHERE j.deal_key = d.key AND ${since('j.seq')} ${BY_LOOKUP})))`;
}

/** Sum of an expression over the item's own lines at the snapshot. */
export function itemSum(sql: LevelSql, expression: string): string {
  return `(SELECT coalesce(sum(${expression}), 0) FROM ${ownLines(sql)})`;
}

/** The sequence of an item's newest posting, among the lines that the reader sees; 0: none. */
export function lastSeq(sql: LevelSql): string {
  return `(SELECT coalesce(max(b.known_seq), 0) FROM ${linesOf(sql)} AND ${KNOWN_LENDER})`;
}

/**
 * The newest terms of each record at the snapshot, as `dt`, `ft` and, of a contract, `ct`, and the newest
 * details of the deal as `dd`.
 */
export function termsJoins(level: Level): string {
  const join = (table: DatedTable, alias: string, key: string) => `
    LEFT JOIN LATERAL (${newestTerms(table, key, '*')}) ${alias} ON true`;
  return [
    join('deal_terms', 'dt', 'd.key'),
    join('deal_details', 'dd', 'd.key'),
    join('facility_terms', 'ft', 'f.key'),
    level === 'contract' ? join('contract_terms', 'ct', 'i.key') : '',
  ].join('');
}

/** Until when an item lives, as known at the snapshot: what has ended is passed over by one look-up. */
export function livesUntil(level: Level, key: string): string {
  const item =
    level === 'deal'
      ? `(l.item_key, l.currency) = (
          SELECT deal_key, currency FROM facility WHERE key = ${key})`
      : `l.item_key = ${key} AND l.currency = ''`;
  return `(SELECT l.lives_until FROM item_life l WHERE l.level = '${level}' AND ${item}
        AND l.known_seq <= $2 ORDER BY l.known_seq DESC LIMIT 1)`;
}

/** Whether row `c` of `item_life`, with its item as `key`, says that the item lives at the snapshot. */
export function itLives(level: Level): string {
  return `c.lives_until > $1 AND NOT EXISTS (SELECT FROM item_life l
            WHERE l.level = '${level}' AND l.item_key = c.key AND l.currency = c.currency
              AND l.known_seq > c.known_seq AND l.known_seq <= $2 ${BY_LOOKUP})`;
}

/** The keys of the items of the book that live at the snapshot; of deals, of all of their facilities. */
export function livingItems(level: Level): string {
  const living = `SELECT c.* FROM (SELECT *, item_key AS key FROM item_life
            WHERE level = '${level}' AND known_seq <= $2) c WHERE ${itLives(level)} ${BY_LOOKUP}`;
  return level === 'deal'
    ? `SELECT g.key FROM (${living}) c
          JOIN facility g ON g.deal_key = c.key AND g.currency = c.currency ${BY_LOOKUP}`
    : living;
}

/** Whose rows are a level's items, by their keys. */
export const ITEM_TABLES: Readonly<Record<Level, string>> = {
  deal: 'facility',
  facility: 'facility',
  contract: 'loan_contract',
  position: 'lender_position',
};

/** The currency of an item, by look-ups. */
export function currencyOf(level: Level, key: string): string {
  const facility =
    ITEM_TABLES[level] === 'facility'
      ? key
      : `(SELECT facility_key FROM ${ITEM_TABLES[level]} WHERE key = ${key})`;
  return `(SELECT currency FROM facility WHERE key = ${facility})`;
}

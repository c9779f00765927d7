import { groupBy } from '@cls/shared/group-by';
import type { BusinessDate } from '../../../ledger/business-date.ts';
import { type DueLine, pastDue, sharePastDue } from '../../../ledger/past-due.ts';
import {
  type Level,
  NOTHING_PAST_DUE,
  type PastDue,
  type Snapshot,
} from '../../ask/balance-store.ts';
import {
  DUE,
  hasMatured,
  LEVEL_SQL,
  MATURES_ON,
  newestBalance,
  OLDEST_UNPAID,
  OUTSTANDING,
} from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, type Statement } from '../../ask/sql/statement.ts';

/** What is due of one line of an item. */
export interface DueRow {
  readonly key: bigint;
  readonly facility_key: bigint;
  readonly contract_key: bigint;
  readonly account: 'PRINCIPAL_DUE' | 'INTEREST_DUE' | 'FEES_DUE';
  /** Null: the global line. */
  readonly lender_id: string | null;
  readonly due: bigint;
  readonly not_yet_due: bigint;
  /** Of the global line: the due date of the oldest item that is not paid. */
  readonly since: BusinessDate | null;
  readonly outstanding: bigint;
  /** When it matured, where principal was outstanding then; of principal alone. */
  readonly matured_on: BusinessDate | null;
}

/**
 * What is due of given items, with the lines of all lenders, because shares add up only together.
 */
export function dueStatement(
  level: Level,
  keys: readonly bigint[],
  { asOf, ledgerSeq }: Snapshot,
): Statement {
  const { items, lines } = LEVEL_SQL[level];
  const ofItem = level === 'position' ? 'l.facility_key = i.facility_key' : lines;
  const sql = `
    SELECT i.key, l.facility_key, l.contract_key, due.account::text AS account,
      lender.id AS lender_id, due.balance AS due, later.amount AS not_yet_due,
      CASE WHEN l.lender_key = 0 THEN ${OLDEST_UNPAID} END::text AS since,
      ${OUTSTANDING} AS outstanding,
      CASE WHEN due.account = 'PRINCIPAL_DUE' THEN matured.day END::text AS matured_on
    FROM ${items}
    JOIN balance_line l ON ${ofItem}
    CROSS JOIN LATERAL (${newestBalance()}) b
    CROSS JOIN LATERAL (
      SELECT CASE WHEN ${hasMatured('m.day')} THEN m.day END AS day
      FROM (SELECT ${MATURES_ON} AS day OFFSET 0) m) matured
    CROSS JOIN LATERAL ${DUE}
    LEFT JOIN party lender ON lender.key = l.lender_key
    WHERE i.key = ANY($3) AND (due.balance <> 0
      OR due.account = 'PRINCIPAL_DUE' AND matured.day IS NOT NULL)`;
  return { sql, parameters: [asOf, ledgerSeq, keys], planning: BY_INDEX, prepared: true };
}

const COMPONENT = {
  PRINCIPAL_DUE: 'principal',
  INTEREST_DUE: 'interest',
  FEES_DUE: 'fees',
} as const;
const NOTHING_DUE: DueLine = { due: 0n, notYetDue: 0n };

/** Shares are worked out for each contract and kind of amount, and summed up for the item. */
export function toPastDue(rows: readonly DueRow[]): ReadonlyMap<bigint, readonly PastDue[]> {
  const groups = groupBy(
    rows,
    (row) => `${row.key} ${row.facility_key} ${row.contract_key} ${row.account}`,
  );
  const items = new Map<bigint, Map<string, PastDue>>();
  for (const group of groups.values()) {
    const [{ key, account }] = group as [DueRow];
    const lines = items.get(key) ?? new Map<string, PastDue>();
    items.set(key, lines);
    const global = group.find(({ lender_id }) => lender_id === null);
    const isMatured = global !== undefined && isAllDue(global);
    const toLine = isMatured ? toMaturedLine : toBilledLine;
    const whole = global === undefined ? NOTHING_DUE : toLine(global);
    const lenders = new Map(
      group.flatMap((row) => (row.lender_id === null ? [] : [[row.lender_id, toLine(row)]])),
    );
    const name = COMPONENT[account];
    const since = [global?.since, isMatured ? global.matured_on : null].filter(Boolean).sort()[0];
    add(lines, '', { [name]: pastDue(whole), oldestDueDate: since ?? null, isMatured });
    for (const [id, share] of sharePastDue(whole, lenders)) add(lines, id, { [name]: share });
    if (!isMatured) continue;
    for (const { lender_id, outstanding, due } of group) {
      add(lines, lender_id ?? '', { maturedDue: outstanding - due });
    }
  }
  return new Map([...items].map(([key, lines]) => [key, [...lines.values()].filter(isSomething)]));
}

/**
 * Whether all that is outstanding of a global line is due: from the day after its maturity on. Where more
 * was billed than is outstanding, what was billed is due.
 */
function isAllDue({ matured_on, outstanding, due }: DueRow): boolean {
  return matured_on !== null && outstanding > 0n && outstanding >= due;
}

function toBilledLine({ due, not_yet_due: notYetDue }: DueRow): DueLine {
  return { due, notYetDue };
}

function toMaturedLine({ outstanding }: DueRow): DueLine {
  return { due: outstanding, notYetDue: 0n };
}

function isSomething({ principal, interest, fees, maturedDue, isMatured }: PastDue): boolean {
  return isMatured || [principal, interest, fees, maturedDue].some((amount) => amount !== 0n);
}

function add(lines: Map<string, PastDue>, lenderId: string, more: Partial<PastDue>): void {
  const before = lines.get(lenderId) ?? { lenderId, ...NOTHING_PAST_DUE };
  const { principal = 0n, interest = 0n, fees = 0n, maturedDue = 0n, oldestDueDate = null } = more;
  const dates = [before.oldestDueDate, oldestDueDate].filter((day) => day !== null).sort();
  lines.set(lenderId, {
    lenderId,
    principal: before.principal + principal,
    interest: before.interest + interest,
    fees: before.fees + fees,
    maturedDue: before.maturedDue + maturedDue,
    oldestDueDate: dates[0] ?? null,
    isMatured: before.isMatured || more.isMatured === true,
  });
}

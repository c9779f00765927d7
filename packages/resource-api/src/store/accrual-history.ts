import type { AccrualStream } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import type { Rate } from '../ledger/rate.ts';
import { type LineSteps, linesOf, rateOf, type SubjectRow, subjectOf } from './accrual-streams.ts';

/** A row of `accrualHistoriesStatement`. */
export interface HistoryRow extends SubjectRow {
  readonly begins: BusinessDate;
  /** Whether something of it came late, or was corrected. With late facts, what follows is left out. */
  readonly may_reopen: boolean;
  /** Bills that stand, one after the other: the days that they settle, and their date. */
  readonly bills: string | null;
  /** Start dates and rates. */
  readonly rates: string | null;
  readonly steps: LineSteps | null;
}

/** A stream on all days. None of its bills is to be worked out again. */
export interface AccrualHistory {
  readonly stream: Omit<AccrualStream, 'open'>;
  readonly begins: BusinessDate;
  /** By their first day. */
  readonly bills: readonly SettledDays[];
  /** Rates, bills and balances, shared out to the items that it is read for. */
  readonly share: number;
}

/** Days that a bill settles as of its date. */
interface SettledDays {
  readonly from: BusinessDate;
  readonly to: BusinessDate;
  readonly effectiveDate: BusinessDate;
}

type Dates = [from: BusinessDate, to: BusinessDate, effectiveDate: BusinessDate];

export function toHistory(row: HistoryRow): AccrualHistory {
  const lines = linesOf(row.steps);
  const bills = told<Dates>(row.bills).map(([from, to, effectiveDate]) => ({
    from,
    to,
    effectiveDate,
  }));
  const rates = told<[BusinessDate, string]>(row.rates).map(([startDate, rate]) => ({
    startDate,
    allInRate: rateOf(rate) ?? (0n as Rate),
  }));
  const steps = [...lines.values()].reduce((sum, line) => sum + line.length, 0);
  const facts = rates.length + bills.length + steps;
  return {
    stream: { ...subjectOf(row), rates, lines, bills: [] },
    begins: row.begins,
    bills,
    share: Math.ceil(facts / row.items.length),
  };
}

function told<T extends readonly string[]>(rows: string | null): readonly T[] {
  return (rows?.split(',') ?? []).map((row) => row.split(' ') as unknown as T);
}

/** Undefined where bills settle all days before a date. */
export function streamAt(history: AccrualHistory, asOf: BusinessDate): AccrualStream | undefined {
  const open = openDays(history, asOf);
  return open.length === 0 ? undefined : { ...history.stream, open };
}

/** Days before a date that no bill up to that date settles. */
function openDays({ begins, bills }: AccrualHistory, asOf: BusinessDate): AccrualStream['open'] {
  const open: { from: BusinessDate; to: BusinessDate }[] = [];
  let from = begins;
  for (const bill of bills) {
    if (from >= asOf) return open;
    if (bill.effectiveDate > asOf || bill.to <= from) continue;
    if (bill.from > from) open.push({ from, to: bill.from < asOf ? bill.from : asOf });
    from = bill.to;
  }
  if (from < asOf) open.push({ from, to: asOf });
  return open;
}

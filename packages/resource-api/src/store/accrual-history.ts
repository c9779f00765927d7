import { type AddedAmounts, addTo } from '../balances/accruals.ts';
import { type AccrualComponent, type AmountsBetween, amountsBetween } from '../ledger/accrual.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import type { Rate } from '../ledger/rate.ts';
import { type LineSteps, linesOf, rateOf, type SubjectRow } from './accrual-streams.ts';

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

/** What accrues in one stream as of any date. None of its bills is to be worked out again. */
export interface AccrualHistory {
  readonly component: AccrualComponent;
  readonly amountsBetween: AmountsBetween;
  readonly begins: BusinessDate;
  /** By their first day. */
  readonly bills: readonly SettledDays[];
  /** Rates, bills and balances, shared out to the items that it is read for. */
  readonly share: number;
}

interface Days {
  readonly from: BusinessDate;
  readonly to: BusinessDate;
}

/** Days that a bill settles as of its date. */
interface SettledDays extends Days {
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
    component: row.component,
    amountsBetween: amountsBetween({ dayCount: row.day_count, rates }, lines),
    begins: row.begins,
    bills,
    share: Math.ceil(facts / row.items.length),
  };
}

function told<T extends readonly string[]>(rows: string | null): readonly T[] {
  return (rows?.split(',') ?? []).map((row) => row.split(' ') as unknown as T);
}

/** What accrues as of a date, in days that no bill settles: added to what others came to. */
export function addAccrued(
  sums: AddedAmounts,
  { component, amountsBetween, ...history }: AccrualHistory,
  asOf: BusinessDate,
): void {
  for (const { from, to } of openDays(history, asOf)) {
    addTo(sums, component, amountsBetween(from, to));
  }
}

/** Days before a date that no bill up to that date settles. */
function openDays(
  { begins, bills }: Pick<AccrualHistory, 'begins' | 'bills'>,
  asOf: BusinessDate,
): readonly Days[] {
  const open: Days[] = [];
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

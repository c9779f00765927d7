import {
  type AccrualComponent,
  type AmountsBetween,
  amountsBetween,
} from '../../../ledger/accrual.ts';
import type { BusinessDate } from '../../../ledger/business-date.ts';
import { type Day, dayOn } from '../../../ledger/day-count.ts';
import type { Rate } from '../../../ledger/rate.ts';
import { type AddedAmounts, addTo } from '../accruals.ts';
import {
  type LineSteps,
  linesOf,
  rateOf,
  type SubjectRow,
  subjectOf,
  told,
} from './accrual-streams.ts';

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
  readonly begins: Day;
  readonly bills: Bills;
  /** Rates, bills and balances, shared out to the items that it is read for. */
  readonly share: number;
}

/** By the first day that they settle. Columns: each question looks through them. */
interface Bills {
  /** The first day that each settles, and the day after the last. */
  readonly from: readonly Day[];
  readonly to: readonly Day[];
  /** The numbers of the same days, and of the date of each bill. */
  readonly numbers: Readonly<Record<'from' | 'to' | 'effective', Int32Array>>;
}

type Dates = [from: BusinessDate, to: BusinessDate, effectiveDate: BusinessDate];

/** @param day of a date: histories that are read together share it */
export function toHistory(row: HistoryRow, day = dayOn): AccrualHistory {
  const lines = linesOf(row.steps);
  const { dayCount, ends } = subjectOf(row);
  const bills = told<Dates>(row.bills);
  const rates = told<[BusinessDate, string]>(row.rates).map(([startDate, rate]) => ({
    startDate,
    allInRate: rateOf(rate) ?? (0n as Rate),
  }));
  const steps = [...lines.values()].reduce((sum, line) => sum + line.length, 0);
  const facts = rates.length + bills.length + steps;
  return {
    component: row.component,
    amountsBetween: amountsBetween({ dayCount, rates, ends }, lines),
    begins: day(row.begins),
    bills: toBills(bills, day),
    share: Math.ceil(facts / row.items.length),
  };
}

function toBills(bills: readonly Dates[], day: typeof dayOn): Bills {
  const [from, to, effective] = [0, 1, 2].map((column) =>
    bills.map((dates) => day(dates[column] as BusinessDate)),
  ) as [Day[], Day[], Day[]];
  const numbered = (days: readonly Day[]) => Int32Array.from(days, ({ number }) => number);
  const numbers = { from: numbered(from), to: numbered(to), effective: numbered(effective) };
  return { from, to, numbers };
}

/** Adds what accrues as of a date to what others came to: in days that no bill up to that date settles. */
export function addAccrued(sums: AddedAmounts, history: AccrualHistory, asOf: Day): void {
  const { component, amountsBetween, bills } = history;
  const { from, to, effective } = bills.numbers;
  let open = history.begins;
  for (let bill = 0; bill < from.length && open.number < asOf.number; bill += 1) {
    if ((effective[bill] ?? 0) > asOf.number || (to[bill] ?? 0) <= open.number) continue;
    if ((from[bill] ?? 0) > open.number) {
      addTo(sums, component, amountsBetween(open, earlier(bills.from[bill] ?? asOf, asOf)));
    }
    open = bills.to[bill] ?? asOf;
  }
  if (open.number < asOf.number) addTo(sums, component, amountsBetween(open, asOf));
}

function earlier(one: Day, other: Day): Day {
  return one.number < other.number ? one : other;
}

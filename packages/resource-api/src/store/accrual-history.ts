import type { AccrualStream } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import type { Rate } from '../ledger/rate.ts';
import { type LineSteps, linesOf, rateOf } from './accrual-streams.ts';

/** A row of `accrualHistoriesStatement`. */
export interface HistoryRow {
  readonly items: readonly bigint[];
  readonly deal_key: bigint;
  readonly facility_id: string;
  readonly contract_id: string | null;
  readonly component: AccrualStream['component'];
  readonly day_count: AccrualStream['dayCount'];
  readonly begins: BusinessDate;
  /** Whether a bill of it is to be worked out again, as of whichever date. */
  readonly reopens: boolean;
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
  /** The day by which each line has a balance. */
  readonly linesBegunBy: BusinessDate;
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

export function toHistory(row: HistoryRow): AccrualHistory {
  const lines = linesOf(row.steps);
  const bills = told(row.bills).map(([from, to, effectiveDate]) => ({ from, to, effectiveDate }));
  const rates = told(row.rates).map(([startDate, rate]) => ({
    startDate,
    allInRate: rateOf(rate) ?? (0n as Rate),
  }));
  const steps = [...lines.values()];
  const begun = steps.flatMap(([first]) => (first === undefined ? [] : [first.date]));
  const facts = steps.reduce((sum, line) => sum + line.length, rates.length + bills.length);
  return {
    stream: {
      facilityId: row.facility_id,
      contractId: row.contract_id,
      component: row.component,
      dayCount: row.day_count,
      rates,
      lines,
      bills: [],
    },
    begins: row.begins,
    linesBegunBy: begun.sort().at(-1) ?? row.begins,
    bills,
    share: Math.ceil(facts / row.items.length),
  };
}

function told(
  rows: string | null,
): readonly (readonly [BusinessDate, BusinessDate, BusinessDate])[] {
  return (rows?.split(',') ?? []).map((row) => row.split(' ') as never);
}

/** Undefined where bills settle all days before a date. */
export function streamAt(history: AccrualHistory, asOf: BusinessDate): AccrualStream | undefined {
  const open = openDays(history, asOf);
  if (open.length === 0) return undefined;
  const { stream, linesBegunBy } = history;
  if (linesBegunBy <= asOf) return { ...stream, open };
  const begun = [...stream.lines].filter(
    ([, [first]]) => first !== undefined && first.date <= asOf,
  );
  return { ...stream, open, lines: new Map(begun) };
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

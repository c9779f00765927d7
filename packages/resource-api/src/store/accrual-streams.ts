import type { BalanceStep } from '../ledger/accrual.ts';
import type { AccrualStream, ReopenedBill } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { parseRate, type Rate } from '../ledger/rate.ts';

interface LineStep {
  /** Null: the global line. */
  readonly lender: string | null;
  readonly date: BusinessDate;
  readonly amount: string;
}

/** A row of `accrualStatement`. */
export interface StreamRow {
  readonly item: bigint;
  readonly facility_id: string;
  readonly contract_id: string | null;
  readonly component: AccrualStream['component'];
  readonly day_count: AccrualStream['dayCount'];
  readonly open: AccrualStream['open'] | null;
  readonly rates:
    | readonly Readonly<
        Record<'allInRate' | 'baseRate' | 'spread' | 'csa' | 'baseRateIndex', string | null> & {
          startDate: BusinessDate;
        }
      >[]
    | null;
  readonly steps: readonly LineStep[] | null;
  readonly bills:
    | readonly (Omit<ReopenedBill, 'journalId' | 'billed'> & {
        readonly journal: string;
        readonly billed: readonly LineStep[];
      })[]
    | null;
}

export function toStreams(
  rows: readonly StreamRow[],
): ReadonlyMap<bigint, readonly AccrualStream[]> {
  const items = new Map<bigint, AccrualStream[]>();
  for (const row of rows) {
    const stream: AccrualStream = {
      facilityId: row.facility_id,
      contractId: row.contract_id,
      component: row.component,
      dayCount: row.day_count,
      open: row.open ?? [],
      rates: (row.rates ?? []).map(({ startDate, allInRate, baseRateIndex, ...parts }) => ({
        startDate,
        allInRate: rateOf(allInRate) ?? (0n as Rate),
        baseRateIndex,
        baseRate: rateOf(parts.baseRate),
        spread: rateOf(parts.spread),
        csa: rateOf(parts.csa),
      })),
      lines: linesOf(row.steps ?? []),
      bills: (row.bills ?? []).map(({ journal, billed, ...bill }) => ({
        ...bill,
        journalId: journal,
        billed: linesOf(billed),
      })),
    };
    items.set(row.item, [...(items.get(row.item) ?? []), stream]);
  }
  return items;
}

function linesOf(steps: readonly LineStep[]): ReadonlyMap<string, readonly BalanceStep[]> {
  const lines = new Map<string, BalanceStep[]>();
  for (const { lender, date, amount } of steps) {
    const step = { date, amountMinor: BigInt(amount) };
    const line = lines.get(lender ?? '');
    if (line === undefined) lines.set(lender ?? '', [step]);
    else line.push(step);
  }
  return lines;
}

function rateOf(text: string | null): Rate | null {
  return text === null ? null : (parseRate(text) ?? null);
}

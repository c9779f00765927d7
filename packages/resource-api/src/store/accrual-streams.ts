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
  readonly items: readonly bigint[];
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
  /** Of each line, the lender's id (none: the global line), then dates and amounts: `id date 1,…`. */
  readonly steps: string | null;
  readonly bills:
    | readonly (Omit<ReopenedBill, 'journalId' | 'billed'> & {
        readonly journal: string;
        readonly billed: readonly LineStep[];
      })[]
    | null;
}

/** The streams of each item. Items with the same streams share one list of them. */
export function toStreams(
  rows: readonly StreamRow[],
): ReadonlyMap<bigint, readonly AccrualStream[]> {
  const rowsOf = new Map<bigint, string>();
  for (const [index, { items }] of rows.entries()) {
    for (const item of items) rowsOf.set(item, `${rowsOf.get(item) ?? ''} ${index}`);
  }
  const streams = rows.map(toStream);
  const lists = new Map<string, readonly AccrualStream[]>();
  const listOf = (indices: string): readonly AccrualStream[] => {
    const known = lists.get(indices);
    if (known !== undefined) return known;
    const list = indices
      .trim()
      .split(' ')
      .flatMap((index) => streams[Number(index)] ?? []);
    lists.set(indices, list);
    return list;
  };
  return new Map([...rowsOf].map(([item, indices]) => [item, listOf(indices)]));
}

function toStream(row: StreamRow): AccrualStream {
  return {
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
    lines: toLines(row.steps ?? ''),
    bills: (row.bills ?? []).map(({ journal, billed, ...bill }) => ({
      ...bill,
      journalId: journal,
      billed: linesOf(billed),
    })),
  };
}

function toLines(text: string): ReadonlyMap<string, readonly BalanceStep[]> {
  const lines = new Map<string, readonly BalanceStep[]>();
  for (const line of text.split(',')) {
    const [lender = '', ...words] = line.split(' ');
    const steps: BalanceStep[] = [];
    for (let i = 0; i < words.length; i += 2) {
      steps.push({ date: words[i] as BusinessDate, amountMinor: BigInt(words[i + 1] ?? '') });
    }
    if (steps.length > 0) lines.set(lender, steps);
  }
  return lines;
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

import type { BalanceStep } from '../../../ledger/accrual.ts';
import type { DatedEnd } from '../../../ledger/accrual-base.ts';
import type { AccrualStream, ReopenedBill } from '../../../ledger/billed-accruals.ts';
import type { BusinessDate } from '../../../ledger/business-date.ts';
import { parseRate, type Rate } from '../../../ledger/rate.ts';
import type { ItemStreams } from '../../ask/balance-store.ts';
import { oncePerKey } from '../accruals.ts';

/** Steps of lines, one after the other: the lender's id (none: the global line), date and amount. */
export type LineSteps = string;

/** What accrues, and in which items, as each statement of it says. */
export interface SubjectRow {
  readonly items: readonly bigint[];
  /** Items that it does not accrue in: facilities whose commitment it uses as a sublimit of theirs. */
  readonly context_of: readonly bigint[];
  readonly facility_id: string;
  readonly contract_id: string | null;
  readonly component: AccrualStream['component'];
  readonly day_count: AccrualStream['dayCount'];
  /** Dates, and the end that holds from each on; null where it ends with its balance alone. */
  readonly ends: string | null;
}

/** A row of `accrualStatement`. */
export interface StreamRow extends SubjectRow {
  readonly open: AccrualStream['open'] | null;
  readonly rates:
    | readonly Readonly<
        Record<'allInRate', string> &
          Partial<Record<'baseRate' | 'spread' | 'csa' | 'baseRateIndex', string | null>> & {
            startDate: BusinessDate;
          }
      >[]
    | null;
  readonly steps: LineSteps | null;
  readonly uses_commitment_of: readonly string[];
  readonly bills:
    | readonly (Omit<ReopenedBill, 'journalId' | 'billed'> & {
        readonly journal: string;
        readonly billed: LineSteps | null;
      })[]
    | null;
}

/** The streams of each item. Items with the same streams share one list of them. */
export function toStreams(rows: readonly StreamRow[]): ItemStreams {
  const streams = rows.map(toStream);
  const around = rows.map(({ context_of: items }) => ({ items }));
  const context = streams.map((stream) => ({ ...stream, isContext: true }));
  return listsByItem([...rows, ...around], [...streams, ...context]);
}

/** What rows came to, for each item that they are of. Items of the same rows share one list. */
export function listsByItem<T>(
  rows: readonly { readonly items: readonly bigint[] }[],
  told: readonly T[],
): ReadonlyMap<bigint, readonly T[]> {
  const rowsOf = new Map<bigint, string>();
  for (const [index, { items }] of rows.entries()) {
    for (const item of items) rowsOf.set(item, `${rowsOf.get(item) ?? ''} ${index}`);
  }
  const listOf = oncePerKey((indices: string): readonly T[] =>
    indices
      .trim()
      .split(' ')
      .map((index) => told[Number(index)] as T),
  );
  return new Map([...rowsOf].map(([item, indices]) => [item, listOf(indices)]));
}

export function subjectOf(row: SubjectRow) {
  return {
    facilityId: row.facility_id,
    contractId: row.contract_id,
    component: row.component,
    dayCount: row.day_count,
    ends: endsOf(row.ends),
  };
}

function endsOf(ends: string | null): readonly DatedEnd[] {
  return told<[BusinessDate, BusinessDate | 'infinity']>(ends).map(([from, end]) => ({
    from,
    end: end === 'infinity' ? undefined : end,
  }));
}

/** Reads `a b,c d`. */
export function told<T extends string[]>(rows: string | null): readonly T[] {
  return (rows?.split(',') ?? []).map((row) => row.split(' ') as T);
}

function toStream(row: StreamRow): AccrualStream {
  return {
    ...subjectOf(row),
    open: row.open ?? [],
    rates: (row.rates ?? []).map(({ startDate, allInRate, baseRateIndex = null, ...parts }) => ({
      startDate,
      allInRate: rateOf(allInRate) ?? (0n as Rate),
      baseRateIndex,
      baseRate: rateOf(parts.baseRate),
      spread: rateOf(parts.spread),
      csa: rateOf(parts.csa),
    })),
    lines: linesOf(row.steps),
    usesCommitmentOf: row.uses_commitment_of,
    bills: (row.bills ?? []).map(({ journal, billed, ...bill }) => ({
      ...bill,
      journalId: journal,
      billed: linesOf(billed),
    })),
  };
}

export function linesOf(steps: LineSteps | null): ReadonlyMap<string, readonly BalanceStep[]> {
  const lines = new Map<string, BalanceStep[]>();
  for (const told of steps?.split(',') ?? []) {
    const [lender = '', date = '', amount = ''] = told.split(' ');
    const step = { date: date as BusinessDate, amountMinor: BigInt(amount) };
    const line = lines.get(lender);
    if (line === undefined) lines.set(lender, [step]);
    else line.push(step);
  }
  return lines;
}

export function rateOf(text: string | null | undefined): Rate | null {
  return text == null ? null : (parseRate(text) ?? null);
}

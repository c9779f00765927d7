import type { AccrualStream } from '../balances/balance-store.ts';
import type { BalanceStep } from '../ledger/accrual.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { parseRate, type Rate } from '../ledger/rate.ts';

/** A row of `accrualStatement`. */
export interface StreamRow {
  readonly item: bigint;
  readonly facility_id: string;
  readonly contract_id: string | null;
  readonly component: AccrualStream['component'];
  readonly day_count: AccrualStream['dayCount'];
  readonly since: BusinessDate;
  readonly rates: readonly Readonly<
    Record<'allInRate' | 'baseRate' | 'spread' | 'csa' | 'baseRateIndex', string | null> & {
      startDate: BusinessDate;
    }
  >[];
  readonly steps:
    | readonly {
        readonly lender: string | null;
        readonly date: BusinessDate;
        readonly amount: string;
      }[]
    | null;
}

export function toStreams(
  rows: readonly StreamRow[],
): ReadonlyMap<bigint, readonly AccrualStream[]> {
  const items = new Map<bigint, AccrualStream[]>();
  for (const row of rows) {
    const lines = new Map<string, BalanceStep[]>();
    for (const { lender, date, amount } of row.steps ?? []) {
      const line = lines.get(lender ?? '') ?? [];
      lines.set(lender ?? '', [...line, { date, amountMinor: BigInt(amount) }]);
    }
    const stream: AccrualStream = {
      facilityId: row.facility_id,
      contractId: row.contract_id,
      component: row.component,
      dayCount: row.day_count,
      from: row.since,
      rates: row.rates.map(({ startDate, allInRate, baseRateIndex, ...parts }) => ({
        startDate,
        allInRate: rateOf(allInRate) ?? (0n as Rate),
        baseRateIndex,
        baseRate: rateOf(parts.baseRate),
        spread: rateOf(parts.spread),
        csa: rateOf(parts.csa),
      })),
      lines,
    };
    items.set(row.item, [...(items.get(row.item) ?? []), stream]);
  }
  return items;
}

function rateOf(text: string | null): Rate | null {
  return text === null ? null : (parseRate(text) ?? null);
}

/**
 * What accrues on a balance by a rate that changes, day by day and exactly; rounded once, when it
 * is billed, capitalised or shown. Names follow FpML's AccrualPeriod.
 */
import { type ExactPart, largestRemainder, roundHalfUp } from './allocate.ts';
import type { BusinessDate } from './business-date.ts';
import { type DayCount, YEAR_PARTS, yearFraction } from './day-count.ts';
import { RATE_DECIMALS, type Rate } from './rate.ts';

export const ACCRUAL_COMPONENTS = [
  'interest',
  'pik',
  'commitment_fee',
  'letter_of_credit_fee',
] as const;
export type AccrualComponent = (typeof ACCRUAL_COMPONENTS)[number];

/** A rate from its start date until the next step. */
export interface RateStep {
  readonly startDate: BusinessDate;
  readonly allInRate: Rate;
  readonly baseRateIndex?: string | null;
  readonly baseRate?: Rate | null;
  readonly spread?: Rate | null;
  readonly csa?: Rate | null;
}

/** A balance at the end of a date: it accrues from the night of that date on. */
export interface BalanceStep {
  readonly date: BusinessDate;
  readonly amountMinor: bigint;
}

export interface AccrualTerms {
  /** First day that accrues, and the day that accrues no more. */
  readonly from: BusinessDate;
  readonly to: BusinessDate;
  readonly dayCount: DayCount;
  /** By rising start date; before the first nothing accrues. */
  readonly rates: readonly RateStep[];
}

export interface AccrualPeriod extends Omit<RateStep, 'startDate'> {
  readonly start: BusinessDate;
  readonly end: BusinessDate;
  readonly days: number;
  readonly balanceMinor: bigint;
  /** In units of 1/EXACT_UNIT of a minor unit. */
  readonly exact: bigint;
}

/** Exact accruals are integers of this part of a minor unit. */
export const EXACT_UNIT = YEAR_PARTS * 10n ** BigInt(RATE_DECIMALS);

/** Periods of one rate and one balance; those of nothing are left out. */
export function accrualPeriods(
  terms: AccrualTerms,
  balances: readonly BalanceStep[],
): readonly AccrualPeriod[] {
  const periods: AccrualPeriod[] = [];
  eachPeriod(terms, balances, (period, { startDate: _, ...rate }) => {
    periods.push({ ...period, ...rate });
  });
  return periods;
}

export function exactAccrual(periods: readonly AccrualPeriod[]): bigint {
  return periods.reduce((sum, { exact }) => sum + exact, 0n);
}

/** The same of a lender's balances, whose periods nobody is shown. */
function exactShare(terms: AccrualTerms, balances: readonly BalanceStep[]): bigint {
  let sum = 0n;
  eachPeriod(terms, balances, ({ exact }) => {
    sum += exact;
  });
  return sum;
}

type RatedDays = Pick<AccrualPeriod, 'start' | 'end' | 'days' | 'balanceMinor' | 'exact'>;

/** Walks rates and balances side by side: the cost goes by their number. */
function eachPeriod(
  { from, to, dayCount, rates }: AccrualTerms,
  balances: readonly BalanceStep[],
  take: (period: RatedDays, rate: RateStep) => void,
): void {
  const cuts = new Set([from]);
  for (const { startDate } of rates) if (startDate > from && startDate < to) cuts.add(startDate);
  for (const { date } of balances) if (date > from && date < to) cuts.add(date);
  const dates = [...cuts.add(to)].sort();
  let rate = 0;
  let balance = 0;
  for (const [index, start] of dates.entries()) {
    const end = dates[index + 1];
    if (end === undefined) return;
    while ((rates[rate]?.startDate ?? end) <= start) rate += 1;
    while ((balances[balance]?.date ?? end) <= start) balance += 1;
    const step = rates[rate - 1];
    const balanceMinor = balances[balance - 1]?.amountMinor ?? 0n;
    if (step === undefined || balanceMinor === 0n) continue;
    const { days, parts } = yearFraction(dayCount, from, start, end);
    take({ start, end, days, balanceMinor, exact: balanceMinor * step.allInRate * parts }, step);
  }
}

/** Rounded once, half up. */
export function roundAccrual(exact: bigint): bigint {
  return roundHalfUp(exact, EXACT_UNIT);
}

/**
 * One accrual as everyone sees it: the global amount rounded once, and each lender's part of it by
 * largest remainder, so that lenders always add up to the global amount.
 *
 * @param lines by rising date each; the global line under the empty id, lenders under theirs.
 */
export function accrue(
  terms: AccrualTerms,
  lines: ReadonlyMap<string, readonly BalanceStep[]>,
): { readonly amounts: ReadonlyMap<string, bigint>; readonly periods: readonly AccrualPeriod[] } {
  const periods = accrualPeriods(terms, lines.get('') ?? []);
  const globalMinor = roundAccrual(exactAccrual(periods));
  const parts: ExactPart[] = [...lines].flatMap(([id, balances]) =>
    id === '' ? [] : [{ id, numerator: exactShare(terms, balances) }],
  );
  const shares = parts.length === 0 ? new Map() : largestRemainder(globalMinor, parts, EXACT_UNIT);
  return { amounts: new Map([['', globalMinor], ...shares]), periods };
}

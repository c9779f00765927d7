/**
 * What accrues on a balance by a rate that changes, day by day and exactly; rounded once, when it
 * is billed, capitalised or shown. Names follow FpML's AccrualPeriod.
 */
import { accrualBase, type DatedEnd } from './accrual-base.ts';
import { type ExactPart, largestRemainder, roundHalfAwayFromZero } from './allocate.ts';
import type { BusinessDate } from './business-date.ts';
import {
  type Day,
  type DayCount,
  dayOn,
  type Scale,
  scaleFrom,
  scalesOf,
  YEAR_PARTS,
  type YearFraction,
  yearFraction,
} from './day-count.ts';
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
  /** Where it ends before its balance does, as a commitment fee does; by rising date. */
  readonly ends?: readonly DatedEnd[] | undefined;
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
function accrualPeriods(
  terms: AccrualTerms,
  balances: readonly BalanceStep[],
  yearsSince: FractionsSince,
): readonly AccrualPeriod[] {
  const periods: AccrualPeriod[] = [];
  eachPeriod(terms, balances, yearsSince, (exact, balanceMinor, start, end, rate) => {
    const days = yearsSince(end).days - yearsSince(start).days;
    const { startDate: _, ...rates } = rate;
    periods.push({ start, end, days, balanceMinor, exact, ...rates });
  });
  return periods;
}

/** What the periods add up to. */
function exactAccrual(
  terms: AccrualTerms,
  balances: readonly BalanceStep[],
  yearsSince: FractionsSince,
): bigint {
  let sum = 0n;
  eachPeriod(terms, balances, yearsSince, (exact) => {
    sum += exact;
  });
  return sum;
}

type FractionsSince = (date: BusinessDate) => YearFraction;

/** Fractions since the first day that accrues. Lenders' lines mostly move on the same dates. */
function fractionsSince({ dayCount, from }: AccrualTerms): FractionsSince {
  const known = new Map<BusinessDate, YearFraction>();
  return (date) => {
    const fraction = known.get(date) ?? yearFraction(dayCount, from, from, date);
    known.set(date, fraction);
    return fraction;
  };
}

/** Walks rates and balances side by side: the cost goes by their number. */
function eachPeriod(
  { from, to, rates }: AccrualTerms,
  balances: readonly BalanceStep[],
  yearsSince: FractionsSince,
  take: (
    exact: bigint,
    balanceMinor: bigint,
    start: BusinessDate,
    end: BusinessDate,
    rate: RateStep,
  ) => void,
): void {
  let rate = countWhere(rates, ({ startDate }) => startDate <= from);
  let balance = countWhere(balances, ({ date }) => date <= from);
  let start = from;
  let before = yearsSince(from);
  while (start < to) {
    while ((rates[rate]?.startDate ?? to) <= start) rate += 1;
    while ((balances[balance]?.date ?? to) <= start) balance += 1;
    const end = earliest(to, rates[rate]?.startDate ?? to, balances[balance]?.date ?? to);
    const after = yearsSince(end);
    const step = rates[rate - 1];
    const balanceMinor = balances[balance - 1]?.amountMinor ?? 0n;
    if (step !== undefined && balanceMinor !== 0n) {
      const exact = balanceMinor * step.allInRate * (after.parts - before.parts);
      take(exact, balanceMinor, start, end, step);
    }
    start = end;
    before = after;
  }
}

/** How many come first that meet a condition, where those come before all others. */
function countWhere<T>(steps: readonly T[], isMet: (step: T) => boolean): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isMet(steps[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function earliest(one: BusinessDate, other: BusinessDate, third: BusinessDate): BusinessDate {
  const first = other < one ? other : one;
  return third < first ? third : first;
}

/** Rounded once, half away from zero. */
export function roundAccrual(exact: bigint): bigint {
  return roundHalfAwayFromZero(exact, EXACT_UNIT);
}

export interface Accrued {
  /** By lender; the global one under the empty id. */
  readonly amounts: ReadonlyMap<string, bigint>;
  /** Of the global amount. Most callers ask for the amounts alone. */
  readonly periods: () => readonly AccrualPeriod[];
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
): Accrued {
  const yearsSince = fractionsSince(terms);
  const bases = accrualBase(lines, terms.ends);
  const amounts = rounded(bases, (balances) => exactAccrual(terms, balances, yearsSince));
  return { amounts, periods: () => accrualPeriods(terms, bases.get('') ?? [], yearsSince) };
}

/** @param exactOf what accrued on a line */
function rounded<Line>(
  lines: ReadonlyMap<string, Line>,
  exactOf: (line: Line) => bigint,
): ReadonlyMap<string, bigint> {
  const global = lines.get('');
  const globalMinor = global === undefined ? 0n : roundAccrual(exactOf(global));
  const amounts = new Map([['', globalMinor]]);
  if (lines.size === 1 && global !== undefined) return amounts;
  const parts: ExactPart[] = [];
  for (const [id, line] of lines) {
    if (id !== '') parts.push({ id, numerator: exactOf(line) });
  }
  const shares = parts.length === 0 ? [] : largestRemainder(globalMinor, parts, EXACT_UNIT);
  for (const [id, share] of shares) amounts.set(id, share);
  return amounts;
}

/** The amounts of `accrue` between two days. */
export type AmountsBetween = (from: Day, to: Day) => ReadonlyMap<string, bigint>;

/**
 * For many questions about the same lines: exact accruals up to each change of a rate or balance are added
 * up once, and what accrues between two days is a difference.
 */
export function amountsBetween(
  { dayCount, rates, ends }: Pick<AccrualTerms, 'dayCount' | 'rates' | 'ends'>,
  lines: ReadonlyMap<string, readonly BalanceStep[]>,
): AmountsBetween {
  const bases = accrualBase(lines, ends);
  const byScale = new Map(
    scalesOf(dayCount).map((scale) => [
      scale,
      new Map([...bases].map(([id, line]) => [id, changesOf(rates, line, scale)])),
    ]),
  );
  return (from, to) => {
    const scale = scaleFrom(dayCount, from);
    const changes = byScale.get(scale) ?? new Map<string, Changes>();
    return rounded(changes, (line) => upTo(to[scale], line) - upTo(from[scale], line));
  };
}

/** Days from which on another rate or balance counts. Columns: each question looks through them. */
interface Changes {
  /** Of the days on a scale. */
  readonly places: Float64Array;
  /** Accrued exactly up to each day. */
  readonly exact: readonly bigint[];
  /** Accrues from each day on: balance times rate. */
  readonly perPart: readonly bigint[];
}

function changesOf(
  rates: readonly RateStep[],
  balances: readonly BalanceStep[],
  scale: Scale,
): Changes {
  const dates = [
    ...new Set([...rates.map(({ startDate }) => startDate), ...balances.map(({ date }) => date)]),
  ].sort();
  const places = Float64Array.from(dates, (date) => dayOn(date)[scale]);
  const [exact, perPart]: [bigint[], bigint[]] = [[], []];
  let [rate, balance] = [0, 0];
  for (const [index, date] of dates.entries()) {
    while ((rates[rate]?.startDate ?? AFTER_ALL) <= date) rate += 1;
    while ((balances[balance]?.date ?? AFTER_ALL) <= date) balance += 1;
    const place = places[index] ?? 0;
    exact.push(index === 0 ? 0n : accruedAt(place, index - 1, { places, exact, perPart }));
    perPart.push((balances[balance - 1]?.amountMinor ?? 0n) * (rates[rate - 1]?.allInRate ?? 0n));
  }
  return { places, exact, perPart };
}

/** Behind every date. */
const AFTER_ALL = '~';

/** Where changes have the same place, nothing accrues between them: any of them will do. */
function upTo(place: number, changes: Changes): bigint {
  const { places } = changes;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) <= place) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0n : accruedAt(place, low - 1, changes);
}

function accruedAt(place: number, last: number, { places, exact, perPart }: Changes): bigint {
  const parts = BigInt(place - (places[last] ?? 0));
  return (exact[last] ?? 0n) + (perPart[last] ?? 0n) * parts;
}

/** What lines accrue on: what is owed or can be drawn, and not a credit. */
import type { BalanceStep } from './accrual.ts';
import { allocate } from './allocate.ts';
import type { BusinessDate } from './business-date.ts';

/** From a date on, the first day that accrues no more; undefined: there is none. */
export interface DatedEnd {
  readonly from: BusinessDate;
  readonly end: BusinessDate | undefined;
}

/** The global line under the empty id, lenders under theirs. */
type Lines = ReadonlyMap<string, readonly BalanceStep[]>;

/**
 * Balances as far as they accrue. A balance below zero accrues nothing, globally and for each lender.
 * Where one lender is below zero and the whole is not, the others accrue on the whole in proportion
 * to their balances: the borrower pays for the whole, and lenders add up to it.
 *
 * @param ends by rising date each
 */
export function accrualBase(lines: Lines, ends: readonly DatedEnd[] = []): Lines {
  const pauses = pausesOf(ends);
  const hasCredit = [...lines.values()].some((steps) => steps.some(isCredit));
  if (pauses.length === 0 && !hasCredit) return lines;
  const dates = [...lines.values()].flatMap((steps) => steps.map(({ date }) => date));
  dates.push(...pauses.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to])));
  const balanceOn = [...lines].map(([id, steps]) => [id, walked(steps)] as const);
  const bases = new Map<string, BalanceStep[]>([...lines.keys()].map((id) => [id, []]));
  for (const date of [...new Set(dates)].sort()) {
    const balances = new Map(balanceOn.map(([id, on]) => [id, on(date)]));
    const isPaused = pauses.some(({ from, to }) => from <= date && (to ?? AFTER_ALL) > date);
    const amounts = isPaused ? undefined : debts(balances);
    for (const [id, base] of bases) {
      const amountMinor = amounts?.get(id) ?? 0n;
      if (amountMinor !== (base.at(-1)?.amountMinor ?? 0n)) base.push({ date, amountMinor });
    }
  }
  return bases;
}

/** Behind every date. */
const AFTER_ALL = '~';

function isCredit({ amountMinor }: BalanceStep): boolean {
  return amountMinor < 0n;
}

/** Days on which nothing accrues: from an end until later terms move it, which may be never. */
function pausesOf(ends: readonly DatedEnd[]) {
  return ends.flatMap(({ from, end }, index) => {
    const to = ends[index + 1]?.from;
    if (end === undefined) return [];
    if (end <= from) return [{ from, to }];
    return end < (to ?? AFTER_ALL) ? [{ from: end, to }] : [];
  });
}

/** The balance on a date; dates are asked for by rising date. */
function walked(steps: readonly BalanceStep[]): (date: BusinessDate) => bigint {
  let next = 0;
  return (date) => {
    while ((steps[next]?.date ?? AFTER_ALL) <= date) next += 1;
    return steps[next - 1]?.amountMinor ?? 0n;
  };
}

function debts(balances: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  if ([...balances.values()].every((balance) => balance >= 0n)) return balances;
  const whole = positive(balances.get('') ?? 0n);
  const weights = [...balances]
    .filter(([id, balance]) => id !== '' && balance > 0n)
    .map(([id, weight]) => ({ id, weight }));
  const shares = whole === 0n || weights.length === 0 ? [] : allocate(whole, weights);
  return new Map([['', whole], ...shares]);
}

function positive(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

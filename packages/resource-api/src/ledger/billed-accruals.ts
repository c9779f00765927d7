/**
 * What accrues and what was billed of it. A bill stands as it was billed until something inside
 * the days that it settles becomes known later; from then on the difference to what is right
 * accrues, until an adjusting item posts it.
 */
import {
  type AccrualComponent,
  type AccrualPeriod,
  type AccrualTerms,
  type Accrued,
  accrue,
  type BalanceStep,
} from './accrual.ts';
import type { BusinessDate } from './business-date.ts';

/** By lender; the global line under the empty id. */
export type Lines<T> = ReadonlyMap<string, T>;

/** A bill that is to be worked out again. */
export interface ReopenedBill {
  readonly journalId: string;
  /** Days that it settles: the first, and the first after them. */
  readonly from: BusinessDate;
  readonly to: BusinessDate;
  readonly effectiveDate: BusinessDate;
  /** Not reversed. The days of a reversed bill are open, and it comes to nothing. */
  readonly stands: boolean;
  /** It went into principal, and so does its correction. */
  readonly capitalised: boolean;
  readonly dueDate: BusinessDate | null;
  /** What the bill, its corrections and their reversals posted, by date. */
  readonly billed: Lines<readonly BalanceStep[]>;
}

/** One thing that accrues: interest of a contract, or a fee of a facility. */
export interface AccrualStream extends Omit<AccrualTerms, 'from' | 'to'> {
  readonly facilityId: string;
  /** Null: of the facility, as a commitment fee is. */
  readonly contractId: string | null;
  readonly component: AccrualComponent;
  /** Global steps under the empty id, lenders' under theirs: all of them, for every caller. */
  readonly lines: Lines<readonly BalanceStep[]>;
  /** Days that no bill settles, in parts that are billed one by one. */
  readonly open: readonly { readonly from: BusinessDate; readonly to: BusinessDate }[];
  readonly bills: readonly ReopenedBill[];
}

/** What accrues in one part of a stream. */
export interface WorkedAccrual<S extends AccrualStream = AccrualStream> {
  readonly stream: S;
  readonly from: BusinessDate;
  readonly to: BusinessDate;
  /** What is not billed yet; of a bill that is corrected: less what it billed. */
  readonly amounts: Lines<bigint>;
  readonly periods: () => readonly AccrualPeriod[];
  /** Undefined for open days. `billedMinor`: globally, with earlier corrections. */
  readonly corrects: { readonly bill: ReopenedBill; readonly billedMinor: bigint } | undefined;
}

/**
 * Everything that accrues in streams: open days first, then corrections of bills. Where
 * capitalised interest is corrected, principal counts from its capitalisation on as if it had been
 * right, so that interest on it is right too.
 */
export function workOut<S extends AccrualStream>(
  streams: readonly S[],
): readonly WorkedAccrual<S>[] {
  if (streams.every(({ bills }) => bills.length === 0)) return workOutContract(streams);
  const contracts = new Map<string, S[]>();
  for (const stream of streams) {
    const name = `${stream.facilityId} ${stream.contractId ?? ''}`;
    contracts.set(name, [...(contracts.get(name) ?? []), stream]);
  }
  return [...contracts.values()].flatMap((some) => workOutContract(some));
}

const NOTHING: Accrued = { amounts: new Map(), periods: () => [] };

function workOutContract<S extends AccrualStream>(streams: readonly S[]): WorkedAccrual<S>[] {
  const moves = new Map<string, BalanceStep[]>();
  const bills = streams
    .flatMap((stream) => stream.bills.map((bill) => ({ stream, bill })))
    .sort((a, b) => compare(a.bill.effectiveDate, b.bill.effectiveDate));
  const corrections = bills.map(({ stream, bill }): WorkedAccrual<S> => {
    const { from, to, stands } = bill;
    const right = stands ? accrueIn(stream, bill, moves) : NOTHING;
    if (bill.capitalised) correctPrincipal(moves, bill, right.amounts);
    const billed = sums(bill.billed);
    const lenders = new Set(['', ...right.amounts.keys(), ...billed.keys()]);
    const amounts = new Map(
      [...lenders].map((id) => [id, (right.amounts.get(id) ?? 0n) - (billed.get(id) ?? 0n)]),
    );
    const corrects = { bill, billedMinor: billed.get('') ?? 0n };
    return { stream, from, to, amounts, periods: right.periods, corrects };
  });
  const open = streams.flatMap((stream) =>
    stream.open.map((days): WorkedAccrual<S> => {
      const { amounts, periods } = accrueIn(stream, days, moves);
      return { stream, from: days.from, to: days.to, amounts, periods, corrects: undefined };
    }),
  );
  const due = corrections.filter(({ amounts }) => [...amounts.values()].some((sum) => sum !== 0n));
  return [...open, ...due];
}

function accrueIn(
  stream: AccrualStream,
  { from, to }: Pick<AccrualTerms, 'from' | 'to'>,
  moves: Lines<readonly BalanceStep[]>,
): Accrued {
  const { dayCount, rates, ends } = stream;
  return accrue({ from, to, dayCount, rates, ends }, moved(stream, moves));
}

/** From its capitalisation on the right amount counts, in place of what was posted. */
function correctPrincipal(
  moves: Map<string, BalanceStep[]>,
  { effectiveDate: date, billed }: ReopenedBill,
  right: Lines<bigint>,
): void {
  const add = (id: string, move: BalanceStep) => moves.set(id, [...(moves.get(id) ?? []), move]);
  for (const [id, amountMinor] of right) add(id, { date, amountMinor });
  for (const [id, steps] of billed) {
    for (const step of steps) add(id, { date: step.date, amountMinor: -step.amountMinor });
  }
}

/** Balance steps with what moves them from dates on. */
function moved(
  { component, lines }: AccrualStream,
  moves: Lines<readonly BalanceStep[]>,
): Lines<readonly BalanceStep[]> {
  const onPrincipal = component === 'interest' || component === 'pik';
  if (!onPrincipal || moves.size === 0) return lines;
  const ids = new Set([...lines.keys(), ...moves.keys()]);
  return new Map([...ids].map((id) => [id, movedLine(lines.get(id) ?? [], moves.get(id) ?? [])]));
}

function movedLine(
  steps: readonly BalanceStep[],
  moves: readonly BalanceStep[],
): readonly BalanceStep[] {
  const dates = [...new Set([...steps, ...moves].map(({ date }) => date))].sort();
  return dates.map((date) => ({
    date,
    amountMinor: moves
      .filter((move) => move.date <= date)
      .reduce(
        (sum, { amountMinor }) => sum + amountMinor,
        steps.findLast((step) => step.date <= date)?.amountMinor ?? 0n,
      ),
  }));
}

function sums(lines: Lines<readonly BalanceStep[]>): ReadonlyMap<string, bigint> {
  return new Map(
    [...lines].map(([id, steps]) => [
      id,
      steps.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    ]),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

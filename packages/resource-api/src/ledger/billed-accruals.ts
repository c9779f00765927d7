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
  /** Facilities whose commitment its capitalised interest uses: its own, and the one around that. */
  readonly usesCommitmentOf: readonly string[];
  /** It accrues in another item, and is here for the commitment that it uses. */
  readonly isContext?: boolean;
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
 * right, and so does what it leaves unfunded: interest and commitment fees on them are right too.
 */
export function workOut<S extends AccrualStream>(
  streams: readonly S[],
): readonly WorkedAccrual<S>[] {
  const own = streams.filter(({ isContext }) => !isContext);
  if (streams.every(({ bills }) => bills.length === 0)) return workOutSubject(own, new Map());
  const subjects = new Map<string, S[]>();
  for (const stream of streams) {
    const name = `${stream.facilityId} ${stream.contractId ?? ''}`;
    subjects.set(name, [...(subjects.get(name) ?? []), stream]);
  }
  const capitalised = new Map<string, Moves>();
  const worked = new Map<readonly S[], readonly WorkedAccrual<S>[]>();
  // A facility's fees follow from what its contracts capitalise.
  for (const some of [...subjects.values()].sort(contractsFirst)) {
    const [{ facilityId, contractId, usesCommitmentOf }] = some as [S, ...S[]];
    const moves = (contractId === null && capitalised.get(facilityId)) || new Map();
    worked.set(some, workOutSubject(some, moves));
    if (contractId === null) continue;
    for (const used of usesCommitmentOf) {
      const sum = capitalised.get(used) ?? new Map();
      capitalised.set(used, sum);
      for (const [id, steps] of moves) addMoves(sum, id, steps);
    }
  }
  return [...subjects.values()].flatMap((some) =>
    (worked.get(some) ?? []).filter(({ stream }) => !stream.isContext),
  );
}

/** What moves balances from dates on. */
type Moves = Map<string, readonly BalanceStep[]>;

function addMoves(moves: Moves, id: string, steps: readonly BalanceStep[]): void {
  moves.set(id, [...(moves.get(id) ?? []), ...steps]);
}

function contractsFirst([a]: readonly AccrualStream[], [b]: readonly AccrualStream[]): number {
  return Number(a?.contractId === null) - Number(b?.contractId === null);
}

const NOTHING: Accrued = { amounts: new Map(), periods: () => [] };

/** @param moves of what the streams accrue on; their own corrections are added */
function workOutSubject<S extends AccrualStream>(
  streams: readonly S[],
  moves: Moves,
): readonly WorkedAccrual<S>[] {
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
  moves: Moves,
  { effectiveDate: date, billed }: ReopenedBill,
  right: Lines<bigint>,
): void {
  for (const [id, amountMinor] of right) addMoves(moves, id, [{ date, amountMinor }]);
  for (const [id, steps] of billed) addMoves(moves, id, steps.map(negated));
}

function negated({ date, amountMinor }: BalanceStep): BalanceStep {
  return { date, amountMinor: -amountMinor };
}

/** How corrected principal moves what a component accrues on. */
const MOVED_AS: Readonly<
  Record<AccrualComponent, ((move: BalanceStep) => BalanceStep) | undefined>
> = {
  interest: (move) => move,
  pik: (move) => move,
  commitment_fee: negated,
  letter_of_credit_fee: undefined,
};

/** Balance steps with what moves them from dates on. */
function moved(
  { component, lines }: AccrualStream,
  moves: Lines<readonly BalanceStep[]>,
): Lines<readonly BalanceStep[]> {
  const movedAs = MOVED_AS[component];
  if (movedAs === undefined || moves.size === 0) return lines;
  const ids = new Set([...lines.keys(), ...moves.keys()]);
  return new Map(
    [...ids].map((id) => [id, movedLine(lines.get(id) ?? [], (moves.get(id) ?? []).map(movedAs))]),
  );
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

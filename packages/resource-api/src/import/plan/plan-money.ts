/**
 * From what a statement says of a facility to the movements that bring the book there, pure. A
 * statement has amounts at a date, and a journal has a change: so the difference is posted. Holders
 * are named by the same keys on both sides.
 */
import { isRevolving } from '../../ledger/facility-type.ts';
import type { JournalType, LedgerAccount, PrincipalMovement } from '../../ledger/journal.ts';
import {
  combine,
  inProportion,
  type Legs,
  NO_LEGS,
  split,
  sumOfLegs,
  totalOf,
} from '../statement/legs.ts';
import type { StatedDrawing, StatedFacility } from '../statement/stated-deal.ts';
import type { KnownCommitment, KnownPrincipal } from './known-deal.ts';

/** One side of a journal: an account of the facility (`drawing` undefined) or of a drawing. */
export interface PlannedEntry {
  readonly drawing: string | undefined;
  readonly account: LedgerAccount;
  readonly movement?: PrincipalMovement;
  readonly legs: Legs;
}

export interface PlannedJournal {
  readonly type: JournalType;
  readonly drawing: string | undefined;
  readonly entries: readonly PlannedEntry[];
  readonly reason?: string;
  readonly overadvance?: boolean;
}

export interface FacilityState {
  readonly commitment: KnownCommitment;
  readonly drawings: ReadonlyMap<string, KnownPrincipal>;
  /** Parties that were booked with principal and no commitment. */
  readonly participants: readonly string[];
}

export const NO_COMMITMENT: KnownCommitment = {
  original: NO_LEGS,
  cancelled: NO_LEGS,
  unfunded: NO_LEGS,
};
const NO_PRINCIPAL: KnownPrincipal = {
  disbursed: NO_LEGS,
  repaid: NO_LEGS,
  transferred: NO_LEGS,
  due: NO_LEGS,
  billed: NO_LEGS,
  exchangeAdjustment: NO_LEGS,
};

export interface PrincipalChange {
  readonly advance: Legs;
  /** Negative where principal was repaid. */
  readonly repayment: Legs;
  readonly transfer: Legs;
  /** What the stated balance needs beyond the stated movements. */
  readonly adjustment: Legs;
}

/** The changes of one drawing, which bring its principal to what is stated. */
function changeOf({ due, cumulative }: StatedDrawing, known: KnownPrincipal): PrincipalChange {
  const change = combine([1n, due], [-1n, known.due]);
  // Of a drawing that owed nothing, its holders of now repaid what was repaid.
  const owing = known.due.size > 0 ? known.due : due;
  if (cumulative === undefined) {
    const total = totalOf(change);
    const movement = split(total, change, total < 0n ? owing : due);
    const transfer = combine([1n, change], [-1n, movement]);
    const none = { advance: NO_LEGS, repayment: NO_LEGS, adjustment: NO_LEGS };
    return { ...none, [total < 0n ? 'repayment' : 'advance']: movement, transfer };
  }
  const { disbursed, repaid, transferred } = cumulative;
  const drawn = combine([1n, disbursed], [-1n, known.disbursed]);
  const paid = combine([1n, known.repaid], [-1n, repaid]);
  if (transferred !== undefined) {
    const transfer = combine([1n, transferred], [-1n, known.transferred]);
    const adjustment = combine([1n, change], [-1n, drawn], [-1n, paid], [-1n, transfer]);
    return { advance: drawn, repayment: paid, transfer, adjustment };
  }
  const advance = split(totalOf(drawn), drawn, due);
  const repayment = split(totalOf(paid), paid, owing);
  const gap = combine([1n, change], [-1n, advance], [-1n, repayment]);
  const adjustment = split(totalOf(gap), gap, due);
  return { advance, repayment, transfer: combine([1n, gap], [-1n, adjustment]), adjustment };
}

export interface MoneyPlan {
  readonly journals: readonly PlannedJournal[];
  /** In the order of the stated drawings. */
  readonly changes: readonly PrincipalChange[];
  /** Where the stated undrawn amount is not what follows from all movements. */
  readonly undrawnGap: { readonly expected: bigint; readonly stated: bigint } | undefined;
  /** The commitment that lenders bought of each other. */
  readonly sold: bigint;
}

/** The journals that bring a facility and its drawings from `state` to what is stated. */
export function planMoney(stated: StatedFacility, state: FacilityState): MoneyPlan {
  const drawings = stated.drawings.map((drawing) => {
    const known = state.drawings.get(drawing.number) ?? NO_PRINCIPAL;
    return { drawing, known, change: changeOf(drawing, known) };
  });
  const changes = drawings.map(({ change }) => change);
  const revolves = isRevolving(stated.type);
  const onFacility = lenderOfRecordFor(stated, state.participants);
  const manner = { revolves, onFacility };
  const commitment = commitmentChange(stated, state.commitment, changes, manner);
  const { gap } = commitment;
  const expected = totalOf(commitment.unfunded);
  const undrawn = totalOf(stated.commitment.undrawn ?? commitment.unfunded);
  const movements = drawings.map(({ drawing, known, change }) =>
    drawingJournals(drawing, known, change, { ...manner, overdrawn: undrawn < 0n }),
  );
  return {
    journals: [
      ...facilityJournals(commitment),
      ...movements.flatMap(({ principal }) => principal),
      ...journal('commitment_adjustment', undefined, [entry('UNFUNDED', gap), memo(negated(gap))], {
        reason: 'the statement’s undisbursed amount is not original − cancelled − disbursed',
      }),
      ...movements.flatMap(({ revaluation }) => revaluation),
    ],
    changes,
    undrawnGap: undrawn === expected ? undefined : { expected, stated: undrawn },
    sold: commitment.sold,
  };
}

function commitmentChange(
  { commitment, holders, drawings: stated }: StatedFacility,
  known: KnownCommitment,
  changes: readonly PrincipalChange[],
  { revolves, onFacility }: Omit<Manner, 'overdrawn'>,
) {
  const { original, cancelled, undrawn, isApportioned } = commitment;
  const isNew = known.original.size === 0;
  const sum = (part: keyof PrincipalChange) =>
    combine(...changes.map((change) => [1n, change[part]] as const));
  const advance = sum('advance');
  const back = revolves ? negated(sum('repayment')) : NO_LEGS;
  // What a participant sold back was drawn by the lender of record's commitment, and is.
  const bought = mapHolders(sum('transfer'), onFacility);
  const now = combine([1n, known.original], [-1n, known.cancelled]);
  const facilityDraw = (legs: Legs) => mapHolders(legs, onFacility);
  const dues = stated.map(({ due }) => [1n, facilityDraw(due)] as const);
  const parts = combine([1n, undrawn ?? NO_LEGS], ...dues);
  const change = {
    original: original ? combine([1n, original], [-1n, known.original]) : NO_LEGS,
    cancelled: cancelled ? combine([1n, cancelled], [-1n, known.cancelled]) : NO_LEGS,
  };
  const before = combine(
    [1n, known.unfunded],
    [1n, change.original],
    [-1n, change.cancelled],
    [-1n, facilityDraw(advance)],
    [1n, facilityDraw(back)],
  );
  const named = new Set(holders.map(({ ref }) => ref));
  const isNamed = (holder: string) => named.has(onFacility(holder));
  const isLeft = (legs: Legs) =>
    [...legs].some(([holder, amount]) => amount !== 0n && !isNamed(holder));
  let current = NO_LEGS;
  let transferred = NO_LEGS;
  if (commitment.current !== undefined && original === undefined) {
    const difference = combine([1n, commitment.current], [-1n, now]);
    const total = totalOf(difference);
    current = split(total, difference, total < 0n ? now : commitment.current);
    transferred = combine([1n, difference], [-1n, current]);
  } else if (original === undefined) {
    const needed = combine([1n, undrawn ?? NO_LEGS], [-1n, before]);
    const raised =
      undrawn === undefined ? overdrawnBy(before) : split(totalOf(needed), needed, parts);
    if (totalOf(raised) > 0n) current = raised;
    const isStated = undrawn && (!isApportioned || swappedIn(bought) > 0n || isLeft(before));
    const swaps = isStated ? combine([1n, needed], [-1n, raised]) : NO_LEGS;
    transferred = combine([1n, bought], [1n, swaps]);
  }
  const moved = combine([1n, change.original], [-1n, change.cancelled], [1n, transferred]);
  // Principal that changed hands was drawn by the seller's commitment, and is now by the buyer's.
  const follows = combine([1n, before], [1n, current], [1n, transferred], [-1n, bought]);
  const committed = combine([1n, now], [1n, change.original], [1n, current], [1n, transferred]);
  const weights = new Map([...committed].filter(([holder]) => isNamed(holder)));
  const gap = undrawn === undefined ? NO_LEGS : gapOf(undrawn, follows, weights, isApportioned);
  // Parts by shares differ from what follows from movements by rounding alone, unless something was sold:
  // principal, commitment, or what a holder could draw that the statement does not name.
  const sold = swappedIn(moved);
  const isSold = swappedIn(bought) > 0n || sold > 0n || isLeft(follows);
  const rest = undrawn && isSold ? combine([1n, undrawn], [-1n, follows], [-1n, gap]) : NO_LEGS;
  const transferredUnfunded = combine([1n, transferred], [-1n, bought], [1n, rest]);
  const unfunded = combine([1n, follows], [1n, rest]);
  return { isNew, ...change, current, transferred, transferredUnfunded, unfunded, gap, sold };
}

/** What some have less, and others have more. */
function swappedIn(legs: Legs): bigint {
  const more = totalOf(new Map([...legs].filter(([, amount]) => amount > 0n)));
  const total = totalOf(legs);
  return total < 0n ? more : more - total;
}

/** What brings nobody's undrawn part below zero. */
function overdrawnBy(undrawn: Legs): Legs {
  return new Map([...undrawn].flatMap(([id, part]) => (part < 0n ? [[id, -part] as const] : [])));
}

/** What the stated undrawn amounts are beyond those that follow from all movements. */
function gapOf(undrawn: Legs, unfunded: Legs, weights: Legs, isApportioned: boolean): Legs {
  const missing = combine([1n, undrawn], [-1n, unfunded]);
  if (!isApportioned) return missing;
  const total = totalOf(missing);
  if (total === 0n) return NO_LEGS;
  const weighty = [...weights.values()].some((weight) => weight > 0n);
  return inProportion(total, weighty ? weights : undrawn);
}

function facilityJournals(change: ReturnType<typeof commitmentChange>): readonly PlannedJournal[] {
  const { isNew, original, cancelled, current, transferred, transferredUnfunded } = change;
  const rises = totalOf(current) > 0n;
  const booked = isNew ? 'original_commitment' : 'commitment_increase';
  return [
    ...commitmentJournal('original_commitment', 'ORIGINAL_COMMITMENT', original, 1n),
    ...commitmentJournal('cancellation', 'CANCELLED_COMMITMENT', cancelled, -1n),
    ...(rises
      ? commitmentJournal(booked, 'ORIGINAL_COMMITMENT', current, 1n)
      : commitmentJournal('commitment_reduction', 'CANCELLED_COMMITMENT', negated(current), -1n)),
    ...journal('transfer', undefined, [
      entry('ORIGINAL_COMMITMENT', transferred),
      entry('UNFUNDED', transferredUnfunded),
      memo(combine([-1n, transferred], [-1n, transferredUnfunded])),
    ]),
  ];
}

/** A commitment that is made (`sign` 1) or ends (−1), with what can be drawn of it. */
function commitmentJournal(
  type: JournalType,
  account: LedgerAccount,
  legs: Legs,
  sign: 1n | -1n,
): readonly PlannedJournal[] {
  const unfunded = combine([sign, legs]);
  return journal(type, undefined, [
    entry(account, legs),
    entry('UNFUNDED', unfunded),
    memo(combine([-1n, legs], [-1n, unfunded])),
  ]);
}

interface Manner {
  readonly revolves: boolean;
  readonly overdrawn: boolean;
  readonly onFacility: (holder: string) => string;
}

function drawingJournals(
  { number, exchangeAdjustment, due }: StatedDrawing,
  known: KnownPrincipal,
  { advance, repayment, transfer, adjustment }: PrincipalChange,
  { revolves, overdrawn, onFacility }: Manner,
) {
  const drawn = mapHolders(advance, onFacility);
  const back = revolves ? negated(mapHolders(repayment, onFacility)) : NO_LEGS;
  const principal = (movement: Movement, legs: Legs) => [
    { ...entry('PRINCIPAL_CASH', legs, number), movement },
    entry(CLEARING[movement], negated(legs), number),
  ];
  const paid = paidOf(known.billed, repayment, due);
  const revalued = revaluedBy(exchangeAdjustment, known, mapHolders(due, onFacility));
  return {
    principal: [
      ...journal(
        'advance',
        number,
        [...principal('advance', advance), entry('UNFUNDED', negated(drawn)), memo(drawn)],
        { overadvance: totalOf(advance) > 0n && overdrawn },
      ),
      ...journal('transfer', number, principal('transfer', transfer)),
      ...journal('scheduled_repayment', number, [
        ...principal('scheduled_repayment', repayment),
        entry('UNFUNDED', back),
        memo(negated(back)),
        entry('PRINCIPAL_DUE', negated(paid), number),
        entry('MEMO', paid, number),
      ]),
      ...journal('adjustment', number, principal('adjustment', adjustment), {
        reason: 'the statement’s amount due is not disbursed − repaid − sold',
      }),
    ],
    revaluation: journal('fx_revaluation', number, [
      entry('FX_REVAL', revalued, number),
      entry('FX_CLEARING', negated(revalued), number),
    ]),
  };
}

/**
 * Each holder's part of the adjustment follows its part of the principal, as far as the whole changes, or a holder has
 * sold its principal.
 */
function revaluedBy(adjustment: bigint | undefined, known: KnownPrincipal, due: Legs): Legs {
  const before = known.exchangeAdjustment;
  const isOwed = [...due.values()].some((amount) => amount > 0n);
  const hasSold = isOwed && [...before.keys()].some((holder) => (due.get(holder) ?? 0n) === 0n);
  if (adjustment === undefined || (adjustment === totalOf(before) && !hasSold)) return NO_LEGS;
  return combine([1n, inProportion(adjustment, due)], [-1n, before]);
}

/** What is paid of a bill: all that was repaid, and what nobody owes any more. */
function paidOf(billed: Legs, repayment: Legs, due: Legs): Legs {
  const paid = [...billed].map(([holder, open]) => {
    const left = open + (repayment.get(holder) ?? 0n);
    const owed = due.get(holder) ?? 0n;
    const kept = left < owed ? left : owed;
    return [holder, kept > 0n ? open - kept : open] as const;
  });
  return new Map(paid.filter(([, amount]) => amount > 0n));
}

type Movement = 'advance' | 'scheduled_repayment' | 'transfer' | 'adjustment';
const CLEARING: Readonly<Record<Movement, LedgerAccount>> = {
  advance: 'CASH_CLEARING',
  scheduled_repayment: 'CASH_CLEARING',
  transfer: 'TRANSFER_CLEARING',
  adjustment: 'ADJUSTMENT_CLEARING',
};

function entry(account: LedgerAccount, legs: Legs, drawing?: string): PlannedEntry {
  return { account, legs, drawing };
}

function memo(legs: Legs): PlannedEntry {
  return entry('MEMO', legs);
}

/** No journal where nothing changes. */
function journal(
  type: JournalType,
  drawing: string | undefined,
  entries: readonly PlannedEntry[],
  remarks: Pick<PlannedJournal, 'reason' | 'overadvance'> = {},
): readonly PlannedJournal[] {
  const moved = entries.flatMap((one) => {
    const legs = new Map([...one.legs].filter(([, amount]) => amount !== 0n));
    return legs.size === 0 ? [] : [{ ...one, legs }];
  });
  return moved.length === 0 ? [] : [{ type, drawing, entries: moved, ...remarks }];
}

function negated(legs: Legs): Legs {
  return combine([-1n, legs]);
}

function mapHolders(legs: Legs, holderFor: (holder: string) => string): Legs {
  return sumOfLegs([...legs].map(([holder, amount]) => [holderFor(holder), amount]));
}

/**
 * A participant has no commitment: what is drawn or given back there is the lender of record's, also where
 * the statement does not name it any more.
 */
function lenderOfRecordFor({ holders }: StatedFacility, booked: readonly string[]) {
  const kinds = new Map([
    ...booked.map((ref) => [ref, 'participation'] as const),
    ...holders.map(({ ref, kind }) => [ref, kind] as const),
  ]);
  const record = holders[0]?.ref ?? '';
  return (holder: string) => (kinds.get(holder) === 'participation' ? record : holder);
}

/** What is past due of a line, and how the lenders of a line share it. */
import { allocate } from './allocate.ts';

export interface DueLine {
  /** Billed and not paid; negative where more was paid or credited than billed. */
  readonly due: bigint;
  /** Billed with a due date that has not passed. */
  readonly notYetDue: bigint;
}

/** Globally: what is due less what is not due yet; payments settle what is due first. */
export function pastDue({ due, notYetDue }: DueLine): bigint {
  return between(0n, due - notYetDue, due < 0n ? 0n : due);
}

/**
 * Lenders' shares of what is past due of a line. A correction may be a charge globally and a credit
 * for one lender, and payments need not follow shares. So a lender's own figure is bounded by what
 * is due to it, and what then lacks for the global figure, or is too much, is spread over the
 * lenders with room for it, in proportion to the room and by largest remainders. What a lender has
 * to give back is no later due: it counts at once. Where the line as a whole is in credit, nothing
 * is past due for anybody.
 *
 * The shares add up to the global figure, and none is more than what is due to the lender.
 */
export function sharePastDue(
  whole: DueLine,
  lenders: ReadonlyMap<string, DueLine>,
): ReadonlyMap<string, bigint> {
  if (whole.due < 0n) return new Map([...lenders.keys()].map((id) => [id, 0n]));
  const own = [...lenders].map(([id, line]) => ({
    id,
    due: line.due,
    share: line.due < 0n ? line.due : pastDue(line),
  }));
  const lacking = pastDue(whole) - own.reduce((sum, { share }) => sum + share, 0n);
  const room = own.map(({ id, due, share }) => ({
    id,
    weight: due < 0n ? 0n : lacking > 0n ? due - share : share,
  }));
  // There is room for all of it where lenders' lines add up to the global one.
  const places = room.reduce((sum, { weight }) => sum + weight, 0n);
  const amount = between(0n, lacking < 0n ? -lacking : lacking, places);
  const spread = amount === 0n ? undefined : allocate(amount, room);
  const sign = lacking < 0n ? -1n : 1n;
  return new Map(own.map(({ id, share }) => [id, share + sign * (spread?.get(id) ?? 0n)]));
}

function between(low: bigint, amount: bigint, high: bigint): bigint {
  if (amount < low) return low;
  return amount > high ? high : amount;
}

import type { Volumes } from '../../journal-file/volumes.ts';
import { formatMoney, magnitudeOf } from '../../ledger/money.ts';
import type { AmountField } from '../profile/fields.ts';
import { outstandingOf } from '../statement/group-rows.ts';
import { NO_LEGS, totalOf } from '../statement/legs.ts';
import type { StatedDeal } from '../statement/stated-deal.ts';
import type { StatementFault } from '../statement/statement-row.ts';
import type { PlannedDeal } from './plan-deal.ts';

/** The deal's postings have no room beside those of the book. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
  readonly fault: StatementFault;

  constructor(fault: StatementFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Counts what a deal posts. @throws {NoRoom} when the book cannot hold it */
export async function takeRoom(volumes: Volumes, { stated, journals }: PlannedDeal): Promise<void> {
  for (const journal of journals) {
    const [full] = await volumes.add(journal);
    const { currency = '' } = journal.postings[0] ?? {};
    if (full !== undefined) throw new NoRoom(faultOf(stated, full.message, currency));
  }
}

function faultOf(stated: StatedDeal, message: string, currency: string): StatementFault {
  const [column, amount] = largestAmount(stated);
  const value = formatMoney(amount, currency);
  return { row: stated.row, column, code: 'amount_too_large', message, value };
}

/** The amount of a deal that takes most room. */
function largestAmount({ facilities }: StatedDeal): readonly [AmountField, bigint] {
  const amounts = facilities.flatMap((facility) => {
    const { original, current, undrawn } = facility.commitment;
    return [
      ['originalPrincipal', totalOf(original ?? NO_LEGS)],
      ['limit', totalOf(current ?? NO_LEGS)],
      ['due', outstandingOf(facility)],
      ['undisbursed', totalOf(undrawn ?? NO_LEGS)],
    ] as const;
  });
  const size = (amount: bigint) => magnitudeOf(amount);
  return amounts.reduce((one, other) => (size(other[1]) > size(one[1]) ? other : one));
}

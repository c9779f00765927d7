/** What a statement says of a deal that the book cannot take. Pure but for what volumes ask of the book. */

import type { Volumes } from '../../journal-file/volumes.ts';
import { formatMoney, magnitudeOf } from '../../ledger/money.ts';
import type { AmountField } from '../profile/fields.ts';
import { outstandingOf } from '../statement/group-rows.ts';
import { NO_LEGS, totalOf } from '../statement/legs.ts';
import type { StatedDeal } from '../statement/stated-deal.ts';
import type { StatementFault } from '../statement/statement-row.ts';
import type { KnownDeal } from './known-deal.ts';
import { knownFacility, type PlannedDeal } from './plan-deal.ts';

/** As a fault of the statement has it. */
export interface Misfit {
  readonly row: number;
  readonly column: string;
  readonly message: string;
  readonly value: string;
}

/** Facilities that the book has under other numbers would be there twice, and amounts of another currency be wrong. */
export function misfitsOf(stated: StatedDeal, known: KnownDeal): readonly Misfit[] {
  return stated.facilities.flatMap((facility): Misfit[] => {
    const { row, number, currency } = facility;
    const found = knownFacility(known, stated, facility);
    if (found !== undefined && found.currency !== currency) {
      const message = `expected ${found.currency}, in which the book has this facility`;
      return [{ row, column: 'currency', message, value: currency }];
    }
    // A file of journals may have added others to a deal that statements have as one loan.
    const [oldest] = known.facilities;
    const asBooked = (oldest?.ref !== null) === (number !== undefined);
    if (!known.present || oldest === undefined || asBooked) return [];
    const names = known.facilities.map(({ ref, name }) => ref ?? name).join(', ');
    const message =
      number === undefined
        ? `expected facilities, as the book has this deal: ${names}`
        : `expected no facility number, because the book has this deal as one loan: ${names}`;
    return [{ row, column: 'facility', message, value: number ?? stated.number }];
  });
}

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

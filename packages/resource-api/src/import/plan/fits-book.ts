import type { Volumes } from '../../journal-file/volumes.ts';
import { formatMoney, magnitudeOf } from '../../ledger/money.ts';
import type { FileFault } from '../file/table.ts';
import type { AmountField } from '../profile/fields.ts';
import { outstandingOf } from '../statement/group-rows.ts';
import { NO_LEGS, totalOf } from '../statement/legs.ts';
import type { StatedDeal } from '../statement/stated-deal.ts';
import type { KnownDeal } from './known-deal.ts';
import { knownFacility, type PlannedDeal } from './plan-deal.ts';

/** Facilities that the book has under other numbers would be there twice, and amounts of another currency be wrong. */
export function misfitsOf(stated: StatedDeal, known: KnownDeal): readonly FileFault[] {
  const code = 'differs_from_book';
  return stated.facilities.flatMap((facility): FileFault[] => {
    const { row, number, currency } = facility;
    const found = knownFacility(known, stated, facility);
    if (found !== undefined && found.currency !== currency) {
      const message = found.present
        ? `expected ${found.currency}, in which the book has this facility`
        : `expected ${found.currency}, or another facility number: an import that was taken back had this one in ${found.currency}, which stays`;
      return [{ row, column: 'currency', code, message, value: currency }];
    }
    // A file of journals may have added others to a deal that statements have as one loan.
    const booked = known.facilities.filter(({ present }) => present);
    const [oldest] = booked;
    const asBooked = (oldest?.ref !== null) === (number !== undefined);
    if (oldest === undefined || asBooked) return [];
    const names = booked.map(({ ref, name }) => ref ?? name).join(', ');
    const message =
      number === undefined
        ? `expected facilities, as the book has this deal: ${names}`
        : `expected no facility number, because the book has this deal as one loan: ${names}`;
    return [{ row, column: 'facility', code, message, value: number ?? stated.number }];
  });
}

/** Counts what a deal posts. @returns what is wrong where the book cannot hold it. */
export async function takeRoom(
  volumes: Volumes,
  { stated, journals }: PlannedDeal,
): Promise<FileFault | undefined> {
  for (const journal of journals) {
    const [full] = await volumes.add(journal);
    if (full === undefined) continue;
    const [column, amount] = largestAmount(stated);
    const value = formatMoney(amount, journal.postings[0]?.currency ?? '');
    const { row } = stated;
    return { row, column, code: 'amount_too_large', message: full.message, value };
  }
  return undefined;
}

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
  return amounts.reduce((one, other) =>
    magnitudeOf(other[1]) > magnitudeOf(one[1]) ? other : one,
  );
}

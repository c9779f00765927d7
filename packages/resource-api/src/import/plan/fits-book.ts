/** What a statement says of a deal that the book has otherwise, so that it cannot be posted. Pure. */
import type { StatedDeal } from '../statement/stated-deal.ts';
import type { KnownDeal } from './known-deal.ts';
import { knownFacility } from './plan-deal.ts';

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

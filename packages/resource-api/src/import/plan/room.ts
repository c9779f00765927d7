import { type JournalRecord, minorOf } from '../../journal-file/record.ts';
import { roomExpected, SMALL_MINOR } from '../../journal-file/volumes.ts';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { BOOK_MAX_MINOR, formatAmount, magnitudeOf } from '../../ledger/money.ts';
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

/** Counts what an import posts by currency, until the book can hold no more. */
export class Room {
  readonly #volumes = new Map<string, bigint>();
  readonly #booked: () => Promise<ReadonlyMap<string, bigint>>;
  #bookedVolumes: ReadonlyMap<string, bigint> | undefined;

  /** @param booked what the book has; asked for once, and not for a small statement. */
  constructor(booked: () => Promise<ReadonlyMap<string, bigint>>) {
    this.#booked = booked;
  }

  /** @throws {NoRoom} */
  async take({ stated, journals }: PlannedDeal): Promise<void> {
    for (const [currency, amount] of postedBy(journals)) {
      const volume = (this.#volumes.get(currency) ?? 0n) + amount;
      this.#volumes.set(currency, volume);
      if (volume <= SMALL_MINOR) continue;
      this.#bookedVolumes ??= await this.#booked();
      if (volume + (this.#bookedVolumes.get(currency) ?? 0n) > BOOK_MAX_MINOR) {
        throw new NoRoom(faultOf(stated, currency));
      }
    }
  }
}

function postedBy(journals: readonly JournalRecord[]): ReadonlyMap<string, bigint> {
  const volumes = new Map<string, bigint>();
  for (const posting of journals.flatMap(({ postings }) => postings)) {
    const { currency } = posting;
    volumes.set(currency, (volumes.get(currency) ?? 0n) + magnitudeOf(minorOf(posting)));
  }
  return volumes;
}

function faultOf(stated: StatedDeal, currency: string): StatementFault {
  const [column, amount] = largestAmount(stated);
  const value = formatAmount(amount, minorUnitDigits(currency) ?? 2);
  const message = roomExpected(currency);
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

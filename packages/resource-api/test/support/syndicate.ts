/** A random syndicate that changes from month to month as syndicates do, without regard to how it is stated. */
import type { Random } from '@cls/book-generator/random';
import { FACILITY_TYPES, type FacilityType } from '../../src/ledger/facility-type.ts';

/** In minor units, by lender. */
export type Parts = Map<string, bigint>;

export interface Drawing {
  readonly number: string;
  due: Parts;
  /** Since inception. */
  readonly disbursed: Parts;
  readonly repaid: Parts;
  rate: string;
  /** The sender leaves it out of this month's statement. */
  hidden: boolean;
}

export interface Facility {
  readonly number: string;
  readonly type: FacilityType;
  readonly currency: string;
  limit: Parts;
  undrawn: Parts;
  readonly drawings: Drawing[];
  status: 'live' | 'done';
  maturity: string;
  hidden: boolean;
}

export interface Deal {
  readonly number: string;
  name: string;
  borrower: string;
  country: string;
  readonly facilities: Facility[];
  hidden: boolean;
}

/** The profile’s own name is among them. */
export const LENDERS = ['Own Bank', 'Second Bank', 'Tiers Crédit', 'Vierte AG', 'Fifth & Co'];
const CURRENCIES = ['USD', 'JPY', 'KWD'] as const;
const NAMES = ['Alpha', 'Beta', 'Gamma'] as const;

/** Deals, facilities and drawings by their places, so that numbers repeat between facilities. */
export class Syndicate {
  readonly deals: Deal[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    for (let at = random.between(1, 4); at > 0; at -= 1) this.#addDeal();
  }

  /** What happens in a month. */
  pass(): void {
    const random = this.#random;
    if (random.chance(0.25)) this.#addDeal();
    for (const deal of this.deals) {
      deal.hidden = random.chance(0.1);
      if (random.chance(0.3)) continue;
      if (random.chance(0.2)) deal.name = `${random.pick(NAMES)} ${random.between(1, 3)}`;
      if (random.chance(0.15)) deal.borrower = `Borrower ${random.between(1, 5)}`;
      if (random.chance(0.1)) deal.country = random.pick(['DE', 'JP']);
      if (random.chance(0.2) && deal.facilities.length < 3) this.#addFacility(deal);
      for (const facility of deal.facilities) this.#passFacility(facility);
    }
  }

  #addDeal(): void {
    const random = this.#random;
    const at = this.deals.length + 1;
    const deal: Deal = {
      number: random.chance(0.3) ? `2021/${at}` : `D${at}`,
      name: `Deal ${at}`,
      borrower: `Borrower ${random.between(1, 5)}`,
      country: 'DE',
      facilities: [],
      hidden: false,
    };
    for (let left = random.between(1, 3); left > 0; left -= 1) this.#addFacility(deal);
    this.deals.push(deal);
  }

  #addFacility({ facilities }: Deal): void {
    const random = this.#random;
    const facility: Facility = {
      number: `F${facilities.length + 1}`,
      type: random.pick(FACILITY_TYPES as unknown as [FacilityType, ...FacilityType[]]),
      currency: random.pick(CURRENCIES),
      limit: this.#limits(),
      undrawn: new Map(),
      drawings: [],
      status: 'live',
      maturity: '2030-01-31',
      hidden: false,
    };
    for (let left = random.between(0, 3); left > 0; left -= 1) this.#addDrawing(facility);
    facility.undrawn = this.#amounts([...facility.limit.keys()]);
    facilities.push(facility);
  }

  #addDrawing({ drawings, limit }: Facility): void {
    const random = this.#random;
    const lenders = random.some([...limit.keys()], random.between(1, limit.size));
    const due = this.#amounts(lenders);
    drawings.push({
      number: `${drawings.length + 1}`,
      due,
      disbursed: new Map(due),
      repaid: new Map(),
      rate: '5.25',
      hidden: false,
    });
  }

  #passFacility(facility: Facility): void {
    const random = this.#random;
    const { drawings, limit } = facility;
    facility.hidden = random.chance(0.1);
    if (random.chance(0.2)) facility.status = facility.status === 'live' ? 'done' : 'live';
    if (random.chance(0.2)) facility.maturity = `203${random.between(0, 5)}-06-30`;
    if (random.chance(0.2) && drawings.length < 4) this.#addDrawing(facility);
    if (random.chance(0.3)) facility.limit = this.#limits([...limit.keys()]);
    if (random.chance(0.3)) this.#sell(facility);
    if (random.chance(0.5)) facility.undrawn = this.#amounts([...facility.limit.keys()]);
    for (const drawing of drawings) this.#passDrawing(drawing);
  }

  #passDrawing(drawing: Drawing): void {
    const random = this.#random;
    drawing.hidden = random.chance(0.15);
    if (random.chance(0.2)) drawing.rate = `${random.between(1, 9)}.${random.between(0, 99)}`;
    for (const [lender, due] of drawing.due) {
      if (random.chance(0.5)) continue;
      const drawn = random.chance(0.5);
      const change = drawn ? this.#amount() : random.chance(0.3) ? due : due / 3n;
      add(drawing.due, lender, drawn ? change : -change);
      add(drawn ? drawing.disbursed : drawing.repaid, lender, change);
    }
  }

  /** One lender’s part, or some of it, in everything: the buyer may be new, the seller may leave. */
  #sell({ limit, undrawn, drawings }: Facility): void {
    const random = this.#random;
    const [seller = ''] = random.some([...limit.keys()], 1);
    const [buyer = ''] = random.some(
      LENDERS.filter((one) => one !== seller),
      1,
    );
    const divisor = BigInt(random.pick([1, 1, 2, 3]));
    for (const parts of [limit, undrawn, ...drawings.map(({ due }) => due)]) {
      const sold = (parts.get(seller) ?? 0n) / divisor;
      if (sold === 0n) continue;
      add(parts, buyer, sold);
      if (divisor === 1n) parts.delete(seller);
      else add(parts, seller, -sold);
    }
    if (divisor === 1n) limit.delete(seller);
    if (!limit.has(buyer)) limit.set(buyer, 0n);
  }

  /** A facility has something that was committed. */
  #limits(lenders?: readonly string[]): Parts {
    return new Map([...this.#amounts(lenders)].map(([lender, amount]) => [lender, amount + 1n]));
  }

  #amounts(lenders: readonly string[] = []): Parts {
    const random = this.#random;
    const who = lenders.length > 0 ? lenders : random.some(LENDERS, random.between(1, 5));
    return new Map(who.map((lender) => [lender, this.#amount()]));
  }

  #amount(): bigint {
    return BigInt(this.#random.pick([0, 1, this.#random.between(1, 999_999_937)]));
  }
}

export function add(parts: Map<string, bigint>, key: string, amount: bigint): void {
  parts.set(key, (parts.get(key) ?? 0n) + amount);
}

export function sumOf(parts: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const part of parts) sum += part;
  return sum;
}

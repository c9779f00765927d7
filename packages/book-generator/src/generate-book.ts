import type {
  BookRecord,
  ContractRecord,
  DealRecord,
  FacilityRecord,
  PartyRecord,
} from '@cls/resource-api/journal-file/record';
import { type BusinessDate, daysAfter, monthsAfter } from '@cls/resource-api/ledger/business-date';
import { minorUnitDigits } from '@cls/resource-api/ledger/currency';
import type { DayCount } from '@cls/resource-api/ledger/day-count';
import type { Rate } from '@cls/resource-api/ledger/rate';
import { FacilityLife } from './facility-life.ts';
import type { KnownAnswer } from './generated-books.ts';
import { idsFor, type NewId } from './new-id.ts';
import { Random } from './random.ts';
import { pro, type Shares } from './shares.ts';

export interface BookPlan {
  readonly contracts: number;
  readonly years: number;
  readonly seed: number;
  /** The first deal closes then. */
  readonly from: BusinessDate;
  /** Some revolvers have a sublimit for letters of credit. */
  readonly sublimits?: boolean;
  /**
   * Lenders do not fund pro rata: one funds a whole drawing, shares are transferred before the drawing
   * is booked, a swingline within each revolver is funded by one lender alone, and PIK uses some
   * commitments.
   */
  readonly uneven?: boolean;
}

const LENDERS = 40;
interface Market {
  readonly currency: string;
  readonly country: string;
  readonly dayCount: DayCount;
}
const MARKETS: readonly [Market, ...Market[]] = [
  { currency: 'USD', country: 'US', dayCount: 'ACT/360' },
  { currency: 'USD', country: 'US', dayCount: '30/360' },
  { currency: 'EUR', country: 'DE', dayCount: 'ACT/360' },
  { currency: 'GBP', country: 'GB', dayCount: 'ACT/365F' },
  { currency: 'JPY', country: 'JP', dayCount: 'ACT/ACT' },
];
const TYPES = [
  'term_loan',
  'revolver',
  'term_loan',
  'delayed_draw',
  'letter_of_credit',
  'swingline',
  'bridge',
] as const;
const BASIS_POINT = 10n ** 8n;

/**
 * The records of a book, deal by deal, and through `answer` what each facility must come to. Lazy:
 * memory holds one facility at a time.
 */
export function* generateBook(
  plan: BookPlan,
  answer: (known: KnownAnswer) => void,
): Generator<BookRecord> {
  const random = new Random(plan.seed);
  const newId = idsFor(plan.seed);
  const lenders = Array.from({ length: LENDERS }, (_, n) => party(newId('pty'), `Lender ${n + 1}`));
  yield* lenders;
  let contracts = 0;
  for (let number = 1; contracts < plan.contracts; number += 1) {
    const borrower = party(newId('pty'), `Borrower ${number}`);
    yield borrower;
    const market = random.pick(MARKETS);
    const closing = daysAfter(plan.from, random.between(0, 90));
    const syndicate = random.some(lenders, random.between(2, 6));
    const deal: DealRecord = {
      object: 'deal',
      id: newId('deal'),
      name: `Borrower ${number} Credit Agreement`,
      dealNumber: `GEN-${plan.seed}-${number}`,
      borrower: borrower.id,
      agent: syndicate[0]?.id ?? borrower.id,
      country: market.country,
      status: 'active',
      closingDate: closing,
      bookedOn: closing,
      externalIds: [],
    };
    yield deal;
    for (let n = random.between(1, 3); n > 0 && contracts < plan.contracts; n -= 1) {
      const type = random.pick(TYPES);
      const facility: FacilityRecord = {
        object: 'facility',
        id: newId('fac'),
        deal: deal.id,
        name: `${type.replaceAll('_', ' ')} ${n}`,
        type,
        currency: market.currency,
        dayCount: market.dayCount,
        status: 'active',
        effectiveDate: closing,
        maturityDate: monthsAfter(closing, 12 * (plan.years + 2)),
        availabilityEndDate: monthsAfter(closing, 12 * (plan.years + 1)),
        pikUsesCommitment: plan.uneven === true && random.chance(0.5),
        bookedOn: closing,
        externalIds: [],
      };
      const life = new FacilityLife(facility, newId);
      const most = Math.min(random.between(1, 4), plan.contracts - contracts);
      contracts += most;
      yield facility;
      yield* positionsOf(facility, syndicate, newId);
      const sublimit = plan.sublimits === true && type === 'revolver' && number % 3 !== 0;
      const { years, uneven = false } = plan;
      const setting = { random, newId, syndicate, closing, most, years };
      yield* liveOn(life, { ...setting, uneven, sublimit, answer });
      answer(life.answer());
    }
  }
}

interface Setting {
  readonly random: Random;
  readonly newId: NewId;
  readonly syndicate: readonly PartyRecord[];
  readonly closing: BusinessDate;
  /** Contracts to draw. */
  readonly most: number;
  readonly years: number;
  readonly uneven: boolean;
  /** Whether letters of credit are carved out. */
  readonly sublimit: boolean;
  /** Takes the known answers of sublimits. */
  readonly answer: (known: KnownAnswer) => void;
}

function* liveOn(life: FacilityLife, setting: Setting): Generator<BookRecord> {
  const { random, closing, syndicate, newId, uneven } = setting;
  const { facility } = life;
  const unit = 10n ** BigInt(minorUnitDigits(facility.currency) ?? 2);
  const commitment = BigInt(random.between(50, 900)) * 1_000_000n * unit;
  const weights: Shares = new Map(
    syndicate.map(({ id }) => [id, BigInt(random.between(1, 1_000_000))]),
  );
  yield* life.commit(closing, pro(commitment, weights));
  yield* life.chargeCommitmentFee(closing, (25n * BASIS_POINT) as Rate);
  if (setting.sublimit) yield* carveOut(life, setting, pro(commitment / 10n, weights));
  if (uneven && facility.type === 'revolver') yield* swing(life, setting, commitment / 20n);
  if (facility.type === 'letter_of_credit') {
    yield* life.issueLetterOfCredit(daysAfter(closing, 3), commitment / 5n);
  }
  const ids = syndicate.map(({ id }) => id) as [string, ...string[]];
  for (let n = 1; n <= setting.most; n += 1) {
    const contract = drawing(facility, newId('ctr'), n, daysAfter(closing, 10));
    yield contract;
    const amount = commitment / BigInt(2 * setting.most + random.between(0, 3));
    const drawn = life.draw(
      contract.id,
      daysAfter(closing, 10),
      amount,
      uneven && n === 1 ? random.pick(ids) : undefined,
    );
    const [seller, buyer] = uneven ? random.some(ids, 2) : [];
    // The notice of the transfer comes before that of the drawing.
    if (seller !== undefined && buyer !== undefined) {
      yield* life.transfer(contract.id, daysAfter(closing, 10), seller, buyer);
    }
    yield* drawn;
    yield* serve(life, contract, setting, n === 1);
  }
  const end = monthsAfter(closing, 12 * setting.years);
  if (random.chance(0.3) && life.unfunded > 0n) yield* life.reduce(end, life.unfunded / 10n);
}

/** Letters of credit within a revolver, half of what they may come to. */
function* carveOut(
  whole: FacilityLife,
  { closing, newId, syndicate, answer }: Setting,
  shares: Shares,
): Generator<BookRecord> {
  const facility: FacilityRecord = {
    ...whole.facility,
    id: newId('fac'),
    name: `${whole.facility.name}, letters of credit`,
    type: 'letter_of_credit',
    sublimitOf: whole.facility.id,
  };
  yield facility;
  yield* positionsOf(facility, syndicate, newId);
  const life = new FacilityLife(facility, newId);
  yield* life.commit(closing, shares);
  const issued = life.unfunded / 2n;
  yield* life.issueLetterOfCredit(daysAfter(closing, 3), issued);
  whole.useUnderSublimit(issued);
  answer(life.answer());
}

/** A swingline within a revolver: one lender commits, funds, and capitalises its interest. */
function* swing(
  whole: FacilityLife,
  { closing, newId, random, syndicate, answer }: Setting,
  limit: bigint,
): Generator<BookRecord> {
  const lenders = syndicate.slice(-1);
  const facility: FacilityRecord = {
    ...whole.facility,
    id: newId('fac'),
    name: `${whole.facility.name}, swingline`,
    type: 'swingline',
    sublimitOf: whole.facility.id,
  };
  yield facility;
  yield* positionsOf(facility, lenders, newId);
  const life = new FacilityLife(facility, newId);
  yield* life.commit(closing, new Map(lenders.map(({ id }) => [id, limit])));
  const contract = drawing(facility, newId('ctr'), 1, daysAfter(closing, 10));
  yield contract;
  yield* life.draw(contract.id, daysAfter(closing, 10), limit / 2n);
  yield* life.setRate(
    contract.id,
    daysAfter(closing, 10),
    (300n * BASIS_POINT) as Rate,
    0n as Rate,
  );
  yield* life.capitalize(contract.id, monthsAfter(closing, 1));
  yield* life.repay(contract.id, monthsAfter(closing, 2), limit / 4n, 'voluntary_prepayment');
  yield* random.chance(0.5) ? life.bill(contract.id, monthsAfter(closing, 3)) : [];
  // Interest that uses the swingline's commitment uses the revolver's too.
  whole.useUnderSublimit(limit - life.unfunded);
  answer(life.answer());
}

function* positionsOf(
  { id: facility, bookedOn }: FacilityRecord,
  syndicate: readonly PartyRecord[],
  newId: NewId,
): Generator<BookRecord> {
  for (const { id: lender } of syndicate) {
    const id = newId('pos');
    yield { object: 'position', id, facility, lender, kind: 'assignment', bookedOn };
  }
}

/** Quarter by quarter: rate, billing, payment, repayment, and what happens now and then. */
function* serve(
  life: FacilityLife,
  contract: ContractRecord,
  { random, closing, syndicate, years, newId, uneven }: Setting,
  first: boolean,
): Generator<BookRecord> {
  const drawn = daysAfter(closing, 10);
  const spread = (BigInt(random.between(100, 450)) * BASIS_POINT) as Rate;
  const toggles = random.chance(uneven ? 0.5 : 0.1);
  const revolving = life.facility.type === 'revolver' || life.facility.type === 'swingline';
  let { id } = contract;
  for (let quarter = 0; quarter < years * 4; quarter += 1) {
    const start = monthsAfter(drawn, quarter * 3);
    const end = monthsAfter(drawn, (quarter + 1) * 3);
    const base = (BigInt(random.between(50, 540)) * BASIS_POINT) as Rate;
    yield* life.setRate(id, start, base, spread);
    if (toggles && quarter % 4 === 1) {
      yield* life.capitalize(id, end);
    } else {
      yield* life.bill(id, end);
    }
    const amount = life.outstanding(id) / 40n;
    if (random.chance(0.02)) yield* life.correctRepayment(id, end, amount * 2n, amount);
    else yield* life.repay(id, end, amount, 'scheduled_repayment');
    if (random.chance(0.05)) yield* life.repay(id, end, amount * 3n, 'voluntary_prepayment');
    if (random.chance(0.005)) yield* life.repay(id, end, amount, 'write_off');
    const [seller, buyer] = syndicate;
    if (seller !== undefined && buyer !== undefined && random.chance(0.03)) {
      yield* life.transfer(id, end, seller.id, buyer.id);
    }
    const due = life.due(id);
    // Some pay late, and a few leave some of it unpaid.
    const paid = random.chance(0.03) ? due / 2n : due;
    if (paid > 0n) yield* life.payInterest(id, daysAfter(end, random.chance(0.1) ? 20 : 5), paid);
    if (revolving && first && quarter === 1) {
      const next: ContractRecord = {
        ...drawing(life.facility, newId('ctr'), 100, end),
        rolledFrom: id,
      };
      yield next;
      yield* life.roll(id, next.id, end);
      id = next.id;
    }
  }
}

function drawing(
  facility: FacilityRecord,
  id: string,
  number: number,
  date: BusinessDate,
): ContractRecord {
  return {
    object: 'contract',
    id,
    facility: facility.id,
    contractNumber: `${number}`,
    status: 'active',
    effectiveDate: date,
    maturityDate: facility.maturityDate,
    bookedOn: date,
    externalIds: [],
  };
}

function party(id: string, name: string): PartyRecord {
  return { object: 'party', id, name, externalIds: [] };
}

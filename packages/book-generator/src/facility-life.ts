import type {
  BookRecord,
  FacilityRecord,
  JournalRecord,
  PostingRecord,
  RateRecord,
  SettlementRecord,
} from '@cls/resource-api/journal-file/record';
import { accrue, type BalanceStep, type RateStep } from '@cls/resource-api/ledger/accrual';
import { type BusinessDate, daysAfter } from '@cls/resource-api/ledger/business-date';
import { minorUnitDigits } from '@cls/resource-api/ledger/currency';
import { isRevolving } from '@cls/resource-api/ledger/facility-type';
import type {
  JournalType,
  LedgerAccount,
  PrincipalMovement,
} from '@cls/resource-api/ledger/journal';
import { formatAmount } from '@cls/resource-api/ledger/money';
import { formatRate, type Rate } from '@cls/resource-api/ledger/rate';
import type { KnownAnswer } from './generated-books.ts';
import type { NewId } from './new-id.ts';
import { atLeastZero, minus, negated, plus, pro, type Shares, totalOf } from './shares.ts';

interface Leg {
  readonly contract?: string;
  readonly account: LedgerAccount;
  readonly contra: LedgerAccount;
  readonly movement?: PrincipalMovement;
  readonly shares: Shares;
  readonly dueDate?: BusinessDate;
}

interface Drawing {
  readonly id: string;
  cash: Shares;
  pik: Shares;
  due: Shares;
  accruedFrom: BusinessDate;
  rates: RateStep[];
  /** Outstanding principal by lender since `accruedFrom`, and before it its last balance. */
  steps: { readonly date: BusinessDate; readonly held: Shares }[];
}

const DUE_AFTER_DAYS = 5;

/**
 * The life of one facility: every method is an event of the market and gives its journals. What
 * the facility owes is kept beside the postings.
 */
export class FacilityLife {
  readonly facility: FacilityRecord;
  readonly #newId: NewId;
  readonly #digits: number;
  readonly #restores: boolean;
  #commitment: Shares = new Map();
  #unfunded: Shares = new Map();
  #letterOfCredit: Shares = new Map();
  #usedUnderSublimits = 0n;
  readonly #drawings = new Map<string, Drawing>();

  constructor(facility: FacilityRecord, newId: NewId) {
    this.facility = facility;
    this.#newId = newId;
    this.#digits = minorUnitDigits(facility.currency) ?? 2;
    this.#restores = isRevolving(facility.type);
  }

  get unfunded(): bigint {
    return totalOf(this.#unfunded);
  }

  outstanding(contract: string): bigint {
    const { cash, pik } = this.#drawing(contract);
    return totalOf(cash) + totalOf(pik);
  }

  due(contract: string): bigint {
    return totalOf(this.#drawing(contract).due);
  }

  answer(): KnownAnswer {
    const drawings = [...this.#drawings.values()];
    const sum = (of: (drawing: Drawing) => Shares) =>
      drawings.reduce((total, drawing) => total + totalOf(of(drawing)), 0n);
    return {
      facility: this.facility.id,
      currency: this.facility.currency,
      principalCash: sum(({ cash }) => cash),
      principalPik: sum(({ pik }) => pik),
      unfunded: this.unfunded - this.#usedUnderSublimits,
      letterOfCredit: totalOf(this.#letterOfCredit),
      interestDue: sum(({ due }) => due),
      originalCommitment: totalOf(this.#commitment),
    };
  }

  commit(date: BusinessDate, shares: Shares): BookRecord[] {
    this.#commitment = shares;
    this.#unfunded = shares;
    return [
      this.#journal('original_commitment', date, [
        { account: 'ORIGINAL_COMMITMENT', contra: 'MEMO', shares },
        { account: 'UNFUNDED', contra: 'MEMO', shares },
      ]),
    ];
  }

  /** Something was drawn of a facility that is carved out of this one. */
  useUnderSublimit(amountMinor: bigint): void {
    this.#usedUnderSublimits += amountMinor;
  }

  /** Cancels some of what was not drawn. */
  reduce(date: BusinessDate, amountMinor: bigint): BookRecord[] {
    const shares = pro(amountMinor, atLeastZero(this.#unfunded));
    this.#unfunded = minus(this.#unfunded, shares);
    return [
      this.#journal('commitment_reduction', date, [
        { account: 'CANCELLED_COMMITMENT', contra: 'MEMO', shares },
        { account: 'UNFUNDED', contra: 'MEMO', shares: negated(shares) },
      ]),
    ];
  }

  issueLetterOfCredit(date: BusinessDate, amountMinor: bigint): BookRecord[] {
    const shares = pro(amountMinor, this.#unfunded);
    this.#unfunded = minus(this.#unfunded, shares);
    this.#letterOfCredit = plus(this.#letterOfCredit, shares);
    return [
      this.#journal('letter_of_credit', date, [
        { account: 'LETTER_OF_CREDIT', contra: 'MEMO', shares },
        { account: 'UNFUNDED', contra: 'MEMO', shares: negated(shares) },
      ]),
    ];
  }

  /** A commitment fee accrues on the unfunded amount from a date on. */
  chargeCommitmentFee(date: BusinessDate, allInRate: Rate): BookRecord[] {
    const rate = { component: 'commitment_fee', startDate: date, allInRate: formatRate(allInRate) };
    const rates = [{ facility: this.facility.id, ...rate } as RateRecord];
    return [this.#journal('rate_set', date, [], { rates })];
  }

  /** @param funder the lender that funds all of it; without one, each its part of what is unfunded. */
  draw(contract: string, date: BusinessDate, amountMinor: bigint, funder?: string): BookRecord[] {
    const alone = funder !== undefined && new Map([[funder, amountMinor]]);
    const shares = alone || pro(amountMinor, atLeastZero(this.#unfunded));
    const drawing = this.#drawings.get(contract);
    if (drawing === undefined) this.#open(contract, date, shares);
    else this.#move(contract, date, 'cash', shares);
    this.#unfunded = minus(this.#unfunded, shares);
    return [
      this.#journal('advance', date, [
        this.#principal(contract, 'PRINCIPAL_CASH', 'advance', shares),
        { account: 'UNFUNDED', contra: 'MEMO', shares: negated(shares) },
      ]),
    ];
  }

  setRate(contract: string, startDate: BusinessDate, baseRate: Rate, spread: Rate): BookRecord[] {
    const allInRate = (baseRate + spread) as Rate;
    this.#drawing(contract).rates.push({ startDate, allInRate, baseRate, spread });
    const rate: RateRecord = {
      facility: this.facility.id,
      contract,
      component: 'interest',
      startDate,
      allInRate: formatRate(allInRate),
      baseRateIndex: 'TERM-SOFR-3M',
      baseRate: formatRate(baseRate),
      spread: formatRate(spread),
    };
    return [this.#journal('rate_set', startDate, [], { rates: [rate] })];
  }

  /** Bills what has accrued; rounded here, once. */
  bill(contract: string, date: BusinessDate): BookRecord[] {
    const shares = this.#settle(contract, date);
    const drawing = this.#drawing(contract);
    drawing.due = plus(drawing.due, shares);
    const leg: Leg = {
      contract,
      account: 'INTEREST_DUE',
      contra: 'INTEREST_INCOME',
      shares,
      dueDate: daysAfter(date, DUE_AFTER_DAYS),
    };
    return [this.#journal('interest_billing', date, [leg], this.#settled(contract, date))];
  }

  /** Adds what has accrued to principal instead of billing it. */
  capitalize(contract: string, date: BusinessDate): BookRecord[] {
    const shares = this.#settle(contract, date);
    this.#move(contract, date, 'pik', shares);
    const legs: Leg[] = [
      {
        contract,
        account: 'PRINCIPAL_PIK',
        contra: 'INTEREST_INCOME',
        movement: 'pik_capitalization',
        shares,
      },
    ];
    if (this.facility.pikUsesCommitment) {
      this.#unfunded = minus(this.#unfunded, shares);
      legs.push({ account: 'UNFUNDED', contra: 'MEMO', shares: negated(shares) });
    }
    return [this.#journal('pik_capitalization', date, legs, this.#settled(contract, date))];
  }

  payInterest(contract: string, date: BusinessDate, amountMinor: bigint): BookRecord[] {
    const drawing = this.#drawing(contract);
    const shares = pro(amountMinor, drawing.due);
    drawing.due = minus(drawing.due, shares);
    return [
      this.#journal('interest_payment', date, [
        { contract, account: 'INTEREST_DUE', contra: 'CASH_CLEARING', shares: negated(shares) },
      ]),
    ];
  }

  /** Of what was paid out, at most all of it: capitalised interest is not repaid. */
  repay(
    contract: string,
    date: BusinessDate,
    wantedMinor: bigint,
    movement: 'scheduled_repayment' | 'voluntary_prepayment' | 'write_off',
  ): BookRecord[] {
    const { cash } = this.#drawing(contract);
    const left = totalOf(cash);
    if (left <= 0n) return [];
    const shares = pro(wantedMinor < left ? wantedMinor : left, cash);
    this.#move(contract, date, 'cash', negated(shares));
    const restored = this.#restores && movement !== 'write_off';
    if (restored) this.#unfunded = plus(this.#unfunded, shares);
    return [
      this.#journal(movement, date, [
        this.#principal(contract, 'PRINCIPAL_CASH', movement, negated(shares)),
        ...(restored ? [{ account: 'UNFUNDED', contra: 'MEMO', shares } as const] : []),
      ]),
    ];
  }

  /** One contract is continued by another: nothing is paid. */
  roll(from: string, to: string, date: BusinessDate): BookRecord[] {
    const shares = this.#drawing(from).cash;
    this.#move(from, date, 'cash', negated(shares));
    this.#open(to, date, shares);
    return [
      this.#journal('rollover', date, [
        this.#principal(from, 'PRINCIPAL_CASH', 'rollover', negated(shares)),
        this.#principal(to, 'PRINCIPAL_CASH', 'rollover', shares),
      ]),
    ];
  }

  /** A lender sells some of a drawing to another: nothing changes globally. */
  transfer(contract: string, date: BusinessDate, seller: string, buyer: string): BookRecord[] {
    const sold = (this.#drawing(contract).cash.get(seller) ?? 0n) / 2n;
    const shares = new Map([
      [seller, -sold],
      [buyer, sold],
    ]);
    this.#move(contract, date, 'cash', shares);
    return [
      this.#journal('transfer', date, [
        {
          ...this.#principal(contract, 'PRINCIPAL_CASH', 'transfer', shares),
          contra: 'TRANSFER_CLEARING',
        },
      ]),
    ];
  }

  /** A repayment was recorded with a wrong amount: it is reversed and posted anew, on its date. */
  correctRepayment(
    contract: string,
    date: BusinessDate,
    wrong: bigint,
    right: bigint,
  ): BookRecord[] {
    const [repaid] = this.repay(contract, date, wrong, 'scheduled_repayment');
    if (repaid === undefined) return [];
    const mistaken = repaid as JournalRecord;
    const shares = new Map<string, bigint>();
    for (const posting of mistaken.postings) {
      if (posting.lender === undefined || posting.account !== 'PRINCIPAL_CASH') continue;
      shares.set(posting.lender, BigInt(posting.amount.replace('.', '')));
    }
    this.#move(contract, date, 'cash', negated(shares));
    if (this.#restores) this.#unfunded = plus(this.#unfunded, shares);
    const reversal: JournalRecord = {
      ...mistaken,
      id: this.#newId('jrn'),
      idempotencyKey: `${mistaken.idempotencyKey}:reversal`,
      reason: 'amount misread from the notice',
      reverses: mistaken.id,
      postings: mistaken.postings.map((posting) => ({
        ...posting,
        amount: posting.amount.startsWith('-') ? posting.amount.slice(1) : `-${posting.amount}`,
      })),
    };
    return [mistaken, reversal, ...this.repay(contract, date, right, 'scheduled_repayment')];
  }

  #drawing(contract: string): Drawing {
    const drawing = this.#drawings.get(contract);
    if (drawing === undefined) throw new Error(`nothing was drawn under ${contract}`);
    return drawing;
  }

  #open(contract: string, date: BusinessDate, shares: Shares): void {
    const nothing: Shares = new Map([...shares.keys()].map((lender) => [lender, 0n]));
    this.#drawings.set(contract, {
      id: contract,
      cash: shares,
      pik: nothing,
      due: nothing,
      accruedFrom: date,
      rates: [],
      steps: [{ date, held: shares }],
    });
  }

  #move(contract: string, date: BusinessDate, what: 'cash' | 'pik', change: Shares): void {
    const drawing = this.#drawing(contract);
    drawing[what] = plus(drawing[what], change);
    const held = plus(drawing.cash, drawing.pik);
    drawing.steps = [...drawing.steps.filter((step) => step.date < date), { date, held }];
  }

  /** What has accrued to each lender until a date; it begins anew from there. */
  #settle(contract: string, date: BusinessDate): Shares {
    const drawing = this.#drawing(contract);
    const { accruedFrom: from, rates, steps } = drawing;
    const lines = new Map<string, BalanceStep[]>();
    for (const { date: day, held } of steps) {
      for (const [lender, amountMinor] of [...held, ['', totalOf(held)] as const]) {
        lines.set(lender, [...(lines.get(lender) ?? []), { date: day, amountMinor }]);
      }
    }
    const { dayCount } = this.facility;
    const { amounts } = accrue({ from, to: date, dayCount, rates }, lines);
    drawing.accruedFrom = date;
    drawing.steps = drawing.steps.slice(-1);
    return new Map([...amounts].filter(([lender]) => lender !== ''));
  }

  #settled(contract: string, date: BusinessDate): { settlements: SettlementRecord[] } {
    const facility = this.facility.id;
    return {
      settlements: [{ facility, contract, component: 'interest', settledThrough: date }],
    };
  }

  #principal(
    contract: string,
    account: LedgerAccount,
    movement: PrincipalMovement,
    shares: Shares,
  ): Leg {
    const contra = movement === 'write_off' ? 'WRITE_OFF' : 'CASH_CLEARING';
    return { contract, account, contra, movement, shares };
  }

  #journal(
    type: JournalType,
    effectiveDate: BusinessDate,
    legs: readonly Leg[],
    facts: { rates?: RateRecord[]; settlements?: SettlementRecord[] } = {},
  ): JournalRecord {
    const id = this.#newId('jrn');
    return {
      object: 'journal',
      id,
      deal: this.facility.deal,
      type,
      effectiveDate,
      idempotencyKey: `generated:${id}`,
      postings: legs.flatMap((leg) => this.#postings(leg)),
      terms: [],
      rates: facts.rates ?? [],
      settlements: facts.settlements ?? [],
    };
  }

  #postings({ contract, account, contra, movement, shares, dueDate }: Leg): PostingRecord[] {
    const { id: facility, currency } = this.facility;
    const amounts = [[undefined, totalOf(shares)] as const, ...shares];
    return amounts.flatMap(([lender, amountMinor]): PostingRecord[] => {
      if (amountMinor === 0n) return [];
      const line = {
        facility,
        ...(contract === undefined ? {} : { contract }),
        ...(lender === undefined ? {} : { lender }),
        currency,
      };
      return [
        {
          ...line,
          account,
          ...(movement === undefined ? {} : { movement }),
          amount: formatAmount(amountMinor, this.#digits),
          ...(dueDate === undefined ? {} : { dueDate }),
        },
        { ...line, account: contra, amount: formatAmount(-amountMinor, this.#digits) },
      ];
    });
  }
}

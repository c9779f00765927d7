/**
 * One loan, worked out from scratch for each question, day by day: for tests alone. It shares no
 * code with the product. Amounts are in cents; the global amount is under the empty name.
 */
export type Component = 'interest' | 'pik' | 'commitment_fee';
export type Amounts = ReadonlyMap<string, bigint>;

interface Known {
  /** Number of the operation by which it became known. */
  readonly known: number;
}
interface Move extends Known {
  readonly on: 'principal' | 'unfunded';
  readonly day: number;
  readonly amounts: Amounts;
}
export interface RateChange extends Known {
  readonly component: Component;
  readonly day: number;
  /** In parts of ten thousand. */
  readonly rate: bigint;
  readonly reversals: number[];
}
/** When a facility or contract ends, from a day on. */
export interface Ends extends Known {
  readonly of: 'facility' | 'contract';
  readonly day: number;
  readonly maturity: number | null;
  /** Of a facility alone. */
  readonly availability: number | null;
  readonly reversals: number[];
}
export interface NaiveBill extends Known {
  readonly component: Component;
  /** Null: from the first day that accrues. */
  readonly from: number | null;
  readonly to: number;
  readonly day: number;
  readonly dueDay: number | null;
  readonly capitalised: boolean;
  readonly posted: NaivePosting[];
  readonly reversals: number[];
}
export interface NaivePosting extends Known {
  readonly day: number;
  /** Of a payment and of what is capitalised: none. */
  readonly dueDay: number | null;
  readonly amounts: Amounts;
}

const NEVER = Number.POSITIVE_INFINITY;
const ORIGIN = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
/** Of a year: 360, 365 and 366 divide it. */
const YEAR = 360n * 365n * 366n;

export const dayText = (day: number): string =>
  new Date(ORIGIN + day * DAY_MS).toISOString().slice(0, 10);

export class NaiveLoan {
  readonly moves: Move[] = [];
  readonly rates: RateChange[] = [];
  readonly bills: NaiveBill[] = [];
  readonly payments: NaivePosting[] = [];
  readonly ends: Ends[] = [];
  readonly #lenders: readonly string[];
  readonly #dayCount: string;
  readonly #pikUsesCommitment: boolean;
  /** What was known once never changes. */
  readonly #rights = new Map<string, Amounts>();

  constructor(lenders: readonly string[], dayCount: string, pikUsesCommitment: boolean) {
    this.#lenders = lenders;
    this.#dayCount = dayCount;
    this.#pikUsesCommitment = pikUsesCommitment;
  }

  /** Parts of days that no bill settles until a day, as known after an operation. */
  openParts(component: Component, until: number, known: number): readonly [number, number][] {
    const begins = this.#begins(component, known);
    const settled = this.bills.filter(
      (bill) => bill.component === component && this.stands(bill, known) && bill.day <= until,
    );
    const parts: [number, number][] = [];
    for (let day = begins; day < until; day += 1) {
      if (settled.some(({ from, to }) => (from ?? begins) <= day && day < to)) continue;
      const last = parts.at(-1);
      if (last?.[1] === day) last[1] = day + 1;
      else parts.push([day, day + 1]);
    }
    return parts;
  }

  stands(
    { known: made, reversals }: Pick<NaiveBill, 'known' | 'reversals'>,
    known: number,
  ): boolean {
    return made <= known && reversals.filter((one) => one <= known).length % 2 === 0;
  }

  /** What bill and corrections come to, as known and until a day. */
  posted({ posted }: NaiveBill, until: number, known: number): Amounts {
    return total(posted.filter((one) => one.known <= known && one.day <= until));
  }

  right(bill: NaiveBill, until: number, known: number): Amounts {
    if (!this.stands(bill, known)) return new Map();
    const key = `${this.bills.indexOf(bill)} ${until} ${known}`;
    const before = this.#rights.get(key);
    if (before !== undefined) return before;
    const from = bill.from ?? this.#begins(bill.component, known);
    const amounts = this.accrued(bill.component, [from, bill.to], until, known);
    this.#rights.set(key, amounts);
    return amounts;
  }

  #begins(component: Component, known: number): number {
    const some = this.rates.filter((one) => one.component === component && one.known <= known);
    const standing = some.filter((one) => this.stands(one, known));
    return Math.min(...(standing.length > 0 ? standing : some).map(({ day }) => day));
  }

  /** What accrues in a part, rounded once, and split by largest remainder. */
  accrued(component: Component, part: readonly [number, number], until: number, known: number) {
    const exact = new Map(
      ['', ...this.#lenders].map((holder) => [
        holder,
        this.#exact(component, part, holder, until, known),
      ]),
    );
    const unit = YEAR * 10_000n;
    const whole = exact.get('') ?? 0n;
    const half =
      whole < 0n ? -((-2n * whole + unit) / (2n * unit)) : (2n * whole + unit) / (2n * unit);
    const floors = this.#lenders.map((id) => {
      const numerator = exact.get(id) ?? 0n;
      const rest = ((numerator % unit) + unit) % unit;
      return { id, floor: (numerator - rest) / unit, rest };
    });
    floors.sort((a, b) => (a.rest === b.rest ? (a.id < b.id ? -1 : 1) : a.rest > b.rest ? -1 : 1));
    let left = half - floors.reduce((sum, { floor }) => sum + floor, 0n);
    const amounts = new Map<string, bigint>([['', half]]);
    for (const { id, floor } of floors) {
      amounts.set(id, floor + (left > 0n ? 1n : 0n));
      left -= 1n;
    }
    return amounts;
  }

  #exact(
    component: Component,
    [from, to]: readonly [number, number],
    holder: string,
    until: number,
    known: number,
  ): bigint {
    let sum = 0n;
    for (let day = from; day < to; day += 1) {
      const rate = this.#rate(component, day, known);
      if (rate === 0n) continue;
      const balance = this.#accruesOn(component, day, holder, until, known);
      sum += balance * rate * this.#parts(from, day);
    }
    return sum;
  }

  #rate(component: Component, day: number, known: number): bigint {
    let found: RateChange | undefined;
    for (const one of this.rates) {
      if (one.component !== component || one.day > day || !this.stands(one, known)) continue;
      if (found === undefined || one.day >= found.day) found = one;
    }
    return found?.rate ?? 0n;
  }

  /**
   * A holder's part of what accrues on a day: nobody earns on a credit, and the borrower pays for no more than
   * the whole. Where a lender is in credit, the others have of the whole in proportion to what they hold.
   */
  #accruesOn(component: Component, day: number, holder: string, until: number, known: number) {
    if (component === 'commitment_fee' && this.#lastDayToDraw(day, known) <= day) return 0n;
    const of = (id: string) => this.#base(component, day, id, until, known);
    const whole = of('');
    const held = this.#lenders.map((id) => ({ id, amount: of(id) }));
    if (whole >= 0n && held.every(({ amount }) => amount >= 0n)) return of(holder);
    if (whole <= 0n) return 0n;
    if (holder === '') return whole;
    const creditors = held.filter(({ amount }) => amount > 0n);
    const sum = creditors.reduce((all, { amount }) => all + amount, 0n);
    const parts = creditors.map(({ id, amount }) => ({
      id,
      part: (whole * amount) / sum,
      rest: (whole * amount) % sum,
    }));
    parts.sort((a, b) => (a.rest === b.rest ? (a.id < b.id ? -1 : 1) : a.rest > b.rest ? -1 : 1));
    const left = Number(whole - parts.reduce((all, { part }) => all + part, 0n));
    const place = parts.findIndex(({ id }) => id === holder);
    return place === -1 ? 0n : (parts[place]?.part ?? 0n) + (place < left ? 1n : 0n);
  }

  /** The terms that hold on a day. */
  #endsOn(of: Ends['of'], day: number, known: number): Ends | undefined {
    let found: Ends | undefined;
    for (const one of this.ends) {
      if (one.of !== of || one.day > day || !this.stands(one, known)) continue;
      if (found === undefined || one.day >= found.day) found = one;
    }
    return found;
  }

  #lastDayToDraw(day: number, known: number): number {
    const { maturity = null, availability = null } = this.#endsOn('facility', day, known) ?? {};
    return Math.min(maturity ?? NEVER, availability ?? NEVER);
  }

  /** The day on which the loan matures, where it has and is not repaid. */
  maturedOn(until: number, known: number): number | undefined {
    const days = (['facility', 'contract'] as const).map(
      (of) => this.#endsOn(of, until, known)?.maturity ?? NEVER,
    );
    const day = Math.min(...days);
    return day < until && this.state('', until, known).outstanding > 0n ? day : undefined;
  }

  /** What each holder may draw of the commitment: by what is posted, right or not. */
  available(holder: string, until: number, known: number): bigint {
    if (this.#lastDayToDraw(until, known) < until) return 0n;
    const capitalised = total(
      this.bills
        .filter((bill) => bill.capitalised && this.#pikUsesCommitment)
        .map((bill) => ({ amounts: this.posted(bill, until, known) })),
    );
    const of = (id: string) =>
      this.#moved('unfunded', until, id, known) - (capitalised.get(id) ?? 0n);
    return of('') > 0n ? of(holder) : 0n;
  }

  #moved(on: Move['on'], day: number, holder: string, known: number): bigint {
    let sum = 0n;
    for (const move of this.moves) {
      if (move.on === on && move.known <= known && move.day <= day) {
        sum += move.amounts.get(holder) ?? 0n;
      }
    }
    return sum;
  }

  /** What it accrues on: capitalised bills count with what is right. */
  #base(component: Component, day: number, holder: string, until: number, known: number): bigint {
    const on = component === 'commitment_fee' ? 'unfunded' : 'principal';
    const moved = this.#moved(on, day, holder, known);
    if (on === 'unfunded' && !this.#pikUsesCommitment) return moved;
    let capitalised = 0n;
    for (const bill of this.bills) {
      if (bill.capitalised && bill.day <= day && bill.known <= known) {
        capitalised += this.right(bill, until, known).get(holder) ?? 0n;
      }
    }
    return on === 'unfunded' ? moved - capitalised : moved + capitalised;
  }

  /** Of a year, for one day of a part that began at `from`. */
  #parts(from: number, day: number): bigint {
    switch (this.#dayCount) {
      case 'ACT/360':
        return YEAR / 360n;
      case 'ACT/365F':
        return YEAR / 365n;
      case '30/360':
        return (BigInt(bondDays(from, day + 1) - bondDays(from, day)) * YEAR) / 360n;
      default:
        return YEAR / (Number(dayText(day).slice(0, 4)) % 4 === 0 ? 366n : 365n);
    }
  }

  /** Everything that the API is asked, for one holder. */
  state(holder: string, until: number, known: number) {
    const of = (amounts: Amounts) => amounts.get(holder) ?? 0n;
    const accrued = (component: Component) => {
      const open = this.openParts(component, until, known)
        .map((part) => of(this.accrued(component, part, until, known)))
        .reduce((a, b) => a + b, 0n);
      return this.bills
        .filter((bill) => bill.component === component && bill.known <= known && bill.day <= until)
        .reduce(
          (sum, bill) =>
            sum + of(this.right(bill, until, known)) - of(this.posted(bill, until, known)),
          open,
        );
    };
    const billed = (component: Component) =>
      this.bills
        .filter((bill) => bill.component === component)
        .reduce((sum, bill) => sum + of(this.posted(bill, until, known)), 0n);
    const principal = total(
      this.moves.filter((m) => m.on === 'principal' && m.known <= known && m.day <= until),
    );
    const paid = total(this.payments.filter((one) => one.known <= known && one.day <= until));
    return {
      outstanding: of(principal) + billed('pik'),
      accrued: accrued('interest'),
      pikAccrued: accrued('pik'),
      due: billed('interest') - of(paid),
      feesAccrued: accrued('commitment_fee'),
      feesDue: billed('commitment_fee'),
    };
  }

  /** What is due of interest or a fee, and the part of it whose due date has not passed. */
  due(component: 'interest' | 'commitment_fee', holder: string, until: number, known: number) {
    const there = (one: NaivePosting) => one.known <= known && one.day <= until;
    const billed = this.bills
      .filter((bill) => bill.component === component)
      .flatMap(({ posted }) => posted.filter(there));
    const paid = component === 'interest' ? this.payments.filter(there) : [];
    const later = billed.filter(({ dueDay }) => (dueDay ?? until) >= until);
    const of = (some: readonly NaivePosting[]) => total(some).get(holder) ?? 0n;
    return { due: of(billed) - of(paid), notYetDue: of(later) };
  }
}

function bondDays(from: number, to: number): number {
  const [y1, m1, d1] = dayText(from).split('-').map(Number) as [number, number, number];
  const [y2, m2, d2] = dayText(to).split('-').map(Number) as [number, number, number];
  const first = d1 === 31 ? 30 : d1;
  const last = d2 === 31 && first === 30 ? 30 : d2;
  return 360 * (y2 - y1) + 30 * (m2 - m1) + last - first;
}

export function total(some: readonly { readonly amounts: Amounts }[]): Amounts {
  const sums = new Map<string, bigint>();
  for (const { amounts } of some) {
    for (const [holder, amount] of amounts) sums.set(holder, (sums.get(holder) ?? 0n) + amount);
  }
  return sums;
}

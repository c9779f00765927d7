import { Random } from '@cls/book-generator/random';
import { describeOnDatabase } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import type { JournalRecord, PostingRecord } from '../src/journal-file/record.ts';
import { readJournals } from '../src/journal-file/sql/read-journals.ts';
import type { LedgerAccount } from '../src/ledger/journal.ts';
import { formatAmount } from '../src/ledger/money.ts';
import { instant } from '../src/questions/ask/sql/statement.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import {
  type Amounts,
  type Component,
  dayText,
  type Ends,
  type NaiveBill,
  NaiveLoan,
  type RateChange,
} from './support/naive-servicing.ts';
import { expectReconciled } from './support/reconciled.ts';
import { aJournal, aLoan, aParty, type BookRecord } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const COMPONENTS: readonly Component[] = ['interest', 'pik', 'commitment_fee'];
const DAY_COUNTS = ['ACT/360', '30/360', 'ACT/365F', 'ACT/ACT'] as const;
const OPERATIONS = 24;
const QUESTIONS = 16;
/** More than most lines come to. */
const BEYOND = 4_000_000_00;

describeOnDatabase('billing, late facts and reversals in any order', (engine) => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine);
  });
  after(() => api?.stop());

  const histories = [...DAY_COUNTS, ...DAY_COUNTS].flatMap((dayCount, index) => {
    const pikUsesCommitment = index >= DAY_COUNTS.length;
    // Days are counted alike, whatever PIK uses: each is with the one or the other.
    const isAsked = EXHAUSTIVE || (index % 2 === 1) === pikUsesCommitment;
    return isAsked ? [{ index, dayCount, pikUsesCommitment }] : [];
  });
  for (const { index, dayCount, pikUsesCommitment } of histories) {
    const uses = pikUsesCommitment ? ', PIK uses the commitment' : '';
    it(`answers as a model that works all of it out again, for each two times (${dayCount}${uses})`, async () => {
      const history = new History(api, new Random(41 + index), { dayCount, pikUsesCommitment });
      await history.begin();
      for (let step = 0; step < OPERATIONS; step += 1) await history.step();
      for (let asked = 0; asked < QUESTIONS; asked += 1) await history.ask();
    });
  }

  it('leaves a book that reconciles', () =>
    // These loans have commitments of any size, whatever is drawn.
    expectReconciled(api.database, { except: ['unfunded_is_undrawn'] }));
});

const clamp = (amount: bigint, low: bigint, high: bigint) =>
  amount < low ? low : amount > high ? high : amount;
const cents = (amount: string) => BigInt(amount.replace('.', ''));

/** A journal that billed, corrected or took back. */
interface Billing {
  readonly id: string;
  readonly bill: NaiveBill;
  /** Whether it, or what it takes back, is the bill itself. */
  readonly whole: boolean;
  readonly day: number;
  readonly dueDay: number | null;
  readonly amounts: Amounts;
  reversed: boolean;
}

class History {
  readonly #api: TestApi;
  readonly #random: Random;
  readonly #model: NaiveLoan;
  readonly #parties = ['Borrower', 'Anna', 'Bert', 'Cleo'].map(aParty) as [
    ReturnType<typeof aParty>,
    ...ReturnType<typeof aParty>[],
  ];
  readonly #lenders = this.#parties.slice(1).map(({ id }) => id);
  readonly #loan: ReturnType<typeof aLoan>;
  readonly #billings: Billing[] = [];
  readonly #ids = new Map<NaiveBill, string>();
  /** With the journal that set it, took it back or gave it again last. */
  readonly #rates = new Map<RateChange, JournalRecord>();
  /** Likewise of terms. */
  readonly #ends = new Map<Ends, JournalRecord>();
  /** Posting time after each operation. */
  readonly #knownAt: string[] = [];
  readonly #log: string[] = [];
  #today = 20;

  constructor(
    api: TestApi,
    random: Random,
    facility: { dayCount: (typeof DAY_COUNTS)[number]; pikUsesCommitment: boolean },
  ) {
    this.#api = api;
    this.#random = random;
    this.#loan = aLoan(this.#parties[0], this.#parties.slice(1), facility);
    const { dayCount, pikUsesCommitment } = facility;
    this.#model = new NaiveLoan(this.#lenders, dayCount, pikUsesCommitment);
  }

  async begin(): Promise<void> {
    await this.#post([...this.#parties, ...this.#loan.all, this.#move('principal', 3)], 'begin');
    for (const component of COMPONENTS) await this.#post([this.#rate(component, 5)], component);
    await this.#post([this.#move('unfunded', 4)], 'commitment');
  }

  async step(): Promise<void> {
    const random = this.#random;
    this.#today += random.between(0, 25);
    const day = random.chance(0.3) ? this.#today : random.between(0, this.#today);
    const kind = random.pick([
      'bill',
      'bill',
      'bill',
      'move',
      'move',
      'transfer',
      'rate',
      'rate',
      'unfunded',
      'reverse',
      'reverse',
      'reverse a rate',
      'pay',
      'terms',
      'terms',
      'reverse terms',
      'overpay',
      'fund alone',
    ]);
    const component = random.pick(COMPONENTS as [Component, ...Component[]]);
    switch (kind) {
      case 'bill':
        return this.#bill(random.chance(0.85) ? this.#today : day);
      case 'move':
        return this.#post([this.#move('principal', day)], `move ${day}`);
      case 'unfunded':
        return this.#post([this.#move('unfunded', day)], `unfunded ${day}`);
      case 'transfer':
        return this.#post([this.#transfer(day)], `transfer ${day}`);
      case 'rate':
        return this.#post([this.#rate(component, day)], `rate ${component} ${day}`);
      case 'reverse':
        return this.#reverse();
      case 'reverse a rate':
        return this.#reverseRate();
      case 'terms':
        return this.#post([this.#terms(day)], `terms ${day}`);
      case 'reverse terms':
        return this.#reverseTerms();
      case 'overpay':
        return this.#post([this.#move('principal', day, -BEYOND)], `overpay ${day}`);
      case 'fund alone':
        return this.#post([this.#move('unfunded', day, -BEYOND)], `fund alone ${day}`);
      case 'pay':
        return this.#post([this.#pay(day)], `pay ${day}`);
    }
  }

  /** One question of random times, at a random level. */
  async ask(): Promise<void> {
    const random = this.#random;
    const known = random.chance(0.4) ? this.#known - 1 : random.between(4, this.#known - 1);
    const bills = this.#model.bills.map((bill) => bill.day);
    const near = random.pick([...bills, this.#today] as unknown as [number, ...number[]]);
    const asOf = random.chance(0.5) ? near : random.between(5, this.#today + 40);
    const level = random.pick(['facility', 'contract', 'deal']);
    const query = `dealId=${this.#loan.deal.id}&level=${level}&includeZero=true`;
    const times = `asOf=${dayText(asOf)}&knownAt=${this.#knownAt[known]}`;
    const response = await this.#api.get(`/api/v1/cls/balances?${query}&${times}`);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    const [item] = body.data;
    const what = `${this.#log.join(' | ')} -- ${level} ${asOf} (${dayText(asOf)}) known ${known}`;
    this.#judgePastDue('interest', item, asOf, known, what);
    if (level !== 'contract') this.#judgePastDue('commitment_fee', item, asOf, known, what);
    for (const holder of ['', ...this.#lenders]) {
      const line =
        holder === '' ? item.global : item.lenders.find((l: Json) => l.lender.id === holder);
      const { feesAccrued, feesDue, ...ofContract } = this.#model.state(holder, asOf, known);
      const fees = level === 'contract' ? {} : { feesAccrued, feesDue };
      const told = {
        outstanding: cents(line.principal.outstanding),
        accrued: cents(line.interest.accrued),
        pikAccrued: cents(line.interest.pikAccrued),
        due: cents(line.interest.due),
        ...(level === 'contract'
          ? {}
          : { feesAccrued: cents(line.fees.accrued), feesDue: cents(line.fees.due) }),
      };
      expect(told, `${what} ${holder}`).to.deep.equal({ ...ofContract, ...fees });
      if (level === 'contract') continue;
      const available = this.#model.available(holder, asOf, known);
      expect(cents(line.commitment.available), `${what} ${holder}`).to.equal(available);
    }
    this.#judgeMaturity(item, asOf, known, what);
    if (level === 'contract') return;
    const totals = `/api/v1/cls/balances/totals?dealId=${this.#loan.deal.id}&${times}&includeZero=true`;
    const sumsOf = async (of: string) => {
      const { totals: all } = (await (await this.#api.get(`${totals}&level=${of}`)).json()) as Json;
      const { available, pastDue, interestAccrued, feesAccrued } = all[0];
      return [available, pastDue, interestAccrued, feesAccrued];
    };
    const whole = await sumsOf(level);
    const { commitment, total: all, interest, fees } = item.global;
    expect(whole, what).to.deep.equal([
      ...[commitment.available, all.pastDue, interest.accrued, fees.accrued],
    ]);
    expect(await sumsOf('position'), what).to.deep.equal(whole);
  }

  /** From the day after maturity all that is outstanding is past due, to each lender its part of it. */
  #judgeMaturity(item: Json, asOf: number, known: number, what: string): void {
    const matured = this.#model.maturedOn(asOf, known);
    const { principal } = item.global;
    const warned = item.warnings.includes('past_maturity');
    expect(warned, `${what} past maturity`).to.equal(matured !== undefined);
    const expected = matured === undefined ? '0.00' : principal.outstanding;
    expect([principal.pastDue, principal.due], what).to.deep.equal([expected, expected]);
    for (const { lender, principal } of item.lenders) {
      const part = matured === undefined ? '0.00' : principal.outstanding;
      expect([principal.pastDue, principal.due], `${what} ${lender.id}`).to.deep.equal([
        part,
        part,
      ]);
    }
    if (matured !== undefined) {
      expect(item.status.daysPastDue >= asOf - matured, `${what} days`).to.equal(true);
    }
    const lines = [item.global, ...item.lenders];
    const isBelow = lines.some((line: Json) => line.principal.outstanding.startsWith('-'));
    expect(item.warnings.includes('negative_outstanding'), `${what} below`).to.equal(isBelow);
    if (item.level === 'contract') return;
    const isBeyond = item.lenders.some((line: Json) => line.commitment.unfunded.startsWith('-'));
    expect(item.warnings.includes('lender_beyond_commitment'), `${what} beyond`).to.equal(isBeyond);
  }

  /** Each lender's share is within what is due to it, and all add up to the global amount. */
  #judgePastDue(
    component: 'interest' | 'commitment_fee',
    item: Json,
    asOf: number,
    known: number,
    what: string,
  ): void {
    const name = component === 'interest' ? 'interest' : 'fees';
    const { due, notYetDue } = this.#model.due(component, '', asOf, known);
    const whole = due < 0n ? 0n : due - clamp(notYetDue, 0n, due);
    expect(cents(item.global[name].pastDue), `${what} ${name}`).to.equal(whole);
    let sum = 0n;
    for (const line of item.lenders) {
      const share = cents(line[name].pastDue);
      const owed = cents(line[name].due);
      const [low, high] = due < 0n ? [0n, 0n] : owed < 0n ? [owed, owed] : [0n, owed];
      expect(low <= share && share <= high, `${what} ${line.lender.id} ${share} ${owed}`).to.equal(
        true,
      );
      sum += share;
    }
    expect(sum, `${what} ${name}`).to.equal(whole);
  }

  get #known(): number {
    return this.#knownAt.length;
  }

  async #post(records: readonly BookRecord[], what: string): Promise<void> {
    await loadRecords(this.#api.database, records);
    await this.#done(what);
  }

  async #done(what: string): Promise<void> {
    const [last] = await this.#api.database.query<{ at: string }>(
      `SELECT ${instant('posted_at')} AS at FROM journal ORDER BY seq DESC LIMIT 1`,
    );
    this.#log.push(`${this.#known}: ${what}`);
    this.#knownAt.push(last?.at ?? '');
  }

  async #bill(through: number): Promise<void> {
    const model = this.#model;
    const known = this.#known - 1;
    const before = await this.#lastSeq();
    await billAccruals(sqlBilling(this.#api.database), {
      through: date(dayText(through)),
      dueDate: date(dayText(through + 5)),
      apply: true,
    });
    const which = `WHERE j.deal_key = (SELECT key FROM deal WHERE id = $1) AND j.seq > ${before}
      ORDER BY j.seq`;
    const made = await readJournals(this.#api.database, which, this.#loan.deal.id);
    const expected = new Map<string, { bill: NaiveBill; whole: boolean; amounts: Amounts }>();
    for (const component of COMPONENTS) {
      const later = model.bills.some(
        (bill) =>
          bill.component === component &&
          model.stands(bill, known) &&
          (bill.day > through || bill.to > through),
      );
      if (later) continue;
      const capitalised = component === 'pik';
      const older = model.bills.filter(
        (bill) => bill.component === component && bill.day <= through,
      );
      const corrections = older.map((bill) => ({
        bill,
        amounts: less(model.right(bill, through, known), model.posted(bill, through, known)),
      }));
      for (const { bill, amounts } of corrections) {
        if ([...amounts.values()].every((amount) => amount === 0n)) continue;
        const name = `${component} ${this.#ids.get(bill)}`;
        expected.set(name, { bill, whole: false, amounts });
      }
      for (const [from, to] of model.openParts(component, through, known)) {
        const amounts = model.accrued(component, [from, to], through, known);
        if ([...amounts.values()].every((amount) => amount === 0n)) continue;
        const first = !older.some((bill) => model.stands(bill, known) && bill.to <= to);
        const bill: NaiveBill = {
          component,
          from: first ? null : from,
          to,
          day: through,
          dueDay: capitalised ? null : through + 5,
          capitalised,
          known: this.#known,
          posted: [],
          reversals: [],
        };
        expected.set(`${component} ${to}`, { bill, whole: true, amounts });
      }
    }
    const what = `${this.#log.join(' | ')} -- bill ${through}`;
    for (const { record } of made) {
      const [settled] = record.settlements;
      const component = componentOf(record);
      const end = settled === undefined ? record.corrects : dayOf(settled.settledThrough);
      const one = expected.get(`${component} ${end}`);
      expect(one, `${what}: ${component} ${end} was not expected`).to.not.equal(undefined);
      if (one === undefined) continue;
      expected.delete(`${component} ${end}`);
      expect(amountsOf(record), what).to.deep.equal(withoutZeros(one.amounts));
      if (one.whole) {
        model.bills.push(one.bill);
        this.#ids.set(one.bill, record.id);
      }
      const { bill, whole, amounts } = one;
      // A credit lessens what was due already.
      const credit = !whole && (amounts.get('') ?? 0n) <= 0n;
      const dueDay = credit || bill.dueDay === null ? bill.dueDay : through + 5;
      bill.posted.push({ known: this.#known, day: through, dueDay, amounts });
      const { id } = record;
      this.#billings.push({ id, bill, whole, day: through, dueDay, amounts, reversed: false });
    }
    expect([...expected.keys()], `${what}: not made`).to.deep.equal([]);
    await this.#done(`bill ${through} (${made.length})`);
  }

  async #reverse(): Promise<void> {
    const open = this.#billings.filter(({ reversed }) => !reversed);
    if (open.length === 0) return;
    const one = this.#random.pick(open as [Billing, ...Billing[]]);
    const [found] = await readJournals(this.#api.database, 'WHERE j.id = $1', one.id);
    if (found === undefined) throw new Error(`no journal ${one.id}`);
    const { record } = found;
    const postings = record.postings.map((posting) => ({
      ...posting,
      amount: posting.amount.startsWith('-') ? posting.amount.slice(1) : `-${posting.amount}`,
    }));
    const reversal = aJournal(this.#loan.deal, record.type, record.effectiveDate, postings, {
      reverses: one.id,
    });
    one.reversed = true;
    const amounts = less(new Map(), one.amounts);
    one.bill.posted.push({ known: this.#known, day: one.day, dueDay: one.dueDay, amounts });
    if (one.whole) one.bill.reversals.push(this.#known);
    this.#billings.push({ ...one, id: reversal.id, amounts, reversed: false });
    await this.#post([reversal], `reverse ${one.bill.component} ${one.bill.to} ${one.whole}`);
  }

  async #reverseRate(): Promise<void> {
    const rates = [...this.#rates] as [
      [RateChange, JournalRecord],
      ...[RateChange, JournalRecord][],
    ];
    const [change, { id, type, effectiveDate }] = this.#random.pick(rates);
    const reversal = aJournal(this.#loan.deal, type, effectiveDate, [], { reverses: id });
    change.reversals.push(this.#known);
    this.#rates.set(change, reversal);
    await this.#post([reversal], `reverse rate ${change.component} ${change.day}`);
  }

  async #lastSeq(): Promise<bigint> {
    const [last] = await this.#api.database.query<{ seq: bigint }>(
      'SELECT max(seq) AS seq FROM journal',
    );
    return last?.seq ?? 0n;
  }

  /** @param beyond what one lender's amount is lower by: its line, or all together, may fall below zero */
  #move(on: 'principal' | 'unfunded', day: number, beyond = 0): JournalRecord {
    const plain = this.#amounts(-300_00, 1_000_000_00);
    const amounts = new Map(plain);
    const amount = BigInt(beyond && this.#random.between(beyond, 0));
    for (const id of ['', this.#random.pick(this.#lenders as [string, ...string[]])]) {
      amounts.set(id, (plain.get(id) ?? 0n) + amount);
    }
    this.#model.moves.push({ on, day, amounts, known: this.#known });
    return on === 'principal'
      ? this.#journal('advance', day, amounts, ['PRINCIPAL_CASH', 'CASH_CLEARING'], {
          movement: 'advance',
        })
      : this.#journal('commitment_increase', day, amounts, ['UNFUNDED', 'MEMO'], {}, true);
  }

  #terms(day: number): JournalRecord {
    const of = this.#random.pick(['facility', 'contract'] as const);
    const someDay = () =>
      this.#random.chance(0.3) ? null : this.#random.between(1, this.#today + 60);
    const [maturity, availability] = [someDay(), of === 'facility' ? someDay() : null];
    const change = { of, day, maturity, availability, known: this.#known, reversals: [] };
    this.#model.ends.push(change);
    const dated = (name: string, on: number | null) =>
      on === null ? {} : { [name]: date(dayText(on)) };
    const ends = {
      ...dated('maturityDate', maturity),
      ...dated('availabilityEndDate', availability),
      status: 'active' as const,
    };
    const { facility, contract, deal } = this.#loan;
    const terms =
      of === 'facility' ? { facility: facility.id, ...ends } : { contract: contract.id, ...ends };
    const journal = aJournal(deal, 'terms', dayText(day), [], { terms: [terms] });
    this.#ends.set(change, journal);
    return journal;
  }

  async #reverseTerms(): Promise<void> {
    if (this.#ends.size === 0) return;
    const [change, { id, type, effectiveDate }] = this.#random.pick([...this.#ends] as unknown as [
      [Ends, JournalRecord],
    ]);
    const reversal = aJournal(this.#loan.deal, type, effectiveDate, [], { reverses: id });
    change.reversals.push(this.#known);
    this.#ends.set(change, reversal);
    await this.#post([reversal], `reverse terms ${change.of} ${change.day}`);
  }

  #transfer(day: number): JournalRecord {
    const [from, to] = this.#random.some(this.#lenders, 2) as [string, string];
    const amount = BigInt(this.#random.between(1, 500_000_00));
    const amounts = new Map([
      [from, -amount],
      [to, amount],
    ]);
    this.#model.moves.push({ on: 'principal', day, amounts, known: this.#known });
    return this.#journal('transfer', day, amounts, ['PRINCIPAL_CASH', 'TRANSFER_CLEARING'], {
      movement: 'transfer',
    });
  }

  #pay(day: number): JournalRecord {
    const amounts = this.#amounts(1, 20_000_00);
    this.#model.payments.push({ day, dueDay: null, amounts, known: this.#known });
    const credits = less(new Map(), amounts);
    return this.#journal('interest_payment', day, credits, ['INTEREST_DUE', 'CASH_CLEARING']);
  }

  #rate(component: Component, day: number): JournalRecord {
    const rate = BigInt(this.#random.between(1, 900));
    const change: RateChange = { component, day, rate, known: this.#known, reversals: [] };
    this.#model.rates.push(change);
    const ofContract = component !== 'commitment_fee';
    const journal = aJournal(this.#loan.deal, 'rate_set', dayText(day), [], {
      rates: [
        {
          facility: this.#loan.facility.id,
          ...(ofContract ? { contract: this.#loan.contract.id } : {}),
          component,
          startDate: date(dayText(day)),
          allInRate: formatAmount(rate, 4),
        },
      ],
    });
    this.#rates.set(change, journal);
    return journal;
  }

  /** Each lender's amount, and the global one that they add up to. */
  #amounts(low: number, high: number): Amounts {
    const shares = this.#lenders.map(
      (id) => [id, BigInt(this.#random.between(low, high))] as const,
    );
    return new Map([['', shares.reduce((sum, [, amount]) => sum + amount, 0n)], ...shares]);
  }

  #journal(
    type: JournalRecord['type'],
    day: number,
    amounts: Amounts,
    [account, contra]: readonly [LedgerAccount, LedgerAccount],
    more: Partial<PostingRecord> = {},
    ofFacility = false,
  ): JournalRecord {
    const { facility, contract, deal } = this.#loan;
    const postings = [...amounts].flatMap(([lender, amount]): PostingRecord[] => {
      if (amount === 0n) return [];
      const line = {
        facility: facility.id,
        ...(ofFacility ? {} : { contract: contract.id }),
        ...(lender === '' ? {} : { lender }),
        currency: 'USD',
      };
      return [
        { ...line, account, amount: formatAmount(amount, 2), ...more },
        { ...line, account: contra, amount: formatAmount(-amount, 2) },
      ];
    });
    return aJournal(deal, type, dayText(day), postings);
  }
}

const BILLED: readonly string[] = ['INTEREST_DUE', 'PRINCIPAL_PIK', 'FEES_DUE'];

function componentOf({ postings }: JournalRecord): Component {
  const account = postings.find((one) => BILLED.includes(one.account))?.account;
  if (account === 'FEES_DUE') return 'commitment_fee';
  return account === 'PRINCIPAL_PIK' ? 'pik' : 'interest';
}

function amountsOf({ postings }: JournalRecord): Record<string, bigint> {
  const billed = postings.filter(({ account }) => BILLED.includes(account));
  return Object.fromEntries(
    billed.map(({ lender, amount }) => [lender ?? '', BigInt(amount.replace('.', ''))]),
  );
}

function withoutZeros(amounts: Amounts): Record<string, bigint> {
  return Object.fromEntries([...amounts].filter(([, amount]) => amount !== 0n));
}

function less(a: Amounts, b: Amounts): Amounts {
  const holders = new Set([...a.keys(), ...b.keys()]);
  return new Map([...holders].map((id) => [id, (a.get(id) ?? 0n) - (b.get(id) ?? 0n)]));
}

function dayOf(text: string): number {
  return (Date.parse(text) - Date.UTC(2024, 0, 1)) / 86_400_000;
}

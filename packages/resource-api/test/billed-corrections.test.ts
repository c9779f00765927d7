import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import type { JournalRecord } from '../src/journal-file/record.ts';
import { readJournals } from '../src/journal-file/sql/read-journals.ts';
import type { AccrualComponent } from '../src/ledger/accrual.ts';
import { daysAfter } from '../src/ledger/business-date.ts';
import { sqlPeriods } from '../src/periods/sql-periods.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { date } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import { expectReconciled } from './support/reconciled.ts';
import { aJournal, aLoan, aParty, type BookRecord, entry } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;
type Loan = ReturnType<typeof aLoan>;

const CASH = ['PRINCIPAL_CASH', 'CASH_CLEARING'] as const;

describeOnDatabase('a bill that was corrected', (engine) => {
  let api: TestApi;
  const [borrower, anna, bert] = [aParty('Borrower'), aParty('Anna'), aParty('Bert')];
  before(async () => {
    api = await startTestApi(engine);
    await post([borrower, anna, bert]);
  });
  after(() => api?.stop());

  const post = (records: readonly BookRecord[]) => loadRecords(api.database, records);
  const ask = async (loan: Loan, query: string): Promise<Json> => {
    const path = `/api/v1/cls/balances?dealId=${loan.deal.id}&level=contract&includeZero=true`;
    const response = await api.get(`${path}&${query}`);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return { ...body.data[0], knownAt: body.meta.knownAt };
  };
  /** Anna has two thirds and Bert the rest. */
  const moves = (loan: Loan, movement: 'advance' | 'scheduled_repayment', day: string, n: number) =>
    aJournal(
      loan.deal,
      movement,
      day,
      entry(
        loan,
        CASH,
        [
          [undefined, `${3 * n}.00`],
          [anna, `${2 * n}.00`],
          [bert, `${n}.00`],
        ],
        { movement },
      ),
    );
  const rate = (loan: Loan, component: AccrualComponent, startDate: string, allInRate: string) =>
    aJournal(loan.deal, 'rate_set', startDate, [], {
      rates: [
        {
          facility: loan.facility.id,
          contract: loan.contract.id,
          component,
          startDate: date(startDate),
          allInRate,
        },
      ],
    });
  const bill = (day: string) =>
    billAccruals(sqlBilling(api.database), {
      through: date(day),
      dueDate: daysAfter(date(day), 5),
      apply: true,
    });
  const journalsOf = async (loan: Loan): Promise<readonly JournalRecord[]> => {
    const which = 'WHERE j.deal_key = (SELECT key FROM deal WHERE id = $1) ORDER BY j.seq';
    return (await readJournals(api.database, which, loan.deal.id)).map(({ record }) => record);
  };
  const reversalOf = (loan: Loan, { id, type, effectiveDate, postings }: JournalRecord) =>
    aJournal(
      loan.deal,
      type,
      effectiveDate,
      postings.map((posting) => ({
        ...posting,
        amount: posting.amount.startsWith('-') ? posting.amount.slice(1) : `-${posting.amount}`,
      })),
      { reverses: id },
    );
  /** 3.6 million at 5 %, billed through 2025-04-02: 45,000.00. */
  const billedLoan = async (component: AccrualComponent = 'interest') => {
    const loan = aLoan(borrower, [anna, bert]);
    await post([
      ...loan.all,
      moves(loan, 'advance', '2025-01-02', 1_200_000),
      rate(loan, component, '2025-01-02', '0.05'),
    ]);
    await bill('2025-04-02');
    return loan;
  };
  const correct = (loan: Loan, component: AccrualComponent = 'interest') =>
    post([
      moves(loan, 'scheduled_repayment', '2025-02-01', -600_000),
      rate(loan, component, '2025-03-03', '0.06'),
    ]);

  it('accrues the difference from the day of the bill on, for lenders too', async () => {
    const loan = await billedLoan();
    const before = await ask(loan, 'asOf=2025-04-02');
    await correct(loan);
    const now = await ask(loan, 'asOf=2025-04-02&expand=accrual');
    expect(now.global.interest).to.include({ accrued: '-13500.00', due: '45000.00' });
    expect(now.lenders.map(({ interest }: Json) => interest.accrued).sort()).to.deep.equal([
      '-4500.00',
      '-9000.00',
    ]);
    const [billed] = (await journalsOf(loan)).filter(({ settlements }) => settlements.length > 0);
    expect(now.accrual).to.have.length(1);
    expect(now.accrual[0]).to.include({
      start: '2025-01-02',
      end: '2025-04-02',
      amount: '-13500.00',
    });
    expect(now.accrual[0].corrects).to.deep.equal({ journal: billed?.id, billed: '45000.00' });
    expect(now.accrual[0].periods.map(({ amount }: Json) => amount)).to.deep.equal([
      '15000.000000000000',
      '7500.000000000000',
      '9000.000000000000',
    ]);
    const then = await ask(loan, `asOf=2025-04-02&knownAt=${before.knownAt}`);
    expect(then.global).to.deep.equal(before.global);
    // Before the bill's own date it was nothing but accrued.
    const earlier = await ask(loan, 'asOf=2025-04-01');
    expect(earlier.global.interest).to.include({ accrued: '31200.00', due: '0.00' });
  });

  it('accrues nothing before the first rate that stands, though an earlier one was taken back', async () => {
    const loan = aLoan(borrower, [anna, bert]);
    const wrong = rate(loan, 'interest', '2025-01-02', '0.09');
    await post([...loan.all, moves(loan, 'advance', '2025-01-02', 1_200_000), wrong]);
    await post([
      { ...reversalOf(loan, wrong), rates: [] },
      rate(loan, 'interest', '2025-03-03', '0.05'),
    ]);
    const before = await ask(loan, 'asOf=2025-02-01');
    expect(before.global.interest.accrued).to.equal('0.00');
    const from = await ask(loan, 'asOf=2025-03-05');
    expect(from.global.interest.accrued).to.equal('1000.00');
  });

  it('is trued up by the next bill with an item that names it', async () => {
    const loan = await billedLoan();
    await correct(loan);
    await bill('2025-05-02');
    const { global, lenders } = await ask(loan, 'asOf=2025-05-02');
    expect(global.interest).to.include({ due: '40500.00', accrued: '0.00' });
    expect(lenders.map(({ interest }: Json) => interest.due).sort()).to.deep.equal([
      '13500.00',
      '27000.00',
    ]);
    const [first, ...later] = (await journalsOf(loan)).filter(
      ({ type }) => type === 'interest_billing',
    );
    expect(later.map(({ corrects }) => corrects)).to.have.members([undefined, first?.id]);
    const item = later.find(({ corrects }) => corrects !== undefined);
    expect(item?.postings[0]).to.include({ amount: '-13500.00', dueDate: '2025-04-07' });
    // A credit lessens what is past due already.
    const late = await ask(loan, 'asOf=2025-05-03');
    expect(late.global.interest.pastDue).to.equal('31500.00');
    const again = await bill('2025-05-02');
    expect((await journalsOf(loan)).length, JSON.stringify(again)).to.equal(7);
  });

  it('is no more past due to a lender than is due, where it is a charge and a credit at once', async () => {
    const loan = await billedLoan();
    const sold = entry(
      loan,
      ['PRINCIPAL_CASH', 'TRANSFER_CLEARING'],
      [
        [anna, '-600000.00'],
        [bert, '600000.00'],
      ],
      { movement: 'transfer' },
    );
    await post([
      aJournal(loan.deal, 'transfer', '2025-02-01', sold),
      rate(loan, 'interest', '2025-03-03', '0.06'),
    ]);
    // The correction adds 3,000.00: Anna gets 3,500.00 less, and Bert 6,500.00 more.
    await bill('2025-04-03');
    await sqlEntitlements(api.database).grant({
      customer: 'anna-bank',
      role: 'lender',
      lenderId: anna.id,
      deals: { dealId: loan.deal.id },
    });
    const told = async (level: string, claims = {}): Promise<Json> => {
      const path = `/api/v1/cls/balances?dealId=${loan.deal.id}&level=${level}&asOf=2025-04-08`;
      const { data } = (await (await api.get(path, claims)).json()) as Json;
      return data.map(({ global, share, lenders = [share] }: Json) => [
        global.interest.pastDue,
        ...lenders.map(({ interest }: Json) => [interest.pastDue, interest.due]).sort(),
      ]);
    };
    const [annas, berts] = [
      ['26800.00', '26800.00'],
      ['18200.00', '21800.00'],
    ];
    for (const level of ['contract', 'facility', 'deal']) {
      expect(await told(level), level).to.deep.equal([['45000.00', berts, annas]]);
      expect(await told(level, viewer('anna-bank')), level).to.deep.equal([['45000.00', annas]]);
    }
    expect((await told('position')).sort()).to.deep.equal([
      ['45000.00', berts],
      ['45000.00', annas],
    ]);
  });

  it('is trued up on its own day, when that is billed again', async () => {
    const loan = await billedLoan();
    await correct(loan);
    await bill('2025-04-02');
    const { global } = await ask(loan, 'asOf=2025-04-02');
    expect(global.interest).to.include({ due: '31500.00', accrued: '0.00' });
  });

  /** A loan of 3.6 million at 5 %, and at 6 % from 3 March. */
  const raisedLoan = async () => {
    const loan = aLoan(borrower, [anna, bert]);
    const raised = rate(loan, 'interest', '2025-03-03', '0.06');
    await post([
      ...loan.all,
      moves(loan, 'advance', '2025-01-02', 1_200_000),
      rate(loan, 'interest', '2025-01-02', '0.05'),
      raised,
    ]);
    return { loan, raised };
  };

  it('accrues by the rate before, once the journal of a later rate was taken back', async () => {
    const { loan, raised } = await raisedLoan();
    const accrued = async (day: string, known = '') =>
      (await ask(loan, `asOf=${day}${known}`)).global.interest.accrued;
    expect(await accrued('2025-04-02')).to.equal('48000.00');
    const { knownAt } = await ask(loan, 'asOf=2025-04-02');
    const taken = reversalOf(loan, raised);
    await post([taken]);
    expect(await accrued('2025-04-02')).to.equal('45000.00');
    expect(await accrued('2025-04-02', `&knownAt=${knownAt}`)).to.equal('48000.00');
    await post([reversalOf(loan, taken)]);
    expect(await accrued('2025-04-02')).to.equal('48000.00');
  });

  it('begins with the first rate that stands', async () => {
    const [plain, mended] = [aLoan(borrower, [anna, bert]), aLoan(borrower, [anna, bert])];
    const wrong = rate(mended, 'interest', '2025-01-02', '0.06');
    await post([
      ...[plain, mended].flatMap((loan) => [
        ...loan.all,
        moves(loan, 'advance', '2025-01-02', 1_200_000),
      ]),
      wrong,
      reversalOf(mended, wrong),
      rate(plain, 'interest', '2025-01-31', '0.05'),
      rate(mended, 'interest', '2025-01-31', '0.05'),
    ]);
    const told = async (loan: Loan) => {
      const { global, accrual } = await ask(loan, 'asOf=2025-03-31&expand=accrual');
      const text = JSON.stringify({ interest: global.interest, accrual });
      return text.replaceAll(loan.facility.id, '').replaceAll(loan.contract.id, '');
    };
    expect(await told(mended)).to.equal(await told(plain));
    await bill('2025-04-02');
    const settled = (loan: Loan) =>
      api.database.query(
        `SELECT a.component, a.settled_from, a.settled_through FROM accrual_settlement a
         JOIN facility f ON f.key = a.facility_key WHERE f.id = $1`,
        [loan.facility.id],
      );
    expect(await settled(mended)).to.deep.equal(await settled(plain));
  });

  it('is trued up for a rate that was taken back after the bill', async () => {
    const { loan, raised } = await raisedLoan();
    await bill('2025-04-02');
    await post([reversalOf(loan, raised)]);
    const { global } = await ask(loan, 'asOf=2025-04-02');
    expect(global.interest).to.include({ due: '48000.00', accrued: '-3000.00' });
    await bill('2025-05-02');
    const next = await ask(loan, 'asOf=2025-05-02');
    expect(next.global.interest).to.include({ due: '60000.00', accrued: '0.00' });
  });

  it('is what it was, where a late rate and the journal that takes it back come in at once', async () => {
    const loan = await billedLoan();
    const before = (await ask(loan, 'asOf=2025-04-02')).global.interest;
    const late = rate(loan, 'interest', '2025-01-20', '0.09');
    await post([late, reversalOf(loan, late)]);
    expect((await ask(loan, 'asOf=2025-04-02')).global.interest).to.deep.equal(before);
    const { checks } = await sqlReconciler(api.database).reconcile(0);
    const noted = checks.find(({ invariant }) => invariant === 'late_facts_reopen_bills');
    expect(noted?.breaks).to.deep.equal([]);
  });

  it('accrues again once it was reversed, and is billed again', async () => {
    const loan = await billedLoan();
    const [made] = (await journalsOf(loan)).filter(({ type }) => type === 'interest_billing');
    if (made === undefined) throw new Error('nothing was billed');
    await post([reversalOf(loan, made)]);
    const open = await ask(loan, 'asOf=2025-04-02');
    expect(open.global.interest).to.include({ due: '0.00', accrued: '45000.00' });
    await bill('2025-04-02');
    const billed = await ask(loan, 'asOf=2025-04-02');
    expect(billed.global.interest).to.include({ due: '45000.00', accrued: '0.00' });
    const again = (await journalsOf(loan)).findLast(({ type }) => type === 'interest_billing');
    if (again === undefined) throw new Error('nothing was billed');
    // A reversal that was a mistake is reversed itself: the bill stands again.
    const reversal = reversalOf(loan, again);
    await post([reversal]);
    await post([reversalOf(loan, reversal)]);
    const restored = await ask(loan, 'asOf=2025-04-02');
    expect(restored.global.interest).to.include({ due: '45000.00', accrued: '0.00' });
  });

  it('leaves its days to accrue and its correction to be undone, when it is reversed after that', async () => {
    const loan = await billedLoan();
    await correct(loan);
    await bill('2025-05-02');
    const [first] = (await journalsOf(loan)).filter(({ type }) => type === 'interest_billing');
    if (first === undefined) throw new Error('nothing was billed');
    await post([reversalOf(loan, first)]);
    // 9,000.00 of the second bill less the correction of the first: −13,500.00.
    const open = await ask(loan, 'asOf=2025-05-02&expand=accrual');
    expect(open.global.interest).to.include({ due: '-4500.00', accrued: '45000.00' });
    expect(open.accrual.map(({ start, end, amount }: Json) => [start, end, amount])).to.deep.equal([
      ['2025-01-02', '2025-04-02', '31500.00'],
      ['2025-01-02', '2025-04-02', '13500.00'],
    ]);
    expect(open.accrual[1].corrects).to.deep.equal({ journal: first.id, billed: '-13500.00' });
    await bill('2025-05-12');
    const billed = await ask(loan, 'asOf=2025-05-12');
    expect(billed.global.interest).to.include({ due: '43500.00', accrued: '0.00' });
  });

  it('begins, when it is the first, on the first date of a rate', async () => {
    const loan = aLoan(borrower, [anna, bert]);
    await post([
      ...loan.all,
      moves(loan, 'advance', '2025-01-15', 1_200_000),
      rate(loan, 'interest', '2025-01-02', '0.05'),
    ]);
    const { accrual } = await ask(loan, 'asOf=2025-02-01&expand=accrual');
    expect(accrual).to.have.length(1);
    expect(accrual[0]).to.include({ start: '2025-01-02', end: '2025-02-01', amount: '8500.00' });
    expect(accrual[0].periods.map(({ start }: Json) => start)).to.deep.equal(['2025-01-15']);
  });

  it('accrues again for its days alone, where a later bill stands', async () => {
    const loan = await billedLoan();
    await bill('2025-05-02');
    const [first] = (await journalsOf(loan)).filter(({ type }) => type === 'interest_billing');
    if (first === undefined) throw new Error('nothing was billed');
    await post([reversalOf(loan, first)]);
    const { global, accrual } = await ask(loan, 'asOf=2025-05-12&expand=accrual');
    expect(global.interest).to.include({ due: '15000.00', accrued: '50000.00' });
    expect(accrual.map(({ start, end }: Json) => `${start} ${end}`)).to.deep.equal([
      '2025-01-02 2025-04-02',
      '2025-05-02 2025-05-12',
    ]);
    await bill('2025-05-12');
    const billed = await ask(loan, 'asOf=2025-05-12');
    expect(billed.global.interest).to.include({ due: '65000.00', accrued: '0.00' });
  });

  it('counts right principal where its PIK was wrong, before and after it is trued up', async () => {
    const loan = await billedLoan('pik');
    await post([rate(loan, 'interest', '2025-04-02', '0.036')]);
    await correct(loan, 'pik');
    // 1.8 million and 31,500.00 of PIK, not 45,000.00, at 3.6 % for 10 days.
    const open = await ask(loan, 'asOf=2025-04-12');
    expect(open.global.principal).to.include({ outstanding: '1845000.00' });
    expect(open.global.interest).to.include({ accrued: '1831.50', pikAccrued: '-10447.50' });
    await bill('2025-04-12');
    const billed = await ask(loan, 'asOf=2025-04-12');
    expect(billed.global.interest).to.include({ accrued: '0.00', due: '1831.50' });
    expect(billed.global.interest.pikAccrued).to.equal('0.00');
    expect(billed.global.principal.outstanding).to.equal('1834552.50');
    const path = `/api/v1/cls/balances/principal/movements?dealId=${loan.deal.id}`;
    const { data } = (await (await api.get(path)).json()) as Json;
    const pik = data.filter(({ movement }: Json) => movement === 'pik_capitalization');
    const [first] = pik;
    expect(new Set(pik.map(({ journal }: Json) => journal.corrects))).to.deep.equal(
      new Set([null, first.journal.id]),
    );
  });

  it('is trued up in the open period where its own is closed', async () => {
    const loan = await billedLoan();
    await correct(loan);
    await sqlPeriods(api.database).decide('April is reported', () => date('2025-04-30'));
    await bill('2025-05-02');
    const { global } = await ask(loan, 'asOf=2025-05-02');
    expect(global.interest).to.include({ due: '40500.00', accrued: '0.00' });
    const april = await ask(loan, 'asOf=2025-04-30');
    expect(april.global.interest.due).to.equal('45000.00');
  });

  it('leaves a book that reconciles', () => expectReconciled(api.database));
});

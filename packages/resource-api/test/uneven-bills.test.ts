import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import type { SettlementRecord } from '../src/journal-file/record.ts';
import { readJournals } from '../src/journal-file/sql/read-journals.ts';
import type { AccrualComponent } from '../src/ledger/accrual.ts';
import { daysAfter } from '../src/ledger/business-date.ts';
import type { JournalType, PrincipalMovement } from '../src/ledger/journal.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { reversalOf } from './support/any-order.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import { expectReconciled } from './support/reconciled.ts';
import {
  aCommitment,
  aFacility,
  aJournal,
  aLoan,
  aParty,
  aPosition,
  type BookRecord,
  entry,
} from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;
type Loan = ReturnType<typeof aLoan>;
/** Globally, of Anna and of Bert. */
type Amounts = readonly [string, string, string];

const CASH = ['PRINCIPAL_CASH', 'CASH_CLEARING'] as const;

describeOnDatabase('bills that lenders and commitments share unevenly', (engine) => {
  let api: TestApi;
  const [borrower, anna, bert] = [aParty('Borrower'), aParty('Anna'), aParty('Bert')];
  before(async () => {
    api = await startTestApi(engine);
    await post([borrower, anna, bert]);
  });
  after(() => api?.stop());

  const post = (records: readonly BookRecord[]) => loadRecords(api.database, records);
  const holders = (amounts: Amounts) =>
    [undefined, anna, bert].map((holder, n) => [holder, amounts[n] ?? ''] as const);
  /** A zero is not posted. */
  const held = (
    line: Parameters<typeof entry>[0],
    accounts: Parameters<typeof entry>[1],
    amounts: Amounts,
    more: Parameters<typeof entry>[3] = {},
  ) =>
    entry(
      line,
      accounts,
      holders(amounts).filter(([, amount]) => amount !== '0.00'),
      more,
    );
  const moved = (
    loan: Loan,
    type: PrincipalMovement & JournalType,
    day: string,
    amounts: Amounts,
  ) =>
    aJournal(loan.deal, type, day, [
      ...held(loan, CASH, amounts, { movement: type }),
      ...held({ facility: loan.facility }, ['MEMO', 'UNFUNDED'], amounts),
    ]);
  const rate = (loan: Loan, component: AccrualComponent, startDate: string, allInRate: string) => {
    const subject = subjectOf(loan, component);
    const rates = [{ ...subject, component, startDate: date(startDate), allInRate }];
    return aJournal(loan.deal, 'rate_set', startDate, [], { rates });
  };
  const bill = (day: string) =>
    billAccruals(sqlBilling(api.database), {
      through: date(day),
      dueDate: daysAfter(date(day), 5),
      apply: true,
    });
  /** As `bill` has made it before a lender's part was bounded. */
  const madeBill = (loan: Loan, component: AccrualComponent, day: string, amounts: Amounts) => {
    const subject = subjectOf(loan, component);
    const settlements: SettlementRecord[] = [{ ...subject, component, settledThrough: date(day) }];
    const ofContract = subject.contract !== undefined;
    const line = ofContract ? loan : { facility: loan.facility };
    const accounts = ofContract
      ? (['INTEREST_DUE', 'INTEREST_INCOME'] as const)
      : (['FEES_DUE', 'FEE_INCOME'] as const);
    return aJournal(
      loan.deal,
      ofContract ? 'interest_billing' : 'fee_billing',
      day,
      held(line, accounts, amounts, { dueDate: daysAfter(date(day), 5) }),
      { idempotencyKey: `billing:${subject.contract ?? subject.facility}:${day}`, settlements },
    );
  };
  const itemOf = async (loan: Loan, day: string, facility = loan.facility.id): Promise<Json> => {
    const path = `/api/v1/cls/balances?dealId=${loan.deal.id}&level=facility&includeZero=true`;
    const { data } = (await (await api.get(`${path}&asOf=${day}`)).json()) as Json;
    return data.find((item: Json) => item.facility.id === facility);
  };
  /** Globally, and what the lenders' parts add up to. */
  const sharesOf = (item: Json, of: (line: Json) => string) => {
    const cents = (amount: string) => BigInt(amount.replace('.', ''));
    const parts = item.lenders.map((line: Json) => cents(of(line)));
    const sum = parts.reduce((whole: bigint, part: bigint) => whole + part, 0n);
    expect(sum).to.equal(cents(of(item.global)));
    return of(item.global);
  };

  it('are corrected where a fee came to nothing globally and not for each lender', async () => {
    // Anna funds the whole drawing: her part of what is unfunded is what Bert's is, with another sign.
    const loan = aLoan(borrower, [anna, bert], { type: 'revolver' });
    await post([
      ...loan.all,
      aCommitment(loan, '2025-01-02', holders(['10000000.00', '5000000.00', '5000000.00'])),
      rate(loan, 'commitment_fee', '2025-01-02', '0.005'),
      moved(loan, 'advance', '2025-01-02', ['10000000.00', '10000000.00', '0.00']),
      madeBill(loan, 'commitment_fee', '2025-04-02', ['0.00', '-6250.00', '6250.00']),
    ]);
    await post([
      moved(loan, 'voluntary_prepayment', '2025-02-01', ['-4000000.00', '-4000000.00', '0.00']),
    ]);
    const then = await itemOf(loan, '2025-04-02');
    expect(sharesOf(then, ({ fees }) => fees.accrued)).to.equal('3333.33');
    await bill('2025-05-02');
    const now = await itemOf(loan, '2025-05-02');
    expect(sharesOf(now, ({ fees }) => fees.accrued)).to.equal('0.00');
    expect(sharesOf(now, ({ fees }) => fees.due)).to.equal('5000.00');
  });

  it('are corrected where a lender’s part was transferred before the drawing was known', async () => {
    const loan = aLoan(borrower, [anna, bert]);
    const sold = held(
      loan,
      ['PRINCIPAL_CASH', 'TRANSFER_CLEARING'],
      ['0.00', '-1000000.00', '1000000.00'],
      { movement: 'transfer' },
    );
    await post([
      ...loan.all,
      aJournal(loan.deal, 'transfer', '2025-01-02', sold),
      rate(loan, 'interest', '2025-01-02', '0.05'),
      madeBill(loan, 'interest', '2025-04-02', ['0.00', '-12500.00', '12500.00']),
    ]);
    await post([moved(loan, 'advance', '2025-01-05', ['1000000.00', '1000000.00', '0.00'])]);
    const then = await itemOf(loan, '2025-04-02');
    expect(sharesOf(then, ({ interest }) => interest.accrued)).to.equal('12083.33');
    await bill('2025-05-02');
    const now = await itemOf(loan, '2025-05-02');
    expect(sharesOf(now, ({ interest }) => interest.accrued)).to.equal('0.00');
    expect(sharesOf(now, ({ interest }) => interest.due)).to.equal('16250.00');
  });

  it('of two contracts in one journal are corrected in each contract’s own way', async () => {
    const loan = aLoan(borrower, [anna, bert]);
    const paid = {
      ...loan.contract,
      id: loan.contract.id.replace(/.{3}$/, '777'),
      contractNumber: '2',
    };
    const whole = ['1000000.00', '500000.00', '500000.00'] as const;
    const drawn = (contract: Loan['contract'], amounts: Amounts = whole) =>
      aJournal(
        loan.deal,
        'advance',
        '2025-01-02',
        held({ ...loan, contract }, CASH, amounts, { movement: 'advance' }),
      );
    const ofPaid = { ...loan, contract: paid };
    const amounts = ['12500.00', '6250.00', '6250.00'] as const;
    await post([
      ...loan.all,
      paid,
      drawn(loan.contract),
      drawn(paid),
      rate(loan, 'pik', '2025-01-02', '0.05'),
      rate(ofPaid, 'interest', '2025-01-02', '0.05'),
      aJournal(
        loan.deal,
        'interest_billing',
        '2025-04-02',
        [
          ...held(loan, ['PRINCIPAL_PIK', 'INTEREST_INCOME'], amounts, {
            movement: 'pik_capitalization',
          }),
          ...held(ofPaid, ['INTEREST_DUE', 'INTEREST_INCOME'], amounts, {
            dueDate: date('2025-04-07'),
          }),
        ],
        {
          settlements: [
            { ...subjectOf(loan, 'pik'), component: 'pik', settledThrough: date('2025-04-02') },
            {
              ...subjectOf(ofPaid, 'interest'),
              component: 'interest',
              settledThrough: date('2025-04-02'),
            },
          ],
        },
      ),
    ]);
    await post([drawn(loan.contract), drawn(paid)]);
    await bill('2025-04-02');
    const { global } = await itemOf(loan, '2025-04-02');
    expect(global.interest).to.include({ accrued: '0.00', pikAccrued: '0.00', due: '25000.00' });
    expect(global.principal.pikCapitalized).to.equal('25000.00');
  });

  for (const pikUsesCommitment of [true, false]) {
    const uses = pikUsesCommitment ? 'uses' : 'does not use';
    for (const below of [false, true]) {
      it(`that are capitalised move what is unfunded where PIK ${uses} the commitment${below ? ', under a sublimit too' : ''}`, async () => {
        const around = aLoan(borrower, [anna, bert], { type: 'revolver' });
        const facility = aFacility(around.deal, {
          dayCount: '30/360',
          pikUsesCommitment,
          ...(below ? { sublimitOf: around.facility.id } : {}),
        });
        const loan = {
          ...around,
          facility,
          contract: { ...around.contract, facility: facility.id },
        };
        await post([
          around.deal,
          around.facility,
          facility,
          loan.contract,
          ...[anna, bert].flatMap((lender) =>
            [around.facility, facility].map((of) => aPosition(of, lender)),
          ),
          aCommitment(around, '2025-01-01', holders(['5000.00', '2500.00', '2500.00'])),
          aCommitment(loan, '2025-01-01', holders(['2000.00', '1000.00', '1000.00'])),
          moved(loan, 'advance', '2025-01-01', ['1000.00', '700.00', '300.00']),
          rate(loan, 'pik', '2025-01-01', '0.12'),
        ]);
        const unfunded = async (day: string) => {
          const items = [await itemOf(loan, day), await itemOf(loan, day, around.facility.id)];
          return items.map((item) => sharesOf(item, ({ commitment }) => commitment.unfunded));
        };
        /** The facility's own, and the one's around it, when so much is capitalised. */
        const left = (pik: number) => {
          const used = pikUsesCommitment ? pik : 0;
          return [1000 - used, below ? 4000 - used : 5000].map((amount) => amount.toFixed(2));
        };
        await bill('2025-02-01');
        expect(await unfunded('2025-02-01')).to.deep.equal(left(10));
        // A drawing that comes late, and its correction: 9 % instead of 12 %.
        await post([rate(loan, 'pik', '2025-01-01', '0.09')]);
        await bill('2025-03-01');
        expect(await unfunded('2025-02-28')).to.deep.equal(left(10));
        expect(await unfunded('2025-03-01')).to.deep.equal(left(7.5 + 7.56));
        const which = 'WHERE j.deal_key = (SELECT key FROM deal WHERE id = $1) ORDER BY j.seq DESC';
        const made = await readJournals(api.database, which, loan.deal.id);
        const billed = made.filter(({ record }) => record.type === 'pik_capitalization');
        await post(billed.map(({ record }) => ({ ...reversalOf(record), settlements: [] })));
        expect(await unfunded('2025-03-01')).to.deep.equal(left(0));
      });
    }
  }

  for (const below of [false, true]) {
    const whose = below ? 'of the facility around a sublimit' : 'of the facility';
    /** 20 million of 30 million are drawn at 12 % PIK; half of it was prepaid at once, which nobody knew. */
    const capitalised = async (bills: readonly string[]) => {
      const around = aLoan(borrower, [anna, bert], {
        type: 'delayed_draw',
        pikUsesCommitment: true,
      });
      const facility = below
        ? aFacility(around.deal, { sublimitOf: around.facility.id, pikUsesCommitment: true })
        : around.facility;
      const loan = { ...around, facility, contract: { ...around.contract, facility: facility.id } };
      const drawn = ['20000000.00', '15000000.00', '5000000.00'] as const;
      const repaid = ['-10000000.00', '-7500000.00', '-2500000.00'] as const;
      const committed = ['30000000.00', '20000000.00', '10000000.00'] as const;
      await post([
        around.deal,
        ...new Set([around.facility, facility]),
        loan.contract,
        ...[anna, bert].flatMap((lender) =>
          [...new Set([around.facility, facility])].map((of) => aPosition(of, lender)),
        ),
        ...[...new Set([around.facility, facility])].map((of) =>
          aCommitment({ ...loan, facility: of }, '2025-01-02', holders(committed)),
        ),
        rate(around, 'commitment_fee', '2025-01-02', '0.005'),
        rate(loan, 'pik', '2025-01-02', '0.12'),
        moved(loan, 'advance', '2025-01-02', drawn),
      ]);
      for (const day of bills) await bill(day);
      const prepayment = held(loan, CASH, repaid, { movement: 'voluntary_prepayment' });
      await post([aJournal(loan.deal, 'voluntary_prepayment', '2025-01-02', prepayment)]);
      return loan;
    };
    const feesOf = async (loan: Loan, day: string) => {
      const item = await itemOf(loan, day, loan.facility.sublimitOf ?? loan.facility.id);
      return [({ fees }: Json) => fees.accrued, ({ fees }: Json) => fees.due].map((of) =>
        sharesOf(item, of),
      );
    };

    it(`that capitalised too much leave the commitment fee ${whose} as if they had been right`, async () => {
      const loan = await capitalised(['2025-02-01']);
      // 9.9 million at 0.5 % for 89 days, because 100,000.00 of 200,000.00 were not to be capitalised.
      expect(await feesOf(loan, '2025-05-01')).to.deep.equal(['12237.50', '4166.67']);
      await bill('2025-05-01');
      expect(await feesOf(loan, '2025-05-01')).to.deep.equal(['0.00', '16404.17']);
    });

    it(`that capitalised too much reopen bills of the commitment fee ${whose}`, async () => {
      const loan = await capitalised(['2025-02-01', '2025-03-01']);
      // 9.9 million for 28 days, and 9,805,733.33 for 61: 3,850.00 and 8,307.64, of which 3,811.11 are billed.
      expect(await feesOf(loan, '2025-05-01')).to.deep.equal(['8346.53', '7977.78']);
      await bill('2025-05-01');
      expect(await feesOf(loan, '2025-05-01')).to.deep.equal(['0.00', '16324.31']);
      await bill('2025-05-01');
      expect(await feesOf(loan, '2025-05-01')).to.deep.equal(['0.00', '16324.31']);
    });
  }

  it('leave a book that reconciles', () => expectReconciled(api.database));

  it('are found by reconcile where reads take one for a bill of another shape', async () => {
    const loan = aLoan(borrower, [anna, bert]);
    await post([
      ...loan.all,
      aCommitment(loan, '2025-01-02', holders(['10000000.00', '5000000.00', '5000000.00'])),
      rate(loan, 'commitment_fee', '2025-01-02', '0.005'),
      moved(loan, 'advance', '2025-01-02', ['10000000.00', '10000000.00', '0.00']),
      madeBill(loan, 'commitment_fee', '2025-04-02', ['0.00', '-6250.00', '6250.00']),
      rate(loan, 'commitment_fee', '2025-02-01', '0.01'),
    ]);
    await expectReconciled(api.database);
    const shape = '-- A bill of another shape stands as it was billed.';
    let rewritten = 0;
    const misled = rewriting(api.database, (sql) => {
      if (!sql.includes(shape)) return sql;
      rewritten += 1;
      return sql.replace(
        shape,
        `AND EXISTS (SELECT FROM posting p JOIN balance_line l ON l.key = p.line_key
          WHERE p.journal_seq = b.known_seq AND l.lender_key = 0)`,
      );
    });
    const { checks } = await sqlReconciler(misled).reconcile(0);
    const broken = checks.filter(({ breakCount }) => breakCount > 0);
    expect(broken.map(({ invariant }) => invariant)).to.deep.equal(['bills_are_what_accrued']);
    expect(broken[0]?.breaks[0]).to.include({ facility: loan.facility.id, found: '0' });
    expect(rewritten).to.equal(1);
  });
});

function subjectOf({ facility, contract }: Loan, component: AccrualComponent) {
  const ofContract = component === 'interest' || component === 'pik';
  return { facility: facility.id, ...(ofContract ? { contract: contract.id } : {}) };
}

/** Changes the text of each statement of a transaction before it is asked. */
function rewriting(database: Database, rewritten: (sql: string) => string): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction(
        (inside) =>
          work({ ...inside, query: (sql, parameters) => inside.query(rewritten(sql), parameters) }),
        options,
      ),
  };
}

import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import { dayBefore, daysAfter } from '../src/ledger/business-date.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
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

const CASH = ['PRINCIPAL_CASH', 'CASH_CLEARING'] as const;
const ADVANCE = { movement: 'advance' } as const;

describeOnDatabase('a book that is corrected and goes on', (engine) => {
  let api: TestApi;
  const [borrower, anna, bert] = ['Borrower', 'Anna', 'Bert'].map(aParty) as [
    ReturnType<typeof aParty>,
    ReturnType<typeof aParty>,
    ReturnType<typeof aParty>,
  ];
  before(async () => {
    api = await startTestApi(engine);
    await post([borrower, anna, bert]);
  });
  after(() => api?.stop());

  const both = (amount: string) =>
    [
      [undefined, amount],
      [anna, amount],
    ] as const;
  const post = (records: readonly BookRecord[]) => loadRecords(api.database, records);
  const ask = async (query: string, principal = false): Promise<Json> => {
    const path = `/api/v1/cls/balances${principal ? '/principal' : ''}?${query}`;
    const response = await api.get(path);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  /** A question is answered with everything that was committed before it was asked. */
  const knowing = async (query: string, holds: (body: Json) => boolean) => {
    const body = await ask(query);
    expect(holds(body), JSON.stringify(body)).to.equal(true);
    return body;
  };
  const drawn = (loan: ReturnType<typeof aLoan>, day: string, amount: string, rate?: string) =>
    aJournal(
      loan.deal,
      'advance',
      day,
      entry(
        loan,
        CASH,
        [
          [undefined, amount],
          [anna, amount],
        ],
        ADVANCE,
      ),
      {
        ...(rate === undefined
          ? {}
          : {
              rates: [
                {
                  facility: loan.facility.id,
                  contract: loan.contract.id,
                  component: 'interest' as const,
                  startDate: date(day),
                  allInRate: rate,
                },
              ],
            }),
      },
    );
  const bill = (day: string) =>
    billAccruals(sqlBilling(api.database), {
      through: date(day),
      dueDate: daysAfter(date(day), 5),
      apply: true,
    });

  it('is not billed twice when an earlier day is billed after a later one', async () => {
    const loan = aLoan(borrower, [anna]);
    await post([...loan.all, drawn(loan, '2024-01-01', '36000.00', '0.100000000000')]);
    await bill('2024-03-01');
    expect((await bill('2024-02-01')).journals).to.equal(0);
    const { data } = await knowing(
      `dealId=${loan.deal.id}&asOf=2024-03-01`,
      ({ data: [one] }) => one?.global.interest.due !== '0.00',
    );
    expect(data[0].global.interest).to.include({ due: '600.00', accrued: '0.00' });
  });

  it('is billed again for the same day once the bill was reversed', async () => {
    const loan = aLoan(borrower, [anna]);
    await post([...loan.all, drawn(loan, '2024-01-01', '36000.00', '0.100000000000')]);
    await bill('2024-03-01');
    const [made] = await api.database.query<{ id: string }>(
      `SELECT j.id FROM journal j JOIN deal d ON d.key = j.deal_key
       WHERE d.id = $1 AND j.type = 'interest_billing'`,
      [loan.deal.id],
    );
    const due = entry(
      loan,
      ['INTEREST_DUE', 'INTEREST_INCOME'],
      [
        [undefined, '-600.00'],
        [anna, '-600.00'],
      ],
      { dueDate: date('2024-03-06') },
    );
    await post([
      aJournal(loan.deal, 'interest_billing', '2024-03-01', due, {
        reverses: made?.id ?? '',
        settlements: [
          {
            facility: loan.facility.id,
            contract: loan.contract.id,
            component: 'interest',
            settledThrough: date('2024-01-01'),
          },
        ],
      }),
    ]);
    expect((await bill('2024-03-01')).journals).to.equal(1);
    const { data } = await knowing(
      `dealId=${loan.deal.id}&asOf=2024-03-01`,
      ({ data: [one] }) => one.global.interest.due === '600.00',
    );
    expect(data[0].global.interest).to.include({ due: '600.00', accrued: '0.00' });
  });

  it('gets no first lender after it was posted to, for shares would not add up', async () => {
    const loan = aLoan(borrower, []);
    await post([
      ...loan.all,
      aJournal(
        loan.deal,
        'advance',
        '2024-01-01',
        entry(loan, CASH, [[undefined, '5.00']], ADVANCE),
      ),
    ]);
    const refused = await post([aPosition(loan.facility, anna)]).catch((error) => error);
    expect(refused.constraint).to.equal('positions_before_postings');
  });

  it('tells of a restated share, though the global amount is as it was', async () => {
    const loan = aLoan(borrower, [anna, bert]);
    await post([...loan.all, drawn(loan, '2024-01-01', '100.00')]);
    await post([aJournal(loan.deal, 'terms', '2024-12-01', [])]);
    const sold = entry(
      loan,
      ['PRINCIPAL_CASH', 'TRANSFER_CLEARING'],
      [
        [anna, '-40.00'],
        [bert, '40.00'],
      ],
      { movement: 'transfer' },
    );
    await post([aJournal(loan.deal, 'transfer', '2024-06-01', sold)]);
    for (const level of ['facility', 'contract', 'position']) {
      const { data } = await knowing(
        `dealId=${loan.deal.id}&asOf=2024-07-01&level=${level}`,
        ({ data: [one] }) => one.provenance.restated,
      );
      expect(data[0].provenance.restated, level).to.equal(true);
    }
  });

  it('answers an old question alike after facilities and lenders were added', async () => {
    const loan = aLoan(borrower, [anna]);
    await post([...loan.all, drawn(loan, '2024-01-01', '100.00')]);
    const { meta } = await knowing(
      `dealId=${loan.deal.id}&asOf=2024-07-01`,
      ({ data }) => data.length === 1,
    );
    const old = `dealId=${loan.deal.id}&asOf=2024-07-01&includeZero=true&knownAt=${meta.knownAt}`;
    const questions = ['&level=deal', `&lenderId=${bert.id}`, '&level=position', ''].map(
      (more) => `${old}${more}`,
    );
    const before = await Promise.all(questions.map((question) => ask(question)));
    const second = aFacility(loan.deal, { currency: 'EUR' });
    await post([
      second,
      aPosition(second, bert),
      aPosition(loan.facility, bert),
      aJournal(loan.deal, 'terms', '2024-08-01', []),
    ]);
    await knowing(`dealId=${loan.deal.id}&includeZero=true`, ({ data }) => data.length === 2);
    expect(await Promise.all(questions.map((question) => ask(question)))).to.deep.equal(before);
  });

  it('answers alike in another currency too, and a walk goes on with the rates it began with', async () => {
    const loans = [aLoan(borrower, [anna]), aLoan(borrower, [anna])];
    await post(loans.flatMap((loan) => [...loan.all, drawn(loan, '2024-01-01', '100.00')]));
    const rate = (value: string) =>
      api.database.query(
        `INSERT INTO fx_rate (rate_date, from_currency, to_currency, rate, source)
         VALUES ('2024-01-01', 'USD', 'CHF', $1, 'SNB')`,
        [value],
      );
    await rate('0.9');
    const ids = loans.map(({ deal }) => deal.id).join(',');
    const question = `dealId=${ids}&asOf=2024-07-01&reportingCurrency=CHF`;
    const first = await knowing(
      `${question}&limit=1`,
      ({ data, page }) => data.length === 1 && page.hasMore,
    );
    expect(first.data[0].reporting.principalOutstanding).to.equal('90.00');
    await rate('0.8');
    const second = await ask(`limit=1&cursor=${first.page.nextCursor}`);
    expect(second.data[0].reporting.principalOutstanding).to.equal('90.00');
    const now = await knowing(question, ({ data }) => data[0].reporting.rate === '0.8');
    const again = await ask(`${question}&knownAt=${first.meta.knownAt}`);
    expect(again.data[0].reporting.rate).to.equal('0.9');
    expect((await ask(`${question}&knownAt=${now.meta.knownAt}`)).data).to.deep.equal(now.data);
  });

  it('tells who keeps a copy of a posting that was waiting for its date', async () => {
    const loan = aLoan(borrower, [anna]);
    const ahead = daysAfter(date(new Date().toISOString().slice(0, 10)), 1);
    await post([...loan.all, drawn(loan, '2024-01-01', '10.00'), drawn(loan, ahead, '5.00')]);
    const store = sqlBalanceStore(api.database);
    const { seq } = await store.ledgerState(date('2999-01-01'));
    const changed = async (before: string, now: string) => {
      const deals = await store.changedDeals(
        { fullControl: true },
        {
          now: { asOf: date(now), ledgerSeq: seq },
          before: { asOf: date(before), ledgerSeq: seq },
          afterSeq: seq,
          dealIds: [loan.deal.id],
          fromKey: 0n,
          limit: 10,
        },
      );
      return deals.map(({ id }) => id);
    };
    expect(await changed(dayBefore(ahead), dayBefore(ahead))).to.deep.equal([]);
    expect(await changed(dayBefore(ahead), ahead)).to.deep.equal([loan.deal.id]);
  });

  it('says that what was first reached later is not restated, now and for ever', async () => {
    const loan = aLoan(borrower, [anna]);
    await post([...loan.all, drawn(loan, '2024-01-01', '10.00')]);
    const [last] = await api.database.query<{ seq: bigint; next: string }>(
      `SELECT max(seq) AS seq, (max(effective_date) + 1)::text AS next FROM journal`,
    );
    const store = sqlBalanceStore(api.database);
    const snapshot = { asOf: date(last?.next ?? ''), ledgerSeq: last?.seq ?? 0n };
    const before = await store.knowledge(snapshot);
    await post([drawn(loan, daysAfter(snapshot.asOf, 1), '1.00')]);
    expect((await store.knowledge(snapshot)).reportedSeq).to.equal(before.reportedSeq);
  });

  it('sums what may be drawn, facility by facility', async () => {
    const loan = aLoan(borrower, [anna], { availabilityEndDate: date('2024-03-01') });
    const open = aFacility(loan.deal);
    const commit = (facility: typeof open, unfunded: string) =>
      entry(
        { facility },
        ['UNFUNDED', 'MEMO'],
        [
          [undefined, unfunded],
          [anna, unfunded],
        ],
      );
    await post([
      ...loan.all,
      open,
      aPosition(open, anna),
      aJournal(loan.deal, 'original_commitment', '2024-01-01', [
        ...commit(loan.facility, '100.00'),
        ...commit(open, '-30.00'),
      ]),
    ]);
    const { data } = await knowing(
      `level=deal&dealId=${loan.deal.id}&asOf=2024-07-01`,
      ({ data: found }) => found.length === 1,
    );
    expect(data[0].global.commitment).to.include({ unfunded: '70.00', available: '0.00' });
    expect(data[0].lenders[0].commitment.available).to.equal('0.00');
    const before = await ask(`level=deal&dealId=${loan.deal.id}&asOf=2024-02-01`);
    expect(before.data[0].global.commitment.available).to.equal('100.00');
  });

  it('tells what is past due, also where other dues are credits of the same amount', async () => {
    const loan = aLoan(borrower, [anna]);
    await post([
      ...loan.all,
      drawn(loan, '2024-01-01', '1000.00'),
      aJournal(
        loan.deal,
        'interest_billing',
        '2024-01-01',
        entry(loan, ['INTEREST_DUE', 'INTEREST_INCOME'], both('100.00'), {
          dueDate: date('2024-02-01'),
        }),
      ),
      aJournal(
        loan.deal,
        'fee_payment',
        '2024-01-01',
        entry(loan, ['FEES_DUE', 'CASH_CLEARING'], both('-100.00')),
      ),
    ]);
    const { data } = await knowing(
      `dealId=${loan.deal.id}&asOf=2024-02-11`,
      ({ data: found }) => found.length === 1,
    );
    expect(data[0].global.interest.pastDue).to.equal('100.00');
    expect(data[0].status.daysPastDue).to.equal(10);
  });

  it('counts days past due from the oldest amount that is not settled, in items, filters and groups', async () => {
    const loanWith = async (
      ...bills: readonly (readonly ['INTEREST' | 'FEES', string, string])[]
    ) => {
      const loan = aLoan(borrower, [anna]);
      await post([
        ...loan.all,
        drawn(loan, '2024-01-01', '1000.00'),
        ...bills.map(([kind, amount, dueDate]) =>
          aJournal(
            loan.deal,
            kind === 'FEES' ? 'fee_billing' : 'interest_billing',
            '2024-01-01',
            entry(loan, [`${kind}_DUE`, `${kind === 'FEES' ? 'FEE' : kind}_INCOME`], both(amount), {
              dueDate: date(dueDate),
            }),
          ),
        ),
      ]);
      return loan.deal.id;
    };
    const cases = [
      // What is in credit as a whole is not late.
      [
        0,
        '0',
        [
          ['INTEREST', '300.00', '2024-02-05'],
          ['INTEREST', '-1200.00', '2024-04-05'],
        ],
      ],
      // Nor does it age what another component owes.
      [
        10,
        '1-30',
        [
          ['INTEREST', '300.00', '2024-02-05'],
          ['INTEREST', '-1200.00', '2024-04-05'],
          ['FEES', '10.00', '2024-04-20'],
        ],
      ],
      // A credit settles the oldest bills, as a payment does.
      [
        20,
        '1-30',
        [
          ['INTEREST', '300.00', '2024-02-05'],
          ['INTEREST', '-300.00', '2024-03-05'],
          ['INTEREST', '100.00', '2024-04-10'],
        ],
      ],
      [
        55,
        '31-60',
        [
          ['INTEREST', '100.00', '2024-01-25'],
          ['INTEREST', '50.00', '2024-03-06'],
          ['INTEREST', '-120.00', '2024-03-20'],
          ['INTEREST', '10.00', '2024-04-20'],
        ],
      ],
    ] as const;
    for (const [days, age, bills] of cases) {
      const dealId = await loanWith(...bills);
      const question = `dealId=${dealId}&asOf=2024-04-30`;
      for (const level of ['deal', 'facility', 'contract']) {
        const { data } = await ask(`${question}&level=${level}`);
        expect(data[0].status.daysPastDue, level).to.equal(days);
      }
      for (const one of ['0', '1-30', '31-60', '61-90']) {
        const { data } = await ask(`${question}&daysPastDue=${one}`);
        expect(data, `${days} in ${one}`).to.have.length(one === age ? 1 : 0);
      }
      const grouped = await api.get(`/api/v1/cls/balances/totals?${question}&groupBy=daysPastDue`);
      const { data: groups } = (await grouped.json()) as Json;
      expect(groups.map(({ value }: Json) => value)).to.deep.equal([age]);
    }
  });

  it('keeps the commitment where interest or a fee is capitalised, whether that draws on it or not', async () => {
    const withPik = async (
      type: 'pik_capitalization' | 'fee_capitalization',
      pikUsesCommitment: boolean,
    ) => {
      const loan = aLoan(borrower, [anna], { type: 'revolver', pikUsesCommitment });
      const { facility } = loan;
      const income = type === 'pik_capitalization' ? 'INTEREST_INCOME' : 'FEE_INCOME';
      const undrawn = (amount: string) => entry({ facility }, ['UNFUNDED', 'MEMO'], both(amount));
      await post([
        ...loan.all,
        aCommitment(loan, '2024-01-01', both('1000.00')),
        aJournal(loan.deal, 'advance', '2024-01-01', [
          ...entry(loan, CASH, both('500.00'), ADVANCE),
          ...undrawn('-500.00'),
        ]),
        aJournal(loan.deal, type, '2024-03-01', [
          ...entry(loan, ['PRINCIPAL_PIK', income], both('7.50'), { movement: type }),
          ...(pikUsesCommitment ? undrawn('-7.50') : []),
        ]),
      ]);
      return loan.deal.id;
    };
    for (const [type, uses, funded, unfunded] of [
      ['pik_capitalization', true, '507.50', '492.50'],
      ['pik_capitalization', false, '500.00', '500.00'],
      ['fee_capitalization', true, '507.50', '492.50'],
      ['fee_capitalization', false, '500.00', '500.00'],
    ] as const) {
      const dealId = await withPik(type, uses);
      const question = `dealId=${dealId}&asOf=2024-03-31`;
      const { data: rolled } = await ask(question, true);
      const moved = type === 'pik_capitalization' ? 'pikCapitalized' : 'feesCapitalized';
      expect(rolled[0].global.movements).to.include({ advances: '500.00', [moved]: '7.50' });
      for (const level of ['deal', 'facility']) {
        const { data } = await ask(`${question}&level=${level}`);
        const [{ global, lenders }] = data;
        for (const line of [global, lenders[0]]) {
          expect(line.commitment, level).to.include({ current: '1000.00', funded, unfunded });
        }
        const grouped = await api.get(
          `/api/v1/cls/balances/totals?${question}&level=${level}&groupBy=country`,
        );
        const [group] = ((await grouped.json()) as Json).data;
        expect(group.commitment, level).to.equal('1000.00');
      }
    }
  });

  it('sorts by the maturity that it shows', async () => {
    const loan = aLoan(borrower, [anna], { maturityDate: date('2025-01-01') });
    const other = aFacility(loan.deal, { maturityDate: date('2026-01-01') });
    const commit = (facility: typeof other) =>
      entry(
        { facility },
        ['UNFUNDED', 'MEMO'],
        [
          [undefined, '1.00'],
          [anna, '1.00'],
        ],
      );
    await post([
      ...loan.all,
      other,
      aPosition(other, anna),
      aJournal(loan.deal, 'original_commitment', '2024-01-01', [
        ...commit(loan.facility),
        ...commit(other),
      ]),
      aJournal(loan.deal, 'terms', '2024-02-01', [], {
        terms: [{ facility: loan.facility.id, status: 'active', maturityDate: date('2030-01-01') }],
      }),
    ]);
    const { data } = await knowing(
      `dealId=${loan.deal.id}&asOf=2024-07-01&sort=maturityDate`,
      ({ data: found }) => found.length === 2,
    );
    expect(data.map(({ facility }: Json) => facility.maturityDate)).to.deep.equal([
      '2026-01-01',
      '2030-01-01',
    ]);
  });
});

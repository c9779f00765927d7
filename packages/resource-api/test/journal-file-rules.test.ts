import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import type { BookRecord, JournalRecord, PostingRecord } from '../src/journal-file/record.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date, importWorldBank, statement } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import { fileOf, linesFrom } from './support/journal-lines.ts';
import { aCommitment, aJournal, aLoan, aParty, entry } from './support/records.ts';

type Loan = ReturnType<typeof aLoan>;

describeOnDatabase('a file of journals', (engine) => {
  let api: TestApi;
  const borrower = aParty('Borrower');
  const anna = aParty('Anna');
  before(async () => {
    api = await startTestApi(engine);
    await loadRecords(api.database, [borrower, anna]);
  });
  after(() => api?.stop());

  const load = (records: readonly object[], database: Database = api.database) =>
    importJournals(sqlJournals(database), { apply: true, lines: linesFrom(fileOf(records)) });
  /** Line, field and code of each fault; lines count from the first journal's. */
  const faultsOf = async (loan: readonly BookRecord[], journals: readonly JournalRecord[]) => {
    const { faults } = await load([...loan, ...journals]);
    return faults.map(({ line, field, code }) => [line - loan.length, field, code]);
  };
  const both = (amount: string) =>
    [
      [undefined, amount],
      [anna, amount],
    ] as const;
  const onFacility = ({ facility }: Loan) => ({ facility });
  const negated = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

  const committed = (loan: Loan, day: string, amount: string) =>
    aCommitment(loan, day, both(amount));
  const moved = (
    loan: Loan,
    day: string,
    amount: string,
    more: Partial<JournalRecord> = {},
    movement: 'advance' | 'scheduled_repayment' = 'advance',
  ) =>
    aJournal(
      loan.deal,
      movement,
      day,
      [
        ...entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], both(amount), { movement }),
        ...entry(onFacility(loan), ['UNFUNDED', 'MEMO'], both(negated(amount))),
      ],
      more,
    );
  const letterOfCredit = (loan: Loan, day: string, amount: string) =>
    aJournal(loan.deal, 'letter_of_credit', day, [
      ...entry(onFacility(loan), ['LETTER_OF_CREDIT', 'MEMO'], both(amount)),
      ...entry(onFacility(loan), ['UNFUNDED', 'MEMO'], both(negated(amount))),
    ]);
  const reversalOf = (journal: JournalRecord, change: Partial<JournalRecord> = {}) => {
    const postings = journal.postings.map((posting) => ({
      ...posting,
      amount: negated(posting.amount),
    }));
    const id = newId('jrn');
    return { ...journal, id, idempotencyKey: id, postings, reverses: journal.id, ...change };
  };
  const aRevolver = () => aLoan(borrower, [anna], { type: 'revolver' });

  describe('while another import ends between its check and its writing', () => {
    const loadAfter = async (other: readonly object[], records: readonly object[]) => {
      const store = sqlJournals(api.database);
      const late: typeof store = {
        ...store,
        async locked(work, apply) {
          expect((await load(other)).outcome).to.equal('applied');
          return store.locked(work, apply);
        },
      };
      return importJournals(late, { apply: true, lines: linesFrom(fileOf(records)) });
    };

    it('finds its records known where the other one has the same', async () => {
      const parties = [aParty('Carl'), aParty('Dora')];
      expect((await loadAfter(parties, parties)).outcome).to.equal('applied_before');
      const loan = aRevolver();
      const committing = committed(loan, '2024-01-02', '100.00');
      const first = [...loan.all, committing];
      const { outcome, known } = await loadAfter(first, [
        ...first,
        moved(loan, '2024-01-03', '60.00'),
      ]);
      expect([outcome, known]).to.deep.equal(['applied', first.length]);
    });

    it('is refused with line and field where both together draw too much', async () => {
      const loan = aRevolver();
      await load([...loan.all, committed(loan, '2024-01-02', '100.00')]);
      const drawing = () => moved(loan, '2024-01-03', '60.00');
      const { outcome, faults } = await loadAfter([drawing()], [drawing()]);
      expect(outcome).to.equal('refused');
      expect(faults.map(({ line, field, code }) => [line, field, code])).to.deep.equal([
        [1, 'postings.0.amount', 'exceeds_commitment'],
      ]);
    });
  });

  it('that says a fact twice is refused with line and field, and says which one has the same', async () => {
    const loan = aRevolver();
    const [facility, contract] = [loan.facility.id, loan.contract.id];
    const interest = { facility, contract, component: 'interest' } as const;
    const from = (day: string, allInRate: string) => ({
      ...interest,
      startDate: date(day),
      allInRate,
    });
    const once = aJournal(loan.deal, 'rate_set', '2024-01-01', [], {
      terms: [
        { facility, status: 'active' },
        { contract, status: 'active' },
      ],
      rates: [
        from('2024-01-01', '0.04'),
        from('2024-02-01', '0.05'),
        { ...from('2024-01-01', '0.01'), component: 'pik' },
      ],
    });
    const twice = {
      ...once,
      terms: [...once.terms, { facility, status: 'matured' }],
      rates: [...once.rates, from('2024-02-01', '0.06')],
      settlements: [
        { ...interest, settledThrough: date('2024-01-01') },
        { ...interest, settledThrough: date('2024-01-02') },
      ],
    } as typeof once;
    expect(await faultsOf(loan.all, [twice])).to.deep.equal([
      [1, 'terms.2', 'duplicate_fact'],
      [1, 'rates.3', 'duplicate_fact'],
      [1, 'settlements.1', 'duplicate_fact'],
    ]);
    expect(await faultsOf(loan.all, [once])).to.deep.equal([]);
  });

  describe('with a reversal', () => {
    const doubled = (postings: readonly PostingRecord[]) =>
      postings.map((posting) => ({
        ...posting,
        amount: posting.amount.replace('10.00', '20.00'),
      }));
    for (const [where, before] of [
      ['of a journal of the same file', false],
      ['of a journal of the book', true],
    ] as const) {
      it(`${where} is refused unless it has its date and its postings, with the opposite signs`, async () => {
        const loan = aRevolver();
        const drawing = moved(loan, '2024-02-01', '10.00');
        const start = [...loan.all, committed(loan, '2024-01-01', '50.00'), drawing];
        if (before) expect((await load(start)).outcome).to.equal('applied');
        const reversal = reversalOf(drawing);
        for (const [change, faults] of [
          [{ postings: drawing.postings }, [[1, 'postings', 'not_mirrored']]],
          [{ postings: doubled(reversal.postings) }, [[1, 'postings', 'not_mirrored']]],
          [{ postings: reversal.postings.slice(0, 4) }, [[1, 'postings', 'not_mirrored']]],
          [{ postings: [] }, [[1, 'postings', 'not_mirrored']]],
          [{ effectiveDate: date('2024-02-02') }, [[1, 'effectiveDate', 'not_mirrored']]],
        ] as const) {
          const wrong = { ...reversal, ...change } as JournalRecord;
          expect(await faultsOf(start, [wrong])).to.deep.equal(faults);
        }
        const turned = { ...reversal, postings: reversal.postings.toReversed() };
        expect(await faultsOf(start, [turned])).to.deep.equal([]);
      });
    }

    it('shows records without journals at once, however many they are', async () => {
      const [first, second] = [aLoan(borrower, [anna]), aLoan(borrower, [anna])];
      await load([...first.all, committed(first, '2024-01-01', '100.00')]);
      const parties = Array.from({ length: 5_001 }, (_, number) => aParty(`Party ${number}`));
      expect((await load([...parties, ...second.all])).outcome).to.equal('applied');
      const path = `/api/v1/cls/balances?includeZero=true&dealId=${second.deal.id}`;
      const { data } = (await (await api.get(path)).json()) as { data: unknown[] };
      expect(data).to.have.length(1);
    });

    it('a second one of a journal is refused; of a reversal there may be one', async () => {
      const loan = aRevolver();
      const drawing = moved(loan, '2024-02-01', '10.00');
      const start = [...loan.all, committed(loan, '2024-01-01', '50.00'), drawing];
      const once = reversalOf(drawing);
      const faults = await faultsOf(start, [once, reversalOf(once), reversalOf(drawing)]);
      expect(faults).to.deep.equal([[3, 'reverses', 'reversed_twice']]);
    });

    it('that does not mirror its journal is refused by the database, however it is posted', async () => {
      const loan = aRevolver();
      const drawing = moved(loan, '2024-02-01', '10.00');
      await load([...loan.all, committed(loan, '2024-01-01', '50.00'), drawing]);
      const once = reversalOf(drawing);
      for (const wrong of [
        { ...once, postings: [] },
        { ...once, postings: drawing.postings },
        { ...once, effectiveDate: date('2024-02-02') },
      ]) {
        const refused = await loadRecords(api.database, [wrong]).catch((error: Error) => error);
        expect(`${refused}`).to.match(/does not mirror the journal that it reverses/);
      }
      await loadRecords(api.database, [once]);
    });
  });

  describe('with a drawing beyond the commitment', () => {
    it('is refused with line and field, of a facility of the book too', async () => {
      const loan = aRevolver();
      const start = [...loan.all, committed(loan, '2024-01-01', '50.00')];
      const first = moved(loan, '2024-02-01', '30.00');
      const beyond = moved(loan, '2024-03-01', '20.01');
      const fault = [2, 'postings.0.amount', 'exceeds_commitment'];
      expect(await faultsOf(start, [first, beyond])).to.deep.equal([fault]);
      expect(await faultsOf(start, [first])).to.deep.equal([]);
      expect(await faultsOf(start, [first, beyond])).to.deep.equal([fault]);
      expect(
        await faultsOf(start, [first, letterOfCredit(loan, '2024-03-01', '20.01')]),
      ).to.deep.equal([fault]);
      expect(await faultsOf(start, [first, moved(loan, '2024-03-01', '20.00')])).to.deep.equal([]);
    });

    it('is taken when the journal says so, and warned of by the import and by its item', async () => {
      const loan = aRevolver();
      const beyond = moved(loan, '2024-02-01', '60.00', { overadvance: true });
      const report = await load([...loan.all, committed(loan, '2024-01-01', '50.00'), beyond]);
      expect([report.outcome, report.faultCount]).to.deep.equal(['applied', 0]);
      const told = report.warnings.map(({ line, field, code }) => [line, field, code]);
      expect(told).to.deep.equal([[loan.all.length + 2, 'postings.0.amount', 'overadvance']]);
      for (const level of ['deal', 'facility', 'position']) {
        const response = await api.get(
          `/api/v1/cls/balances?dealId=${loan.deal.id}&level=${level}`,
        );
        const { data } = (await response.json()) as { data: { warnings: string[] }[] };
        expect(data[0]?.warnings, level).to.include('overadvance');
      }
      expect(await exportedWith(loan)).to.include('"overadvance":true');
    });

    it('that is within it after all is no overadvance, whatever it says', async () => {
      const loan = aRevolver();
      const drawn = moved(loan, '2024-02-01', '50.00', { overadvance: true });
      const { outcome, warnings } = await load([
        ...loan.all,
        committed(loan, '2024-01-01', '50.00'),
        drawn,
      ]);
      expect([outcome, warnings]).to.deep.equal(['applied', []]);
    });

    it('is told by effective dates: what is committed later does not cover it', async () => {
      const loan = aRevolver();
      const late = [moved(loan, '2024-02-01', '10.00'), committed(loan, '2024-03-01', '50.00')];
      expect(await faultsOf(loan.all, late)).to.deep.equal([
        [1, 'postings.0.amount', 'exceeds_commitment'],
      ]);
      // In whatever order the file has them.
      const covered = [moved(loan, '2024-03-01', '10.00'), committed(loan, '2024-03-01', '50.00')];
      expect(await faultsOf(loan.all, covered)).to.deep.equal([]);
    });

    it('is told by what is drawn later already, when it is posted late', async () => {
      const loan = aRevolver();
      const journals = [
        committed(loan, '2024-01-01', '50.00'),
        moved(loan, '2024-06-01', '40.00'),
        moved(loan, '2024-02-01', '20.00'),
      ];
      expect(await faultsOf(loan.all, journals)).to.deep.equal([
        [3, 'postings.0.amount', 'exceeds_commitment'],
      ]);
    });

    it('knows that repayment gives back what revolves, and of a term loan nothing', async () => {
      const revolver = aRevolver();
      const journals = [
        committed(revolver, '2024-01-01', '50.00'),
        moved(revolver, '2024-02-01', '50.00'),
        moved(revolver, '2024-03-01', '-30.00', {}, 'scheduled_repayment'),
        moved(revolver, '2024-04-01', '30.00'),
      ];
      expect(await faultsOf(revolver.all, journals)).to.deep.equal([]);
      const term = aLoan(borrower, [anna]);
      const repaid = entry(term, ['PRINCIPAL_CASH', 'CASH_CLEARING'], both('-30.00'), {
        movement: 'scheduled_repayment',
      });
      const lent = [
        committed(term, '2024-01-01', '50.00'),
        moved(term, '2024-02-01', '50.00'),
        aJournal(term.deal, 'scheduled_repayment', '2024-03-01', repaid),
        moved(term, '2024-04-01', '30.00'),
      ];
      expect(await faultsOf(term.all, lent)).to.deep.equal([
        [4, 'postings.0.amount', 'exceeds_commitment'],
      ]);
    });

    it('finds it where the journal leaves the unfunded amount alone', async () => {
      const loan = aRevolver();
      const cash = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], both('60.00'), {
        movement: 'advance',
      });
      const journals = [
        committed(loan, '2024-01-01', '50.00'),
        aJournal(loan.deal, 'advance', '2024-02-01', cash),
      ];
      expect(await faultsOf(loan.all, journals)).to.deep.equal([
        [2, 'postings.0.amount', 'exceeds_commitment'],
      ]);
    });

    it('lets corrections, cancellations, capitalised interest and loans without a commitment be', async () => {
      const loan = aLoan(borrower, [anna], { type: 'revolver', pikUsesCommitment: true });
      const increase = committed(loan, '2024-01-01', '10.00');
      const capitalised = [
        ...entry(loan, ['PRINCIPAL_PIK', 'INTEREST_INCOME'], both('5.00'), {
          movement: 'pik_capitalization',
        }),
        ...entry(onFacility(loan), ['UNFUNDED', 'MEMO'], both('-5.00')),
      ];
      const journals = [
        committed(loan, '2024-01-01', '50.00'),
        increase,
        moved(loan, '2024-02-01', '60.00'),
        reversalOf(increase),
        aJournal(loan.deal, 'pik_capitalization', '2024-03-01', capitalised),
      ];
      expect(await faultsOf(loan.all, journals)).to.deep.equal([]);
      const bare = aLoan(borrower, [anna]);
      const lent = entry(bare, ['PRINCIPAL_CASH', 'CASH_CLEARING'], both('60.00'), {
        movement: 'advance',
      });
      const uncommitted = aJournal(bare.deal, 'advance', '2024-02-01', lent);
      expect(await faultsOf(bare.all, [uncommitted])).to.deep.equal([]);
    });
  });

  it('written from a statement that draws beyond commitments is taken by a copy', async () => {
    const [book, copy] = [await startTestApi(engine), await startTestApi(engine)];
    try {
      const loan = {
        'Loan Number': 'A',
        'Original Principal Amount': '1000',
        'Disbursed Amount': '1000.01',
        'Undisbursed Amount': '-0.01',
        'Due to IBRD': '1000.01',
        "Borrower's Obligation": '1000.01',
        'Loans Held': '1000',
      };
      const gap = {
        ...loan,
        'Loan Number': 'B',
        'Undisbursed Amount': '5',
        'Loans Held': '1005.01',
      };
      const statementReport = await importWorldBank(
        book.database,
        statement('01/31/2023', [loan, gap]),
      );
      expect(statementReport.faults).to.deep.equal([]);
      const text = await exported(book.database);
      const lines = linesFrom(text.trimEnd().split('\n'));
      const report = await importJournals(sqlJournals(copy.database), { apply: true, lines });
      expect([report.outcome, report.faults]).to.deep.equal(['applied', []]);
      expect(report.warnings).to.have.length(1);
      expect(await exported(copy.database)).to.equal(text);
    } finally {
      await Promise.all([book.stop(), copy.stop()]);
    }
  });

  it('leaves a book in which reversals cancel', async () => {
    const { checks } = await sqlReconciler(api.database).reconcile(1);
    const broken = checks.filter(({ breakCount }) => breakCount > 0);
    expect(broken.map(({ invariant }) => invariant)).to.deep.equal([]);
  });

  const exportedWith = async ({ deal }: Loan) =>
    (await exported(api.database))
      .split('\n')
      .filter((line) => line.includes(deal.id))
      .join('\n');
});

async function exported(database: Database): Promise<string> {
  let text = '';
  const receive = async (part: string) => {
    text += part;
  };
  await exportJournals(sqlJournals(database), receive);
  return text;
}

import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import type { JournalRecord } from '../src/journal-file/record.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import type { LedgerAccount } from '../src/ledger/journal.ts';
import { date } from './support/book.ts';
import { fileOf, linesFrom } from './support/journal-lines.ts';
import { aCommitment, aJournal, aLoan, aParty, entry } from './support/records.ts';

const TODAY = date('2025-06-30');

// Nothing is guessed with money: what cannot be is refused, and what is unlikely has to be confirmed.
describeOnDatabase('a file of journals with something implausible', (engine) => {
  let database: Database;
  const borrower = aParty('Borrower');
  const [anna, bert] = [aParty('Anna'), aParty('Bert')];
  const parties = [borrower, anna, bert];
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await load(parties);
  });
  after(() => database?.close());

  const load = (
    records: readonly object[],
    how: { apply?: boolean; acceptWarnings?: boolean } = {},
  ) =>
    importJournals(sqlJournals(database), {
      ...{ apply: true, today: TODAY, lines: linesFrom(fileOf(records)) },
      ...how,
    });
  const told = (list: readonly { line: number; field: string; code: string }[]) =>
    list.map(({ line, field, code }) => [line, field, code]);
  const a1000 = [
    [undefined, '1000.00'],
    [anna, '600.00'],
    [bert, '400.00'],
  ] as const;

  it('is refused where an agreement ends before it starts', async () => {
    const start = date('2024-01-10');
    const loan = aLoan(borrower, [anna, bert], {
      effectiveDate: start,
      maturityDate: date('2024-01-09'),
      availabilityEndDate: date('2023-12-31'),
    });
    const contract = { ...loan.contract, effectiveDate: start, maturityDate: start };
    const terms = aJournal(loan.deal, 'terms', '2024-02-01', [], {
      terms: [
        { facility: loan.facility.id, status: 'active', maturityDate: date('2024-01-09') },
        { contract: contract.id, status: 'active', maturityDate: date('2024-01-10') },
      ],
    });
    const file = [loan.deal, loan.facility, contract, ...loan.positions, terms];
    const { faults, outcome } = await load(file, { acceptWarnings: true });
    expect(outcome).to.equal('refused');
    expect(told(faults)).to.deep.equal([
      [2, 'maturityDate', 'ends_before_start'],
      [2, 'availabilityEndDate', 'ends_before_start'],
      [6, 'terms.0.maturityDate', 'ends_before_start'],
    ]);
    expect(faults[0]?.message).to.equal('expected 2024-01-10, the effective date, or a later day');
  });

  it('is warned of where the book would not use what a record says', async () => {
    const loan = aLoan(borrower, [anna, bert]);
    const { deal, facility } = loan;
    const advance = aJournal(deal, 'advance', '2024-02-01', [
      ...entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], a1000, { movement: 'advance' }),
    ]);
    const terms = aJournal(deal, 'terms', '2024-02-01', [], {
      terms: [{ facility: facility.id, status: 'matured' }],
      details: [{ facility: facility.id, name: 'Term Loan A' }],
    });
    const repeated = { ...terms, id: newId('jrn'), idempotencyKey: newId('key') };
    const billed = entry(loan, ['INTEREST_DUE', 'INTEREST_INCOME'], a1000);
    const rate = { object: 'fx_rate', date: date('2024-02-01'), rate: '1.1', source: 'ECB' };
    const file = [
      ...loan.all,
      advance,
      terms,
      { ...repeated, reverses: terms.id },
      aJournal(deal, 'adjustment', '2024-02-02', [], { corrects: advance.id }),
      aJournal(deal, 'interest_billing', '2024-02-02', billed, { corrects: advance.id }),
      { ...rate, from: 'USD', to: 'USD' },
      { ...rate, from: 'USD', to: 'EUR' },
    ];
    const refused = await load(file);
    expect([refused.outcome, told(refused.warnings)]).to.deep.equal([
      'refused',
      [
        [8, 'terms', 'no_effect'],
        [8, 'details', 'no_effect'],
        [9, 'corrects', 'no_effect'],
        [11, 'to', 'no_effect'],
      ],
    ]);
    expect((await load(file, { acceptWarnings: true })).outcome).to.equal('applied');
    expect((await load(file)).outcome).to.equal('applied_before');
  });

  it('is refused where a rate is beyond what a store keeps', async () => {
    const { deal, facility, contract, all } = aLoan(borrower, [anna, bert]);
    const rates = ['10', '10.5', '-11'].map((allInRate) => ({
      ...{ facility: facility.id, contract: contract.id, component: 'interest' as const },
      ...{ startDate: date('2024-02-01'), allInRate },
    }));
    const { faults } = await load([
      ...all,
      aJournal(deal, 'rate_set', '2024-02-01', [], { rates }),
    ]);
    expect(told(faults)).to.deep.equal([
      [6, 'rates.1.allInRate', 'invalid_record'],
      [6, 'rates.2.allInRate', 'invalid_record'],
    ]);
  });

  const odd = () => {
    const loan = aLoan(borrower, [anna, bert]);
    const closed = { ...loan.deal, closingDate: date('1931-05-01') };
    const onLoan = { facility: loan.facility.id, contract: loan.contract.id };
    const rate = (allInRate: string, more: object = {}): Partial<JournalRecord> => ({
      rates: [
        { ...onLoan, component: 'interest', startDate: date('2024-02-01'), allInRate, ...more },
      ],
    });
    const day = (text: string) => aJournal(loan.deal, 'terms', text, []);
    const sale = (amount: string) =>
      aJournal(loan.deal, 'transfer', '2024-03-01', [
        ...entry(loan, ['PRINCIPAL_CASH', 'TRANSFER_CLEARING'], [[anna, `-${amount}`]], {
          movement: 'transfer',
        }),
        ...entry(loan, ['PRINCIPAL_CASH', 'TRANSFER_CLEARING'], [[bert, amount]], {
          movement: 'transfer',
        }),
      ]);
    return { loan, closed, rate, day, sale };
  };

  it('is warned of with line, field and what was expected, and applied where that is confirmed', async () => {
    const { loan, rate, day, sale } = odd();
    const file = [
      ...loan.all,
      aCommitment(loan, '2024-01-10', a1000),
      aJournal(
        loan.deal,
        'advance',
        '2024-02-01',
        [
          ...entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], a1000, { movement: 'advance' }),
          ...entry(
            { facility: loan.facility },
            ['UNFUNDED', 'MEMO'],
            a1000.map(([lender, amount]) => [lender, `-${amount}`]),
          ),
        ],
        rate('5', { spread: '0.02' }),
      ),
      day('1924-02-01'),
      day('2099-02-01'),
      sale('100.00'),
      sale('2500.00'),
    ];
    const expected = [
      [7, 'rates.0.allInRate', 'implausible_rate'],
      [8, 'effectiveDate', 'implausible_date'],
      [9, 'effectiveDate', 'implausible_date'],
      [11, 'postings.0.amount', 'sells_beyond_holding'],
    ];
    const dry = await load(file, { apply: false });
    expect([dry.outcome, told(dry.warnings), dry.warningCount]).to.deep.equal([
      'valid',
      expected,
      4,
    ]);
    expect(dry.warnings.map(({ message }) => message)).to.deep.equal([
      'expected a fraction of 1 at most, such as 0.05 for 5 %: this is 500 %',
      'expected 1975-06-30, 50 years ago, or a later day',
      'expected 2026-06-30, a year from now, or before',
      `expected at most what ${anna.id} holds: it sells 2000.00 more`,
    ]);
    const refused = await load(file);
    expect([refused.outcome, refused.faultCount, told(refused.warnings)]).to.deep.equal([
      'refused',
      0,
      expected,
    ]);
    const applied = await load(file, { acceptWarnings: true });
    expect([applied.outcome, told(applied.warnings)]).to.deep.equal(['applied', expected]);
    // What the book has counts, and what it has already is not warned of again.
    expect((await load(file)).outcome).to.equal('applied_before');
    const again = await load([sale('0.01')]);
    expect(told(again.warnings)).to.deep.equal([[1, 'postings.0.amount', 'sells_beyond_holding']]);
  });

  it('is warned of where a lender sells more of a commitment, or of capitalised interest, than it has', async () => {
    const { loan } = odd();
    const moved = (type: 'transfer' | 'pik_capitalization', account: LedgerAccount, n: string) => {
      const line = account === 'PRINCIPAL_PIK' ? loan : { facility: loan.facility };
      const more = account === 'PRINCIPAL_PIK' ? { movement: type } : {};
      const amounts = [
        [anna, `-${n}`],
        [bert, n],
      ] as const;
      const given = [[undefined, n], ...amounts.map(([who]) => [who, n] as const)] as const;
      const accounts = [account, 'MEMO'] as const;
      const of = type === 'transfer' ? amounts : given.slice(0, 2);
      return aJournal(loan.deal, type, '2024-02-01', entry(line, accounts, of, more));
    };
    const file = [
      ...loan.all,
      aCommitment(loan, '2024-01-10', a1000),
      moved('pik_capitalization', 'PRINCIPAL_PIK', '30.00'),
      moved('transfer', 'ORIGINAL_COMMITMENT', '600.00'),
      moved('transfer', 'UNFUNDED', '600.00'),
      moved('transfer', 'PRINCIPAL_PIK', '30.00'),
      moved('transfer', 'ORIGINAL_COMMITMENT', '2500.00'),
      moved('transfer', 'UNFUNDED', '0.01'),
      moved('transfer', 'PRINCIPAL_PIK', '5.00'),
    ];
    const { faults, warnings } = await load(file, { apply: false });
    expect(faults).to.deep.equal([]);
    expect(
      warnings.map(({ line, code, message }) => [line, code, message.split(' ').at(-2)]),
    ).to.deep.equal([
      [11, 'sells_beyond_holding', '2500.00'],
      [12, 'sells_beyond_holding', '0.01'],
      [13, 'sells_beyond_holding', '5.00'],
    ]);
  });

  it('is warned of where a lender sells what it buys later, whichever of both the book has', async () => {
    const { loan } = odd();
    const drawn = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], a1000, { movement: 'advance' });
    const file = [...loan.all, aJournal(loan.deal, 'advance', '2024-01-02', drawn)];
    expect((await load(file)).outcome).to.equal('applied');
    const sells = (seller: typeof anna, buyer: typeof anna, day: string, n: string) =>
      aJournal(
        loan.deal,
        'transfer',
        day,
        entry(
          loan,
          ['PRINCIPAL_CASH', 'TRANSFER_CLEARING'],
          [
            [seller, `-${n}`],
            [buyer, n],
          ],
          {
            movement: 'transfer',
          },
        ),
      );
    const sale = sells(anna, bert, '2024-01-31', '900.00');
    const back = sells(bert, anna, '2024-03-31', '500.00');
    const warned = async (records: readonly object[]) =>
      (await load(records, { apply: false })).warnings.map(({ line, message }) => [
        line,
        message.split(' ').at(-2),
      ]);
    expect(await warned([sale, back])).to.deep.equal([[1, '300.00']]);
    expect(await warned([back, sale])).to.deep.equal([[2, '300.00']]);
    const bought = sells(bert, anna, '2024-01-30', '300.00');
    expect(await warned([bought, sale])).to.deep.equal([]);
    await load([bought]);
    expect(await warned([sale])).to.deep.equal([]);
    // Sold once and booked: the same again, dated before, is too much on the day of the other.
    await load([sale]);
    expect(await warned([sells(anna, bert, '2024-01-30', '1.00')])).to.deep.equal([[1, '1.00']]);
  });

  it('is warned of wherever a date is beyond what can be meant', async () => {
    const { deal, facility, contract, positions } = aLoan(borrower, [anna, bert]);
    const [long, far] = [date('1924-01-31'), date('2099-01-31')];
    const onLoan = { facility: facility.id, contract: contract.id };
    const file = [
      { ...deal, closingDate: long, bookedOn: far },
      { ...facility, effectiveDate: long, maturityDate: far, availabilityEndDate: far },
      { ...contract, effectiveDate: long, maturityDate: far, bookedOn: far },
      { ...positions[0], bookedOn: far },
      aJournal(
        deal,
        'interest_billing',
        '2024-04-02',
        entry(
          { facility, contract },
          ['INTEREST_DUE', 'INTEREST_INCOME'],
          [
            [undefined, '10.00'],
            [anna, '10.00'],
          ],
          { dueDate: far },
        ),
        {
          rates: [{ ...onLoan, component: 'interest', startDate: far, allInRate: '0.05' }],
          settlements: [{ ...onLoan, component: 'interest', settledThrough: far }],
          terms: [
            {
              facility: facility.id,
              status: 'active',
              maturityDate: far,
              availabilityEndDate: far,
            },
            { contract: contract.id, status: 'active', maturityDate: far },
          ],
        },
      ),
      { object: 'fx_rate', date: far, from: 'EUR', to: 'USD', rate: '1.1', source: 'ECB' },
    ];
    const { warnings, outcome, faults } = await load(file);
    expect(faults).to.deep.equal([]);
    expect(outcome).to.equal('refused');
    expect(warnings.map(({ line, field }) => `${line} ${field}`)).to.deep.equal([
      ...['1 closingDate', '1 bookedOn', '2 maturityDate', '2 availabilityEndDate'],
      ...['3 maturityDate', '3 bookedOn', '4 bookedOn'],
      ...[0, 2].map((at) => `5 postings.${at}.dueDate`),
      ...['5 terms.0.maturityDate', '5 terms.1.maturityDate', '5 terms.0.availabilityEndDate'],
      ...['5 rates.0.startDate', '5 settlements.0.settledThrough', '6 date'],
    ]);
    expect(new Set(warnings.map(({ code }) => code))).to.deep.equal(new Set(['implausible_date']));
    const told = new Map(warnings.map(({ field, message }) => [field, message]));
    expect(told.get('closingDate')).to.equal('expected 1925-06-30, 100 years ago, or a later day');
    expect(told.get('maturityDate')).to.equal('expected 2075-06-30, 50 years from now, or before');
    expect(told.get('settlements.0.settledThrough')).to.equal(
      'expected 2025-04-02, a year after the effective date, or before',
    );
  });

  it('is warned of so often, and lists the first thousand', async () => {
    const loan = aLoan(borrower, [anna, bert]);
    const cent = [
      [undefined, '-0.01'],
      [anna, '-0.01'],
    ] as const;
    const repaid = Array.from({ length: 1_010 }, () =>
      entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], cent, { movement: 'voluntary_prepayment' }),
    ).flat();
    const prepayment = aJournal(loan.deal, 'voluntary_prepayment', '2024-04-02', repaid);
    const { warnings, warningCount } = await load([...loan.all, prepayment], { apply: false });
    expect(warningCount).to.equal(1_010);
    expect(warnings).to.have.length(1_000);
    expect(told(warnings.slice(0, 1))).to.deep.equal([[6, 'postings.0.amount', 'overpaid']]);
  });

  it('has long loans and bills in advance without a warning', async () => {
    const { deal, facility, contract, positions } = aLoan(borrower, [anna, bert], {
      maturityDate: date('2065-01-31'),
    });
    const settledThrough = date('2025-04-02');
    const onLoan = { facility: facility.id, contract: contract.id, component: 'interest' as const };
    const bill = aJournal(deal, 'interest_billing', '2024-04-02', [], {
      settlements: [{ ...onLoan, settledThrough }],
      rates: [{ ...onLoan, startDate: date('2030-01-01'), allInRate: '0.05' }],
    });
    const { warnings, outcome } = await load([deal, facility, contract, ...positions, bill]);
    expect([outcome, warnings]).to.deep.equal(['applied', []]);
  });

  it('has old journals without a warning where the deal says that it is old', async () => {
    const { loan, closed, day } = odd();
    const file = (text: string) => [closed, ...loan.all.slice(1), day(text)];
    expect((await load(file('1930-05-01'))).outcome).to.equal('applied');
    const { warnings } = await load([day('1930-04-30')]);
    expect(told(warnings)).to.deep.equal([[1, 'effectiveDate', 'implausible_date']]);
  });
});

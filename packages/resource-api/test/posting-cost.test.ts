import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import type { ContractRecord } from '../src/journal-file/record.ts';
import { writeBook } from '../src/posting/write-book.ts';
import { rowsRead } from './support/cost.ts';
import { aJournal, aLoan, aParty, entry } from './support/records.ts';

const CONTRACTS = 150;
const JOURNALS = 450;

describeOnDatabase('posting many journals of a deal with many contracts', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await engine.open(MIGRATIONS);
  });
  afterEach(() => database?.close());

  for (const dated of [false, true]) {
    it(`reads rows by their number, not contracts for each journal, where records ${
      dated ? 'have a date of their own' : 'follow their deal'
    }`, async () => {
      const [borrower, lender] = [aParty('Borrower'), aParty('Lender')];
      const { deal, facility, contract, positions } = aLoan(borrower, [lender]);
      const contracts = Array.from({ length: CONTRACTS }, (_, index): ContractRecord => {
        return { ...contract, id: newId('ctr'), contractNumber: `${index + 1}` };
      });
      const held = [deal, facility, ...positions, ...contracts];
      const records = dated ? held : held.map(({ bookedOn: _, ...record }) => record);
      const journals = Array.from({ length: JOURNALS }, (_, index) => {
        const line = { facility, contract: contracts[index % CONTRACTS] ?? contract };
        const postings = entry(
          line,
          ['PRINCIPAL_CASH', 'CASH_CLEARING'],
          [
            [undefined, '100.00'],
            [lender, '100.00'],
          ],
          { movement: 'advance' },
        );
        return aJournal(deal, 'advance', '2024-02-01', postings);
      });
      const read = await database.transaction(async (transaction) => {
        await writeBook(transaction, [borrower, lender, ...records, ...journals]);
        return rowsRead(transaction);
      });
      const postings = JOURNALS * 4;
      const [most = ['', 0]] = [...read].sort(([, one], [, other]) => other - one);
      const [table, rows] = most;
      expect(rows).to.be.greaterThan(postings);
      expect(rows / postings, table).to.be.lessThan(20);
    });
  }
});

describeOnDatabase('posting many deals into a small book', (engine) => {
  const DEALS = 5_000;
  const deals = (count: number) =>
    Array.from({ length: count }).flatMap(() => {
      const [borrower, lender] = [aParty('Borrower'), aParty('Lender')];
      const { deal, facility, contract, positions } = aLoan(borrower, [lender]);
      const amounts: [typeof lender | undefined, string][] = [
        [undefined, '100.00'],
        [lender, '100.00'],
      ];
      const accounts: ['PRINCIPAL_CASH', 'CASH_CLEARING'] = ['PRINCIPAL_CASH', 'CASH_CLEARING'];
      const postings = entry({ facility, contract }, accounts, amounts, { movement: 'advance' });
      const journal = aJournal(deal, 'advance', '2024-02-01', postings);
      return [borrower, lender, deal, facility, ...positions, contract, journal];
    });

  it('takes not much longer where the database has counted the few rows that there were', async () => {
    const secondsOf = async (counted: boolean) => {
      const database = await engine.open(MIGRATIONS);
      try {
        await database.transaction((transaction) => writeBook(transaction, deals(3)));
        if (counted) await database.execute('ANALYZE');
        const beganMs = performance.now();
        await database.transaction((transaction) => writeBook(transaction, deals(DEALS)));
        return (performance.now() - beganMs) / 1_000;
      } finally {
        await database.close();
      }
    };
    const fresh = await secondsOf(false);
    const counted = await secondsOf(true);
    expect(counted / fresh).to.be.lessThan(2.5);
  });
});

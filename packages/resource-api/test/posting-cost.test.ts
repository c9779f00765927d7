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

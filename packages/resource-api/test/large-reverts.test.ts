import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { revertImport } from '../src/import/sql/revert-import.ts';
import { importWorldBank, statement } from './support/book.ts';
import { rowsRead } from './support/cost.ts';

/** With fewer, PostgreSQL never thought of walking all postings in the order of their lines. */
const LOANS = 700;

describeOnDatabase('taking an import back', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await engine.open(MIGRATIONS);
  });
  afterEach(() => database?.close());

  it('reads postings by the number of its own, not the whole book for each of its journals', async () => {
    const loans = Array.from({ length: LOANS }, (_, index) => ({
      'Loan Number': `L${1_000 + index}`,
      'Original Principal Amount': '100',
      'Disbursed Amount': '60',
      'Undisbursed Amount': '40',
      'Due to IBRD': '60',
      "Borrower's Obligation": '60',
      'Loans Held': '100',
    }));
    const { importId = '' } = await importWorldBank(database, statement('03/31/2025', loans));
    const [posted] = await database.query<{ count: bigint }>('SELECT count(*) FROM posting');
    const postings = Number(posted?.count ?? 0n);
    expect(postings).to.be.greaterThan(LOANS);
    let read = 0;
    const watched: Database = {
      ...database,
      transaction: (work, options) =>
        database.transaction(async (transaction) => {
          const result = await work(transaction);
          read = (await rowsRead(transaction)).get('posting') ?? 0;
          return result;
        }, options),
    };
    const { outcome } = await revertImport(watched, importId, true);
    expect(outcome).to.equal('reverted');
    expect(read).to.be.greaterThan(postings);
    expect(read / postings).to.be.lessThan(20);
  });
});

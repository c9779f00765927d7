import { Random } from '@cls/book-generator/random';
import { sqlGeneratedBooks } from '@cls/book-generator/sql-generated-books';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { daysAfter } from '../src/ledger/business-date.ts';
import { reversalOf } from './support/any-order.ts';
import { date } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';
import { expectReconciled } from './support/reconciled.ts';

describeOnDatabase('books whose lenders do not fund pro rata', (engine) => {
  let database: Database;
  beforeEach(async () => {
    database = await engine.open(MIGRATIONS);
  });
  afterEach(() => database?.close());

  for (const seed of [1, 3]) {
    it(`have the balances that they must have, are billed and corrected, and reconcile (seed ${seed})`, async () => {
      const { records, answers } = generated({
        ...{ contracts: 12, years: 1, seed },
        ...{ sublimits: true, uneven: true },
      });
      const books = sqlGeneratedBooks(database);
      const { outcome, differing } = await books.write(records, () => answers, true);
      expect([outcome, differing]).to.deep.equal(['applied', []]);
      const random = new Random(seed);
      const journals = records.flatMap((one) => (one.object === 'journal' ? [one] : []));
      const reversed = new Set(journals.flatMap(({ reverses }) => reverses ?? []));
      const moves = journals.filter(
        ({ id, reverses, postings }) => !reverses && !reversed.has(id) && postings.length > 0,
      );
      for (const through of ['2024-05-01', '2024-08-01', '2024-11-01'].map(date)) {
        // What was billed is corrected: drawings, bills and commitments are taken back.
        const wrong = random.some(moves, 6).filter(({ id }) => !reversed.has(id));
        for (const { id } of wrong) reversed.add(id);
        await loadRecords(
          database,
          wrong.map((one) => ({ ...reversalOf(one), rates: [], terms: [], settlements: [] })),
        );
        await billAccruals(sqlBilling(database), {
          through,
          dueDate: daysAfter(through, 5),
          apply: true,
        });
      }
      await loadRecords(
        database,
        random
          .some(moves, 3)
          .filter(({ id }) => !reversed.has(id))
          .map((one) => ({ ...reversalOf(one), rates: [], terms: [], settlements: [] })),
      );
      await expectReconciled(database);
    });
  }
});

import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { importTape, MARCH, SYNDICATE } from '../support/lenders-statement.ts';

describeOnDatabase('two sources with the same loan numbers', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  it('are told by row, before anything is written', async () => {
    await importTape(database, MARCH, '2025-03-31');
    const document = { ...SYNDICATE, name: 'other', source: 'other' };
    const text = MARCH.replace('L4;', 'L9;');
    for (const apply of [false, true]) {
      const report = await importTape(database, text, '2025-03-31', { document, apply });
      expect([report.outcome, report.faultCount]).to.deep.equal(['refused', 3]);
      expect(report.faults[0]).to.deep.equal({
        row: 2,
        column: 'Loan',
        code: 'number_from_elsewhere',
        message:
          'the book has this number from the source syndicate, and not from other; if both are the same sender, declare that source',
        value: 'L1',
      });
    }
    const [row] = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM deal');
    expect(row?.n).to.equal(4);
  });
});

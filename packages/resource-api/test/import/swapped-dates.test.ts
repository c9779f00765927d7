import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import type { ImportProfileDocument } from '../../src/import/profile/profile.ts';
import { reportText } from '../../src/import/report/report-text.ts';
import { importTape } from '../support/lenders-statement.ts';

const document: ImportProfileDocument = {
  ...{ name: 'dates', title: 'With dates', source: 'dates', currency: 'EUR' },
  lender: { externalId: 'BANK', name: 'Bank' },
  columns: {
    ...{ loanNumber: ['Loan'], due: ['Balance'] },
    ...{ effectiveDate: ['Start'], maturityDate: ['End'] },
  },
};
const SLIP = 'two digits of a year may be read a century too early, as 1930 for 2030';

describeOnDatabase('loans that mature before they start', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  const reported = async (...rows: readonly string[]) => {
    const text = ['Loan,Balance,Start,End', ...rows, ''].join('\n');
    const report = await importTape(database, text, '2025-03-31', { document, apply: false });
    return { report, told: reportText(report).replaceAll(/\s+/g, ' ') };
  };
  const right = 'A,1.00,2020-01-31,2030-01-31';
  const slipped = ['B,1.00,2020-01-31,1930-05-31', 'C,1.00,2024-01-31,1974-01-31'];

  it('are counted with their rows; years that are all a century back are said to be that', async () => {
    const { report, told } = await reported(right, ...slipped);
    expect(report.outcome).to.equal('valid');
    const [found] = report.sanity;
    expect(found).to.deep.include({
      ...{ check: 'matures_before_start', severity: 'warning', count: 2, rows: [3, 4] },
      message: `a loan matures before it starts; ${SLIP}`,
      examples: ['row 3: from 2020-01-31 to 1930-05-31', 'row 4: from 2024-01-31 to 1974-01-31'],
    });
    expect(told).to.include('row 3: from 2020-01-31');
  });

  it('are not said to be a century back where one of them is not', async () => {
    const { report } = await reported(...slipped, 'D,1.00,2025-01-31,2020-01-31');
    const [found] = report.sanity;
    expect([found?.count, found?.message]).to.deep.equal([3, 'a loan matures before it starts']);
  });
});

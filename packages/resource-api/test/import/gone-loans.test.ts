import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import type { ImportProfileDocument } from '../../src/import/profile/profile.ts';
import { importTape, MARCH, SYNDICATE } from '../support/lenders-statement.ts';

const DRAWINGS: ImportProfileDocument = {
  name: 'drawings',
  title: 'Drawings of deals',
  source: 'drawings',
  currency: 'EUR',
  lender: { externalId: 'BANK', name: 'Bank' },
  columns: {
    dealNumber: ['Deal'],
    facilityNumber: ['Facility'],
    loanNumber: ['Drawing'],
    due: ['Balance'],
  },
};
const drawings = (...rows: readonly string[]) =>
  ['Deal,Facility,Drawing,Balance', ...rows, ''].join('\n');

describeOnDatabase('loans that a statement no longer has', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  it('are told with what they owe; those that were paid are not', async () => {
    await importTape(database, MARCH, '2025-03-31');
    const paid = MARCH.replace('77000.00', '0.00');
    await importTape(database, paid, '2025-04-30');
    const left = paid.split('\n').filter((line) => !/^L[24]/.test(line));
    const report = await importTape(database, left.join('\n'), '2025-05-31');
    const gone = report.changes.find(({ kind }) => kind === 'vanished');
    expect(gone?.changes).to.deep.equal([
      { loan: 'L2', field: 'due', before: '250000.50', after: '' },
    ]);
    expect(report.outstanding.map(({ currency, vanished }) => [currency, vanished])).to.deep.equal([
      ['EUR', '250000.50'],
      ['USD', '0.00'],
    ]);
  });

  it('that paid loans left out month by month do not make a refusal', async () => {
    const name = 'paid';
    const document = { ...SYNDICATE, name, source: name };
    const rows = (prefix: string, due: string) =>
      Array.from({ length: 60 }, (_, at) => `${prefix}${at};B;Bank;EUR;${due}`);
    const [header = ''] = MARCH.split('\n');
    const text = (prefix: string, due: string, live: string) =>
      [header, ...(due === '' ? [] : rows(prefix, due)), `${prefix}Q;B;Bank;EUR;${live}`, ''].join(
        '\n',
      );
    await importTape(database, text('P', '100.00', '5.00'), '2025-03-31', { document });
    await importTape(database, text('P', '0.00', '4.00'), '2025-04-30', { document });
    const report = await importTape(database, text('P', '', '3.00'), '2025-05-31', { document });
    expect([report.outcome, report.sanity]).to.deep.equal(['applied', []]);
    // The same loans, where they owe something.
    const other = { ...document, name: 'owing', source: 'owing' };
    await importTape(database, text('O', '100.00', '5.00'), '2025-03-31', { document: other });
    const refused = await importTape(database, text('O', '', '4.00'), '2025-04-30', {
      document: other,
    });
    expect(refused.outcome).to.equal('refused');
    expect(refused.sanity[0]).to.deep.include({
      check: 'many_loans_vanish',
      examples: ['60 of the 61 loans of the book'],
    });
  });

  it('are told for drawings of a deal that goes on', async () => {
    const document = DRAWINGS;
    await importTape(database, drawings('D1,F1,A,100.00', 'D1,F1,B,50.00'), '2025-03-31', {
      document,
    });
    const report = await importTape(
      database,
      drawings('D1,F1,B,50.00', 'D1,F1,C,100.00'),
      '2025-04-30',
      {
        document,
      },
    );
    expect(report.changes.find(({ kind }) => kind === 'vanished')?.changes).to.deep.equal([
      { loan: 'D1/F1/A', field: 'due', before: '100.00', after: '' },
    ]);
    expect(report.outstanding[0]).to.deep.include({
      ...{ before: '50.00', drawn: '100.00', after: '150.00', vanished: '100.00' },
    });
    expect(report.largest).to.deep.equal([
      { loan: 'D1', currency: 'EUR', before: '50.00', after: '150.00' },
    ]);
  });
});

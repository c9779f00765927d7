import { newId } from '@cls/shared/new-id';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import type { ImportReport } from '../../src/import/import-report.ts';
import type { ImportProfileDocument } from '../../src/import/profile/profile.ts';
import { reportText } from '../../src/import/report/report-text.ts';
import { sqlBook } from '../../src/import/sql/sql-book.ts';
import { importJournals } from '../../src/journal-file/import-journals.ts';
import { sqlJournals } from '../../src/journal-file/sql/sql-journals.ts';
import { NO_FILTER } from '../../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../../src/questions/sql-balance-store.ts';
import { date, textSource } from '../support/book.ts';
import { fileOf, linesFrom } from '../support/journal-lines.ts';
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

  it('refuse a file whose new loans are far more, whether it is applied or looked at', async () => {
    const document = { ...DRAWINGS, name: 'replaced', source: 'replaced' };
    const rows = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${prefix}${at},F,A,5.00`);
    await importTape(database, drawings(...rows('OLD', 40)), '2025-03-31', { document });
    for (const apply of [false, true]) {
      const request = { document, apply };
      const april = drawings(...rows('NEW', 500));
      const report = await importTape(database, april, '2025-04-30', request);
      expect(report.outcome, `${apply}`).to.equal('refused');
      expect(report.sanity[0]).to.deep.include({
        check: 'many_loans_vanish',
        examples: ['40 of the 40 loans of the book'],
      });
    }
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
      ...{
        before: '150.00',
        drawn: '100.00',
        after: '250.00',
        vanished: '100.00',
        stated: '150.00',
      },
    });
    expect(report.largest).to.deep.equal([
      { loan: 'D1/F1', currency: 'EUR', before: '50.00', after: '150.00' },
    ]);
  });

  it('are told with what can still be drawn where they owe nothing, whatever their status', async () => {
    const document: ImportProfileDocument = {
      ...{ name: 'limits', title: 'Limits', source: 'limits', currency: 'EUR' },
      lender: { externalId: 'BANK', name: 'Bank' },
      derive: { undisbursed: 'limit - due' },
      statuses: {
        live: ['active', 'active', 'active'],
        over: ['matured', 'matured', 'repaid'],
      },
      columns: { loanNumber: ['Loan'], status: ['Status'], limit: ['Limit'], due: ['Balance'] },
    };
    const text = (...rows: readonly string[]) =>
      ['Loan,Status,Limit,Balance', ...rows, ''].join('\n');
    const [kept, gone] = ['A,live,100.00,60.00', 'B,over,80.00,0.00'];
    await importTape(database, text(kept, gone), '2025-03-31', { document });
    const report = await importTape(database, text(kept), '2025-04-30', { document });
    expect(report.changes.find(({ kind }) => kind === 'vanished')?.changes).to.deep.equal([
      { loan: 'B', field: 'undisbursed', before: '80.00', after: '' },
    ]);
    expect(reportText(report)).to.contain('B 80.00 undrawn');
  });

  it('are told for a facility of a deal that goes on, of which nothing was drawn', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'facilities', source: 'facilities' },
      columns: { ...DRAWINGS.columns, limit: ['Limit'] },
      derive: { undisbursed: 'limit - due' },
    };
    const text = (...rows: readonly string[]) =>
      ['Deal,Facility,Drawing,Balance,Limit', ...rows, ''].join('\n');
    const rows = ['V1,F1,A,5.00,9.00', 'V1,F2,,0.00,70.00', 'V1,F3,A,0.00,40.00'];
    await importTape(database, text(...rows), '2025-03-31', { document });
    const report = await importTape(database, text(...rows.slice(0, 1)), '2025-04-30', {
      document,
    });
    expect(report.changes.map(({ kind }) => kind)).to.deep.equal(['vanished']);
    expect(report.changes[0]?.changes).to.deep.equal([
      { loan: 'V1/F2', field: 'undisbursed', before: '70.00', after: '' },
      { loan: 'V1/F3', field: 'undisbursed', before: '40.00', after: '' },
    ]);
  });

  it('that moved to another facility are refused until somebody says they are others', async () => {
    const document = { ...DRAWINGS, name: 'moved', source: 'moved' };
    const march = drawings('M1,F1,A,100.00', 'M1,F2,B,50.00');
    await importTape(database, march, '2025-03-31', { document });
    const april = drawings('M1,F2,A,100.00', 'M1,F2,B,50.00');
    const refused = await importTape(database, april, '2025-04-30', { document });
    expect(refused.faults).to.deep.equal([]);
    expect(refused.outcome).to.equal('refused');
    expect(refused.sanity[0]).to.deep.include({
      ...{ check: 'drawing_moved', severity: 'refused', count: 1, rows: [2] },
      message:
        'a drawing is in another facility than in the book, which keeps it in the old one too: its amount counts twice',
    });
    const accept = { drawing_moved: 'another drawing A' };
    const accepted = await importTape(database, april, '2025-04-30', { document, accept });
    expect(accepted.outcome).to.equal('applied');
    await sqlBook(database).revert(accepted.importId ?? '', true);
    const again = await importTape(database, april, '2025-04-30', { document });
    expect([again.outcome, again.sanity]).to.deep.equal(['refused', refused.sanity]);
  });

  it('that moved whole to another facility are refused where facilities are deals of their own', async () => {
    const { dealNumber: _, ...columns } = DRAWINGS.columns;
    const document = { ...DRAWINGS, name: 'facility', source: 'facility', columns };
    const text = (...rows: readonly string[]) =>
      ['Facility,Drawing,Balance', ...rows, ''].join('\n');
    const march = text('F1,A,100.00', 'F1,B,7.00', 'F2,C,50.00', 'F3,D,60.00', 'F3,E,1.00');
    await importTape(database, march, '2025-03-31', { document });
    // A and D are in F2 now, while F3 is gone; B is another one, of another amount.
    const april = text('F1,E,9.00', 'F2,A,100.00', 'F2,C,50.00', 'F2,D,60.00', 'F4,B,3.00');
    const refused = await importTape(database, april, '2025-04-30', { document });
    expect(refused.outcome).to.equal('refused');
    expect(refused.sanity.map(({ check, rows }) => [check, rows])).to.deep.equal([
      ['drawing_moved', [3, 5]],
    ]);
  });

  it('make no sign that the statement is an old one', async () => {
    const document = { ...DRAWINGS, name: 'quiet', source: 'quiet' };
    const rows = Array.from({ length: 20 }, (_, at) => `Q${at},F,A,100.00`);
    await importTape(database, drawings(...rows), '2025-03-31', { document });
    const checksOf = async (given: readonly string[], asOf: string) =>
      (await importTape(database, drawings(...given), asOf, { document, apply: false })).sanity.map(
        ({ check }) => check,
      );
    expect(await checksOf([...rows].reverse(), '2025-04-30')).to.deep.equal(['same_as_before']);
    expect(await checksOf(rows.slice(1), '2025-04-30')).to.deep.equal([]);
  });
});

describeOnDatabase('a statement beside the one before', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  const checksOf = ({ sanity }: ImportReport) =>
    sanity.map(({ check, severity }) => [check, severity]);

  it('is refused for another date if it is the same file, and taken with a reason', async () => {
    await importTape(database, MARCH, '2025-03-31');
    const again = await importTape(database, MARCH, '2025-03-31');
    expect(again.outcome).to.equal('applied_before');
    const refused = await importTape(database, MARCH, '2025-04-30');
    expect([refused.outcome, refused.asOf, checksOf(refused)]).to.deep.equal([
      'refused',
      '2025-04-30',
      [['same_file_as_before', 'refused']],
    ]);
    expect(refused.sanity[0]?.examples).to.deep.equal(['the statement of 2025-03-31']);
    const accept = { same_file_as_before: 'nothing changed in April' };
    const taken = await importTape(database, MARCH, '2025-04-30', { accept });
    expect([taken.outcome, taken.journals]).to.deep.equal(['applied', 0]);
    const older = await importTape(database, MARCH, '2025-03-31');
    expect(older.outcome, 'both stand').to.equal('applied_before');
  });

  it('is taken for each date of a file that has several', async () => {
    const { columns } = DRAWINGS;
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'dates', source: 'dates', asOfRows: 'only' },
      columns: { ...columns, asOf: ['Date'] },
    };
    const rows = ['2025-03-31,Y,F,A,10.00', '2025-04-30,Y,F,A,15.00'];
    const text = ['Date,Deal,Facility,Drawing,Balance', ...rows, ''].join('\n');
    const march = await importTape(database, text, '2025-03-31', { document });
    const april = await importTape(database, text, '2025-04-30', { document });
    expect([march.outcome, april.outcome, april.sanity]).to.deep.equal(['applied', 'applied', []]);
    expect(april.outstanding[0]).to.include({ before: '10.00', drawn: '5.00', after: '15.00' });
  });

  it('is refused where a balance turned its sign, and taken where a borrower paid a little too much', async () => {
    const document = { ...DRAWINGS, name: 'signs', source: 'signs' };
    const march = drawings('D,F,A,100.00', 'D,G,B,100.00', 'D,H,C,0.01');
    await importTape(database, march, '2025-03-31', { document });
    const turned = drawings('D,H,C,0.01', 'D,F,A,-100.00', 'D,F,E,900.00', 'D,G,B,-2.00');
    const refused = await importTape(database, turned, '2025-04-30', { document });
    expect(refused.outcome).to.equal('refused');
    expect(refused.sanity).to.have.length(1);
    expect(refused.sanity[0]).to.include({ check: 'sign_turned', count: 1 });
    expect(refused.sanity[0]?.rows).to.deep.equal([3]);
    const little = drawings('D,F,A,90.00', 'D,G,B,-2.00', 'D,H,C,-0.01');
    const taken = await importTape(database, little, '2025-04-30', { document });
    expect([taken.outcome, taken.sanity]).to.deep.equal(['applied', []]);
  });

  it('takes a loan that one lender has alone from now on for sold to it, and not for drawn', async () => {
    const name = 'alone';
    const amounts = { due: ['Balance'], disbursed: ['Drawn'], repaid: ['Repaid'] };
    const rowsOf = (of: string, ...rows: readonly string[]) =>
      [`Loan,${of}Balance,Drawn,Repaid`, ...rows, ''].join('\n');
    const ofRows: ImportProfileDocument = {
      ...{ ...DRAWINGS, name, source: name, rowIs: 'lender' },
      columns: { loanNumber: ['Loan'], lender: ['Lender'], ...amounts },
    };
    const parts = ['S1,Alpha,60.00,60.00,0', 'S1,Beta,40.00,40.00,0'];
    await importTape(database, rowsOf('Lender,', ...parts), '2025-03-31', { document: ofRows });
    const whole = rowsOf('Lender,', 'S1,Alpha,100.00,100.00,0');
    const sold = await importTape(database, whole, '2025-04-30', { document: ofRows });
    const columns = { loanNumber: ['Loan'], lender: ['Lender'], share: ['Share'] };
    const ofShares: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'shared', source: 'shared', shares: { columns, unit: 'percent' } },
      columns: { loanNumber: ['Loan'], ...amounts },
    };
    const text = rowsOf('', 'S2,100.00,100.00,0', 'S3,1.00,1.00,0');
    const sharesOf = (...rows: readonly string[]) =>
      textSource(['Loan,Lender,Share', ...rows, ''].join('\n'));
    const [before, after] = [['S2,Bank,60', 'S2,Beta,40'], ['S3,Bank,100']].map(
      (rows) => ({ document: ofShares, shares: sharesOf(...(rows ?? [])) }) as const,
    );
    await importTape(database, text, '2025-03-31', before);
    const back = await importTape(database, text, '2025-04-30', after);
    for (const [loan, { changes }] of [
      ['S1', sold],
      ['S2', back],
    ] as const) {
      expect(changes.map((one) => [one.kind, one.changes])).to.deep.equal([
        ['transferred', [{ loan, field: 'transferred', before: '', after: '40.00' }]],
      ]);
    }
    const posted = await database.query(
      `SELECT DISTINCT j.type FROM journal j JOIN deal d ON d.key = j.deal_key
       WHERE d.deal_number IN ('S1', 'S2') AND j.effective_date = '2025-04-30'`,
    );
    expect(posted).to.deep.equal([{ type: 'transfer' }]);
  });

  it('tells a commitment that was sold before anything of it was drawn', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'undrawn', source: 'undrawn', rowIs: 'lender' },
      derive: { undisbursed: 'limit - due' },
      columns: {
        ...{ loanNumber: ['Loan'], lender: ['Lender'], due: ['Balance'], limit: ['Limit'] },
      },
    };
    const rowsOf = (...rows: readonly string[]) =>
      ['Loan,Lender,Balance,Limit', ...rows, ''].join('\n');
    const march = rowsOf('U1,Alpha,0.00,100.00', 'U1,Beta,0.00,20.00');
    await importTape(database, march, '2025-03-31', { document });
    const april = rowsOf('U1,Alpha,0.00,40.00', 'U1,Beta,0.00,80.00');
    const { changes } = await importTape(database, april, '2025-04-30', { document });
    expect(changes.map((one) => [one.kind, one.changes])).to.deep.equal([
      ['transferred', [{ loan: 'U1', field: 'limit', before: '', after: '60.00' }]],
    ]);
  });

  it('adds a facility to a deal that a file of journals has without one', async () => {
    const name = 'bare';
    const document = { ...DRAWINGS, name, source: name };
    const number = { source: name, value: 'BARE' };
    const party = { object: 'party', id: newId('pty'), name: 'Bare AG', externalIds: [] };
    const id = newId('deal');
    const records = [
      party,
      {
        ...{ object: 'deal', id, name: 'Bare', dealNumber: 'BARE', borrower: party.id },
        ...{ agent: party.id, country: 'DE', status: 'active', externalIds: [number] },
      },
      {
        ...{ object: 'journal', id: newId('jrn'), deal: id, type: 'terms', postings: [] },
        ...{ effectiveDate: '2025-03-01', idempotencyKey: 'bare' },
        terms: [{ deal: id, status: 'pending' }],
      },
    ];
    const lines = linesFrom(fileOf(records));
    const added = await importJournals(sqlJournals(database), { lines, apply: true });
    expect(added.faults).to.deep.equal([]);
    const report = await importTape(database, drawings('BARE,F,A,10.00'), '2025-03-31', {
      document,
    });
    expect([report.outcome, report.newLoans]).to.deep.equal(['applied', 0]);
    const [deal] = await database.query(
      'SELECT count(*)::int AS n FROM facility f JOIN deal d ON d.key = f.deal_key WHERE d.id = $1',
      [id],
    );
    expect(deal).to.deep.equal({ n: 1 });
  });

  it('keeps a country that it does not have', async () => {
    const name = 'countries';
    const document = { ...DRAWINGS, name, source: name };
    const withCountry: ImportProfileDocument = {
      ...document,
      columns: { ...DRAWINGS.columns, countryCode: ['Country'] },
    };
    const march = 'Deal,Facility,Drawing,Balance,Country\nCO,F,A,10.00,DE\n';
    await importTape(database, march, '2025-03-31', { document: withCountry });
    const april = drawings('CO,F,A,9.00');
    const { changes } = await importTape(database, april, '2025-04-30', { document });
    expect(changes.map(({ kind }) => kind)).to.deep.equal(['repaid']);
  });

  it('tells drawings that together are above the limit of their facility', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'above', source: 'above', derive: { undisbursed: 'limit - due' } },
      columns: { ...DRAWINGS.columns, limit: ['Limit'] },
    };
    const rows = ['AB,F,A,60.00,100.00', 'AB,F,B,60.00,100.00', 'AB,G,A,60.00,100.00'];
    const text = ['Deal,Facility,Drawing,Balance,Limit', ...rows, ''].join('\n');
    const { sanity } = await importTape(database, text, '2025-03-31', { document });
    expect(
      sanity.map(({ check, severity, count, rows }) => [check, severity, count, rows]),
    ).to.deep.equal([['balance_beyond_limit', 'warning', 1, [2]]]);
  });

  it('names the column of the numbers that differ in upper and lower case alone', async () => {
    const document = { ...DRAWINGS, name: 'cases', source: 'cases' };
    const text = drawings('Ca1,F,A,10.00', 'CA1,F,A,10.00');
    const { warnings } = await importTape(database, text, '2025-03-31', { document });
    expect(warnings.map(({ column, value }) => [column, value])).to.deep.equal([['Deal', 'CA1']]);
  });

  it('leaves the names and terms of a facility that a file of journals added', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'sides', source: 'sides' },
      columns: { loanNumber: ['Loan'], name: ['Name'], due: ['Balance'], maturityDate: ['End'] },
    };
    const text = (due: string) => `Loan,Name,Balance,End\nSIDE,Term loan,${due},2030-01-01\n`;
    await importTape(database, text('5.00'), '2025-03-31', { document });
    const [deal] = await database.query<{ id: string; lender: string }>(
      `SELECT d.id, y.id AS lender FROM deal d JOIN party y ON y.key = d.agent_key
       WHERE d.deal_number = 'SIDE'`,
    );
    const { id = '', lender = '' } = deal ?? {};
    const facility = newId('fac');
    const entry = (account: string, amount: string) =>
      [{}, { lender }].map((of) => ({ facility, ...of, account, currency: 'EUR', amount }));
    const records = [
      {
        ...{ object: 'facility', id: facility, deal: id, name: 'Side facility', type: 'revolver' },
        ...{ currency: 'EUR', dayCount: 'ACT/360', status: 'active', maturityDate: '2028-01-01' },
        ...{ pikUsesCommitment: false, externalIds: [] },
      },
      { object: 'position', id: newId('pos'), facility, lender, kind: 'assignment' },
      {
        ...{ object: 'journal', id: newId('jrn'), deal: id, type: 'original_commitment' },
        ...{ effectiveDate: '2025-04-01', idempotencyKey: 'side facility' },
        postings: [
          ...entry('ORIGINAL_COMMITMENT', '9.00'),
          ...entry('UNFUNDED', '9.00'),
          ...entry('MEMO', '-18.00'),
        ],
      },
    ];
    const lines = linesFrom(fileOf(records));
    const added = await importJournals(sqlJournals(database), { lines, apply: true });
    expect(added.outcome).to.equal('applied');
    const report = await importTape(database, text('6.00'), '2025-04-30', { document });
    expect(report.changes.map(({ kind, changes }) => [kind, changes])).to.deep.equal([
      ['vanished', [{ loan: 'SIDE', field: 'undisbursed', before: '9.00', after: '' }]],
      ['drawn', [{ loan: 'SIDE', field: 'due', before: '5.00', after: '6.00' }]],
    ]);
    const facts = await database.query(
      `SELECT FROM facility f LEFT JOIN facility_terms t ON t.facility_key = f.key
       LEFT JOIN facility_details d ON d.facility_key = f.key
       WHERE f.id = $1 AND (t.facility_key IS NOT NULL OR d.facility_key IS NOT NULL)`,
      [facility],
    );
    expect(facts).to.have.length(0);
  });

  it('tells what is drawn, and what can be drawn, of a new facility of a deal', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'added', source: 'added' },
      columns: { ...DRAWINGS.columns, limit: ['Limit'] },
      derive: { undisbursed: 'limit - due' },
    };
    const text = (...rows: readonly string[]) =>
      ['Deal,Facility,Drawing,Balance,Limit', ...rows, ''].join('\n');
    const rows = Array.from({ length: 12 }, (_, at) => `E${at},F1,A,5.00,9.00`);
    await importTape(database, text(...rows), '2025-03-31', { document });
    const april = text(...rows, 'E1,F2,B,60.00,100.00');
    const report = await importTape(database, april, '2025-04-30', { document });
    expect(report.sanity).to.deep.equal([]);
    expect(report.changes.map(({ kind, changes }) => [kind, changes])).to.deep.equal([
      ['drawn', [{ loan: 'E1/F2/B', field: 'due', before: '0.00', after: '60.00' }]],
      ['limit_changed', [{ loan: 'E1/F2', field: 'limit', before: '0.00', after: '100.00' }]],
    ]);
  });

  it('with a facility that is called as an earlier deal is refused by row', async () => {
    const document = { ...DRAWINGS, name: 'slashes', source: 'slashes' };
    await importTape(database, drawings('A/B,F,1,10.00', 'C,F,1,10.00'), '2025-03-31', {
      document,
    });
    const clashing = drawings('A,B,1,5.00', 'C/F,G,1,5.00');
    const { faults } = await importTape(database, clashing, '2025-04-30', { document });
    const message =
      'expected another number: earlier statements of the source called another deal or facility so';
    const column = 'deal and facility number';
    expect(faults).to.deep.equal([
      { row: 2, column, code: 'same_reference', message, value: 'A/B' },
      { row: 3, column, code: 'same_reference', message, value: 'C/F' },
    ]);
  });

  it('tells an agent that changed, which the book keeps, and a rate as a percentage', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'agents', source: 'agents', rateUnit: 'percent' },
      columns: { ...DRAWINGS.columns, agent: ['Agent'], rate: ['Rate'] },
    };
    const text = (agent: string, rate: string) =>
      `Deal,Facility,Drawing,Balance,Agent,Rate\nX,F,A,10.00,${agent},${rate}\n`;
    await importTape(database, text('First Bank', '4.75'), '2025-03-31', { document });
    const report = await importTape(database, text('Other Bank', '5'), '2025-04-30', { document });
    expect(report.changes.find(({ kind }) => kind === 'kept_as_booked')?.changes).to.deep.equal([
      { loan: 'X', field: 'agent', before: 'First Bank', after: 'Other Bank' },
    ]);
    const shown = reportText(report).replaceAll(/\s+/g, ' ');
    expect(shown).to.contain('X/F/A rate 4.75 % → 5 %');
  });

  it('tells what was cancelled, and an exchange adjustment that changed', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'cancelled', source: 'cancelled' },
      columns: {
        ...{ loanNumber: ['Loan'], originalPrincipal: ['Original'], cancelled: ['Cancelled'] },
        ...{ due: ['Balance'], exchangeAdjustment: ['Exchange'] },
      },
    };
    const text = (cancelled: string, exchange: string) => {
      const rows = Array.from(
        { length: 12 },
        (_, at) =>
          `CX${at},100.00,${at === 0 ? cancelled : '0'},60.00,${at === 1 ? exchange : '0'}`,
      );
      return ['Loan,Original,Cancelled,Balance,Exchange', ...rows, ''].join('\n');
    };
    await importTape(database, text('0', '0'), '2025-03-31', { document });
    const report = await importTape(database, text('5.00', '-1.00'), '2025-04-30', { document });
    expect(report.sanity).to.deep.equal([]);
    expect(report.changes.map(({ kind, changes }) => [kind, changes])).to.deep.equal([
      ['cancelled', [{ loan: 'CX0', field: 'cancelled', before: '0.00', after: '5.00' }]],
      ['revalued', [{ loan: 'CX1', field: 'exchangeAdjustment', before: '0.00', after: '-1.00' }]],
    ]);
    expect(report.journals).to.equal(2);
  });

  it('tells a maturity and a status that change for a facility alone', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'terms', source: 'terms' },
      columns: {
        ...{ ...DRAWINGS.columns, limit: ['Limit'], maturityDate: ['End'], status: ['Status'] },
      },
      derive: { undisbursed: 'limit - due' },
      statuses: {
        live: ['active', 'active', 'active'],
        over: ['active', 'terminated', 'repaid'],
      },
    };
    const text = (...rows: readonly string[]) =>
      ['Deal,Facility,Drawing,Balance,Limit,End,Status', ...rows, ''].join('\n');
    const drawn = 'Y1,G,A,5.00,90.00,2030-01-01,live';
    const march = text('Y1,F,,0.00,70.00,2030-01-01,live', drawn);
    await importTape(database, march, '2025-03-31', { document });
    const april = text(
      'Y1,F,,0.00,70.00,2035-01-01,over',
      drawn,
      'Y1,G,B,0.00,90.00,2032-01-01,live',
    );
    const report = await importTape(database, april, '2025-04-30', { document });
    expect(report.changes.map(({ kind, changes }) => [kind, changes])).to.deep.equal([
      [
        'terms_changed',
        [
          { loan: 'Y1/F', field: 'status', before: 'active/active', after: 'active/terminated' },
          { loan: 'Y1/F', field: 'maturityDate', before: '2030-01-01', after: '2035-01-01' },
          { loan: 'Y1/G', field: 'maturityDate', before: '2030-01-01', after: '2032-01-01' },
        ],
      ],
    ]);
  });

  it('tells a facility type that changed, which the book keeps', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'types', source: 'types' },
      facilityTypes: { RCF: 'revolver', '*': 'term_loan' },
      columns: { ...DRAWINGS.columns, loanType: ['Type'] },
    };
    const text = (type: string) =>
      `Deal,Facility,Drawing,Balance,Type\nT9,F,A,10.00,${type}\nT9,G,B,20.00,Term\n`;
    await importTape(database, text('RCF'), '2025-03-31', { document });
    const report = await importTape(database, text('Term'), '2025-04-30', { document });
    expect(report.changes.map(({ kind, changes }) => [kind, changes])).to.deep.equal([
      [
        'kept_as_booked',
        [{ loan: 'T9/F', field: 'facilityType', before: 'revolver', after: 'term_loan' }],
      ],
    ]);
  });

  it('tells a facility type that the book keeps of an import that was taken back', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'again', source: 'again' },
      facilityTypes: { RCF: 'revolver', '*': 'term_loan' },
      columns: { ...DRAWINGS.columns, loanType: ['Type'] },
    };
    const text = (type: string) => `Deal,Facility,Drawing,Balance,Type\nK9,F,A,10.00,${type}\n`;
    const wrong = await importTape(database, text('Term'), '2025-03-31', { document });
    await sqlBook(database).revert(wrong.importId ?? '', true);
    const report = await importTape(database, text('RCF'), '2025-03-31', { document });
    expect(report.changes.map(({ kind, changes }) => [kind, changes])).to.deep.equal([
      ['new_loan', [{ loan: 'K9', field: '', before: '', after: '' }]],
      [
        'kept_as_booked',
        [{ loan: 'K9/F', field: 'facilityType', before: 'term_loan', after: 'revolver' }],
      ],
    ]);
  });

  it('keeps nothing of a facility and a drawing whose import was taken back', async () => {
    const document: ImportProfileDocument = {
      ...{ ...DRAWINGS, name: 'forgotten', source: 'forgotten' },
      columns: {
        ...{ ...DRAWINGS.columns, facilityName: ['Name'] },
        ...{ maturityDate: ['End'], rate: ['Rate'] },
      },
    };
    const text = (...rows: readonly string[]) =>
      ['Deal,Facility,Drawing,Balance,Name,End,Rate', ...rows, ''].join('\n');
    const march = 'FG,F,A,10.00,First,2030-01-01,0.05';
    await importTape(database, text(march), '2025-03-31', { document });
    const rows = ['FG,F,B,3.00,First,2044-01-01,0.09', 'FG,G,A,7.00,Wrong,2044-01-01,0.09'];
    const wrong = await importTape(database, text(march, ...rows), '2025-04-30', { document });
    await sqlBook(database).revert(wrong.importId ?? '', true);
    const right = text(march, 'FG,F,B,3.00,First,,', 'FG,G,A,7.00,,,');
    const report = await importTape(database, right, '2025-04-30', { document });
    expect(report.changes.map(({ kind }) => kind)).to.deep.equal(['drawn']);
    const { items } = await sqlBalanceStore(database).page(
      { fullControl: true },
      {
        ...{ level: 'contract', filter: { ...NO_FILTER, search: 'FG' }, sort: undefined },
        snapshot: { asOf: date('2025-04-30'), ledgerSeq: 9_000_000_000_000n },
        ...{ after: undefined, limit: 10 },
      },
    );
    expect(
      items.map(({ facility, contract }) => [
        ...[facility?.name, contract?.contractNumber, contract?.maturityDate],
      ]),
    ).to.deep.equal([
      ['First', 'A', '2030-01-01'],
      ['First', 'B', null],
      ['G', 'A', null],
    ]);
    // What stands now is what empty cells keep.
    const may = text(march, 'FG,F,B,3.00,First,2029-01-01,', 'FG,G,A,7.00,Term,,');
    await importTape(database, may, '2025-05-31', { document });
    const june = text(march, 'FG,F,B,2.00,First,,', 'FG,G,A,6.00,,,');
    const { changes } = await importTape(database, june, '2025-06-30', { document });
    expect(changes.map(({ kind }) => kind)).to.deep.equal(['repaid']);
  });

  it('tells a date above its header that is not the one it is imported for', async () => {
    const document = { ...DRAWINGS, name: 'titles', source: 'titles', headerRow: 3 };
    const warningsFor = async (title: string, asOf: string) => {
      const text = `${title}\n\n${drawings('T1,F,A,100.00')}`;
      const { warnings } = await importTape(database, text, asOf, { document, apply: false });
      return warnings.map(({ row, code, message }) => `${row} ${code}: ${message}`);
    };
    const said =
      '1 other_date_in_title: the title says 2025-03-31, and the statement is imported for 2025-04-30: one of them may be mistyped';
    for (const title of [
      'Stichtag: 31.03.2025',
      'Loans as of March 31 2025 (EUR)',
      '"As of March 31, 2025"',
      'Position 2025-03-31',
      'Stand 31. März 2025',
    ]) {
      expect(await warningsFor(title, '2025-04-30'), title).to.deep.equal([said]);
      expect(await warningsFor(title, '2025-03-31'), title).to.deep.equal([]);
    }
    const withTotals = { ...document, totalsRow: 'Total' };
    const text = `Stichtag 31.03.2025\n\n${drawings('T1,F,A,100.00', 'Total,,,100.00')}`;
    const options = { document: withTotals, apply: false };
    const { warnings } = await importTape(database, text, '2025-04-30', options);
    expect(warnings.map(({ code }) => code)).to.deep.equal(['other_date_in_title']);
    const { faults } = await importTape(database, text, '2025-04-30', {
      ...options,
      asOf: undefined,
    });
    expect(faults.map(({ message }) => message)).to.deep.equal([
      'the file has no column for the date: give it with --as-of, over HTTP with asOf; row 1 says “Stichtag 31.03.2025”',
    ]);
    const printed = 'Stichtag 31.03.2025, gedruckt am 02.04.2025';
    expect(await warningsFor(printed, '2025-03-31')).to.deep.equal([]);
    expect(await warningsFor('Bericht 17 von 2025', '2025-03-31')).to.deep.equal([]);
  });
});

import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { importWorldBank, statement } from './support/book.ts';

const NAME = 'Fundación Río Claro';
const PROJECT = 'Línea de Transmisión';

const loanOf = (borrower: string, project = PROJECT) => ({
  ...{ 'Loan Number': 'FX1', Borrower: borrower, 'Project Name': project },
  ...{ 'Original Principal Amount': '100', 'Undisbursed Amount': '100', 'Loans Held': '100' },
});

/** Statements write the same name in several forms: it is one party, shown as it was written first. */
describeOnDatabase('names in statements', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    const report = await importWorldBank(database, statement('01/31/2025', [loanOf(NAME)]));
    expect(report.outcome).to.equal('applied');
  });
  after(() => database?.close());

  const shown = async () => {
    const [row] = await database.query<{ names: string[]; deal: string }>(
      `SELECT array_agg(name) AS names, (SELECT name FROM deal) AS deal FROM party
       WHERE lower(name) LIKE 'fund%'`,
    );
    return [row?.deal, row?.names];
  };

  for (const [form, day, borrower, project] of [
    ['in NFD', '02/28/2025', NAME.normalize('NFD'), PROJECT.normalize('NFD')],
    ['in capitals', '03/31/2025', NAME.toUpperCase(), PROJECT.toLowerCase()],
    ['with other spaces', '04/30/2025', `${NAME.replace(' ', '  ')}`, `${PROJECT}\u00a0`],
  ] as const) {
    it(`${form} change nothing`, async () => {
      const report = await importWorldBank(database, statement(day, [loanOf(borrower, project)]));
      expect([report.outcome, report.changes, report.journals]).to.deep.equal(['applied', [], 0]);
      expect(await shown()).to.deep.equal([PROJECT, [NAME]]);
    });
  }

  it('are the same where a former release kept the name as it was written', async () => {
    await database.execute(`UPDATE external_id SET value = 'party:IN:${NAME}'
      WHERE value LIKE 'party:%' AND entity_id IN (SELECT id FROM party WHERE name = '${NAME}')`);
    const rows = [
      loanOf(NAME.normalize('NFD')),
      { ...loanOf(NAME.toUpperCase()), 'Loan Number': 'FX2' },
    ];
    const report = await importWorldBank(database, statement('05/31/2025', rows));
    expect([report.outcome, report.newLoans]).to.deep.equal(['applied', 1]);
    const [row] = await database.query<{ borrowers: number }>(
      'SELECT count(DISTINCT borrower_key)::int AS borrowers FROM deal',
    );
    expect(row?.borrowers).to.equal(1);
  });

  it('of other letters are other parties', async () => {
    const report = await importWorldBank(
      database,
      statement('06/30/2025', [
        loanOf('Fundacion Rio Claro'),
        { ...loanOf(NAME), 'Loan Number': 'FX2' },
      ]),
    );
    expect(report.changes.map(({ kind }) => kind)).to.deep.equal(['details_changed']);
  });
});

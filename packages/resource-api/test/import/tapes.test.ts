import { fileURLToPath } from 'node:url';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { openStatementFile } from '../../src/cli/open-statement-file.ts';
import { readProfile } from '../../src/cli/read-profile.ts';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { importStatement } from '../../src/import/import-statement.ts';
import { sqlBook } from '../../src/import/sql/sql-book.ts';
import { alone } from '../support/alone.ts';
import { date } from '../support/book.ts';
import { loansOf } from '../support/loans-of-source.ts';
import { expectReconciled } from '../support/reconciled.ts';

const TAPES = new URL('../../../test/fixtures/tapes/', import.meta.url);

interface Tape {
  /** Where the file does not say its date, or has several. */
  readonly asOf?: string;
  readonly shares?: string;
  /** Of the statement. */
  readonly day?: string;
  readonly loans?: number;
  /** Outstanding principal by currency, as README.md beside the files has it. */
  readonly totals?: Readonly<Record<string, string>>;
  readonly refused?: readonly string[];
}

const LOADED: Readonly<Record<string, Tape>> = {
  'ibrd.csv': { day: '2025-05-31', loans: 6, totals: { USD: '266090854.11' } },
  'ibrd-spreadsheet.csv': { day: '2024-04-30', loans: 6, totals: { USD: '266090854.10' } },
  'ida.csv': { day: '2024-07-31', loans: 6, totals: { USD: '167291665.84' } },
  'sba-7a.csv': { asOf: '2017-11-13', loans: 5, totals: { USD: '13412.00' } },
  'freddie-mac-performance.csv': { day: '2025-03-31', loans: 6, totals: { USD: '937237.70' } },
  'crefc-loan-periodic.csv': { day: '2018-01-17', loans: 5, totals: { USD: '203902648.94' } },
  'cmbs-schedule-al.csv': { day: '2026-03-11', loans: 5, totals: { USD: '177458304.76' } },
  'esma-annex-5.csv': { day: '2025-03-31', loans: 5, totals: { EUR: '111843.70' } },
  'bndes.csv': { asOf: '2025-03-31', loans: 5, totals: { BRL: '142415568.92' } },
  'lendingclub.csv': { asOf: '2019-03-31', loans: 5, totals: { USD: '29950.49' } },
  'pacta-loan-book.csv': {
    asOf: '2025-03-31',
    loans: 6,
    totals: { EUR: '1042628.00', USD: '498297.00' },
  },
  'kiva.csv': { asOf: '2017-01-31', loans: 5, totals: { USD: '3675.50' } },
  'french-municipal-debt.csv': { asOf: '2024-12-31', loans: 5, totals: { EUR: '6396667.15' } },
  'spanish-bank.csv': {
    asOf: '2025-03-31',
    loans: 5,
    totals: { EUR: '1484055.48', USD: '11000250.10' },
  },
  'syndicate-positions.csv': {
    asOf: '2025-03-31',
    loans: 3,
    totals: { EUR: '88000000.00', USD: '45000000.00' },
  },
  'sec-fund-investments.csv': { asOf: '2025-03-31', loans: 3, totals: { USD: '66750000.50' } },
  'monthly-portfolio.csv': { asOf: '2010-02-28', loans: 3, totals: { PLN: '28659.11' } },
  'darlehensbestand.xlsx': {
    asOf: '2025-03-31',
    loans: 12,
    totals: { CHF: '187500.05', EUR: '10613347.88', USD: '2000000.00' },
  },
  'kredite-teur.xlsx': {
    asOf: '2025-03-31',
    shares: 'kredite-teur.xlsx',
    loans: 6,
    totals: { EUR: '8927224.00' },
  },
};

/** Files that do not say what a loan is, or owe an answer. */
const REFUSED: readonly (readonly [file: string, why: string, Tape])[] = [
  [
    'ifc.csv',
    'has a project twice',
    {
      asOf: '2023-10-23',
      refused: ['6 Project Number 90104: this loan is also in row 5, and each loan has one row'],
    },
  ],
  [
    'sba-ppp.csv',
    'has no number of loans and an amount in words',
    {
      asOf: '2020-12-31',
      refused: [
        '2 LoanAmount undisclosed: expected a decimal',
        '4 BusinessName undisclosed: this loan is also in row 3',
        '5 BusinessName undisclosed: this loan is also in row 3',
      ],
    },
  ],
  [
    'monthly-portfolio.csv',
    'has an amount that a spreadsheet took for a month',
    {
      asOf: '2010-01-31',
      refused: [
        '4 OUTSTANDING_AMT gru.79: expected a decimal such as 1234.56; this is a month and a year',
      ],
    },
  ],
  [
    'monthly-portfolio.csv',
    'has several dates, and none is asked for',
    {
      refused: [
        '0  : the file has several dates: give one with --as-of; it has 2010-01-31 (3 rows), 2010-02-28 (3 rows)',
      ],
    },
  ],
];

describeOnDatabase('a loan file of the market', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  const open = (file: string) => openStatementFile(fileURLToPath(new URL(file, TAPES)));
  const profileOf = (file: string) =>
    readProfile(fileURLToPath(new URL(`profiles/${file.split('.')[0]}.yaml`, TAPES)));
  const load = async (book: Database, file: string, { asOf, shares }: Tape) =>
    importStatement(sqlBook(book), {
      source: await open(file),
      shares: shares === undefined ? undefined : await open(shares),
      profile: profileOf(file),
      asOf: asOf === undefined ? undefined : date(asOf),
      apply: true,
      expected: { sums: {} },
      withoutTotals: 'a test',
      today: date('2026-06-30'),
    });

  for (const [file, tape] of Object.entries(LOADED)) {
    it(`such as ${file} is loaded, to the cent of what its sender adds up`, () =>
      alone(database, async (book) => {
        const report = await load(book, file, tape);
        expect(report.faults).to.deep.equal([]);
        expect(report.outcome).to.equal('applied');
        const day = tape.day ?? tape.asOf ?? '';
        expect(report.asOf).to.equal(day);
        const { facilities, totals } = await loansOf(book, profileOf(file).source, date(day));
        expect(totals).to.deep.equal(tape.totals);
        expect(facilities).to.equal(tape.loans);
        // What is kept of the book is brought up to date when a transaction ends.
        await book.execute('SET CONSTRAINTS ALL IMMEDIATE');
        await expectReconciled(book);
      }));
  }

  for (const [file, why, tape] of REFUSED) {
    it(`such as ${file}, which ${why}, is refused in words`, () =>
      alone(database, async (book) => {
        const { outcome, faults } = await load(book, file, tape);
        expect(outcome).to.equal('refused');
        const told = faults.map(({ row, column, value, message }, index) => {
          const all = `${row} ${column} ${value}: ${message}`;
          const start = tape.refused?.[index] ?? '';
          return all.startsWith(start) ? start : all;
        });
        expect(told).to.deep.equal(tape.refused);
      }));
  }
});

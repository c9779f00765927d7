import { readFileSync } from 'node:fs';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { bytesSource } from '../../src/import/file/bytes-source.ts';
import type { ImportReport } from '../../src/import/import-report.ts';
import { importStatement } from '../../src/import/import-statement.ts';
import { checkProfile, type ProfileFault } from '../../src/import/profile/check-profile.ts';
import type { ImportProfileDocument } from '../../src/import/profile/profile.ts';
import { sqlBook } from '../../src/import/sql/sql-book.ts';
import { alone } from '../support/alone.ts';
import { date } from '../support/book.ts';
import { loansOf } from '../support/loans-of-source.ts';
import { expectReconciled } from '../support/reconciled.ts';

const CASES = new URL('../../../test/fixtures/messy-statements.json', import.meta.url);

/** What is told about a statement: by a fault, a warning, a sanity check, or a fault of the profile. */
interface Told {
  readonly row?: number;
  readonly column?: string;
  readonly code?: string;
  /** A part of the message. */
  readonly says: string;
}

interface MessyCase {
  /** What the sender did. */
  readonly case: string;
  readonly group: string;
  /** The file, as text in UTF-8 or as bytes. */
  readonly text?: string;
  readonly base64?: string;
  readonly fileName?: string;
  /** Over the profile of a bank; null takes a setting away. */
  readonly declares: Readonly<Record<string, unknown>>;
  /** Outstanding principal in the book by loan. */
  readonly loaded?: Readonly<Record<string, string>>;
  /** Of the first loan. */
  readonly borrower?: string;
  readonly rate?: number;
  readonly maturity?: string | null;
  /** Outstanding principal by lender, of all loans. */
  readonly lenders?: Readonly<Record<string, string>>;
  readonly refused?: readonly Told[];
  readonly warned?: readonly Told[];
  readonly profileRefused?: Told;
}

const BANK = {
  name: 'bank',
  source: 'bank',
  title: 'A bank',
  delimiter: ';',
  currency: 'EUR',
  lender: { externalId: 'BANK', name: 'The bank' },
  columns: {
    loanNumber: ['id'],
    borrower: ['borrower'],
    limit: ['limit'],
    due: ['balance'],
    ratePercent: ['rate'],
    maturityDate: ['maturity'],
  },
  derive: { undisbursed: 'limit - due' },
  // What may be below zero is a test of its own.
  sanity: { lender_below_zero: 'off' },
};
const AS_OF = date('2025-03-31');
const cases = JSON.parse(readFileSync(CASES, 'utf8')) as readonly MessyCase[];

describeOnDatabase('a statement of a bank that nobody cleaned', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  async function load(book: Database, messy: MessyCase) {
    const checked = checkProfile(merged(BANK, messy.declares));
    if (!('profile' in checked))
      return { profileFaults: 'faults' in checked ? checked.faults : [] };
    const bytes = messy.base64 === undefined ? messy.text : Buffer.from(messy.base64, 'base64');
    const report = await importStatement(sqlBook(book), {
      source: bytesSource(messy.fileName ?? 'loans.csv', Buffer.from(bytes ?? '')),
      profile: checked.profile,
      asOf: AS_OF,
      apply: true,
      expected: { sums: {} },
      withoutTotals: 'a test',
      today: date('2025-06-30'),
    });
    return { profileFaults: [], report };
  }

  const check = async (book: Database, messy: MessyCase) => {
    const { profileFaults, report } = await load(book, messy);
    if (messy.profileRefused !== undefined) {
      expectTold(profileFaults.map(ofProfile), [messy.profileRefused]);
      return;
    }
    expect(profileFaults).to.deep.equal([]);
    if (report === undefined) return;
    if (messy.refused !== undefined) {
      expect(report.outcome).to.equal('refused');
      expectTold([...report.faults, ...sanityOf(report, 'refused')], messy.refused);
      return;
    }
    expect(report.faults).to.deep.equal([]);
    expect(report.outcome).to.equal('applied');
    const warnings = [...report.warnings, ...sanityOf(report, 'warning')];
    if (messy.warned !== undefined) expectTold(warnings, messy.warned);
    else expect(warnings).to.deep.equal([]);
    const { due, lenders, first } = await loansOf(book, BANK.source, AS_OF);
    expect(due).to.deep.equal(messy.loaded);
    if (messy.borrower !== undefined) expect(first?.borrower).to.equal(messy.borrower);
    if (messy.rate !== undefined) expect(Number(first?.allInRate)).to.equal(messy.rate);
    if (messy.maturity !== undefined) expect(first?.maturity).to.equal(messy.maturity);
    if (messy.lenders !== undefined) expect(lenders).to.deep.equal(messy.lenders);
  };

  for (const messy of cases) {
    it(`with ${messy.case}: ${resultOf(messy)}`, () =>
      alone(database, (book) => check(book, messy)));
  }

  const header = 'id;borrower;limit;balance;rate;maturity';
  const row = (id: string) => `${header}\n${id};Alder GmbH;1000.00;600.00;4.5;2031-06-30\n`;
  const january: MessyCase = { case: '', group: 'ids', declares: {}, text: row('00123') };

  it('with ids whose leading zeros a spreadsheet dropped since last month: is refused', () =>
    alone(database, async (book) => {
      expect((await load(book, january)).report?.outcome).to.equal('applied');
      const { report } = await load(book, { ...january, text: row('123') });
      expect(report?.outcome).to.equal('refused');
      expect(report?.sanity.map(({ check, count }) => [check, count])).to.deep.equal([
        ['leading_zeros_lost', 1],
      ]);
    }));

  it('with ids that another bank has too: is refused by row, not by the database', () =>
    alone(database, async (book) => {
      expect((await load(book, january)).report?.outcome).to.equal('applied');
      const other = { ...january, declares: { name: 'other', source: 'other' } };
      const { report } = await load(book, other);
      expect(report?.outcome).to.equal('refused');
      expect(report?.faults.map(({ row, column, code }) => [row, column, code])).to.deep.equal([
        [2, 'id', 'number_from_elsewhere'],
      ]);
    }));

  it('is loaded into a book that reconciles', async () => {
    expect((await load(database, january)).report?.outcome).to.equal('applied');
    await expectReconciled(database);
  });
});

function merged(bank: object, declares: object): unknown {
  const result: Record<string, unknown> = { ...bank };
  for (const [name, value] of Object.entries(declares)) {
    if (value === null) delete result[name];
    else if (name === 'columns') result[name] = merged(BANK.columns, value);
    else result[name] = value;
  }
  return result satisfies Partial<Record<keyof ImportProfileDocument, unknown>>;
}

function resultOf({ loaded, refused, profileRefused }: MessyCase): string {
  if (profileRefused) return `the profile is refused, ${profileRefused.says}`;
  if (!refused)
    return `${Object.entries(loaded ?? {})
      .map((pair) => pair.join(' '))
      .join(', ')} is loaded`;
  const [{ row = 0, column = '', says } = { says: '' }] = refused;
  const place = row === 0 ? '' : ` in row ${row}${column && `, ${column}`}`;
  return `is refused${place}: ${says}`;
}

function ofProfile({ path, message }: ProfileFault) {
  return { row: 0, column: path, code: '', message };
}

function sanityOf({ sanity }: ImportReport, severity: string) {
  return sanity
    .filter((finding) => finding.severity === severity)
    .map(({ check, message, rows: [row = 0] }) => ({ row, column: '', code: check, message }));
}

type Finding = Readonly<Record<'column' | 'code' | 'message', string>> & { readonly row: number };

/** All that is told is expected, and in this order. */
function expectTold(findings: readonly Finding[], expected: readonly Told[]): void {
  const told = findings.map(({ row, column, code, message }, index) => {
    const { says = '', ...where } = expected[index] ?? {};
    const given = { row, column, code };
    const asked = Object.fromEntries(
      Object.keys(where).map((name) => [name, given[name as keyof typeof given]]),
    );
    return { ...asked, says: message.includes(says) ? says : message };
  });
  expect(told).to.deep.equal(expected);
}

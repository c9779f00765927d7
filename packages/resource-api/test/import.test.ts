import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import type { Database } from '@cls/shared/sql/database';
import { makeStore } from '@cls/testing/embedded-template';
import { endWithTests, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { readProfile } from '../src/cli/read-profile.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import type { ImportProfile } from '../src/import/profile/profile.ts';
import { readText, statement } from './support/book.ts';
import { runWith } from './support/tool.ts';

const TOOL = fileURLToPath(new URL('../../bin/cls-api.mjs', import.meta.url));
const good = {
  'Loan Number': 'T1',
  'Original Principal Amount': '100',
  'Disbursed Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
};

describe('a statement', () => {
  const profile = readProfile('world-bank-ibrd');
  const faultsOf = async (text: string) =>
    (await readText(text, profile)).faults.map(({ row, code }) => `${row} ${code}`);

  it('is read with Windows line ends, a byte order mark, times of day and drifting headers', async () => {
    const text = statement('05/31/2023 12:00:00 AM', [good])
      .replaceAll('\n', '\r\n')
      .replaceAll(' (US$)', '')
      .replaceAll(' / Economy', '')
      .replace('Loan Number', ' LOAN  NUMBER ');
    const parsed = await readText(`\ufeff${text}`, profile);
    expect(parsed.faults).to.deep.equal([]);
    expect(parsed.asOf).to.equal('2023-05-31');
    expect(parsed.rows[0]?.amounts.due).to.equal(10_000n);
  });

  for (const [given, changes, faults] of [
    ['#N/A for an amount', { 'Due to IBRD': '#N/A' }, ['2 invalid_amount']],
    ['separators that group no thousands', { 'Sold 3rd Party': '"1,00.00"' }, ['2 invalid_amount']],
    ['a decimal comma', { 'Sold 3rd Party': '"1000,00"' }, ['2 invalid_amount']],
    ['parentheses for a negative', { 'Exchange Adjustment': '(5.00)' }, ['2 invalid_amount']],
    ['no amount', { 'Cancelled Amount': ' ' }, ['2 invalid_amount']],
    ['an exponent', { 'Disbursed Amount': '1E+5' }, ['2 invalid_amount']],
    ['a day where the month stands', { 'Last Repayment Date': '13/4/2025' }, ['2 invalid_date']],
    ['a date with a time of day', { 'Last Repayment Date': '3/4/2025 9:30' }, ['2 invalid_date']],
    ['a date that is none', { 'Last Repayment Date': '02/30/2025' }, ['2 invalid_date']],
    ['a currency that is no code', { 'Currency of Commitment': 'Euro' }, ['2 unknown_currency']],
    ['an unknown status', { 'Loan Status': 'Forgiven' }, ['2 unknown_status']],
    ['a country in small letters', { 'Country / Economy Code': 'in' }, ['2 invalid_country']],
    ['no loan number', { 'Loan Number': '' }, ['2 missing_value']],
    [
      'an obligation that is not due + exchange',
      { "Borrower's Obligation": '101' },
      ['2 identity_broken'],
    ],
    [
      'several faults',
      { 'Loan Number': '', 'Due to IBRD': 'x', 'Loan Status': '?' },
      ['2 missing_value', '2 unknown_status', '2 invalid_amount'],
    ],
  ] as const) {
    it(`with ${given} is refused by row and reason`, async () => {
      expect(await faultsOf(statement('03/31/2025', [{ ...good, ...changes }]))).to.deep.equal(
        faults,
      );
    });
  }

  it('is read as spreadsheets write it: thousands, short dates with midnight, the loan’s currency', async () => {
    const row = {
      ...good,
      'Original Principal Amount': '"1,234,567.80"',
      'Disbursed Amount': '"1,234,567.80"',
      'Due to IBRD': '"1,234,567.80"',
      "Borrower's Obligation": '"1,234,567.80"',
      'Loans Held': '1234567.8',
      'Last Repayment Date': '1/5/2031 0:00',
      'Agreement Signing Date': '12/31/2009',
      'Currency of Commitment': 'EUR',
    };
    const parsed = await readText(statement('12/31/2019 0:00', [row]), profile);
    expect(parsed.faults).to.deep.equal([]);
    expect(parsed.asOf).to.equal('2019-12-31');
    expect(parsed.rows[0]?.amounts).to.include({ due: 123_456_780n, held: 123_456_780n });
    expect(parsed.rows[0]?.dates).to.deep.equal({
      closingDate: '2009-12-31',
      maturityDate: '2031-01-05',
    });
    expect(parsed.warnings.map(({ code, message }) => `${code}: ${message}`)).to.deep.equal([
      'loan_currency: the loan is in EUR; its amounts are in USD',
    ]);
  });

  it('is refused for the same under a profile that declares none of it', async () => {
    const { thousandsSeparator: _, ...rest } = profile;
    const strict: ImportProfile = {
      ...rest,
      currencyColumn: 'amounts',
      dateFormats: ['MM/DD/YYYY'],
    };
    const row = {
      ...good,
      'Sold 3rd Party': '"1,000.00"',
      'Last Repayment Date': '1/5/2031 0:00',
      'Currency of Commitment': 'EUR',
    };
    const { faults } = await readText(statement('03/31/2025', [row]), strict);
    expect(faults.map(({ code }) => code)).to.deep.equal([
      'unknown_currency',
      'invalid_amount',
      'invalid_date',
    ]);
  });

  it('is read with parentheses and marks of an accountant where its profile declares them', async () => {
    const accounting = { ...profile, parenthesesNegative: true, zeroMarks: ['-'] };
    const row = {
      ...good,
      'Exchange Adjustment': '"(1,000.25)"',
      "Borrower's Obligation": '(900.25)',
      'Cancelled Amount': ' - ',
    };
    const parsed = await readText(statement('03/31/2025', [row]), accounting);
    expect(parsed.faults).to.deep.equal([]);
    expect(parsed.rows[0]?.amounts).to.include({ exchangeAdjustment: -100_025n, cancelled: 0n });
  });

  it('that disagrees with itself is refused, with both numbers', async () => {
    const row = { ...good, "Borrower's Obligation": '101', 'Exchange Adjustment': '-5' };
    const [fault] = (await readText(statement('03/31/2025', [row]), profile)).faults;
    expect(fault).to.deep.include({ row: 2, code: 'identity_broken', value: '101.00' });
    expect(fault?.column).to.match(/^Borrower's Obligation/);
    expect(fault?.message).to.match(
      /^expected 95\.00: Due to IBRD.* 100\.00 \+ Exchange Adjustment.* -5\.00/,
    );
  });

  it('without some columns is refused, with the faults of its rows too', async () => {
    const row = { ...good, 'Loan Status': '?', "Borrower's Obligation": '101' };
    const text = statement('03/31/2025', [row, { ...good, 'Loan Number': 'T2' }])
      .replace('Sold 3rd Party', 'Sold')
      .replace('Country / Economy Code', 'Nation');
    expect(await faultsOf(text)).to.deep.equal([
      '1 missing_column',
      '1 missing_column',
      '2 unknown_status',
      '2 identity_broken',
    ]);
  });

  it('with values that no ledger could hold is refused by row, not by the database', async () => {
    const bad: Record<string, string>[] = [
      { 'Due to IBRD': '999999999999999999' },
      { 'Interest Rate': '99999999999' },
      { 'Loan Status': 'constructor' },
      { 'Loan Number': 'IBRD' },
      { Guarantor: 'G', 'Guarantor Country / Economy Code': 'co' },
      { Borrower: 'a\0b' },
    ];
    for (const changes of bad) {
      const faults = await faultsOf(statement('03/31/2025', [{ ...good, ...changes }]));
      expect(faults, JSON.stringify(changes)).to.have.length(1);
    }
  });

  it('with a loan twice is refused, naming both rows', async () => {
    const [fault] = (await readText(statement('03/31/2025', [good, good]), profile)).faults;
    expect(fault).to.include({ row: 3, code: 'duplicate_loan' });
    expect(fault?.message).to.match(/also in row 2/);
  });

  it('with faults in many rows is refused with all of them at once', async () => {
    const bad = { ...good, 'Due to IBRD': 'NULL' };
    const rows = [bad, { ...good, 'Loan Number': 'T2' }, { ...bad, 'Loan Number': 'T3' }];
    expect(await faultsOf(statement('03/31/2025', rows))).to.deep.equal([
      '2 invalid_amount',
      '4 invalid_amount',
    ]);
  });

  it('with a missing column, of two dates, cut off, or empty is refused', async () => {
    const text = statement('03/31/2025', [good]);
    expect(await faultsOf(text.replace('Due to IBRD (US$)', 'Something else'))).to.deep.equal([
      '1 missing_column',
    ]);
    const later = statement('04/30/2025', [{ ...good, 'Loan Number': 'T2' }]).split('\n')[1];
    expect(await faultsOf(`${text}${later}\n`)).to.deep.equal(['3 mixed_dates']);
    expect(await faultsOf(`${text}03/31/2025,T9,EUROPE`)).to.deep.equal(['3 row_width']);
    expect(await faultsOf(`${text}"03/31/2025,T9`)).to.include('0 malformed_csv'.replace('0', '3'));
    expect(await faultsOf('')).to.deep.equal(['1 no_header']);
    expect(await faultsOf(text.split('\n')[0] ?? '')).to.deep.equal(['1 no_rows']);
  });

  it('separated by semicolons is refused for that, and not for every column', async () => {
    for (const [mark, name] of [
      [';', 'semicolons'],
      ['\t', 'tabs'],
    ] as const) {
      const [header = '', ...lines] = statement('03/31/2025', [good]).split('\n');
      const text = [header, ...lines].join('\n').replaceAll(',', mark);
      const { faults } = await readText(text, profile);
      expect(faults.map(({ row, code }) => `${row} ${code}`)).to.deep.equal(['1 wrong_delimiter']);
      expect(faults[0]?.message).to.equal(
        `expected columns separated by commas; this file separates them by ${name}: declare delimiter: ${JSON.stringify(mark)}`,
      );
    }
  });

  it('with another delimiter is refused by it, also where the header has commas', async () => {
    const [header = '', ...lines] = statement('03/31/2025', [good]).split('\n');
    const named = [`${header.replaceAll(',', ';')};Rate, all-in`, ...lines].join('\n');
    const [fault] = (await readText(named, profile)).faults;
    expect(fault?.message).to.include('declare delimiter: ";"');
  });

  it('with a number that cannot be a key, or a sum that cannot be kept, is refused by row', async () => {
    const told = async (rows: readonly Record<string, string>[]) =>
      (await readText(statement('03/31/2025', rows), profile)).faults.map(
        ({ row, column, code }) => `${row} ${column.toLowerCase()} ${code}`,
      );
    for (const number of ['a\u200bb', 'x'.repeat(129)]) {
      expect(await told([{ ...good, 'Loan Number': number }])).to.deep.equal([
        '2 loan number invalid_key',
      ]);
    }
    expect(await told([{ ...good, Borrower: 'a\0b' }])).to.deep.equal(['2 borrower nul_character']);
    expect(await told([{ ...good, Borrower: 'x'.repeat(501) }])).to.deep.equal([
      '2 borrower text_too_long',
    ]);
    const huge = { ...good, 'Original Principal Amount': '6000000000000000' };
    expect(await told([huge, { ...huge, 'Loan Number': 'T2' }])).to.deep.equal([
      '3 original principal amount (us$) amount_too_large',
    ]);
  });

  it('that disagrees with itself by a cent of rounding is taken, with a warning', async () => {
    const row = {
      ...good,
      'Due to IBRD': '99.995',
      "Borrower's Obligation": '99.99',
      'Loans Held': '100',
    };
    const { faults, warnings } = await readText(statement('03/31/2025', [row]), profile);
    expect(faults).to.deep.equal([]);
    expect(warnings.map(({ code }) => code)).to.deep.equal(['rounded', 'rounding_gap']);
  });

  it('with a column twice is refused', async () => {
    const twice = statement('03/31/2025', [good]).replace(',Region,', ',Due To Ibrd,');
    expect(await faultsOf(twice)).to.deep.equal(['1 duplicate_column']);
  });

  it('keeps negative balances and rounds excess decimals, and warns of both', async () => {
    const row = {
      ...good,
      'Cancelled Amount': '26620526.783',
      'Due to IBRD': '-0.01',
      "Borrower's Obligation": '-0.01',
      'Loans Held': '-0.01',
    };
    const { rows, warnings } = await readText(statement('03/31/2025', [row]), profile);
    expect(rows[0]?.amounts).to.include({ cancelled: 2_662_052_678n, due: -1n });
    expect(warnings.map(({ code }) => code)).to.deep.equal(['rounded', 'negative_balance']);
  });
});

describe('the IDA twin of the statement', () => {
  const profile = readProfile('world-bank-ida');
  const columns = [
    ['End of Period', '06/30/2024 12:00:00 AM'],
    ['Credit Number', 'IDA00010'],
    ['Region', 'LATIN AMERICA AND CARIBBEAN'],
    ['Country / Economy Code', 'HN'],
    ['Country / Economy', 'Honduras'],
    ['Borrower', 'Secretaria de Finanzas'],
    ['Credit Status', 'Fully Repaid'],
    ['Service Charge Rate', '0.75'],
    ['currency of Commitment', 'USD'],
    ['Project ID', 'P007344'],
    ['Project Name', 'HIGHWAY MAINTENANCE'],
    ['Original Principal Amount (US$)', '9000000'],
    ['Cancelled Amount (US$)', '0'],
    ['Undisbursed Amount (US$)', '0'],
    ['Disbursed Amount (US$)', '9000000'],
    ['Repaid to IDA (US$)', '9000000'],
    ['Due to IDA (US$)', '0'],
    ['Exchange Adjustment (US$)', '0'],
    ['Borrowers Obligation (US$)', '0'],
    ['Sold 3rd Party (US$)', '0'],
    ['Repaid 3rd Party (US$)', '0'],
    ['Due 3rd Party (US$)', '0'],
    ['Credits Held (US$)', '0'],
    ['First Repayment Date', '09/15/1971 12:00:00 AM'],
    ['Last Repayment Date', '03/15/2011 12:00:00 AM'],
    ['Agreement Signing Date', '05/12/1961 12:00:00 AM'],
    ['Board Approval Date', '05/12/1961 12:00:00 AM'],
    ['Effective Date (Most Recent)', '11/13/1961 12:00:00 AM'],
    ['Closed Date (Most Recent)', '06/30/1966 12:00:00 AM'],
    ['Last Disbursement Date', ''],
  ] as const;
  const text = (names: (name: string) => string = (name) => name) =>
    `${columns.map(([name]) => names(name)).join(',')}\n${columns.map(([, cell]) => cell).join(',')}\n`;

  it('is read by its own profile, which has no guarantors and no loan types', async () => {
    const { rows, faults } = await readText(text(), profile);
    expect(faults).to.deep.equal([]);
    expect(rows[0]).to.deep.include({
      loanNumber: 'IDA00010',
      facilityType: 'term_loan',
      allInRate: '0.007500000000',
      guarantor: undefined,
    });
    expect(rows[0]?.amounts.repaid).to.equal(900_000_000n);
  });

  it('is read under the names and dates that the sender’s programs give them', async () => {
    const machine = text((name) => name.toLowerCase().replace(/[ /()$]+/g, '_'))
      .replaceAll('_us_', '')
      .replaceAll(/(\d\d)\/(\d\d)\/(\d{4}) 12:00:00 AM/g, '$3-$1-$2T00:00:00.000');
    const { rows, faults, asOf } = await readText(machine, profile);
    expect(faults).to.deep.equal([]);
    expect([asOf, rows[0]?.dates.maturityDate]).to.deep.equal(['2024-06-30', '2011-03-15']);
  });

  it('is not taken for a statement of loans', async () => {
    const { faults } = await readText(text(), readProfile('world-bank-ibrd'));
    expect(faults.map(({ code, column }) => `${code} ${column}`)).to.include(
      'missing_column loan number',
    );
  });
});

describe('cls-api', () => {
  let dataDir: string;
  let holder: Database;
  before(async () => {
    dataDir = join(temporaryDirectory('cls-tool-'), 'data');
    // Held by this process, as by a running service: every command works through it.
    const directory = join(dataDir, 'resource-api', 'database');
    await makeStore(directory, MIGRATIONS);
    holder = await openEmbeddedDatabase(directory);
  });
  after(() => holder.close());

  const run = (...words: string[]) => {
    const untold = words[0] === 'import' && !words.some((word) => /^--(rows|control)$/.test(word));
    const totals = untold ? ['--without-totals', 'a test'] : [];
    return runWith({ CLS_DATA_DIR: dataDir }, ...words, ...totals);
  };
  const file = (text: string, name = 'statement.csv') => {
    const path = join(temporaryDirectory('cls-import-'), name);
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    return path;
  };
  const journals = async () =>
    (await holder.query<{ n: number }>('SELECT count(*)::int AS n FROM journal'))[0]?.n;

  it('imports nothing without --apply, and with it exactly what it said', async () => {
    const path = file(statement('03/31/2025', [good]));
    const dry = JSON.parse((await run('import', path, '--json')).stdout);
    expect(dry).to.include({ outcome: 'valid', rows: 1, newLoans: 1 });
    expect(await journals()).to.equal(0);
    const applied = JSON.parse((await run('import', path, '--apply', '--json')).stdout);
    expect(applied).to.include({
      outcome: 'applied',
      journals: dry.journals,
      postings: dry.postings,
    });
    expect(await journals()).to.equal(dry.journals);
  });

  it('changes nothing when it imports the same file again, compressed too', async () => {
    const before = await journals();
    const path = file(statement('03/31/2025', [good]), 'statement.csv.gz');
    const again = JSON.parse((await run('import', path, '--apply', '--json')).stdout);
    expect(again.outcome).to.equal('applied_before');
    expect(await journals()).to.equal(before);
  });

  it('posts of a later statement only what changed, dated by it', async () => {
    const paid = {
      ...good,
      'Repaid to IBRD': '40',
      'Due to IBRD': '60',
      "Borrower's Obligation": '60',
      'Loans Held': '60',
    };
    const path = file(statement('04/30/2025', [paid]));
    const report = JSON.parse((await run('import', path, '--apply', '--json')).stdout);
    expect(report).to.include({ outcome: 'applied', newLoans: 0, journals: 1 });
    const [last] = await holder.query(
      'SELECT type, effective_date FROM journal ORDER BY seq DESC LIMIT 1',
    );
    expect(last).to.deep.equal({ type: 'scheduled_repayment', effective_date: '2025-04-30' });
  });

  it('refuses a statement older than the last, whose cumulative amounts would count twice', async () => {
    const before = await journals();
    const refused = await run('import', file(statement('02/28/2025', [good])), '--apply');
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include('out_of_order').and.include('2025-04-30');
    expect(await journals()).to.equal(before);
  });

  it('posts a restated statement of the same date as the difference', async () => {
    const restated = {
      ...good,
      'Repaid to IBRD': '41',
      'Due to IBRD': '59',
      "Borrower's Obligation": '59',
      'Loans Held': '59',
    };
    const path = file(statement('04/30/2025', [restated]));
    const report = JSON.parse((await run('import', path, '--apply', '--json')).stdout);
    expect(report).to.include({ outcome: 'applied', journals: 1 });
  });

  it('imports once what two operators import at the same time', async () => {
    const path = file(statement('05/01/2025', [{ ...good, 'Loan Number': 'T9' }]));
    const before = (await journals()) ?? 0;
    const runs = await Promise.all([1, 2].map(() => run('import', path, '--apply', '--json')));
    const reports = runs.map(({ stdout }) => JSON.parse(stdout));
    expect(reports.map(({ outcome }) => outcome).sort()).to.deep.equal([
      'applied',
      'applied_before',
    ]);
    const posted = reports.find(({ outcome }) => outcome === 'applied').journals;
    expect(await journals()).to.equal(before + posted);
  });

  it('names the delimiter of the profile where quotation marks do not fit it', async () => {
    const path = file('"Loan Number";"Due"\n"A";"1"\n');
    const { code, stdout, stderr } = await run('import', path, '--json');
    expect(code).to.equal(1);
    expect(`${stdout}${stderr}`).to.include('this file is read with commas between its cells');
  });

  it('refuses a file whose control totals differ, and writes nothing', async () => {
    const before = await journals();
    const path = file(statement('05/31/2025', [{ ...good, 'Loan Number': 'T7' }]));
    for (const [rows, control, code] of [
      ['2', 'due=100.00', 'control_total'],
      ['1', 'due=99.99', 'control_total'],
      ['1', 'nothing=1', 'invalid_control'],
    ] as const) {
      const totals = ['--rows', rows, '--control', control];
      const refused = await run('import', path, '--apply', ...totals);
      expect(refused.code).to.equal(1);
      expect(refused.stderr).to.include(code);
    }
    expect(await journals()).to.equal(before);
    const agreed = await run('import', path, '--rows', '1', '--control', 'due=100.00');
    expect(agreed.code).to.equal(0);
  });

  it('demands control totals before it writes, but not for looking', async () => {
    const path = file(statement('05/31/2025', [{ ...good, 'Loan Number': 'T7' }]));
    for (const totals of [
      ['--rows', '1'],
      ['--control', 'due=100.00'],
    ]) {
      const refused = await run('import', path, '--apply', ...totals);
      expect([refused.code, refused.stderr]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && text.includes('--without-totals'),
      );
      expect((await run('import', path, ...totals)).code).to.equal(0);
    }
  });

  it('notices by the totals that a file was cut at the end of a row', async () => {
    const rows = ['T6', 'T7'].map((number) => ({ ...good, 'Loan Number': number }));
    const cut = statement('05/31/2025', rows).split('\n').slice(0, 2).join('\n');
    const told = ['--rows', '2', '--control', 'due=200.00'];
    const refused = await run('import', file(cut), '--apply', ...told);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include('expected 2 rows').and.include('expected a sum of 200.00');
  });

  it('writes the faults of a refused file as a table', async () => {
    const bad = [
      { ...good, 'Due to IBRD': '=1+1' },
      { ...good, 'Loan Number': '' },
    ];
    const rejects = join(temporaryDirectory('cls-rejects-'), 'rejects.csv');
    const path = file(statement('05/31/2025', bad).replace('\n', '\n\n'));
    await run('import', path, '--apply', '--rejects', rejects);
    expect(readFileSync(rejects, 'utf8').split('\r\n').slice(0, 3)).to.deep.equal([
      'row,column,code,expected,value',
      `3,Due to IBRD (US$),invalid_amount,"expected a decimal such as 1234.56 or 1,234.56",'=1+1`,
      `4,Loan Number,missing_value,"this cell is empty; every row needs a value here; if rows without one are no loans, declare leaveOut: [{ column: 'Loan Number', values: [''] }]",`,
    ]);
  });

  it('takes an import back by reversal, and applies the same file again', async () => {
    const before = await balances();
    const path = file(
      statement('06/30/2025', [
        {
          ...good,
          'Interest Rate': '5',
          'Loan Status': 'Fully Repaid',
          'Last Repayment Date': '06/30/2030',
        },
        { ...good, 'Loan Number': 'T20' },
      ]),
    );
    const applied = JSON.parse((await run('import', path, '--apply', '--json')).stdout);
    const kinds = applied.changes.map(({ kind, loans }: never) => [kind, loans]);
    expect(kinds).to.deep.include.members([
      ['new_loan', 1],
      ['vanished', 1],
      ['amount_fell', 1],
      ['terms_changed', 1],
    ]);
    expect(await termsOf('T1')).to.deep.equal({
      status: 'repaid',
      rate: '0.050000000000',
      maturity: '2030-06-30',
    });

    const [first, last] = [(await imports())[0]?.id ?? '', applied.importId];
    const beneath = await run('imports', 'revert', first, '--apply');
    expect([beneath.code, beneath.stderr.includes(last)]).to.deep.equal([1, true]);
    const dry = JSON.parse((await run('imports', 'revert', last, '--json')).stdout);
    expect(dry).to.deep.equal({ outcome: 'valid', journals: applied.journals });
    expect((await imports()).at(-1)?.revertedAt).to.equal(null);
    expect((await run('imports', 'revert', last, '--apply')).code).to.equal(0);
    const after = await balances();
    expect(after.filter(({ loan }) => loan !== 'T20')).to.deep.equal(before);
    expect(after.find(({ loan }) => loan === 'T20')?.cash).to.equal(0n);
    expect(await termsOf('T1')).to.deep.equal({ status: 'active', rate: null, maturity: null });
    expect((await run('imports', 'revert', last, '--apply')).stderr).to.include(
      'taken back before',
    );
    expect((await run('imports', 'revert', 'imp_x', '--apply')).stderr).to.include(
      'there is no import',
    );

    const again = JSON.parse((await run('import', path, '--apply', '--json')).stdout);
    expect(again.outcome).to.equal('applied');
    expect(await termsOf('T1')).to.deep.equal({
      status: 'repaid',
      rate: '0.050000000000',
      maturity: '2030-06-30',
    });
    expect((await run('imports', 'revert', again.importId, '--apply')).code).to.equal(0);
  });

  it('refuses a statement of a closed period, and taking one back', async () => {
    await holder.query(`INSERT INTO period_close (through, reason) VALUES ('2025-07-31', 'test')`);
    const path = file(statement('07/31/2025', [{ ...good, 'Loan Number': 'T30' }]));
    const refused = await run('import', path, '--apply');
    expect([refused.code, refused.stderr.includes('period_closed')]).to.deep.equal([1, true]);
    expect((await run('import', path)).stderr).to.include('period_closed');
    const last = (await imports()).filter(({ revertedAt }) => revertedAt === null).at(-1);
    expect((await run('imports', 'revert', last?.id ?? '', '--apply')).stderr).to.include('closed');
    await holder.query(`INSERT INTO period_close (through, reason) VALUES ('2000-01-01', 'test')`);
  });

  const imports = async (): Promise<readonly { id: string; revertedAt: string | null }[]> =>
    JSON.parse((await run('imports', 'list', '--json')).stdout);
  const balances = () =>
    holder.query<{ loan: string; cash: bigint; unfunded: bigint }>(
      `SELECT c.contract_number AS loan, sum(b.principal_cash)::int8 AS cash,
         sum(b.unfunded)::int8 AS unfunded
       FROM loan_contract c JOIN balance_line l ON l.facility_key = c.facility_key
       CROSS JOIN LATERAL (SELECT * FROM balance WHERE line_key = l.key
         ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b
       WHERE l.lender_key = 0 GROUP BY 1 ORDER BY 1`,
    );
  const termsOf = async (loan: string) => {
    const [terms] = await holder.query(
      `SELECT coalesce(t.status, c.status) AS status, t.all_in_rate::text AS rate,
         t.maturity_date AS maturity
       FROM loan_contract c LEFT JOIN contract_terms t ON t.contract_key = c.key
         AND journal_stands(t.known_seq, (SELECT max(seq) FROM journal))
       WHERE c.contract_number = $1 ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1`,
      [loan],
    );
    return terms;
  };

  it('refuses a faulty file with every fault, by --json as a document', async () => {
    const path = file(
      statement('05/31/2025', [{ ...good, 'Due to IBRD': 'x', 'Loan Status': 'y' }]),
    );
    const refused = await run('import', path, '--apply', '--json');
    expect(refused.code).to.equal(1);
    const { details } = JSON.parse(refused.stdout);
    expect(details.faults.map(({ code }: { code: string }) => code)).to.deep.equal([
      'unknown_status',
      'invalid_amount',
    ]);
  });

  it('grants, lists and revokes entitlements', async () => {
    const granted = await run(
      'entitlements',
      'grant',
      '--new-customer',
      '--customer',
      'india',
      '--role',
      'borrower',
      '--country',
      'IN',
      '--json',
    );
    const rule = JSON.parse(granted.stdout);
    expect(rule).to.include({
      customer: 'india',
      role: 'borrower',
      selection: 'country IN',
      deals: 3,
    });
    const again = await run(
      'entitlements',
      'grant',
      '--customer',
      'india',
      '--role',
      'borrower',
      '--country',
      'IN',
    );
    expect(again.code).to.equal(1);
    const list = JSON.parse((await run('entitlements', 'list', '--json')).stdout);
    expect(list).to.have.length(1);
    expect((await run('entitlements', 'revoke', rule.rule)).code).to.equal(0);
    expect((await run('entitlements', 'revoke', rule.rule)).code).to.equal(1);
  });

  it('finds deals and parties', async () => {
    const deals = JSON.parse((await run('deals', 'list', '--search', 'T1', '--json')).stdout);
    expect(deals[0]).to.include({ detail: 'T1' });
    const parties = JSON.parse(
      (await run('parties', 'list', '--search', 'Reconstruction', '--json')).stdout,
    );
    expect(parties[0].id).to.match(/^pty_/);
    for (const sign of ['%', '_']) {
      const { stdout } = await run('parties', 'list', '--search', sign, '--json');
      expect(JSON.parse(stdout), 'a name with this sign').to.deep.equal([]);
    }
  });

  for (const [given, words, code, says] of [
    ['no command', [], 2, 'a command is missing'],
    ['a file that is not there', ['import', '/nowhere.csv'], 1, 'there is no such file'],
    ['an unknown profile', ['import', 'world-bank', '--profile', 'nope'], 1, 'nope'],
    [
      'a role without its lender',
      ['entitlements', 'grant', '--customer', 'x', '--role', 'lender', '--all'],
      2,
      '--lender',
    ],
    [
      'two selections',
      ['entitlements', 'grant', '--customer', 'x', '--role', 'agent', '--all', '--country', 'IN'],
      2,
      'one of',
    ],
    [
      'a deal that is not there',
      [
        ...['entitlements', 'grant', '--new-customer', '--customer', 'x'],
        ...['--role', 'agent', '--deal', 'deal_x'],
      ],

      1,
      'not in the book',
    ],
    [
      'a reason that is none',
      ['import', 'world-bank', '--rows', '1', '--without-totals', ' '],
      2,
      'expected a reason',
    ],
    ['a control total that is none', ['import', 'world-bank', '--control', 'due'], 2, 'column=sum'],
  ] as const) {
    it(`answers ${given} with exit code ${code} and says why`, async () => {
      const refused = await run(...words);
      expect(refused.code).to.equal(code);
      expect(refused.stderr)
        .to.include(says)
        .and.not.match(/\n\s+at /);
      expect(refused.stdout).to.equal('');
    });
  }
});

describe('an import that somebody interrupts', () => {
  it('says what stands, and leaves nothing of the import and of its report files', async () => {
    const folder = temporaryDirectory('cls-interrupted-');
    const directory = join(folder, 'resource-api', 'database');
    await makeStore(directory, MIGRATIONS);
    const words = ['import', 'world-bank', '--apply', '--progress', '--changes', 'changes.csv'];
    const env = { ...process.env, CLS_DATA_DIR: folder };
    const tool = endWithTests(spawn(process.execPath, [TOOL, ...words], { env, cwd: folder }));
    let said = '';
    tool.stderr.on('data', (part: Buffer) => {
      if (!said.includes('planning: ') && `${part}`.includes('planning: ')) tool.kill('SIGINT');
      said += part;
    });
    const [, signal] = await once(tool, 'close');
    expect(signal, said).to.equal('SIGINT');
    expect(said).to.match(/^interrupted: .* Run the same command again/m);
    expect(readdirSync(folder)).to.deep.equal(['resource-api']);
    const database = await openEmbeddedDatabase(directory);
    const journals = await database.query('SELECT FROM journal');
    await database.close();
    expect(journals).to.have.length(0);
  });
});

describe('an import whose service is killed', () => {
  it('says so, and is there whole or not at all when the service is back', async () => {
    const dataDir = join(temporaryDirectory('cls-killed-'), 'data');
    const directory = join(dataDir, 'resource-api', 'database');
    await makeStore(directory, MIGRATIONS);
    const env = {
      ...process.env,
      CLS_DATA_DIR: dataDir,
      API_PORT: '0',
      JWKS_URL: 'http://127.0.0.1:9/x',
    };
    const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
    const service = endWithTests(spawn(process.execPath, [main], { env }));
    const exited = once(service, 'exit');
    await new Promise<void>((done) =>
      service.stdout.on('data', (chunk) => `${chunk}`.includes('listening') && done()),
    );
    const words = ['import', 'world-bank', '--apply', '--progress'];
    const tool = endWithTests(spawn(process.execPath, [TOOL, ...words], { env }));
    let said = '';
    tool.stderr.on('data', (part: Buffer) => {
      said += part;
      // A part of it is written by then, through the service.
      if (said.includes('planning: ')) service.kill('SIGKILL');
    });
    const finished = new Promise<number | null>((done) => tool.once('close', done));
    const code = await finished;
    service.kill('SIGKILL');
    await exited;
    const database = await openEmbeddedDatabase(directory);
    const [row] = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM journal');
    await database.close();
    expect([code, row?.n], said).to.deep.equal([1, 0]);
    expect(said).to.match(/^the .*has stopped/m);
  });
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readDictionary } from '../../src/cli/read-dictionary.ts';
import { matchNames } from '../../src/import/inspect/match-columns.ts';
import { AMOUNT_FIELDS } from '../../src/import/profile/fields.ts';
import { profileSchema } from '../../src/import/profile/profile.ts';
import { agreementStatus, contractStatus } from '../../src/journal-file/record.ts';
import { inspect } from '../support/inspecting.ts';
import { workbookOf } from '../support/statement-file.ts';
import { runWith } from '../support/tool.ts';

const lines = (...rows: readonly string[]) => `${rows.join('\n')}\n`;
/** Rows that decide everything about their cells. */
const HEADER = 'Loan Number,Borrower,Commitment,Unused,Balance,Rate,Maturity Date,Currency';
const ROWS = [
  'A-1,Alder GmbH,1000.50,400.50,600.00,4.25,2031-06-30,EUR',
  'A-2,Birch AG,2000.00,0.00,2000.00,5.50,2030-12-31,EUR',
  'A-3,Cedar Ltd,5000.00,1500.25,3499.75,3.75,2029-09-15,EUR',
];

describe('a column’s name', () => {
  const NAMES: readonly (readonly [header: string, field: string])[] = [
    ['Loan #', 'loanNumber'],
    ['LOAN_ID', 'loanNumber'],
    ['Note Nbr', 'loanNumber'],
    ['CurrBalAmt', 'due'],
    ['Current Ending Scheduled Balance', 'due'],
    ['CRPL39', 'due'],
    ['Unpaid Principal Balance ($)', 'due'],
    ['O/S Balance', 'due'],
    ['Orig. Loan Amt', 'originalPrincipal'],
    ['GrossApproval', 'originalPrincipal'],
    ['Global Current Cmt', 'limit'],
    ['Unfunded Commitment', 'undisbursed'],
    ['Mat Dt', 'maturityDate'],
    ['Date, Maturity', 'maturityDate'],
    ['Darlehens-Nr.', 'loanNumber'],
    ['KREDITNEHMER', 'borrower'],
    ['Restschuld (EUR)', 'due'],
    ['Faelligkeit', 'maturityDate'],
    ['Zinssatz %', 'rate'],
    ['Währung', 'currency'],
    ['N° de prêt', 'loanNumber'],
    ['capital restant du', 'due'],
    ['Date d’échéance', 'maturityDate'],
    ['Taux d’intérêt', 'rate'],
    ['Nº préstamo', 'loanNumber'],
    ['SALDO PENDIENTE', 'due'],
    ['Fecha de vencimiento', 'maturityDate'],
    ['Tipo de interés', 'rate'],
    ['Accrued Interest', 'other'],
    ['Next Payment Date', 'other'],
    ['Days Past Due', 'other'],
  ];
  const dictionary = readDictionary();

  for (const [header, field] of NAMES) {
    it(`${header} stands for ${field}`, () => {
      const [match] = matchNames([header], dictionary);
      expect([match?.field, match?.how]).to.deep.equal([field, 'exact']);
    });
  }

  it('of two languages follows the file’s other columns', () => {
    const spanish = ['Operación', 'Prestatario', 'Saldo pendiente', 'Vencimiento'];
    const french = ['Opération', 'Emprunteur', 'Encours', 'Échéance'];
    const first = (headers: readonly string[]) => matchNames(headers, dictionary)[0]?.field;
    expect([first(spanish), first(french)]).to.deep.equal(['loanNumber', 'dealName']);
  });

  it('of a percentage is that of no amount', () => {
    const [balance, rate] = matchNames(['Balance %', 'Interest Rate %'], dictionary);
    expect([balance?.how, rate?.how]).to.deep.equal(['partly', 'exact']);
  });

  it('that may be two amounts decides none', () => {
    const [match] = matchNames(['Approved Amount'], dictionary);
    expect([match?.field, match?.how]).to.deep.equal(['limit', 'partly']);
  });

  it('with other words beside a known one only resembles it', () => {
    const [match] = matchNames(['Revolving Balance'], dictionary);
    expect([match?.field, match?.how]).to.deep.equal(['due', 'partly']);
  });
});

describe('the dictionary', () => {
  const { statuses, exact } = readDictionary();

  it('has statuses that a ledger has', () => {
    for (const [name, [deal, facility, contract]] of statuses) {
      const parsed = [
        agreementStatus.safeParse(deal),
        agreementStatus.safeParse(facility),
        contractStatus.safeParse(contract),
      ];
      expect(
        parsed.every(({ success }) => success),
        name,
      ).to.equal(true);
    }
  });

  it('gives a name several fields of one language only where it may be several amounts', () => {
    const isAmount = (field: string) => (AMOUNT_FIELDS as string[]).includes(field);
    for (const [name, entries] of exact) {
      for (const source of new Set(entries.map((entry) => entry.source))) {
        const fields = new Set(
          entries.filter((entry) => entry.source === source).map(({ field }) => field),
        );
        const isRead = [...fields].filter((field) => field !== 'other');
        expect(isRead.length === 1 || isRead.every(isAmount), `${name} (${source})`).to.equal(true);
      }
    }
  });
});

describe('a file that decides everything', () => {
  it('leaves open who lends, what the types are and where the borrowers are', async () => {
    const { inspection } = await inspect(lines(HEADER, ...ROWS));
    const open = inspection.questions.map(({ setting }) => setting);
    expect(open).to.have.members(['lender', 'country', 'facilityTypes.*']);
  });

  it('has a profile that the schema takes once these are answered', async () => {
    const { yaml } = await inspect(lines(HEADER, ...ROWS));
    const profile = {
      ...parse(yaml),
      ...{ lender: { externalId: 'own', name: 'Our bank' }, country: 'DE' },
      facilityTypes: { '*': 'term_loan' },
    };
    expect(profileSchema.parse(profile)).to.deep.include({
      name: 'tape',
      currencyColumn: 'amounts',
    });
  });
});

/** What is decided (`is`, with its reason in the comment) or asked for one setting. */
interface Case {
  readonly name: string;
  readonly file: string;
  readonly setting: string;
  readonly is?: unknown;
  readonly comment?: string;
  readonly asks?: string;
}

const loans = (header: string, ...cells: readonly string[]) =>
  lines(
    `Loan Number;Balance;${header}`,
    ...cells.map((cell, index) => `A-${index + 1};10.50;${cell}`),
  );

const CASES: readonly Case[] = [
  {
    name: 'days above 12 decide the order of dates',
    file: loans('Maturity Date', '03/02/2031', '31/12/2030'),
    ...{ setting: 'dateFormats', is: ['DD/MM/YYYY'] },
    comment: 'day first, because row 3 has 31/12/2030',
  },
  {
    name: 'days below 13 leave it open',
    file: loans('Maturity Date', '03/02/2031', '11/12/2030'),
    ...{ setting: 'dateFormats', asks: 'every day is below 13' },
  },
  {
    name: 'days below 13 follow another column of dates',
    file: loans('Maturity Date;Start Date', '03/02/2031;03/01/2020', '11/12/2030;12/31/2019'),
    ...{ setting: 'dateFormats', is: ['MM/DD/YYYY'], comment: 'as in Start Date' },
  },
  {
    name: 'two digits of a year leave the century open',
    file: loans('Maturity Date', '31.12.30', '15.01.31'),
    ...{ setting: 'twoDigitYearsFrom', asks: 'row 2 has 31.12.30' },
  },
  {
    name: 'numbers of days are a question',
    file: loans('Maturity Date', '47848', '47483'),
    ...{ setting: 'dateFormats', asks: 'Maturity Date, row 2: 47848 is 2030-12-31' },
  },
  {
    name: 'rates below 1 may be fractions or percentages',
    file: loans('Interest Rate', '0.0525', '0.0475'),
    ...{ setting: 'rateUnit', asks: 'fraction or percent' },
  },
  {
    name: 'a rate above 1 is a percentage',
    file: loans('Interest Rate', '0.95', '4.75'),
    ...{ setting: 'rateUnit', is: 'percent', comment: 'the largest is 4.75' },
  },
  {
    name: 'a percent sign is one',
    file: loans('Interest Rate', '0.95%', '0.75%'),
    ...{ setting: 'rateUnit', is: 'percent', comment: 'percent signs' },
  },
  {
    name: 'rates in the hundreds may be basis points',
    file: loans('Interest Rate', '525', '475'),
    ...{ setting: 'rateUnit', asks: 'basis_points or percent' },
  },
  {
    name: 'a point before three digits may be either',
    file: lines('Kreditnummer;Restschuld', 'A-1;1.234', 'A-2;5.678'),
    ...{ setting: 'decimalSeparator', asks: '"." (1.234) or "," (1234)' },
  },
  {
    name: 'both marks in one number decide',
    file: lines('Kreditnummer;Restschuld', 'A-1;1.234', 'A-2;5.678,90'),
    ...{ setting: 'decimalSeparator', is: ',', comment: 'Restschuld, row 3: 5.678,90' },
  },
  {
    name: 'two columns called the balance are a question where they differ',
    file: lines(
      'Loan Number,Current Balance,Principal Balance',
      'A-1,10.00,10.00',
      'A-2,20.00,15.00',
    ),
    ...{
      setting: 'columns.due',
      asks: '[Current Balance] or [Principal Balance]? they differ in 1 row; row 3',
    },
  },
  {
    name: 'two columns with the same amounts are one',
    file: lines(
      'Loan Number,Current Balance,Principal Balance',
      'A-1,10.00,10.00',
      'A-2,20.00,20.00',
    ),
    ...{
      setting: 'columns.due',
      is: ['Current Balance'],
      comment: '“Principal Balance” is the same in each row',
    },
  },
  {
    name: 'two columns of one name cannot be told apart',
    file: lines('Loan Number,Balance,Balance', 'A-1,10.00,11.00'),
    ...{ setting: 'columns.due', asks: '2 columns are named “Balance”: rename one of them' },
  },
  {
    name: 'a limit that is not the sum of its parts is a question',
    file: lines(HEADER, ...ROWS, 'A-4,Dogwood,100.00,60.00,50.00,4.00,2030-01-31,EUR'),
    ...{
      setting: 'identities',
      asks: 'limit = due + undisbursed does not hold in 1 of 4 rows (first: row 5: 100.00 is not 110.00',
    },
  },
  {
    name: 'the rest of a limit may be drawn or not',
    file: lines('Loan Number,Limit,Balance', 'A-1,10.00,5.00'),
    ...{ setting: 'derive.undisbursed', asks: 'limit - due or 0' },
  },
  {
    name: 'a word for a revolving loan is known',
    file: loans('Kreditart', 'Kontokorrent', 'Annuitätendarlehen'),
    ...{ setting: 'facilityTypes.Kontokorrent', is: 'revolver' },
  },
  {
    name: 'a word for a type that nobody knows is a question',
    file: loans('Loan Type', 'XZ9', 'Term Loan'),
    ...{ setting: 'facilityTypes.*', asks: 'for “XZ9” (1 row)' },
  },
  {
    name: 'a status is known',
    file: lines('Loan Number;Balance;Status', 'A-1;0.00;Paid in full', 'A-2;5.00;Current'),
    ...{ setting: 'statuses.Paid in full', is: ['matured', 'matured', 'repaid'] },
  },
  {
    name: 'a status that nobody knows is a question',
    file: loans('Status', 'Substandard', 'Current'),
    ...{ setting: 'statuses.Substandard', asks: '[active, active, active] or another? in 1 row' },
  },
  {
    name: 'a status of the past is a question where something is owed',
    file: loans('Status', 'Closed', 'Current'),
    ...{
      setting: 'statuses.Closed',
      asks: '[matured, matured, repaid] or another? 1 row of 1 still owe',
    },
  },
  {
    name: 'NA in a column of countries may be Namibia',
    file: loans('Country Code', 'DE', 'NA'),
    ...{ setting: 'emptyMarks', asks: 'NA is Namibia' },
  },
  {
    name: 'a word in capitals is no currency',
    file: lines('LOAN NUMBER;ALL BALANCE', 'A-1;10.50', 'A-2;20.75'),
    ...{ setting: 'currency', asks: 'no column has the currency' },
  },
  {
    name: 'more decimals than money has are a question',
    file: lines('Loan Number;Balance', 'A-1;10.505', 'A-2;20.75'),
    ...{ setting: 'excessDecimals', asks: '“Balance”, row 2: 10.505' },
  },
  {
    name: 'a few rates above 1 among fractions are no percentages',
    file: loans('Interest Rate', '0.05', '0.06', '0.04', '1.25'),
    ...{ setting: 'rateUnit', asks: 'most are below 1' },
  },
  {
    name: 'one deal of several borrowers is a question',
    file: lines('Deal ID,Loan ID,Borrower,Balance', 'D,1,Alder,5.00', 'D,2,Birch,6.00'),
    ...{ setting: 'columns.dealNumber', asks: 'rows of one number have several borrowers' },
  },
  {
    name: 'drawings of one facility may repeat its limit',
    file: lines('Facility ID,Loan ID,Limit,Balance', 'F,1,9.50,5.00', 'F,2,9.50,4.00'),
    ...{ setting: 'facilityAmounts', asks: 'state the same limit' },
  },
  {
    name: 'the currency may stand in the header',
    file: lines('Darlehensnummer;Restschuld (EUR)', 'A-1;10,50', 'A-2;20,75'),
    ...{ setting: 'currency', is: 'EUR', comment: 'Restschuld (EUR)' },
  },
  {
    name: 'the currency may stand beside amounts',
    file: lines('Loan Number;Balance', 'A-1;€10.50', 'A-2;€20.75'),
    ...{ setting: 'currency', is: 'EUR' },
  },
  {
    name: 'a dollar sign is that of several currencies',
    file: lines('Loan Number;Balance', 'A-1;$10.50', 'A-2;$20.75'),
    ...{ setting: 'currencyMarks.$', asks: 'USD?' },
  },
  {
    name: 'a currency that no column has is a question',
    file: lines('Loan Number;Balance', 'A-1;10.50', 'A-2;20.75'),
    ...{ setting: 'currency', asks: 'no column has the currency' },
  },
  {
    name: 'thousands may be said in the headers',
    file: lines('Darlehensnummer;Restschuld (TEUR)', 'A-1;10,5', 'A-2;20,7'),
    ...{ setting: 'amountsIn', is: 1000 },
  },
  {
    name: 'a title that says thousands is a question',
    file: lines('Loan book (in thousands)', 'Loan Number;Balance', 'A-1;10.5', 'A-2;20.7'),
    ...{ setting: 'amountsIn', asks: '1000 or 1' },
  },
  {
    name: 'a country’s name has a code',
    file: loans('Land', 'Deutschland', 'Österreich'),
    ...{ setting: 'countries.Österreich', is: 'AT' },
  },
  {
    name: 'totals that the rows come to end the loans',
    file: lines(HEADER, ...ROWS, 'Total,,8000.50,1900.75,6099.75,,,'),
    ...{
      setting: 'totalsRow',
      is: 'Total',
      comment: 'the rows come to its Commitment, Unused, Balance',
    },
  },
  {
    name: 'subtotals above other loans are a question',
    file: lines(
      HEADER,
      ...ROWS.slice(0, 2),
      'Subtotal North,,6000.50,,,,,',
      ...ROWS.slice(2),
      'Subtotal South,,2000.00,,,,,',
      'Grand total,,8000.50,,,,,',
    ),
    ...{ setting: 'totalsRow', asks: 'row 4 begins like totals' },
  },
  {
    name: 'totals over several currencies are a question',
    file: lines(
      HEADER,
      ...ROWS,
      'A-4,Dogwood,10.00,5.00,5.00,4.00,2030-01-31,USD',
      'Total,,8010.50,,,,,',
    ),
    ...{ setting: 'totalsRow', asks: 'row 6 adds amounts of several currencies' },
  },
  {
    name: 'totals of each currency end the loans',
    file: lines(
      HEADER,
      ...ROWS,
      'A-4,Dogwood,10.00,5.00,5.00,4.00,2030-01-31,USD',
      'Total EUR,,8000.50,1900.75,6099.75,,,',
      'Total USD,,10.00,5.00,5.00,,,',
    ),
    ...{
      setting: 'totalsRow',
      is: 'Total',
      comment: 'row 6: it has the totals of EUR, which the import compares with the rows in EUR',
    },
  },
  {
    name: 'totals without a word are a question',
    file: lines(HEADER, ...ROWS, ',,8000.50,1900.75,6099.75,,,'),
    ...{ setting: 'totalsRow', asks: 'has no words, and the rows come to its Commitment' },
  },
  {
    name: 'a note after the loans is a question',
    file: lines(HEADER, ...ROWS, 'Printed by the credit department'),
    ...{ setting: 'totalsRow', asks: 'how row 5 begins' },
  },
  {
    name: 'a number that several rows have is a question',
    file: lines(HEADER, ...ROWS, ROWS[0] ?? ''),
    ...{
      setting: 'columns.loanNumber',
      asks: '1 row has the number of an earlier row (first: A-1 in rows 2 and 5)',
    },
  },
  {
    name: 'a number that several lenders’ rows have is one loan’s or not',
    file: lines('Loan Number,Lender,Balance', 'A-1,Bank A,5.00', 'A-1,Bank B,5.00'),
    ...{ setting: 'rowIs', asks: 'lender, if “Lender” holds the amounts of its row' },
  },
  {
    name: 'a date that differs from row to row is no date of the statement',
    file: loans('Reporting Date', '2025-02-28', '2025-03-31'),
    ...{ setting: 'columns.asOf', asks: 'it has 2 dates' },
  },
  {
    name: 'empty amounts may be zero',
    file: lines('Loan Number,Limit,Balance', 'A-1,10.00,5.00', 'A-2,10.00,'),
    ...{ setting: 'emptyIsZero', asks: '“Balance” in 1 row' },
  },
  {
    name: 'a mark for an empty cell is declared',
    file: loans('Maturity Date', '2030-12-31', 'n/a'),
    ...{ setting: 'emptyMarks', is: ['n/a'] },
  },
  {
    name: 'CR and DR: which one is below zero is a question',
    file: lines('Loan Number,Balance', 'A-1,10.00 CR', 'A-2,20.00 DR'),
    ...{ setting: 'negativeMarks', asks: 'which of them is below zero' },
  },
  {
    name: 'a dash may be zero or unknown',
    file: lines('Loan Number,Balance', 'A-1,10.00', 'A-2,-'),
    ...{ setting: 'zeroMarks', asks: 'if this is zero' },
  },
  {
    name: 'a header below a title is found',
    file: lines('Musterbank AG', 'Stand: 31.03.2025', HEADER, ...ROWS),
    ...{ setting: 'headerRow', is: 3 },
  },
  {
    name: 'any mark may separate the columns',
    file: lines(HEADER, ...ROWS).replaceAll(',', '^'),
    ...{ setting: 'delimiter', is: '^' },
  },
];

describe('what a file says of itself', () => {
  for (const { name, file, setting, is, comment, asks } of CASES) {
    it(name, async () => {
      const inspected = await inspect(file);
      if (asks === undefined) expect(inspected.setting(setting)).to.deep.equal(is);
      else expect(inspected.question(setting)).to.include(asks);
      if (comment !== undefined) expect(inspected.comment(setting)).to.include(comment);
    });
  }

  it('a column named as a balance that has words is not taken, and the reason is told', async () => {
    const { column, question } = await inspect(lines('Loan Number,Balance', 'A-1,high', 'A-2,low'));
    expect(column('Balance')).to.not.have.property('field');
    expect(column('Balance')?.how).to.include('its values are no numbers, such as “high”');
    expect(question('columns.due')).to.be.a('string');
  });

  it('an encoding that the bytes do not prove is a question', async () => {
    const { question, inspection } = await inspect(
      Buffer.from(lines(HEADER, ...ROWS).replace('Alder', 'M\u00fcller'), 'latin1'),
    );
    expect(inspection.encoding).to.include({ name: 'windows-1252', sure: false });
    expect(question('encoding')).to.include('line 2');
  });

  it('a file without a header is recognised by its columns, and says which line to add', async () => {
    const row = (id: string) => [id, '202503', '100000.00', '0', ...Array(28).fill('')].join('|');
    const { question, inspection } = await inspect(lines(row('F20Q10000001'), row('F20Q10000002')));
    expect(question('headerRow')).to.include('Freddie Mac single-family monthly performance');
    expect(inspection.notes.join()).to.include('Loan Sequence Number|Monthly Reporting Period|');
  });

  it('each column tells its smallest, largest and first values, blanks and different values', async () => {
    const { column } = await inspect(lines(HEADER, ...ROWS));
    expect(column('Balance')).to.deep.include({
      ...{ kind: 'amount', field: 'due', smallest: '600.00', largest: '3499.75' },
      ...{ first: ['600.00', '2000.00', '3499.75'], blanks: 0, different: 3, unreadable: 0 },
    });
    expect(column('Maturity Date')).to.include({ smallest: '2029-09-15', largest: '2031-06-30' });
  });
});

describe('the date of a statement in its title', () => {
  for (const title of [
    'Stand: 31. Oktober 2026',
    'Loans 2026 as of October 31 2026',
    'per 31.10.2026',
  ]) {
    it(`is found in ${title}`, async () => {
      const { inspection } = await inspect(lines(title, HEADER, ...ROWS), 'tape.csv');
      expect(inspection.notes.join()).to.include(`row 1 says “${title}”`);
    });
  }
});

describe('a workbook that nobody described', () => {
  const sheetRow = (...cells: readonly (string | number)[]) =>
    `<row>${cells.map((cell) => (typeof cell === 'number' ? `<c><v>${cell}</v></c>` : `<c t="inlineStr"><is><t>${cell}</t></is></c>`)).join('')}</row>`;
  const loans = [
    sheetRow('Darlehensnummer', 'Restschuld (EUR)', 'Fälligkeit'),
    sheetRow('A-1', 600.5, '31.12.2030'),
    sheetRow('A-2', 2000, '30.06.2031'),
    sheetRow('Summe', 2600.5),
  ].join('');
  const summary = [sheetRow('Art', 'Anzahl'), sheetRow('Darlehen', 2)].join('');
  const book = workbookOf({
    sheets: [
      { name: 'Deckblatt', rows: summary },
      { name: 'Kredite', rows: loans },
    ],
  });

  it('is inspected in its largest sheet, and which sheet is meant is a question', async () => {
    const { inspection, setting, question } = await inspect(book, 'tape.xlsx');
    expect([inspection.kind, inspection.rows]).to.deep.equal(['workbook', 2]);
    expect(question('sheet')).to.include('“Deckblatt” (2 rows) or “Kredite” (4 rows)?');
    expect(setting('totalsRow')).to.equal('Summe');
    expect(setting('columns.due')).to.deep.equal(['Restschuld (EUR)']);
  });

  it('needs no answer about rates that it shows in percent', async () => {
    const rate = '<c s="1"><v>0.0475</v></c>';
    const rated = [
      sheetRow('Darlehensnummer', 'Restschuld (EUR)', 'Zinssatz'),
      ...['A-1', 'A-2'].map((loan) => sheetRow(loan, 600.5).replace('</row>', `${rate}</row>`)),
    ].join('');
    const shown = workbookOf({ sheets: [{ rows: rated }], formats: ['0.00%'] });
    const { setting } = await inspect(shown, 'tape.xlsx');
    expect(setting('rateUnit')).to.equal('percent');
  });

  it('is inspected in the sheet that is named', async () => {
    const { setting } = await inspect(book, 'tape.xlsx', 'Kredite');
    expect(setting('sheet')).to.equal('Kredite');
  });
});

describe('cls-api import inspect', () => {
  const folder = temporaryDirectory('cls-inspect-');
  const file = join(folder, 'tape.csv');
  before(() => writeFileSync(file, lines(HEADER, ...ROWS)));

  it('tells people what the file is in lines of 100 characters', async () => {
    const { code, stdout } = await runWith({}, 'import', 'inspect', file);
    expect(code).to.equal(0);
    expect(stdout).to.include('tape.csv: text, utf-8, separated by ","');
    expect(stdout).to.match(/^Balance +amount → due/m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).to.be.at.most(100);
  });

  it('writes the proposed profile to a new file, and to none that is there', async () => {
    const out = join(folder, 'profile.yaml');
    expect((await runWith({}, 'import', 'inspect', file, '--out', out)).code).to.equal(0);
    const before = readFileSync(out, 'utf8');
    expect(parse(before)).to.include({ name: 'tape', source: 'tape' });
    expect((await runWith({}, 'import', 'inspect', file, '--out', out)).code).to.equal(1);
    expect(readFileSync(out, 'utf8')).to.equal(before);
  });

  it('writes it as JSON where the name of the file says so', async () => {
    const out = join(folder, 'profile.json');
    expect((await runWith({}, 'import', 'inspect', file, '--out', out)).code).to.equal(0);
    expect(JSON.parse(readFileSync(out, 'utf8'))).to.include({ name: 'tape', source: 'tape' });
  });

  it('lets no text of a file move the cursor, set a title or turn a line around', async () => {
    const odd = join(folder, 'odd.csv');
    writeFileSync(odd, lines(`\u001b]0;title\u0007${HEADER}`, `\u001b[2J\u202e${ROWS[0]}`));
    const { stdout } = await runWith({}, 'import', 'inspect', odd);
    expect(stdout).to.include('title');
    for (const character of '\u001b\u0007\u202e') expect(stdout).not.to.include(character);
  });

  it('says of a file that it cannot read why', async () => {
    const missing = join(folder, 'none.csv');
    const { code, stderr } = await runWith({}, 'import', 'inspect', missing);
    expect([code, existsSync(missing)]).to.deep.equal([1, false]);
    expect(stderr).to.include('there is no such file');
  });
});

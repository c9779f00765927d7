import { expect } from 'chai';
import { type ImportProfileDocument, profileSchema } from '../../src/import/profile/profile.ts';
import { Grouping } from '../../src/import/statement/group-rows.ts';
import { totalOf } from '../../src/import/statement/legs.ts';
import { Report } from '../../src/import/statement/report.ts';
import { readShares } from '../../src/import/statement/shares.ts';
import { readText } from '../support/book.ts';
import { rowsOf } from '../support/statement-file.ts';

const COLUMNS = {
  asOf: ['Date'],
  dealNumber: ['Deal'],
  facilityNumber: ['Facility'],
  loanNumber: ['Loan'],
  currency: ['Currency'],
  due: ['Balance'],
};
const OF_LENDERS = { ...COLUMNS, lender: ['Lender'] };
const LIMITED = { ...COLUMNS, limit: ['Limit'] };
const bare: ImportProfileDocument = {
  name: 'grouped',
  title: 'Grouped',
  source: 'grouped',
  columns: COLUMNS,
  lender: { externalId: 'OWN', name: 'Own Bank' },
};
const SHARED: Partial<ImportProfileDocument> = {
  columns: { ...OF_LENDERS, lenderShare: ['Share'] },
  rowIs: 'lender',
  shareUnit: 'percent',
};

async function grouped(lines: readonly string[], change: object = {}, shares?: readonly string[]) {
  const profile = profileSchema.parse({ ...bare, ...change });
  const header = Object.values(profile.columns).flat().join(',');
  const text = [header, ...lines.map((line) => `2025-01-31,${line}`), ''].join('\n');
  const { rows, faults } = await readText(text, profile);
  const own = faults.filter(({ code }) => code !== 'duplicate_loan');
  expect(own).to.deep.equal([]);
  const report = new Report();
  const table = (async function* () {
    yield await rowsOf((shares ?? []).join('\n'));
  })();
  const of = await readShares(table, profile, report);
  const grouping = new Grouping(profile, of, report);
  const deals = grouping.deals(rows);
  grouping.end();
  return { deals, report };
}

describe('rows that make deals', () => {
  for (const [title, lines, change, code, message] of [
    [
      'of a balance without a loan number is refused, because nothing would have it',
      ['D,F,1,EUR,10.00', 'D,F,,EUR,5.00'],
      {},
      'missing_value',
      /has a balance/,
    ],
    [
      'of one lender that stands twice in a loan is refused',
      ['D,F,1,EUR,10.00,Second', 'D,F,1,EUR,5.00,SECOND'],
      { columns: OF_LENDERS, rowIs: 'lender' },
      'duplicate_loan',
      /SECOND has this loan also in row 2/,
    ],
    [
      'of one lender that has a drawing twice, with other limits, is refused for that alone',
      ['D,F,1,EUR,10.00,100.00,Second', 'D,F,1,EUR,5.00,90.00,Second'],
      {
        ...{ columns: { ...LIMITED, lender: ['Lender'] }, rowIs: 'lender' },
        derive: { undisbursed: 'limit - due' },
      },
      'duplicate_loan',
      /Second has this loan also in row 2; expected one row for each lender/,
    ],
    [
      'of shares whose rows have own amounts is refused',
      ['D,F,1,EUR,10.00,Own Bank,60', 'D,F,1,EUR,5.00,Second,40'],
      SHARED,
      'differs_in_loan',
      /expected 10.00, as row 2 states for the same loan/,
    ],
    [
      'of other shares in another loan of the facility is refused',
      [
        'D,F,1,EUR,10.00,Own Bank,60',
        'D,F,1,EUR,10.00,Second,40',
        'D,F,2,EUR,10.00,Own Bank,50',
        'D,F,2,EUR,10.00,Second,50',
      ],
      SHARED,
      'shares_differ',
      /expected the shares of the loan of row 2/,
    ],
    [
      'of a lender that stands twice in another loan of the facility is refused',
      [
        'D,F,1,EUR,10.00,Own Bank,50',
        'D,F,1,EUR,10.00,Second,50',
        'D,F,2,EUR,10.00,Own Bank,50',
        'D,F,2,EUR,10.00,Own Bank,50',
      ],
      SHARED,
      'shares_differ',
      /expected the shares of the loan of row 2/,
    ],
    [
      'of a part that was sold, beside lenders who hold all, is refused before it is applied',
      ['D,F,1,EUR,10.00,Own Bank,0.00', 'D,F,1,EUR,5.00,Second,1.00'],
      {
        ...{ columns: { ...OF_LENDERS, dueThirdParty: ['Sold'] }, rowIs: 'lender' },
        participants: { externalId: 'SOLD', name: 'Others' },
      },
      'sold_by_lenders',
      /name who bought a part as one of them/,
    ],
    [
      'of a facility whose limit is not its drawings and the rest is refused',
      ['D,F,1,EUR,10.00,100.00,70.00', 'D,F,2,EUR,5.00,100.00,70.00'],
      { columns: { ...LIMITED, undisbursed: ['Undrawn'] } },
      'identity_broken',
      /expected 85.00: Balance 15.00 \+ Undrawn 70.00/,
    ],
    [
      'of balances that follow from the limit of a whole facility is refused',
      ['D,F,1,EUR,100.00,70.00', 'D,F,2,EUR,100.00,70.00'],
      {
        columns: { ...COLUMNS, due: undefined, limit: ['Limit'], undisbursed: ['Undrawn'] },
        derive: { due: 'limit - undisbursed' },
      },
      'derived_from_facility',
      /which has several loans/,
    ],
    [
      'of numbers that make the same name of two facilities is refused',
      ['A/B,C,1,EUR,10.00', 'A,B/C,1,EUR,10.00'],
      {},
      'same_reference',
      /deal and facility together are what row 2 has/,
    ],
  ] as const) {
    it(`${title}`, async () => {
      const { columns, ...others } = { columns: COLUMNS, ...(change as object) };
      const stated = Object.fromEntries(Object.entries(columns).filter(([, one]) => one));
      const { report } = await grouped(lines, { ...others, columns: stated });
      const [fault] = report.faults;
      expect(fault?.code, JSON.stringify(report.faults)).to.equal(code);
      expect(report.faultKinds.map((kind) => kind.code)).not.to.include('differs_in_facility');
      expect(fault?.message).to.match(message);
    });
  }

  describe('of several lenders in one drawing', () => {
    const columns = {
      ...{ ...OF_LENDERS, effectiveDate: ['Start'], maturityDate: ['End'] },
      ...{ rate: ['Rate'], status: ['State'] },
    };
    const change = {
      ...{ columns, rowIs: 'lender' },
      statuses: { Live: ['active', 'active', 'active'], Late: ['active', 'active', 'pending'] },
    };
    const stated = ['2024-01-02', '2027-12-31', '4.75', 'Live'];
    const rowOf = (lender: string, facts: readonly string[]) =>
      ['D,F,T-1,EUR,10.00', lender, ...facts].join(',');

    for (const [column, place, other, expected, value] of [
      ['Start', 0, '2024-01-03', '2024-01-02', '2024-01-03'],
      ['End', 1, '2028-12-31', '2027-12-31', '2028-12-31'],
      ['Rate', 2, '475', '4.75 %', '475 %'],
      ['State', 3, 'Late', 'active/active/active', 'active/active/pending'],
    ] as const) {
      it(`are refused where they contradict each other in ${column}`, async () => {
        const lines = [rowOf('A', stated), rowOf('B', stated.with(place, other))];
        const { report } = await grouped(lines, change);
        expect(report.faults).to.deep.equal([
          {
            ...{ row: 3, column, code: 'differs_in_loan', value },
            message: `expected ${expected}, as in row 2, which is of the same loan`,
          },
        ]);
      });
    }

    it('take what one row states and the others leave empty', async () => {
      const lines = [rowOf('A', ['', '', '', 'Live']), rowOf('B', stated)];
      const { deals, report } = await grouped(lines, change);
      expect(report.faults).to.deep.equal([]);
      expect(deals[0]?.facilities[0]?.drawings[0]).to.include({
        ...{ effectiveDate: '2024-01-02', maturityDate: '2027-12-31' },
        allInRate: '0.047500000000',
      });
    });
  });

  it('of one deal or facility say which of two names or signing dates counts', async () => {
    const columns = { ...COLUMNS, facilityName: ['Called'], closingDate: ['Signed'] };
    const lines = ['D,F,1,EUR,10.00,Term,2024-01-02', 'D,F,2,EUR,10.00,Bridge,2024-01-03'];
    const { report } = await grouped(lines, { columns });
    expect(report.faults).to.deep.equal([]);
    expect(report.warnings.map(({ row, column, message }) => [row, column, message])).to.deep.equal(
      [
        [3, 'Signed', 'row 2 of the same deal says 2024-01-02, which counts'],
        [3, 'Called', 'row 2 of the same facility says Term, which counts'],
      ],
    );
  });

  it('say by what two borrowers of one name differ: by their countries, or by their numbers', async () => {
    for (const [column, one, other] of [
      ['countryCode', 'DE', 'AT'],
      ['borrowerNumber', '17', '18'],
    ] as const) {
      const columns = { ...COLUMNS, borrower: ['Borrower'], [column]: ['Which'] };
      const lines = [`D,F,1,EUR,10.00,Alder,${one}`, `D,F,2,EUR,10.00,Alder,${other}`];
      const { report } = await grouped(lines, { columns });
      expect(report.faults.map(({ code, message, value }) => [code, message, value])).to.deep.equal(
        [
          [
            'differs_in_deal',
            `expected Alder (${one}), as in row 2, which is of the same deal`,
            `Alder (${other})`,
          ],
        ],
      );
    }
  });

  it('make a facility that begins with the first of its drawings, in whatever order they stand', async () => {
    const columns = { ...COLUMNS, effectiveDate: ['Start'] };
    const lines = ['D,F,1,EUR,10.00,2024-05-01', 'D,F,2,EUR,10.00,2023-01-02'];
    const { deals } = await grouped(lines, { columns });
    expect(deals[0]?.facilities[0]?.effectiveDate).to.equal('2023-01-02');
  });

  it('take what is undrawn of a facility from all of its drawings', async () => {
    const lines = ['D,F,1,EUR,10.00,100.00', 'D,F,2,EUR,5.00,100.00'];
    const change = { columns: LIMITED, derive: { undisbursed: 'limit - due' } };
    const { deals, report } = await grouped(lines, change);
    expect(report.faults).to.deep.equal([]);
    const { undrawn } = deals[0]?.facilities[0]?.commitment ?? {};
    expect(undrawn && totalOf(undrawn)).to.equal(8_500n);
  });

  it('take shares in money in the currency of each facility', async () => {
    const columns = { facilityNumber: ['Facility'], lender: ['Lender'], share: ['Share'] };
    const { deals, report } = await grouped(
      ['D,F,1,JPY,1000', 'D,G,1,KWD,1.001'],
      { shares: { columns, unit: 'amount' } },
      ['Facility,Lender,Share', 'F,Own Bank,999', 'F,Second,1', 'G,Own Bank,1', 'G,Second,0.001'],
    );
    expect(report.faults).to.deep.equal([]);
    const due = deals[0]?.facilities.map(({ drawings }) => [...(drawings[0]?.due.values() ?? [])]);
    expect(due).to.deep.equal([
      [999n, 1n],
      [1_000n, 1n],
    ]);
  });

  describe('with shares in a second file', () => {
    const columns = { facilityNumber: ['Facility'], lender: ['Lender'], share: ['Share'] };
    const columnsLine = ['Facility,Lender,Share'];
    const lines = ['D,F,1,EUR,100.00'];
    const parts = ['F,Own Bank,60,x', 'F,Second,40,y'];
    const dueOf = ({ deals }: Awaited<ReturnType<typeof grouped>>) => [
      ...(deals[0]?.facilities[0]?.drawings[0]?.due.values() ?? []),
    ];

    it('find its columns by place, as those of the statement', async () => {
      const placed = { columns: { ...columns, share: ['#3'] }, unit: 'percent' };
      const header = 'Facility,Lender,Part of it,Share';
      const read = await grouped(lines, { shares: placed }, [header, ...parts]);
      expect(read.report.faults).to.deep.equal([]);
      expect(dueOf(read)).to.deep.equal([6_000n, 4_000n]);
    });

    it('by loan, are refused where two loans of a facility have others, and all are used', async () => {
      const byLoan = {
        columns: { facilityNumber: ['Facility'], loanNumber: ['Loan'], due: ['Balance'] },
        currency: 'EUR',
        shares: {
          columns: { loanNumber: ['Loan'], lender: ['Lender'], share: ['Share'] },
          unit: 'percent',
        },
      };
      const profile = profileSchema.parse({ ...bare, ...byLoan });
      const read = async (...rows: readonly string[]) => {
        const text = ['Facility,Loan,Balance', 'F,,0.00', 'F,A,100.00', 'F,B,50.00', ''].join('\n');
        const report = new Report();
        const table = (async function* () {
          yield await rowsOf(['Loan,Lender,Share', ...rows].join('\n'));
        })();
        const shares = await readShares(table, profile, report);
        const grouping = new Grouping(profile, shares, report);
        const deals = grouping.deals((await readText(text, profile)).rows);
        grouping.end();
        return { deals, report };
      };
      for (const others of [['B,Second,100'], []]) {
        const { report } = await read('A,Own Bank,100', ...others);
        expect(report.faults.map(({ row, code, value }) => [row, code, value])).to.deep.equal([
          [4, 'shares_differ', 'B'],
        ]);
        expect(report.warnings).to.deep.equal([]);
      }
      const same = ['A,Own Bank,60', 'A,Second,40', 'B,Second,40', 'B,Own Bank,60'];
      const { deals, report } = await read(...same);
      expect([report.faults, report.warnings]).to.deep.equal([[], []]);
      const due = deals[0]?.facilities[0]?.drawings.map((one) => [...one.due.values()]);
      expect(due).to.deep.equal([
        [6_000n, 4_000n],
        [3_000n, 2_000n],
      ]);
    });

    it('refuse a column that it has twice, or not at all, and a file without rows', async () => {
      for (const [header, code, message] of [
        ['Facility,Lender,Share,share', 'duplicate_column', /appears twice, as number 3/],
        ['Facility,Lender,Part,Other', 'missing_column', /file of shares has no column .* Part/],
        ['', 'no_header', /file of shares/],
      ] as const) {
        const rows = header === '' ? [] : [header, ...parts];
        const { report } = await grouped(lines, { shares: { columns, unit: 'percent' } }, rows);
        expect(report.faults[0]?.code, header).to.equal(code);
        expect(report.faults[0]?.message).to.match(message);
      }
    });

    it('that are rounded are refused, or taken within the tolerance and counted', async () => {
      const thirds = [...columnsLine, 'F,Own Bank,33.33', 'F,Second,33.33', 'F,Third,33.33'];
      const shares = { columns, unit: 'percent' } as const;
      const exact = await grouped(lines, { shares }, thirds);
      expect(exact.report.faults[0]?.message).to.contain('come to 99.99 %; expected 100 %');
      for (const [shareTolerance, faults] of [
        ['0.01', 0],
        ['0.009', 1],
      ] as const) {
        const read = await grouped(lines, { shares, shareTolerance }, thirds);
        expect(read.report.faultCount, shareTolerance).to.equal(faults);
        expect(read.report.warningKinds.map(({ code, count }) => [code, count])).to.deep.equal(
          faults === 0 ? [['shares_rounded', 1]] : [],
        );
        if (faults === 0) expect(dueOf(read)).to.deep.equal([3_334n, 3_333n, 3_333n]);
      }
      const above = [...columnsLine, 'F,Own Bank,0.33335', 'F,Second,0.6667'];
      const fractions = { shares: { columns, unit: 'fraction' }, shareTolerance: '0.005' };
      expect((await grouped(lines, fractions, above)).report.faults).to.deep.equal([]);
    });

    it('in a column of the statement have the same tolerance', async () => {
      const parts = ['D,F,1,EUR,10.00,A,33.3', 'D,F,1,EUR,10.00,B,33.3', 'D,F,1,EUR,10.00,C,33.3'];
      const { report } = await grouped(parts, { ...SHARED, shareTolerance: '0.1' });
      expect(report.faults).to.deep.equal([]);
      expect(report.warnings[0]?.message).to.match(/come to 99.9 %.*in proportion/);
    });

    it('have no header where the statement has none', async () => {
      const profile = profileSchema.parse({
        ...{ ...bare, headerRow: 0, columns: { facilityNumber: ['#1'], due: ['#2'] } },
        ...{ currency: 'EUR', derive: {} },
        shares: {
          columns: { facilityNumber: ['#1'], lender: ['#2'], share: ['#3'] },
          unit: 'percent',
        },
      });
      const report = new Report();
      const table = (async function* () {
        yield await rowsOf(parts.join('\n'));
      })();
      const shares = await readShares(table, profile, report);
      expect(report.faults).to.deep.equal([]);
      expect(shares.get('F')?.map(({ lender }) => lender.name)).to.deep.equal([
        ...['Own Bank', 'Second'],
      ]);
    });
  });
});

import { expect } from 'chai';
import { dateReadings } from '../../src/import/cells/date-candidates.ts';
import { dialectsThatRead } from '../../src/import/cells/number-candidates.ts';
import { cellText } from '../../src/import/cells/text.ts';
import type { Cell } from '../../src/import/file/table.ts';

describe('dates that nobody described', () => {
  const formatsThatRead = (samples: readonly Cell[]) =>
    dateReadings(samples).flatMap(({ formats }) => formats);

  it('are a question where every day is below 13, and none where one is not', () => {
    const question = dateReadings(['01/02/2025', '03/04/2025']);
    expect(question).to.deep.equal([
      { formats: ['DD/MM/YYYY', 'D/M/YYYY'], days: ['2025-02-01', '2025-04-03'] },
      { formats: ['MM/DD/YYYY', 'M/D/YYYY'], days: ['2025-01-02', '2025-03-04'] },
    ]);
    expect(formatsThatRead(['01/02/2025', '13/04/2025'])).to.deep.equal(['DD/MM/YYYY', 'D/M/YYYY']);
  });

  it('may be day numbers of a workbook, or months', () => {
    expect(formatsThatRead([45747, '45748'])).to.deep.equal(['serial']);
    expect(formatsThatRead(['012025'])).to.include('MMYYYY');
  });

  it('have no format where they are dates of the workbook, none at all, or of another age', () => {
    for (const samples of [[new Date(0)], [], ['0204-01-01'], ['01/02/2025', 'x']]) {
      expect(formatsThatRead(samples)).to.deep.equal([]);
    }
  });
});

describe('numbers that nobody described', () => {
  const values = (...samples: string[]) =>
    dialectsThatRead(samples).map((reading) => reading.values.join(' '));

  it('are a question where a separator may be of decimals or of thousands', () => {
    expect(values('1,234', '5')).to.deep.equal(['1.234 5', '1234 5']);
  });

  it('are none where one of them decides', () => {
    expect(values('1,234', '5.50')).to.deep.equal(['1234 5.50']);
    expect(values('1.234,50', '1.234')).to.deep.equal(['1234.50 1234']);
    expect(dialectsThatRead(['1234.5'])[0]?.dialects[0]).to.deep.equal({ decimalSeparator: '.' });
  });

  it('have the marks that stand beside them, and CR and DR are a question', () => {
    expect(dialectsThatRead(['€ 5.00', '(7.00)', '-'])[0]?.dialects[0]).to.deep.equal({
      decimalSeparator: '.',
      parenthesesNegative: true,
      zeroMarks: ['-'],
      currencyMarks: { '€': 'EUR' },
    });
    expect(values('5.00 CR')).to.deep.equal(['-5.00', '5.00']);
  });

  it('have no dialect where they are no numbers', () => {
    expect(values('Alpha', '5')).to.deep.equal([]);
    expect(dialectsThatRead([new Date(0), '5'])).to.deep.equal([]);
    expect(dialectsThatRead([5])).to.deep.equal([]);
  });
});

describe('the text of a cell', () => {
  for (const [cell, text] of [
    [' \u00a0a  b\u2009', 'a  b'],
    [1e21, '1000000000000000000000'],
    [new Date('2025-03-31'), '2025-03-31'],
    [new Date('2025-03-31T09:30:00Z'), '2025-03-31T09:30:00'],
    [new Date(Number.NaN), 'no date'],
  ] as const) {
    it(`is ${JSON.stringify(text)}`, () => expect(cellText(cell)).to.equal(text));
  }
});

import { expect } from 'chai';
import { dateExpected } from '../../src/import/cells/date-refusal.ts';
import { DATE_FORMAT, readDate } from '../../src/import/cells/dates.ts';

describe('a date in a cell', () => {
  for (const [cell, format, read] of [
    ['2025-03-31', 'YYYY-MM-DD', '2025-03-31'],
    [' 2025-03-31\u00a0', 'YYYY-MM-DD', '2025-03-31'],
    ['2025-03-31T00:00:00', 'YYYY-MM-DDThh:mm:ss', '2025-03-31'],
    ['2025-03-31 00:00:00.000000', 'YYYY-MM-DDThh:mm:ss', '2025-03-31'],
    ['2025-03-31T00:00:00.0Z', 'YYYY-MM-DDThh:mm:ss', '2025-03-31'],
    ['03/31/2025', 'MM/DD/YYYY', '2025-03-31'],
    ['3/1/2025', 'M/D/YYYY', '2025-03-01'],
    ['3/1/2025 0:00', 'M/D/YYYY h:mm', '2025-03-01'],
    ['3/1/2025 00:00:00', 'M/D/YYYY h:mm', '2025-03-01'],
    ['03/01/2025 12:00:00 AM', 'MM/DD/YYYY hh:mm:ss AM', '2025-03-01'],
    ['31.03.2025', 'DD.MM.YYYY', '2025-03-31'],
    ['31.03.2025 00:00', 'DD.MM.YYYY hh:mm', '2025-03-31'],
    ['31/3/2025', 'D/M/YYYY', '2025-03-31'],
    ['2025.03.31', 'YYYY.MM.DD', '2025-03-31'],
    ['20250331', 'YYYYMMDD', '2025-03-31'],
    [20250331, 'YYYYMMDD', '2025-03-31'],
    ['31032025', 'DDMMYYYY', '2025-03-31'],
    ['31-MAR-2025', 'DD-MMM-YYYY', '2025-03-31'],
    ['31MAR2025', 'DDMMMYYYY', '2025-03-31'],
    ['Sept. 5, 2025', 'MMM D, YYYY', '2025-09-05'],
    ['5. März 2025', 'D. MMMM YYYY', '2025-03-05'],
    ['5. Ma\u0308rz 2025', 'D. MMMM YYYY', '2025-03-05'],
    ['1 août 2025', 'D MMMM YYYY', '2025-08-01'],
    ['1 ENERO 2025', 'D MMM YYYY', '2025-01-01'],
    ['03/2025', 'MM/YYYY', '2025-03-31'],
    ['022024', 'MMYYYY', '2024-02-29'],
    ['202502', 'YYYYMM', '2025-02-28'],
    ['2025-12', 'YYYY-MM', '2025-12-31'],
    ['45747', 'serial', '2025-03-31'],
    [45747, 'serial', '2025-03-31'],
    ['45747.0', 'serial', '2025-03-31'],
    [1, 'serial', '1900-01-01'],
    [59, 'serial', '1900-02-28'],
    [61, 'serial', '1900-03-01'],
    [2_958_465, 'serial', '9999-12-31'],
    [new Date('2025-03-31'), 'MM/DD/YYYY', '2025-03-31'],
  ] as const) {
    it(`reads ${JSON.stringify(cell)} as ${format}`, () => {
      expect(readDate(cell, [format])).to.equal(read);
    });
  }

  it('names the century of two digits only as the profile declares it', () => {
    expect(readDate('31.12.49', ['DD.MM.YY'], 1950)).to.equal('2049-12-31');
    expect(readDate('31.12.50', ['DD.MM.YY'], 1950)).to.equal('1950-12-31');
    expect(readDate('Mar-25', ['MMM-YY'], 2000)).to.equal('2025-03-31');
    expect(readDate('31.12.49', ['DD.MM.YY'])).to.equal(undefined);
  });

  for (const [cell, formats, sentence] of [
    [
      '31/03/2025',
      ['MM/DD/YYYY'],
      "a date as MM/DD/YYYY; if this is 2025-03-31, add 'DD/MM/YYYY' to dateFormats",
    ],
    [
      45747,
      ['YYYY-MM-DD'],
      "a date as YYYY-MM-DD; if this is 2025-03-31, add 'serial' to dateFormats",
    ],
    [
      '31-Mar-25',
      ['YYYY-MM-DD'],
      "a date as YYYY-MM-DD; if this is 2025-03-31, add 'D-MMM-YY' to dateFormats and declare twoDigitYearsFrom",
    ],
    [
      '3/4/2025 9:30',
      ['M/D/YYYY', 'M/D/YYYY h:mm'],
      'a date without a time of day as M/D/YYYY or M/D/YYYY h:mm; this one has a time of day that is not midnight',
    ],
    [
      '03/04/2025 12:00:00 PM',
      ['MM/DD/YYYY hh:mm:ss AM'],
      'a date without a time of day as MM/DD/YYYY hh:mm:ss AM; this one has a time of day that is not midnight',
    ],
    [
      new Date('2025-03-31T09:30:00Z'),
      ['YYYY-MM-DD'],
      'a date without a time of day as YYYY-MM-DD; this one has a time of day that is not midnight',
    ],
    [
      45747.5,
      ['serial'],
      'a date without a time of day as serial; this one has a time of day that is not midnight',
    ],
    [60, ['serial'], 'a date as serial; day 60 of a workbook is 29 February 1900, which never was'],
    [
      '31.12.49',
      ['DD.MM.YY'],
      'a date as DD.MM.YY; to read years of two digits, declare twoDigitYearsFrom',
    ],
    [
      '03/04/2025',
      ['MM/DD/YYYY', 'DD/MM/YYYY'],
      'a date with one meaning; this is 2025-03-04 as MM/DD/YYYY and 2025-04-03 as DD/MM/YYYY',
    ],
    ['02/30/2025', ['MM/DD/YYYY'], 'a date as MM/DD/YYYY'],
    ['5 Brumaire 2025', ['D MMM YYYY'], 'a date as D MMM YYYY'],
    ['3/1/2025', ['DD.MM.YYYY', 'MM/DD/YYYY'], 'a date as DD.MM.YYYY or MM/DD/YYYY'],
    [0, ['serial'], 'a date as serial'],
    [2_958_466, ['serial'], 'a date as serial'],
    [new Date(Number.NaN), ['serial'], 'a date as serial'],
    [Number.NaN, ['YYYY-MM-DD'], 'a date as YYYY-MM-DD'],
  ] as const) {
    it(`refuses ${JSON.stringify(cell)} as ${formats.join(' or ')}`, () => {
      expect(readDate(cell, formats)).to.equal(undefined);
      expect(dateExpected(formats, cell)).to.satisfy((told: string) =>
        told.startsWith(`expected ${sentence}`),
      );
    });
  }

  it('may be declared by any pattern that has one day, month and year', () => {
    for (const format of ['D.M.YY', 'YYYY-MM-DD hh:mm', 'MMMYYYY', 'DD MMM YYYY, h:mm AM']) {
      expect(DATE_FORMAT.safeParse(format).success, format).to.equal(true);
    }
  });

  for (const format of [
    '',
    'YYYY',
    'DD/MM',
    'MM/MM/YYYY',
    'DD/DD/MM/YYYY',
    'DMYYYY',
    'DDMYYYY',
    'YYYYMMD',
    'YYYY-MM-DD hh',
    'YYYY-MM hh:mm',
    'hh:mm YYYY-MM-DD',
    'yyyy-mm-dd',
    'YYYY-MM-DD Z',
    '? DD/MM/YYYY or MM/DD/YYYY',
    `DD/MM/YYYY${' '.repeat(99)}`,
  ]) {
    it(`is not declared by ${JSON.stringify(format.slice(0, 30))}, and the refusal lists the tokens`, () => {
      const { error } = DATE_FORMAT.safeParse(format);
      expect(error?.issues[0]?.message).to.match(
        /^expected a pattern such as DD\.MM\.YYYY: .*YYYY, YY.*MMMM.*hh:mm:ss.*serial/,
      );
    });
  }
});

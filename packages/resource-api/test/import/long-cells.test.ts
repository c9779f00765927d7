import { expect } from 'chai';
import { readRate } from '../../src/import/cells/rates.ts';
import { sheetNumber } from '../../src/import/file/doubles.ts';
import { numberFormat } from '../../src/import/file/workbook.ts';
import { Report } from '../../src/import/statement/report.ts';

const LONG = 200_000;

describe('a cell that is as long as a record may be', () => {
  for (const [what, read, wanted] of [
    [
      'a rate',
      () => readRate(`5${' '.repeat(LONG)}x`, { decimalSeparator: '.' }, 'percent'),
      undefined,
    ],
    ['a number format', () => numberFormat(200, '['.repeat(LONG)), 'plain'],
    ['a number of a workbook', () => sheetNumber(`${'0'.repeat(LONG)}1`), 1],
  ] as const) {
    it(`is read as ${what} at once`, () => {
      const from = Date.now();
      expect(read()).to.equal(wanted);
      expect(Date.now() - from).to.be.lessThan(1_000);
    });
  }

  it('is cut where the message of a fault quotes it', () => {
    const report = new Report();
    report.fault(1, 'A', 'missing_column', `it has ${'x'.repeat(LONG)}`, '');
    expect(report.faults[0]?.message).to.match(/^it has x{3993}$/);
  });
});

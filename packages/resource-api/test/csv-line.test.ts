import { expect } from 'chai';
import { csvLine } from '../src/csv/csv-line.ts';

describe('a cell of a CSV answer', () => {
  for (const [given, cell, expected] of [
    ['a formula', '=1+1', "'=1+1"],
    ['a formula in full width', '＝1+1', "'＝1+1"],
    ['a plus in full width', '＋1', "'＋1"],
    ['a minus in full width', '－1', "'－1"],
    ['an at sign in full width', '＠SUM(1)', "'＠SUM(1)"],
    ['a formula after a line feed', '\n=1+1', '"\'\n=1+1"'],
    ['an escape sequence', 'Bank\u001b[2J', 'Bank\ufffd[2J'],
    ['a direction override', 'Bank\u202eknab', 'Bank\ufffdknab'],
    ['a direction isolate', 'Bänk\u2067', 'Bänk\ufffd'],
    ['a mark that names in Arabic have', 'بنك\u200f', 'بنك\u200f'],
    ['an amount', '-1.00', '-1.00'],
    ['a quotation mark', 'A "B", C', '"A ""B"", C"'],
  ] as const) {
    it(`that has ${given} is harmless and readable`, () => {
      expect(csvLine([cell])).to.equal(`${expected}\r\n`);
    });
  }
});

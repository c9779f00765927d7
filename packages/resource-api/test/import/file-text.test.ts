import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { RECORD_MAX_CHARS } from '../../src/import/file/limits.ts';
import { RecordSplitter } from '../../src/import/file/records.ts';
import type { TableRow } from '../../src/import/file/table.ts';
import { cellsOf, faultOf, rowsOf } from '../support/statement-file.ts';

describe('the rows of a text file', () => {
  for (const { given, text, delimiter = ',', rows } of [
    { given: 'nothing', text: '', rows: [] },
    { given: 'a byte order mark alone', text: '\uFEFF', rows: [] },
    { given: 'a header alone', text: 'a,b\n', rows: [['a', 'b']] },
    {
      given: 'no end of the last line',
      text: 'a,b\n1,2',
      rows: [
        ['a', 'b'],
        ['1', '2'],
      ],
    },
    {
      given: 'an empty cell at the end',
      text: 'a,b\n1,',
      rows: [
        ['a', 'b'],
        ['1', ''],
      ],
    },
    { given: 'line ends of all kinds', text: 'a\r\nb\rc\nd', rows: [['a'], ['b'], ['c'], ['d']] },
    { given: 'empty lines', text: '\n\na\n \n,,\n\nb\n\n', rows: [['a'], ['b']] },
    {
      given: 'rows of other widths',
      text: 'a,b\n1\n1,2,3\n',
      rows: [['a', 'b'], ['1'], ['1', '2', '3']],
    },
    { given: 'tabs', text: 'a\tb,c\n', delimiter: '\t', rows: [['a', 'b,c']] },
    { given: 'vertical bars', text: 'a|"b|c"|d\n', delimiter: '|', rows: [['a', 'b|c', 'd']] },
    { given: 'a delimiter beyond ASCII', text: 'a§b\n', delimiter: '§', rows: [['a', 'b']] },
    { given: 'quoted cells', text: '"a","b,""c""","",x\n', rows: [['a', 'b,"c"', '', 'x']] },
    { given: 'line ends within quotes', text: '"a\r\nb",c\n', rows: [['a\r\nb', 'c']] },
    { given: 'a quoted last cell', text: 'a,"b"', rows: [['a', 'b']] },
    { given: 'a delimiter after quotes at the end', text: '"a",', rows: [['a', '']] },
    {
      given: 'a quote within a cell',
      text: '5" pipe,Ned "N" K\n',
      rows: [['5" pipe', 'Ned "N" K']],
    },
    { given: 'spaces around cells', text: ' a , b \n', rows: [[' a ', ' b ']] },
    { given: 'the hint of Excel', text: 'sep=;\r\na;b\r\n', delimiter: ';', rows: [['a', 'b']] },
    { given: 'the hint of Excel alone', text: 'sep=,', rows: [] },
  ]) {
    it(`are read with ${given}`, async () => {
      expect(await cellsOf(text, { delimiter })).to.deep.equal(rows);
    });
  }

  it('carry the line where each record ends', async () => {
    const text = 'h\r\n"a\r\nb\rc"\n\nd\r\r"e\n"';
    const rows = await rowsOf(text);
    expect(rows.map(({ row, cells }) => [row, cells[0]])).to.deep.equal([
      [1, 'h'],
      [4, 'a\r\nb\rc'],
      [6, 'd'],
      [9, 'e\n'],
    ]);
  });

  for (const { given, text, row, code = 'malformed_csv', says } of [
    {
      given: 'text after a closing quote',
      text: 'a\nb\n"c"d,e\n',
      row: 3,
      says: 'closing quotation mark',
    },
    {
      given: 'a space after a closing quote',
      text: 'a\n"c" ,e\n',
      row: 2,
      says: 'closing quotation mark',
    },
    {
      given: 'text after quotes of two lines',
      text: 'a\n"b\nc"d\n',
      row: 3,
      says: 'closing quotation mark',
    },
    {
      given: 'a quote that nothing closes',
      text: 'a\nb,"c\nd\n',
      row: 2,
      says: 'no other one closes it',
    },
    {
      given: 'another delimiter in the hint',
      text: 'sep=;\na;b\n',
      row: 1,
      code: 'wrong_delimiter',
      says: '";"',
    },
    {
      given: 'a line that is too long',
      text: `a\n${'x'.repeat(RECORD_MAX_CHARS + 1)}\n`,
      row: 2,
      code: 'record_too_long',
      says: '1048576 characters',
    },
    {
      given: 'a quote that swallows the file',
      text: `a\n"${'x\n'.repeat(RECORD_MAX_CHARS)}`,
      row: 2,
      says: 'no other one closes it',
    },
  ]) {
    it(`are refused with ${given}: line ${row}`, async () => {
      const fault = await faultOf(text);
      expect(fault).to.include({ code, row });
      expect(fault.message).to.include(says);
    });
  }

  it('are refused where the delimiter is a quotation mark or a line end', async () => {
    for (const delimiter of ['"', '\n', '\r', '']) {
      expect(await faultOf('a\n', { delimiter })).to.include({ code: 'invalid_delimiter' });
    }
  });

  it('are what csv-parse reads, each with its line, in pieces of any size', () => {
    const marks = fc.constantFrom('a', 'é', ';', '"', '\r', '\n', ' ');
    const cell = fc.string({ unit: marks, maxLength: 6 });
    const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
    const lineEnd = fc.constantFrom('\r\n', '\n', '\r');
    fc.assert(
      fc.property(table, lineEnd, fc.integer({ min: 1, max: 9 }), (rows, end, size) => {
        const records = rows.map((cells) => cells.map(quoted).join(';') + end);
        const lines = records.map((_, at) => lineEndsIn(records.slice(0, at + 1).join('')));
        const isFilled = (cells: readonly string[]) => cells.some((given) => given.trim() !== '');
        const read = splitInPieces(records.join(''), size);
        expect(read.map(({ row }) => row)).to.deep.equal(
          lines.filter((_, at) => isFilled(rows[at] ?? [])),
        );
        const options = {
          delimiter: ';',
          record_delimiter: ['\r\n', '\n', '\r'],
          relax_column_count: true,
        };
        const expected = parse(records.join(''), options).filter(isFilled);
        expect(read.map(({ cells }) => cells)).to.deep.equal(expected);
      }),
      { numRuns: 300 },
    );
  });
});

function splitInPieces(text: string, size: number): readonly TableRow[] {
  const splitter = new RecordSplitter(';');
  const rows: TableRow[] = [];
  for (let at = 0; at < text.length; at += size) {
    rows.push(...splitter.push(text.slice(at, at + size)));
  }
  return [...rows, ...splitter.end()];
}

function quoted(text: string): string {
  return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function lineEndsIn(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}

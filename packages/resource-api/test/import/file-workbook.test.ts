import { expect } from 'chai';
import { readNumber } from '../../src/import/cells/numbers.ts';
import { describeFile } from '../../src/import/file/describe-file.ts';
import {
  FORMATS_MAX,
  RELATIONS_MAX,
  SHEET_MAX_COLUMNS,
  SHEETS_MAX,
  XML_DEPTH_MAX,
  XML_TEXT_MAX_CHARS,
} from '../../src/import/file/limits.ts';
import type { Cell } from '../../src/import/file/table.ts';
import { cellsOf, faultOf, fileOf, rowsOf, workbookOf } from '../support/statement-file.ts';

const day = (text: string) => new Date(`${text}Z`);
const row = (cells: string) => `<row>${cells}</row>`;
const number = (value: string, style = 0) => row(`<c s="${style}"><v>${value}</v></c>`);
const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;

describe('the cells of a workbook', () => {
  for (const { given, cell, value, texts = [] } of [
    { given: 'a number', cell: '<c><v>1234567.89</v></c>', value: 1234567.89 },
    { given: 'a negative number', cell: '<c t="n"><v>-5E-2</v></c>', value: -0.05 },
    {
      given: 'a shared text',
      cell: '<c t="s"><v>1</v></c>',
      value: 'b',
      texts: ['<t>a</t>', '<t>b</t>'],
    },
    {
      given: 'a text with fonts of its own, without how it is pronounced',
      cell: '<c t="s"><v>0</v></c>',
      value: 'Müller & Co',
      texts: [
        '<r><t>Mül</t></r><r><rPr><b/></rPr><t xml:space="preserve">ler &amp; Co</t></r><rPh><t>x</t></rPh>',
      ],
    },
    { given: 'an inline text', cell: text(' a '), value: ' a ' },
    { given: 'a text within CDATA', cell: text('<![CDATA[a<b]]>'), value: 'a<b' },
    { given: 'an escaped character', cell: text('a_x000D_b_x005F_'), value: 'a\rb_' },
    { given: 'true', cell: '<c t="b"><v>1</v></c>', value: 'TRUE' },
    { given: 'false', cell: '<c t="b"><v>0</v></c>', value: 'FALSE' },
    { given: 'an error', cell: '<c t="e"><v>#REF!</v></c>', value: '#REF!' },
    { given: 'the result of a formula', cell: '<c><f>1+1</f><v>2</v></c>', value: 2 },
    { given: 'the text of a formula', cell: '<c t="str"><f>A1</f><v>b</v></c>', value: 'b' },
    { given: 'an ISO date', cell: '<c t="d"><v>2031-06-30</v></c>', value: day('2031-06-30') },
    {
      given: 'an ISO time',
      cell: '<c t="d"><v>2031-06-30T10:00:00</v></c>',
      value: day('2031-06-30T10:00'),
    },
  ] satisfies { given: string; cell: string; value: Cell; texts?: string[] }[]) {
    it(`are read: ${given}`, async () => {
      const workbook = workbookOf({ sheets: [{ rows: row(cell) }], texts });
      expect(await cellsOf(fileOf(workbook, 100))).to.deep.equal([[value]]);
    });
  }

  for (const { format, serial = '45473', value, is1904 = false } of [
    { format: 'dd.mm.yyyy', value: day('2024-06-30') },
    { format: '[$-407]d/ mmm yy;@', value: day('2024-06-30') },
    { format: 'mmm', value: day('2024-06-30') },
    { format: 14, value: day('2024-06-30') },
    { format: 20, value: 45473 },
    { format: 'yyyy-mm-dd hh:mm', serial: '45473.5625', value: day('2024-06-30T13:30') },
    { format: 'dd.mm.yyyy', serial: '44011', value: day('2024-06-30'), is1904: true },
    { format: 'dd.mm.yyyy', serial: '0', value: day('1904-01-01'), is1904: true },
    { format: 'dd.mm.yyyy', serial: '1', value: day('1900-01-01') },
    { format: 'dd.mm.yyyy', serial: '59', value: day('1900-02-28') },
    { format: 'dd.mm.yyyy', serial: '60', value: '1900-02-29' },
    { format: 'dd.mm.yyyy', serial: '61', value: day('1900-03-01') },
    { format: 'dd.mm.yyyy', serial: '0', value: '1900-01-00' },
    { format: 'dd.mm.yyyy', serial: '2958465', value: day('9999-12-31') },
    { format: 'dd.mm.yyyy', serial: '2958466', value: 2958466 },
    { format: 'dd.mm.yyyy', serial: '-1', value: -1 },
    { format: 'hh:mm', value: 45473 },
    { format: '[h]:mm:ss', value: 45473 },
    { format: '#,##0.00 &quot;days&quot;', value: 45473 },
    { format: '[Red]0.00\\d', value: 45473 },
    { format: '0.00%', value: 45473 },
    { format: 'General', value: 45473 },
  ] satisfies { format: string | number; serial?: string; value: Cell; is1904?: boolean }[]) {
    it(`show ${serial} as ${format}${is1904 ? ', from 1904 on' : ''}`, async () => {
      const properties = is1904 ? 'date1904="1"' : '';
      const book = { sheets: [{ rows: number(serial, 1) }], formats: [format], properties };
      expect(await cellsOf(workbookOf(book))).to.deep.equal([[value]]);
    });
  }

  for (const { stored, value } of [
    { stored: '0.30000000000000004', value: 0.3 },
    { stored: '1234567.8899999999', value: 1234567.89 },
    { stored: '0.33333333333333331', value: 0.333333333333333 },
    { stored: '99999999999.123456', value: 99999999999.1235 },
    { stored: '1234567890123.4501', value: 1234567890123.45 },
    { stored: '123456789012345', value: 123456789012345 },
    { stored: '1234567890123450000', value: 1234567890123450000 },
    { stored: '0.00000000000000012345', value: 1.2345e-16 },
    { stored: '1.0000000000000000E+2', value: 100 },
  ]) {
    it(`keep the 15 digits that Excel shows of ${stored}`, async () => {
      expect(await cellsOf(workbookOf(number(stored)))).to.deep.equal([[value]]);
    });
  }

  for (const stored of [
    '12345678901234.56',
    '-12345678901234.56',
    '1234567890123456',
    '9007199254740991',
    '123456789012.34567',
  ]) {
    it(`are no amount with ${stored}, which has more digits than a workbook keeps`, async () => {
      const [[cell = ''] = []] = await cellsOf(workbookOf(number(stored)));
      expect(readNumber(cell, { decimalSeparator: '.' })).to.include({ code: 'inexact_amount' });
    });
  }

  for (const { given, cell, calculation = '' } of [
    { given: 'no result', cell: '<c><f>1+1</f></c>' },
    { given: 'an empty result', cell: '<c><f>1+1</f><v></v></c>' },
    {
      given: 'a result that is not computed yet',
      cell: '<c><f>1+1</f><v>0</v></c>',
      calculation: 'fullCalcOnLoad="1"',
    },
  ]) {
    it(`are refused where a formula has ${given}`, async () => {
      const book = { sheets: [{ rows: row(cell) }], calculation };
      const expected = { code: 'formula_without_value', row: 1, column: 'A' };
      expect(await faultOf(workbookOf(book))).to.include(expected);
    });
  }
});

describe('the rows of a workbook', () => {
  it('carry their number, and leave out what is blank behind them', async () => {
    const rows = `<row r="2"><c r="B2"><v>1</v></c><c r="D2" s="0"/></row><row r="3"/><row r="5">${text(' ')}</row><row r="9">${text('x')}</row>`;
    expect(await rowsOf(workbookOf(rows))).to.deep.equal([
      { row: 2, cells: ['', 1] },
      { row: 9, cells: ['x'] },
    ]);
  });

  it('are not what other parts of the sheet have', async () => {
    const other = '<extension><row r="7"><c r="A7"><v>9</v></c></row></extension>';
    const sheet = { rows: number('1'), before: other, after: other };
    const workbook = workbookOf({ sheets: [sheet] });
    expect(await rowsOf(workbook)).to.deep.equal([{ row: 1, cells: [1] }]);
  });

  it('are as wide as the header, where the profile says where it is', async () => {
    const rows =
      row(text('title')) +
      row(text('a') + text('b')) +
      row(text('1')) +
      row(text('1') + text('2') + text('3'));
    const cells = await cellsOf(workbookOf(rows), { headerRow: 2 });
    expect(cells).to.deep.equal([['title'], ['a', 'b'], ['1', ''], ['1', '2', '3']]);
  });

  const two = {
    sheets: [
      { name: 'Notes', rows: '' },
      { name: 'Loans', rows: number('1') + number('2') },
      { name: 'Old', rows: number('3'), state: 'hidden' },
    ],
  };

  it('are those of the sheet that the profile names', async () => {
    expect(await cellsOf(workbookOf(two), { sheet: 'Old' })).to.deep.equal([[3]]);
    expect(await cellsOf(workbookOf(two), { sheet: ' loans' })).to.deep.equal([[1], [2]]);
  });

  it('are those of the only sheet that has any', async () => {
    const sheets = two.sheets.slice(0, 2);
    expect(await cellsOf(workbookOf({ sheets }))).to.deep.equal([[1], [2]]);
  });

  it('are refused where several sheets have some and none is named', async () => {
    const fault = await faultOf(workbookOf(two));
    expect(fault.code).to.equal('several_sheets');
    expect(fault.message).to.include('Loans (2 rows), Old (1 row, hidden)');
  });

  it('are refused where the workbook has more sheets than anybody reads', async () => {
    const one = { name: 'S', rows: number('1') };
    const many = (count: number) => workbookOf({ sheets: Array(count).fill(one) });
    const fault = await faultOf(many(SHEETS_MAX + 1));
    expect(fault.code).to.equal('too_many_sheets');
    expect(fault.message).to.include(`at most ${SHEETS_MAX} sheets`);
    expect((await faultOf(many(SHEETS_MAX))).message).to.match(/S \(1 row\), and 236 more$/);
  });

  it('are refused where the named sheet is missing', async () => {
    const fault = await faultOf(workbookOf(two), { sheet: 'X' });
    expect(fault).to.include({ code: 'unknown_sheet', value: 'X' });
    expect(fault.message).to.include('Notes, Loans, Old');
  });

  it('are counted for the inspector, with what is hidden', async () => {
    const rows = `<row hidden="1">${text('a')}${text('b')}</row>${row('<c r="B2" s="1"><v>0.05</v></c>')}`;
    const before = '<cols><col min="2" max="3" hidden="1"/></cols>';
    const file = workbookOf({
      sheets: [{ rows, before }, ...two.sheets.slice(2)],
      formats: ['0.00%'],
    });
    const nothing = { hiddenRows: 0, hiddenColumns: 0, percentColumns: [] };
    expect(await describeFile(fileOf(file))).to.deep.equal({
      kind: 'workbook',
      compression: 'none',
      sheets: [
        {
          name: 'Sheet1',
          rows: 2,
          columns: 2,
          hidden: false,
          hiddenRows: 1,
          hiddenColumns: 2,
          percentColumns: [1],
        },
        { name: 'Old', rows: 1, columns: 1, hidden: true, ...nothing },
      ],
    });
  });

  const pieces = `${'x'.repeat(1_000)}<x/>`.repeat(1_100);
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
  for (const { given, rows, says, code = 'damaged_file' } of [
    { given: 'rows out of order', rows: '<row r="2"/><row r="1"/>', says: 'rows in their order' },
    { given: 'too many rows', rows: '<row r="1048577"/>', says: 'up to 1048576' },
    {
      given: 'too many columns',
      rows: row('<c r="XFE1"/>'),
      says: `up to ${SHEET_MAX_COLUMNS}`,
    },
    {
      given: 'a missing text',
      rows: row('<c t="s"><v>7</v></c>'),
      says: 'text of this cell is missing',
    },
    { given: 'an entity of its own', rows: row(text('&b;')), says: 'damaged' },
    { given: 'XML that is not well formed', rows: '<row>', says: 'damaged' },
    {
      given: 'a text without end',
      rows: row(text('x'.repeat(XML_TEXT_MAX_CHARS * 2))),
      says: 'at most',
      code: 'record_too_long',
    },
    {
      given: 'a value without end in many pieces',
      rows: row(`<c><v>${pieces}</v></c>`),
      says: 'characters in a cell',
      code: 'record_too_long',
    },
    {
      given: 'a text without end in many pieces',
      rows: row(text(pieces)),
      says: 'characters in a cell',
      code: 'record_too_long',
    },
    {
      given: 'elements without end in each other',
      rows: row('<c>'.repeat(XML_DEPTH_MAX)),
      says: 'nested',
    },
  ]) {
    it(`are refused with ${given}`, async () => {
      const fault = await faultOf(workbookOf(rows));
      expect(fault.code).to.equal(code);
      expect(fault.message).to.include(says);
    });
  }

  const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  for (const { given, part, xml, most } of [
    {
      given: 'more cell formats',
      part: 'xl/styles.xml',
      xml: (count: number) => `<a><cellXfs>${'<xf/>'.repeat(count)}</cellXfs></a>`,
      most: FORMATS_MAX,
    },
    {
      given: 'more number formats',
      part: 'xl/styles.xml',
      xml: (count: number) => `<a>${'<numFmt/>'.repeat(count)}</a>`,
      most: FORMATS_MAX,
    },
    {
      given: 'more parts',
      part: 'xl/_rels/workbook.xml.rels',
      xml: (count: number) =>
        `<a>${`<Relationship Type="${TYPES}/worksheet" Id="s0" Target="worksheets/sheet0.xml"/>`.repeat(count)}</a>`,
      most: RELATIONS_MAX,
    },
  ]) {
    it(`are refused with ${given} than a workbook has`, async () => {
      const workbook = (count: number) =>
        workbookOf({
          sheets: [{ rows: number('1') }],
          others: { [part]: Buffer.from(xml(count)) },
        });
      expect(await cellsOf(workbook(most))).to.deep.equal([[1]]);
      const fault = await faultOf(workbook(most + 1));
      expect(fault.code).to.equal('too_large');
      expect(fault.message).to.include(`expected at most ${most} `);
    });
  }

  it('are refused with a document type, so that no entity can grow', async () => {
    const sheet = Buffer.from(`${bomb}<worksheet><sheetData/></worksheet>`);
    const book = { sheets: [{ rows: '' }], others: { 'xl/worksheets/sheet0.xml': sheet } };
    expect((await faultOf(workbookOf(book))).message).to.include('document type');
  });
});

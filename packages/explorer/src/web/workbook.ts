import { strToU8, Zip, ZipDeflate } from 'fflate';

/** Text, or an amount that a spreadsheet may add up. */
export type Cell = string | { readonly amount: string };

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
export const WORKBOOK_TYPE = `${TYPE}.sheet`;
/** By the number of decimals; the formats before them are general and bold. */
const FORMATS = ['#,##0', '#,##0.0', '#,##0.00', '#,##0.000', '#,##0.0000'];

/** What every workbook of one sheet has around its rows (ECMA-376). */
const PARTS = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="${FORMATS.length}">${FORMATS.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`).join('')}</numFmts><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${FORMATS.length + 2}"><xf/><xf fontId="1" applyFont="1"/>${FORMATS.map((_, at) => `<xf numFmtId="${164 + at}" applyNumberFormat="1"/>`).join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0"/></cellStyles></styleSheet>`,
} as const;

/**
 * A workbook of one sheet, as its rows come. The first row stays in sight. Texts are no formulas, whatever
 * they begin with.
 */
export async function* workbook(
  title: string,
  head: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    ready.push(chunk);
  });
  const part = (name: string) => {
    const file = new ZipDeflate(name);
    zip.add(file);
    return (text: string, isLast = false) => file.push(strToU8(text), isLast);
  };
  for (const [name, text] of Object.entries(PARTS)) part(name)(`${XML}${text}`, true);
  const sheets = `<bookViews><workbookView/></bookViews><sheets><sheet name="${escaped(title).slice(0, 31)}" sheetId="1" r:id="r1"/></sheets>`;
  part('xl/workbook.xml')(
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${sheets}</workbook>`,
    true,
  );
  const sheet = part('xl/worksheets/sheet1.xml');
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view = `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`;
  const columns = `<cols><col min="1" max="${head.length}" width="18"/></cols>`;
  const names = head.map((name) => textCell(name, 1)).join('');
  sheet(`${XML}<worksheet xmlns="${MAIN}">${view}${columns}<sheetData><row>${names}</row>`);
  for await (const row of rows) {
    sheet(`<row>${row.map(cell).join('')}</row>`);
    yield* ready.splice(0);
  }
  sheet('</sheetData></worksheet>', true);
  zip.end();
  yield* ready.splice(0);
}

function cell(value: Cell): string {
  if (typeof value === 'string') return textCell(value, 0);
  const digits = value.amount.split('.')[1]?.length ?? 0;
  return `<c s="${2 + Math.min(digits, FORMATS.length - 1)}"><v>${escaped(value.amount)}</v></c>`;
}

function textCell(text: string, style: number): string {
  return `<c t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Without what XML has no place for. */
function escaped(text: string): string {
  return text
    .replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')
    .replace(/[&<>"]/g, (one) => ENTITIES[one] ?? '');
}

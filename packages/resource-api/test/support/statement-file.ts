/** Files for tests of reading, and what is read of them. */
import { strToU8, type Zippable, zipSync } from 'fflate';
import { readTable } from '../../src/import/file/read-table.ts';
import {
  type Cell,
  type FileDialect,
  type FileFault,
  type StatementSource,
  type TableRow,
  UnreadableFile,
} from '../../src/import/file/table.ts';

const PLAIN = { encoding: 'utf-8', delimiter: ',' } as const;

/** A file that is read in pieces of a given size. */
export function fileOf(content: string | Uint8Array, pieceBytes = 64 * 1024): StatementSource {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return {
    name: 'statement',
    size: bytes.length,
    async *bytes(start = 0, end = bytes.length) {
      for (let at = start; at < end; at += pieceBytes) {
        yield bytes.subarray(at, Math.min(at + pieceBytes, end));
      }
    },
  };
}

export async function rowsOf(
  source: StatementSource | string | Uint8Array,
  dialect: Partial<FileDialect> = {},
): Promise<readonly TableRow[]> {
  const file = typeof source === 'string' || source instanceof Uint8Array ? fileOf(source) : source;
  const all: TableRow[] = [];
  for await (const rows of readTable(file, { ...PLAIN, ...dialect })) all.push(...rows);
  return all;
}

export async function cellsOf(
  ...given: Parameters<typeof rowsOf>
): Promise<readonly (readonly Cell[])[]> {
  return (await rowsOf(...given)).map(({ cells }) => cells);
}

/** Why a file is refused. */
export async function faultOf(...given: Parameters<typeof rowsOf>): Promise<FileFault> {
  return refusalOf(rowsOf(...given));
}

export async function refusalOf(work: Promise<unknown>): Promise<FileFault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.fault;
    throw error;
  }
  throw new Error('expected that the file is refused');
}

interface TestSheet {
  readonly name?: string;
  readonly state?: string;
  /** XML of the rows. */
  readonly rows: string;
  /** XML before and after the rows. */
  readonly before?: string;
  readonly after?: string;
}

interface TestWorkbook {
  readonly sheets: readonly TestSheet[];
  /** Number formats by style, the first being style 1: a code, or the number of one that is built in. */
  readonly formats?: readonly (string | number)[];
  /** XML of each shared text, without its `si`. */
  readonly texts?: readonly string[];
  /** Attributes of `workbookPr` and `calcPr`. */
  readonly properties?: string;
  readonly calculation?: string;
  readonly others?: Zippable;
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook with one sheet, or as many as are given. */
export function workbookOf(given: TestWorkbook | string): Uint8Array {
  const book = typeof given === 'string' ? { sheets: [{ rows: given }] } : given;
  const { formats = [], texts = [], properties = '', calculation = '' } = book;
  const names = book.sheets.map(({ name, state }, at) => {
    const hidden = state === undefined ? '' : ` state="${state}"`;
    return `<sheet name="${name ?? `Sheet${at + 1}`}" sheetId="${at + 1}"${hidden} r:id="s${at}"/>`;
  });
  const relations = [
    ...book.sheets.map((_, at) => ['worksheet', `s${at}`, `worksheets/sheet${at}.xml`]),
    ['styles', 'styles', 'styles.xml'],
    ['sharedStrings', 'texts', '/xl/sharedStrings.xml'],
  ];
  const files: Record<string, string> = {
    '[Content_Types].xml': `${XML}<Types/>`,
    '_rels/.rels': relationsXml([['officeDocument', 'main', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${XML}<workbook ${MAIN} xmlns:r="${TYPES}"><workbookPr ${properties}/><sheets>${names.join('')}</sheets><calcPr ${calculation}/></workbook>`,
    'xl/_rels/workbook.xml.rels': relationsXml(relations),
    'xl/styles.xml': stylesXml(formats),
    'xl/sharedStrings.xml': `${XML}<sst ${MAIN}>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
  };
  for (const [at, { rows, before = '', after = '' }] of book.sheets.entries()) {
    files[`xl/worksheets/sheet${at}.xml`] =
      `${XML}<worksheet ${MAIN}>${before}<sheetData>${rows}</sheetData>${after}</worksheet>`;
  }
  const parts = Object.entries(files).map(([name, text]) => [name, strToU8(text)]);
  return zipSync({ ...Object.fromEntries(parts), ...book.others });
}

function relationsXml(relations: readonly (readonly string[])[]): string {
  const items = relations.map(
    ([kind, id, target]) => `<Relationship Id="${id}" Type="${TYPES}/${kind}" Target="${target}"/>`,
  );
  return `${XML}<Relationships>${items.join('')}</Relationships>`;
}

function stylesXml(formats: readonly (string | number)[]): string {
  const own = formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`);
  const ids = formats.map((format, at) => (typeof format === 'number' ? format : 164 + at));
  const styles = [0, ...ids].map((id) => `<xf numFmtId="${id}"/>`);
  return `${XML}<styleSheet ${MAIN}><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs></styleSheet>`;
}

import { limitExpansion } from './expansion.ts';
import { FORMATS_MAX, RELATIONS_MAX, SHEETS_MAX } from './limits.ts';
import { readSharedTexts } from './sheet-texts.ts';
import { UnreadableFile } from './table.ts';
import type { WorkbookContent } from './unpack.ts';
import { type Attributes, collectXml } from './xml.ts';
import { zipContent } from './zip.ts';

export interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly path: string;
}

const SHEETS = {
  most: SHEETS_MAX,
  of: 'sheets; save the one with the loans as a file of its own',
  code: 'too_many_sheets',
};
const FORMATS = { most: FORMATS_MAX, of: 'formats in a workbook; save the sheet as CSV' };
const RELATIONS = {
  most: RELATIONS_MAX,
  of: 'parts of a kind in a workbook; save the sheet as CSV',
};

export type Workbook = Readonly<Awaited<ReturnType<typeof openWorkbook>>>;

export async function openWorkbook(content: WorkbookContent) {
  const parts = partsOf(content);
  const [main] = await parts.relations('', 'officeDocument');
  if (main === undefined || !parts.has(main.path)) {
    const message = 'the file is no workbook; open it in its program and save it as .xlsx or CSV';
    throw new UnreadableFile('unknown_format', message);
  }
  const sheetPaths = new Map(
    (await parts.relations(main.path, 'worksheet')).map(({ id, path }) => [id, path]),
  );
  const [styles] = await parts.relations(main.path, 'styles');
  const [texts] = await parts.relations(main.path, 'sharedStrings');
  const index = await readIndex(parts.read(main.path));
  return {
    /** Whether dates count from 1904 on. */
    is1904: index.is1904,
    /** A program that computes nothing wrote it: formulas have no results of their own. */
    awaitsFormulas: index.awaitsFormulas,
    sheets: index.sheets.flatMap(({ name, hidden, id }): Sheet[] => {
      const path = sheetPaths.get(id);
      return path === undefined ? [] : [{ name, hidden, path }];
    }),
    /** By number of the cell's style. */
    styles: styles === undefined ? [] : await readStyles(parts.read(styles.path)),
    texts: texts === undefined ? [] : await readSharedTexts(parts.read(texts.path)),
    part: parts.read,
  };
}

/** The files of the zip. Their names do not differ by case alone. */
function partsOf({ source, entries }: WorkbookContent) {
  const entryAt = (path: string) => {
    const wanted = path.toLowerCase();
    return entries.find(({ name }) => name.toLowerCase() === wanted);
  };
  const has = (path: string) => entryAt(path) !== undefined;
  const read = (path: string): AsyncIterable<Uint8Array> => {
    const entry = entryAt(path);
    if (entry === undefined) {
      const message = `the workbook is damaged: its part ${path} is missing`;
      throw new UnreadableFile('damaged_file', message);
    }
    return limitExpansion(zipContent(source, entry), source.size);
  };
  /** The parts of one kind that a part names; that of the whole package is called ''. */
  const relations = async (path: string, kind: string) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const listed = `${folder}_rels/${path.slice(folder.length)}.rels`;
    if (!has(listed)) return [];
    return collectXml<{ id: string; path: string }>(read(listed), RELATIONS, (emit) => ({
      open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
        if (name !== 'Relationship' || !type.endsWith(`/${kind}`)) return;
        emit({ id, path: pathOf(target, folder) });
      },
    }));
  };
  return { has, read, relations };
}

function pathOf(target: string, folder: string): string {
  try {
    return decodeURIComponent(new URL(target, `zip:///${folder}`).pathname.slice(1));
  } catch {
    return target;
  }
}

async function readIndex(bytes: AsyncIterable<Uint8Array>) {
  let is1904 = false;
  let awaitsFormulas = false;
  const sheets = await collectXml<ReturnType<typeof sheetOf>>(bytes, SHEETS, (emit) => ({
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isTrue(attributes['date1904']);
      else if (name === 'calcPr') awaitsFormulas = isTrue(attributes['fullCalcOnLoad']);
      else if (name === 'sheet') emit(sheetOf(attributes));
    },
  }));
  return { is1904, awaitsFormulas, sheets };
}

function sheetOf(attributes: Attributes) {
  const { name = '', state = 'visible' } = attributes;
  // The prefix of the relation's id is the writer's choice.
  const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
  return { name, hidden: state !== 'visible', id };
}

async function readStyles(bytes: AsyncIterable<Uint8Array>): Promise<readonly NumberFormat[]> {
  let inCellFormats = false;
  /** Number formats, which have a code, and cell formats. */
  const formats = await collectXml<{ id: number; code?: string }>(bytes, FORMATS, (emit) => ({
    open(name, { numFmtId = '0', formatCode = '' }) {
      const id = Number(numFmtId);
      if (name === 'numFmt') emit({ id, code: formatCode });
      else if (name === 'cellXfs') inCellFormats = true;
      else if (name === 'xf' && inCellFormats) emit({ id });
    },
    close(name) {
      if (name === 'cellXfs') inCellFormats = false;
    },
  }));
  const codes = new Map<number, string>();
  for (const { id, code } of formats) if (code !== undefined) codes.set(id, code);
  return formats.flatMap(({ id, code }) =>
    code === undefined ? numberFormat(id, codes.get(id)) : [],
  );
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** What a cell's number format says about its number (ECMA-376, 18.8.30 and 18.8.31). */
export type NumberFormat = 'plain' | 'date' | 'percent';

/** Formats that every workbook has and does not list; the dates of East Asia too. */
const BUILT_IN_DATES = [14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58];
const BUILT_IN: ReadonlyMap<number, NumberFormat> = new Map([
  [9, 'percent'],
  [10, 'percent'],
  ...BUILT_IN_DATES.map((id) => [id, 'date'] as const),
]);

/** Excel takes 255. To look for brackets takes time with the square of it. */
const CODE_MAX_CHARS = 1_000;

/** A format that shows a day makes a date; one of a time or a duration alone does not. */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return BUILT_IN.get(id) ?? 'plain';
  const [section = ''] = code
    .slice(0, CODE_MAX_CHARS)
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .toLowerCase()
    .split(';');
  if (/[yd]/.test(section)) return 'date';
  if (section.includes('%')) return 'percent';
  return section.includes('m') && !/[hs0#?]/.test(section) ? 'date' : 'plain';
}

import { sheetNumber } from './doubles.ts';
import { serialDate } from './serial-dates.ts';
import { unescapeText } from './sheet-texts.ts';
import { type Cell, UnreadableFile } from './table.ts';
import type { Workbook } from './workbook.ts';

export interface StoredCell {
  readonly row: number;
  readonly column: number;
  /** `s`, `str`, `inlineStr`, `b`, `e`, `d`, or `n` for numbers. */
  readonly type: string;
  readonly style: number;
  readonly value: string;
  readonly hasFormula: boolean;
}

type CellReader = (cell: StoredCell, workbook: Workbook) => Cell;

const READERS: Readonly<Record<string, CellReader>> = {
  inlineStr: ({ value }) => value,
  str: ({ value }) => unescapeText(value),
  s: sharedText,
  b: ({ value }) => ({ '1': 'TRUE', '0': 'FALSE' })[value] ?? value,
  e: ({ value }) => value,
  d: ({ value }) => isoDate(value),
};

export function readCell(cell: StoredCell, workbook: Workbook): Cell {
  if (cell.hasFormula) checkResult(cell, workbook);
  const read = READERS[cell.type] ?? readNumber;
  return read(cell, workbook);
}

function sharedText(cell: StoredCell, { texts }: Workbook): string {
  if (cell.value === '') return '';
  const text = texts[Number(cell.value)];
  if (text !== undefined) return text;
  const message = 'the workbook is damaged: the text of this cell is missing; save it again';
  throw fault(cell, 'damaged_file', message);
}

function readNumber(cell: StoredCell, { styles, is1904 }: Workbook): Cell {
  const value = cell.value.trim();
  if (value === '' || !Number.isFinite(Number(value))) return value;
  if (styles[cell.style] === 'date') return serialDate(Number(value), is1904);
  return sheetNumber(value);
}

function checkResult(cell: StoredCell, { awaitsFormulas }: Workbook): void {
  const isEmpty = cell.value === '' && cell.type !== 'str';
  if (!isEmpty && !awaitsFormulas) return;
  const message =
    'this cell has a formula that its program did not compute; open the workbook in a spreadsheet program and save it again';
  throw fault(cell, 'formula_without_value', message);
}

function fault(cell: StoredCell, code: string, message: string): UnreadableFile {
  const { row, value } = cell;
  return new UnreadableFile(code, message, { row, column: columnName(cell.column), value });
}

const DATE_AND_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?Z?$/;

function isoDate(value: string): Cell {
  if (!DATE_AND_TIME.test(value)) return value;
  const date = new Date(value.length > 10 && !value.endsWith('Z') ? `${value}Z` : value);
  return Number.isNaN(date.getTime()) ? value : date;
}

function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}

/** The column of a cell such as `AB12`, from 0; undefined where the name is none. */
export function columnOf(cellName: string): number | undefined {
  const [letters] = /^[A-Z]{1,3}(?=\d)/.exec(cellName) ?? [];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

import { SHEET_MAX_CELLS, SHEET_MAX_COLUMNS, SHEET_MAX_ROWS } from './limits.ts';
import { columnOf, type StoredCell } from './sheet-cells.ts';
import { TextCollector } from './sheet-texts.ts';
import { type Cell, type TableRow, UnreadableFile } from './table.ts';
import { isTrue, type Sheet, type Workbook } from './workbook.ts';
import { type Attributes, joinText, readXml, type XmlHandlers } from './xml.ts';

/** What of a sheet its program does not show. It is read like the rest. */
export interface HiddenParts {
  hiddenRows: number;
  hiddenColumns: number;
}

/** The rows of a sheet that have something, each up to its last cell that has something. */
export function readSheet(
  workbook: Workbook,
  sheet: Sheet,
  readCell: (cell: StoredCell) => Cell,
  hidden: HiddenParts = { hiddenRows: 0, hiddenColumns: 0 },
): AsyncGenerator<readonly TableRow[]> {
  return readXml<TableRow>(
    workbook.part(sheet.path),
    (emit) => new SheetHandlers(readCell, hidden, emit),
  );
}

function openCell(row: number, column: number, { t: type = 'n', s: style = '0' }: Attributes) {
  return { row, column, type, style: Number(style), value: '', hasFormula: false };
}

class SheetHandlers implements XmlHandlers {
  readonly #readCell: (cell: StoredCell) => Cell;
  readonly #hidden: HiddenParts;
  readonly #emit: (row: TableRow) => void;
  readonly #inlineText = new TextCollector();
  /** Elements outside have the same names. */
  #inData = false;
  #inValue = false;
  #row = 0;
  #cellCount = 0;
  #cells: Cell[] = [];
  #column = -1;
  #cell = openCell(0, 0, {});

  constructor(
    readCell: (cell: StoredCell) => Cell,
    hidden: HiddenParts,
    emit: (row: TableRow) => void,
  ) {
    this.#readCell = readCell;
    this.#hidden = hidden;
    this.#emit = emit;
  }

  open(name: string, attributes: Attributes): void {
    if (!this.#inData) {
      if (name === 'sheetData') this.#inData = true;
      else if (name === 'col' && isTrue(attributes['hidden'])) this.#countColumns(attributes);
    } else if (name === 'c') this.#openCell(attributes);
    else if (name === 'v') this.#inValue = true;
    else if (name === 'f') this.#cell.hasFormula = true;
    else if (name === 'row') this.#openRow(attributes);
    else this.#inlineText.open(name);
  }

  text(text: string): void {
    if (this.#inValue) this.#cell.value = joinText(this.#cell.value, text);
    else if (this.#inData) this.#inlineText.add(text);
  }

  close(name: string): void {
    if (!this.#inData) return;
    if (name === 'v') this.#inValue = false;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else if (name === 'sheetData') this.#inData = false;
    else this.#inlineText.close(name);
  }

  #countColumns({ min = '1', max = '1' }: Attributes): void {
    this.#hidden.hiddenColumns += Number(max) - Number(min) + 1;
  }

  #openRow({ r, hidden }: Attributes): void {
    const row = r === undefined ? this.#row + 1 : Number(r);
    if (!Number.isInteger(row) || row <= this.#row || row > SHEET_MAX_ROWS) {
      const message = `expected rows in their order, up to ${SHEET_MAX_ROWS}; save the workbook again`;
      throw new UnreadableFile('damaged_file', message, { row: this.#row, value: r ?? '' });
    }
    this.#row = row;
    this.#cells = [];
    this.#column = -1;
    if (isTrue(hidden)) this.#hidden.hiddenRows += 1;
  }

  #openCell(attributes: Attributes): void {
    const { r } = attributes;
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column === undefined || column <= this.#column || column >= SHEET_MAX_COLUMNS) {
      const message = `expected columns in their order, up to ${SHEET_MAX_COLUMNS}; save the workbook again`;
      throw new UnreadableFile('damaged_file', message, { row: this.#row, value: r ?? '' });
    }
    this.#column = column;
    this.#cell = openCell(this.#row, column, attributes);
  }

  #closeCell(): void {
    const text = this.#inlineText.take();
    if (this.#cell.type === 'inlineStr') this.#cell.value = text;
    if (this.#cell.value === '' && !this.#cell.hasFormula) return;
    const cell = this.#readCell(this.#cell);
    if (cell === '') return;
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells.push(cell);
  }

  #closeRow(): void {
    this.#cellCount += this.#cells.length;
    if (this.#cellCount > SHEET_MAX_CELLS) {
      const message = `expected at most ${SHEET_MAX_CELLS} cells in a sheet; save it as CSV`;
      throw new UnreadableFile('too_large', message, { row: this.#row });
    }
    const isFilled = this.#cells.some((cell) => typeof cell !== 'string' || cell.trim() !== '');
    if (isFilled) this.#emit({ row: this.#row, cells: this.#cells });
  }
}

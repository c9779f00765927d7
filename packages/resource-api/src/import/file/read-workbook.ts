import { type HiddenParts, readSheet } from './read-sheet.ts';
import { readCell, type StoredCell } from './sheet-cells.ts';
import { type FileDialect, type TableRow, UnreadableFile } from './table.ts';
import type { WorkbookContent } from './unpack.ts';
import { openWorkbook, type Sheet, type Workbook } from './workbook.ts';

export interface SheetDescription {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly hidden: boolean;
  readonly hiddenRows: number;
  readonly hiddenColumns: number;
  /** Columns, from 0, in which a number is shown as a percentage: 0.05 as 5 %. */
  readonly percentColumns: readonly number[];
}

/**
 * The rows of a sheet. Rows below the header, or all rows where the profile says that there is none, are
 * filled up to the same width, since a workbook leaves empty cells out.
 */
export async function* readWorkbook(
  content: WorkbookContent,
  dialect: FileDialect,
): AsyncGenerator<readonly TableRow[]> {
  const workbook = await openWorkbook(content);
  const sheet = await chooseSheet(workbook, dialect.sheet);
  if (sheet === undefined) return;
  const { headerRow = Number.POSITIVE_INFINITY } = dialect;
  let width = headerRow === 0 ? (await describeSheet(workbook, sheet)).columns : 0;
  const percents = new Map<number, number[]>();
  const read = (cell: StoredCell) => {
    if (isPercent(workbook, cell)) {
      const columns = percents.get(cell.row) ?? [];
      columns.push(cell.column);
      percents.set(cell.row, columns);
    }
    return readCell(cell, workbook);
  };
  for await (const rows of readSheet(workbook, sheet, read)) {
    yield rows.map(({ row, cells }) => {
      if (row === headerRow) width = cells.length;
      const missing = Math.max(0, width - cells.length);
      const percentColumns = percents.get(row);
      percents.delete(row);
      return {
        row,
        cells: missing > 0 ? [...cells, ...Array(missing).fill('')] : cells,
        ...(percentColumns && { percentColumns }),
      };
    });
  }
}

/** Whether the cell has a number that is shown as a percentage: 0.05 as 5 %. */
function isPercent({ styles }: Workbook, { type, style, value }: StoredCell): boolean {
  return type === 'n' && styles[style] === 'percent' && value.trim() !== '';
}

/** In a sentence, each with its number of rows. */
const SHEETS_SHOWN = 20;

async function chooseSheet(workbook: Workbook, name: string | undefined) {
  const { sheets } = workbook;
  if (name !== undefined) return namedSheet(sheets, name);
  if (sheets.length < 2) return sheets[0];
  const filled: Sheet[] = [];
  for (const sheet of sheets) if (await hasRows(workbook, sheet)) filled.push(sheet);
  if (filled.length < 2) return filled[0];
  const described = await describeAll(workbook, filled.slice(0, SHEETS_SHOWN));
  const list = described.map(
    (sheet) =>
      `${sheet.name} (${sheet.rows === 1 ? '1 row' : `${sheet.rows} rows`}${sheet.hidden ? ', hidden' : ''})`,
  );
  const message = `several sheets have rows; declare one as sheet: ${listed(list, filled.length)}`;
  throw new UnreadableFile('several_sheets', message);
}

function listed(names: readonly string[], count: number): string {
  const shown = names.slice(0, SHEETS_SHOWN);
  const more = count - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function namedSheet(sheets: readonly Sheet[], name: string): Sheet {
  const comparable = (text: string) => text.trim().toLowerCase();
  const sheet =
    sheets.find((one) => one.name === name) ??
    sheets.find((one) => comparable(one.name) === comparable(name));
  if (sheet !== undefined) return sheet;
  const names = sheets.map((one) => one.name);
  const message = `the workbook has no sheet of this name; it has ${listed(names, names.length)}`;
  throw new UnreadableFile('unknown_sheet', message, { value: name });
}

/** What a cell has; what is wrong with it does not matter here. */
function storedValue({ texts }: Workbook, { type, value }: StoredCell): string {
  return type === 's' ? (texts[Number(value)] ?? '') : value;
}

async function hasRows(workbook: Workbook, sheet: Sheet): Promise<boolean> {
  const rows = readSheet(workbook, sheet, (cell) => storedValue(workbook, cell));
  for await (const _ of rows) return true;
  return false;
}

async function describeSheet(workbook: Workbook, sheet: Sheet): Promise<SheetDescription> {
  const hidden: HiddenParts = { hiddenRows: 0, hiddenColumns: 0 };
  let rows = 0;
  let columns = 0;
  const percentColumns = new Set<number>();
  const look = (cell: StoredCell) => {
    if (isPercent(workbook, cell)) percentColumns.add(cell.column);
    return storedValue(workbook, cell);
  };
  for await (const batch of readSheet(workbook, sheet, look, hidden)) {
    rows += batch.length;
    for (const { cells } of batch) columns = Math.max(columns, cells.length);
  }
  const shown = { name: sheet.name, rows, columns, hidden: sheet.hidden };
  return { ...shown, ...hidden, percentColumns: [...percentColumns].sort((a, b) => a - b) };
}

export async function describeSheets(
  content: WorkbookContent,
): Promise<readonly SheetDescription[]> {
  const workbook = await openWorkbook(content);
  return describeAll(workbook, workbook.sheets);
}

async function describeAll(workbook: Workbook, sheets: readonly Sheet[]) {
  const described: SheetDescription[] = [];
  for (const sheet of sheets) described.push(await describeSheet(workbook, sheet));
  return described;
}

/** The first reading of a file: where its table begins and ends, and what its columns hold. */
import { cellText } from '../cells/text.ts';
import type { TableRow } from '../file/table.ts';
import { type Dictionary, plain } from './dictionary.ts';
import { type ColumnEvidence, evidenceOf } from './evidence.ts';
import { filledOf, findHeader, HEADER_WITHIN, isBlank, median } from './header.ts';

export interface RowText {
  readonly row: number;
  readonly text: string;
}

interface Ending {
  readonly row: TableRow;
  /** How its first text begins; undefined where it has none. */
  readonly label: string | undefined;
}

const TAIL = 12;

export async function scan(
  batches: AsyncIterable<readonly TableRow[]>,
  dictionary: Dictionary,
): Promise<Scan> {
  const head: TableRow[] = [];
  let found: Scan | undefined;
  for await (const batch of batches) {
    for (const row of batch) {
      if (found !== undefined) found.push(row);
      else if (head.push(row) >= HEADER_WITHIN + 20) found = new Scan(head, dictionary);
    }
  }
  found ??= new Scan(head, dictionary);
  found.end();
  return found;
}

export class Scan {
  /** Undefined: the file begins with values. */
  readonly headerRow: number | undefined;
  readonly headers: readonly string[];
  readonly preamble: readonly RowText[];
  readonly columns: readonly ColumnEvidence[];
  /** Loans, without a row of totals and what follows. */
  rows = 0;
  /** Of the file, where the loans end. */
  lastRow = 0;
  totals: Ending | undefined;
  footer: readonly RowText[] = [];
  /** Rows among the loans that begin as totals do. */
  readonly totalsWithin: RowText[] = [];
  readonly oddWidths = { rows: 0, first: 0 };
  readonly #dictionary: Dictionary;
  readonly #tail: TableRow[] = [];
  #filledCells = 0;

  /** @param head the first rows of the file. */
  constructor(head: readonly TableRow[], dictionary: Dictionary) {
    const at = findHeader(head, dictionary) ?? -1;
    const widest = Math.max(0, ...head.map(({ cells }) => cells.length));
    const names = Array.from({ length: widest }, (_, index) => `column ${index + 1}`);
    this.headerRow = head[at]?.row;
    this.headers = head[at]?.cells.map(cellText) ?? names;
    this.preamble = head.slice(0, Math.max(0, at)).map(rowText);
    this.columns = evidenceOf(this.headers);
    this.#dictionary = dictionary;
    for (const row of head.slice(at + 1)) this.push(row);
  }

  push(row: TableRow): void {
    this.#tail.push(row);
    const first = this.#tail.length > TAIL ? this.#tail.shift() : undefined;
    if (first !== undefined) this.#take(first);
  }

  #take(row: TableRow): void {
    this.rows += 1;
    this.lastRow = row.row;
    this.#filledCells += filledOf(row);
    if (this.totalsWithin.length < 5 && labelOf(row, this.#dictionary) !== undefined) {
      this.totalsWithin.push(rowText(row));
    }
    if (row.cells.length !== this.headers.length) {
      this.oddWidths.rows += 1;
      this.oddWidths.first ||= row.row;
    }
    for (const [index, column] of this.columns.entries()) {
      column.add(row.cells[index], row.row);
      if (row.percentColumns?.includes(index)) column.percents += 1;
    }
  }

  end(): void {
    const usual = this.rows > 0 ? this.#filledCells / this.rows : median(this.#tail.map(filledOf));
    const at = endingOf(this.#tail, this.rows, usual, this.#dictionary);
    const after = at < 0 ? [] : this.#tail.splice(at);
    for (const row of this.#tail) this.#take(row);
    for (const column of this.columns) column.close();
    const [ending] = after;
    const label = ending && labelOf(ending, this.#dictionary);
    if (ending !== undefined && (label !== undefined || !isFooter(ending, usual))) {
      this.totals = { row: ending, label };
      after.shift();
    }
    this.footer = after.map(rowText);
  }
}

function rowText({ row, cells }: TableRow): RowText {
  const filled = cells.filter((cell) => !isBlank(cell)).map(cellText);
  return { row, text: filled.join(' ').slice(0, 120) };
}

/**
 * The first of the last rows that is no loan: totals by their word or by being numbers alone, or the
 * first of notes; −1 where all are loans. There are `rows` before the last ones.
 */
function endingOf(
  last: readonly TableRow[],
  rows: number,
  usual: number,
  dictionary: Dictionary,
): number {
  return last.findIndex((row, index) => {
    const label = labelOf(row, dictionary);
    // Subtotals stand above other loans.
    const isAboveNoLoan = last.slice(index).every((each) => filledOf(each) <= usual * 0.8);
    if (label !== undefined && isAboveNoLoan) return true;
    const isLast = last.slice(index + 1).every((each) => isFooter(each, usual));
    if (!isLast) return false;
    if (isFooter(row, usual)) return true;
    if (label !== undefined && label === firstText(row)?.replace(/\s*:$/, '')) return true;
    return rows + index > 2 && isNumbersAlone(row) && filledOf(row) <= usual * 0.6;
  });
}

function isFooter(row: TableRow, usual: number): boolean {
  if (usual < 4 || filledOf(row) > 2) return false;
  return row.cells.some((cell) => typeof cell === 'string' && /\p{L}{2}/u.test(cell));
}

function isNumbersAlone({ cells }: TableRow): boolean {
  const filled = cells.filter((cell) => !isBlank(cell));
  return filled.every(
    (cell) => typeof cell === 'number' || /^[\d.,'\s€$£()-]+$/.test(cellText(cell)),
  );
}

function firstText({ cells }: Pick<TableRow, 'cells'>): string | undefined {
  const first = cells.find((cell) => !isBlank(cell));
  return typeof first === 'string' ? first.trim() : undefined;
}

/** The words with which a row of totals begins, as the file has them. */
function labelOf(
  { cells }: Pick<TableRow, 'cells'>,
  { totals, totalsStarts }: Dictionary,
): string | undefined {
  const first = firstText({ cells });
  if (first === undefined || !/^\p{L}/u.test(first)) return undefined;
  const start = /^[\p{L}-]+/u.exec(first)?.[0].toLowerCase() ?? '';
  if (!totalsStarts.has(start)) return undefined;
  const words = first.split(/(?<=[\p{L}-])(?=[^\p{L}-])/u);
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const label = words.slice(0, count).join('').trim();
    if (totals.has(plain(label))) return label;
  }
  return undefined;
}

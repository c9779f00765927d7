/** The first reading of a file: where its table begins and ends, and what its columns hold. */
import { cellText } from '../cells/text.ts';
import type { TableRow } from '../file/table.ts';
import type { Dictionary } from './dictionary.ts';
import { endingOf, filledOf, isFooter, labelOf } from './ending.ts';
import { type ColumnEvidence, evidenceOf } from './evidence.ts';
import { findHeader, HEADER_WITHIN, isBlank } from './header.ts';

export interface RowText {
  readonly row: number;
  readonly text: string;
}

export interface Scan {
  /** Undefined: the file begins with values. */
  readonly headerRow: number | undefined;
  readonly headers: readonly string[];
  /** What stands before the header. */
  readonly preamble: readonly RowText[];
  readonly columns: readonly ColumnEvidence[];
  /** Loans, without a row of totals and what follows. */
  readonly rows: number;
  /** Of the file, where the loans end. */
  readonly lastRow: number;
  readonly totals: Ending | undefined;
  /** Notes after the loans. */
  readonly footer: readonly RowText[];
  /** Rows among the loans that begin as totals do. */
  readonly totalsWithin: readonly RowText[];
  /** Rows with more or fewer cells than the header. */
  readonly oddWidths: { readonly rows: number; readonly first: number };
}

export interface Ending {
  readonly row: TableRow;
  /** How its first text begins; undefined where it has none. */
  readonly label: string | undefined;
}

/** Rows that may be totals and notes. */
const TAIL = 12;

export async function scan(
  batches: AsyncIterable<readonly TableRow[]>,
  dictionary: Dictionary,
): Promise<Scan> {
  const head: TableRow[] = [];
  let body: Body | undefined;
  for await (const batch of batches) {
    for (const row of batch) {
      if (body !== undefined) body.push(row);
      else if (head.push(row) >= HEADER_WITHIN + 20) body = begin(head, dictionary);
    }
  }
  return (body ?? begin(head, dictionary)).end();
}

function begin(head: readonly TableRow[], dictionary: Dictionary): Body {
  const at = findHeader(head, dictionary);
  const width = Math.max(0, ...head.map(({ cells }) => cells.length));
  const cells = at === undefined ? [] : (head[at]?.cells ?? []);
  const headers = Array.from({ length: at === undefined ? width : cells.length }, (_, index) => {
    const cell = cells[index];
    return cell === undefined ? `column ${index + 1}` : cellText(cell);
  });
  const start = at === undefined ? 0 : at + 1;
  const preamble = head.slice(0, at ?? 0).map(rowText);
  const body = new Body(
    at === undefined ? undefined : head[at]?.row,
    headers,
    preamble,
    dictionary,
  );
  for (const row of head.slice(start)) body.push(row);
  return body;
}

function rowText({ row, cells }: TableRow): RowText {
  const filled = cells.filter((cell) => !isBlank(cell)).map(cellText);
  return { row, text: filled.join(' ').slice(0, 120) };
}

class Body {
  readonly #headerRow: number | undefined;
  readonly #headers: readonly string[];
  readonly #preamble: readonly RowText[];
  readonly #columns: readonly ColumnEvidence[];
  readonly #dictionary: Dictionary;
  readonly #tail: TableRow[] = [];
  readonly #within: RowText[] = [];
  #rows = 0;
  #filledCells = 0;
  #lastRow = 0;
  #odd = { rows: 0, first: 0 };

  constructor(
    headerRow: number | undefined,
    headers: readonly string[],
    preamble: readonly RowText[],
    dictionary: Dictionary,
  ) {
    this.#headerRow = headerRow;
    this.#headers = headers;
    this.#preamble = preamble;
    this.#columns = evidenceOf(headers);
    this.#dictionary = dictionary;
  }

  push(row: TableRow): void {
    this.#tail.push(row);
    const first = this.#tail.length > TAIL ? this.#tail.shift() : undefined;
    if (first !== undefined) this.#take(first);
  }

  #take(row: TableRow): void {
    this.#rows += 1;
    this.#lastRow = row.row;
    this.#filledCells += filledOf(row);
    if (this.#within.length < 5 && labelOf(row, this.#dictionary) !== undefined) {
      this.#within.push(rowText(row));
    }
    if (row.cells.length !== this.#headers.length) {
      this.#odd.rows += 1;
      this.#odd.first ||= row.row;
    }
    for (const [index, column] of this.#columns.entries()) column.add(row.cells[index], row.row);
  }

  end(): Scan {
    const usual = this.#usualFilled();
    const at = endingOf(this.#tail, this.#rows, usual, this.#dictionary);
    const loans = at < 0 ? this.#tail : this.#tail.slice(0, at);
    for (const row of loans) this.#take(row);
    for (const column of this.#columns) column.close();
    const [ending, ...after] = at < 0 ? [] : this.#tail.slice(at);
    const isNote = ending !== undefined && isFooter(ending, usual);
    const label = ending && labelOf(ending, this.#dictionary);
    const totals = ending && !(isNote && label === undefined) ? { row: ending, label } : undefined;
    const notes = totals === undefined && ending !== undefined ? [ending, ...after] : after;
    return {
      headerRow: this.#headerRow,
      headers: this.#headers,
      preamble: this.#preamble,
      columns: this.#columns,
      rows: this.#rows,
      lastRow: this.#lastRow,
      totals,
      footer: notes.map(rowText),
      totalsWithin: this.#within,
      oddWidths: this.#odd,
    };
  }

  #usualFilled(): number {
    const tail = this.#tail.map(filledOf).toSorted((one, other) => one - other);
    return this.#rows > 0
      ? this.#filledCells / this.#rows
      : (tail[Math.floor(tail.length / 2)] ?? 0);
  }
}

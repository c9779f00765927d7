/** What the cells of one column are like: kept small, however many rows there are. */
import { cellText } from '../cells/text.ts';
import type { Cell } from '../file/table.ts';
import { keepExtremes, newShape, type ShapeEvidence, shapeOf } from './shapes.ts';

export interface ValueCount {
  cells: number;
  readonly row: number;
}

const FIRST_KEPT = 3;
/** Statuses and types; a column of more values is a list of names. */
const VALUES_KEPT = 200;
const SHAPES_KEPT = 250;
const TEXTS_KEPT = 10_000;
export const DISTINCT_KEPT = 100_000;
/** Of all columns together. */
const DISTINCT_BUDGET = 1_500_000;

/** What senders write where they have no value. */
const EMPTY_MARKS = new Set(
  'n/a|na|n.a.|n.a|nan|null|none|#n/a|#na|nav|nap|nd|nd1|nd2|nd3|nd4|nd5|not available|keine angabe|k.a.|s/o|n.d.|tbd|(null)|(blank)'.split(
    '|',
  ),
);

/** What programs write where there is no date. */
export const NO_DATE = /^(?:(?:31\D12|12\D31)\D9999|9999\D12\D31|00\D00\D0000|0000\D00\D00)\b/;

export class ColumnEvidence {
  readonly header: string;
  readonly index: number;
  /** Cells with a value; marks for an empty cell do not count. */
  filled = 0;
  blanks = 0;
  readonly first: string[] = [];
  readonly values = new Map<string, ValueCount>();
  readonly shapes = new Map<string, ShapeEvidence>();
  readonly emptyMarks = new Map<string, ValueCount>();
  /** Numbers and dates of a workbook's cells. */
  numbers = 0;
  dates = 0;
  /** Numbers that the workbook shows in percent. */
  percents = 0;
  mostNumber = Number.NEGATIVE_INFINITY;
  /** More forms than numbers and dates have: names. */
  manyShapes = false;
  readonly #distinct = new Set<string>();
  /** The forms of texts that came before: dates, rates and types repeat. */
  readonly #shapeOfText = new Map<string, ShapeEvidence>();
  readonly #budget: { left: number };
  distinctIsBounded = false;

  constructor(header: string, index: number, budget: { left: number }) {
    this.header = header;
    this.index = index;
    this.#budget = budget;
  }

  /** How many different values there are, where that is not bounded. */
  distinct = 0;

  get empty(): number {
    const marked = [...this.emptyMarks.values()].reduce((sum, { cells }) => sum + cells, 0);
    return this.blanks + marked;
  }

  add(cell: Cell | undefined, row: number): void {
    const text = cell === undefined ? '' : cellText(cell);
    if (text === '') {
      this.blanks += 1;
      return;
    }
    if (text.length < 16 && (EMPTY_MARKS.has(text.toLowerCase()) || NO_DATE.test(text))) {
      count(this.emptyMarks, text, row);
      return;
    }
    this.filled += 1;
    if (this.first.length < FIRST_KEPT) this.first.push(text);
    this.#addDistinct(text, row);
    if (typeof cell === 'number') {
      this.numbers += 1;
      this.mostNumber = Math.max(this.mostNumber, cell);
      // Such as 20250331, which may be a date.
      if (/^\d{1,8}$/.test(text) && !this.manyShapes) this.#addShape(text, row);
    } else if (cell instanceof Date) this.dates += 1;
    else if (!this.manyShapes) this.#addShape(text, row);
  }

  /** All cells were added: what only adding needs is forgotten. */
  close(): void {
    this.#distinct.clear();
    this.#shapeOfText.clear();
  }

  #addDistinct(text: string, row: number): void {
    if (this.values.size <= VALUES_KEPT) count(this.values, text, row);
    if (this.distinctIsBounded || this.#distinct.has(text)) return;
    if (this.#distinct.size >= DISTINCT_KEPT || this.#budget.left <= 0) {
      this.distinctIsBounded = true;
      return;
    }
    this.#budget.left -= 1;
    this.distinct += 1;
    this.#distinct.add(text);
  }

  #addShape(text: string, row: number): void {
    const before = this.#shapeOfText.get(text);
    if (before !== undefined) {
      before.cells += 1;
      return;
    }
    const shape = text.length > 60 ? 'long' : shapeOf(text);
    const evidence = this.shapes.get(shape);
    if (evidence === undefined) {
      const created = newShape(shape, { text, row });
      this.shapes.set(shape, created);
      this.#shapeOfText.set(text, created);
      this.manyShapes = this.shapes.size > SHAPES_KEPT;
      return;
    }
    evidence.cells += 1;
    keepExtremes(evidence, { text, row });
    if (this.#shapeOfText.size < TEXTS_KEPT) this.#shapeOfText.set(text, evidence);
  }
}

export function evidenceOf(headers: readonly string[]): readonly ColumnEvidence[] {
  const budget = { left: DISTINCT_BUDGET };
  return headers.map((header, index) => new ColumnEvidence(header, index, budget));
}

function count(counts: Map<string, ValueCount>, text: string, row: number): void {
  const entry = counts.get(text);
  if (entry === undefined) counts.set(text, { cells: 1, row });
  else entry.cells += 1;
}

/** What the cells of one column are like: kept small, however many rows there are. */
import { cellText } from '../cells/text.ts';
import type { Cell } from '../file/table.ts';

export interface Sample {
  readonly text: string;
  readonly row: number;
}

/** Texts of one form: `12/31/2025` and `11/30/2024` are of one, `12/1/2025` is of another. */
export interface ShapeEvidence {
  readonly shape: string;
  cells: number;
  /** The first, and for each number in it those with the least and the most. */
  readonly samples: Sample[];
  /** Of each number in what may be a date. */
  readonly least: number[] | undefined;
  readonly most: number[] | undefined;
}

export interface ValueCount {
  cells: number;
  readonly row: number;
}

const FIRST_KEPT = 3;
/** Statuses and types; a column of more values is a list of names. */
const VALUES_KEPT = 200;
const SHAPES_KEPT = 250;
const TEXTS_KEPT = 10_000;
/** Of a shape, before those that are no longer extreme are left out. */
const SAMPLES_KEPT = 40;
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
  leastNumber = Number.POSITIVE_INFINITY;
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

  get distinct(): number {
    return this.#distinct.size;
  }

  /** Cells that are text and no mark for an empty cell. */
  get texts(): number {
    return this.filled - this.numbers - this.dates;
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
      this.leastNumber = Math.min(this.leastNumber, cell);
      this.mostNumber = Math.max(this.mostNumber, cell);
      // Such as 20250331, which may be a date.
      if (/^\d{1,8}$/.test(text) && !this.manyShapes) this.#addShape(text, row);
    } else if (cell instanceof Date) this.dates += 1;
    else if (!this.manyShapes) this.#addShape(text, row);
  }

  #addDistinct(text: string, row: number): void {
    if (this.values.size <= VALUES_KEPT) count(this.values, text, row);
    if (this.distinctIsBounded || this.#distinct.has(text)) return;
    if (this.#distinct.size >= DISTINCT_KEPT || this.#budget.left <= 0) {
      this.distinctIsBounded = true;
      return;
    }
    this.#budget.left -= 1;
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
      const parts = mayBeDate(text, shape) ? dateParts(text) : undefined;
      const [least, most] = [parts && [...parts], parts && [...parts]];
      const created = { shape, cells: 1, samples: [{ text, row }], least, most };
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

const DISTINCT_LENGTHS = [1, 2, 3, 4, 6, 8];

/** Each run of digits by its length, and by whether it begins with 0; other characters as they are. */
function shapeOf(text: string): string {
  return text.replace(/\d+/g, (run) => {
    const length = DISTINCT_LENGTHS.includes(run.length) ? run.length : 5;
    return `${run.startsWith('0') && run.length > 1 ? 0 : 9}${length}`;
  });
}

/** Which days and months a date has decides how it is read: the greatest and the least are kept. */
function keepExtremes(evidence: ShapeEvidence, sample: Sample): void {
  const { samples, least, most } = evidence;
  if (least === undefined || most === undefined) return;
  const parts = dateParts(sample.text);
  let isExtreme = false;
  for (const [at, part] of parts.entries()) {
    if (part < (least[at] ?? part)) least[at] = part;
    else if (part > (most[at] ?? part)) most[at] = part;
    else continue;
    isExtreme = true;
  }
  if (!isExtreme) return;
  samples.push(sample);
  if (samples.length < SAMPLES_KEPT) return;
  const needed = samples.filter(({ text }, index) => {
    const each = dateParts(text);
    return index === 0 || each.some((part, at) => part === least[at] || part === most[at]);
  });
  samples.splice(0, samples.length, ...needed);
}

/** The numbers of what may be a date; digits that touch in pairs. */
function dateParts(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).flatMap((run) =>
    run.length === 6 || run.length === 8 ? (run.match(/\d\d/g) ?? []).map(Number) : [Number(run)],
  );
}

/** Three numbers, or a name and two, or a month and a year. */
function mayBeDate(text: string, shape: string): boolean {
  if (text.length > 30) return false;
  const parts = dateParts(text).length;
  return parts <= 7 && (parts > 2 || (parts === 2 && /\p{L}|[/-]/u.test(shape)));
}

import { cellText } from '../cells/text.ts';
import type { TableRow } from '../file/table.ts';
import type { Field } from '../profile/fields.ts';
import type { Column } from './columns.ts';

const KEPT = 2_000_000;
const COMPARED = 100_000;

export class Repeats {
  #rows = 0;
  #first = '';
  readonly #differing = new Set<Field | undefined>();
  readonly #number: readonly Column[];
  readonly #others: readonly Column[];
  /** By number, its first row; and the other cells of that row. */
  readonly #rowOf = new Map<string, number>();
  readonly #cellsOf = new Map<string, readonly string[]>();

  /** @param number facilities may be numbered anew in each deal: both columns are their number. */
  constructor(number: readonly Column[], columns: readonly Column[]) {
    this.#number = number;
    this.#others = columns.filter(({ field }) => field !== undefined);
  }

  take(row: TableRow): void {
    const parts = this.#number.map((column) => textAt(row, column));
    const number = parts.join(' / ');
    if (parts.includes('') || this.#rowOf.size > KEPT) return;
    const before = this.#rowOf.get(number);
    const isCompared = before !== undefined || this.#cellsOf.size < COMPARED;
    const cells = isCompared ? this.#others.map((column) => textAt(row, column)) : [];
    if (before === undefined) {
      this.#rowOf.set(number, row.row);
      if (isCompared) this.#cellsOf.set(number, cells);
      return;
    }
    this.#rows += 1;
    this.#first ||= `${number} in rows ${before} and ${row.row}`;
    const first = this.#cellsOf.get(number) ?? [];
    for (const [at, { field }] of this.#others.entries()) {
      if (first[at] !== cells[at]) this.#differing.add(field);
    }
  }

  /** Undefined where each number has one row. */
  get told(): string | undefined {
    if (this.#rows === 0) return undefined;
    const rows = this.#rows === 1 ? '1 row has' : `${this.#rows} rows have`;
    return `${rows} the number of an earlier row (first: ${this.#first})`;
  }

  /** Whether the rows of each number have one value in the column of the field. */
  agreeOn(field: Field): boolean {
    return !this.#differing.has(field);
  }
}

export function textAt(row: TableRow, { evidence }: Column): string {
  const cell = row.cells[evidence.index];
  return cell === undefined ? '' : cellText(cell);
}

import { readDate } from '../cells/dates.ts';
import { type NumberDialect, readNumber } from '../cells/numbers.ts';
import { cellText } from '../cells/text.ts';
import type { Cell, TableRow } from '../file/table.ts';
import type { Amounts } from '../profile/derivation.ts';
import { type Field, isAmount } from '../profile/fields.ts';
import type { Column } from './columns.ts';
import {
  checkIdentity,
  decimal,
  type IdentityCheck,
  identitiesOf,
  ONE,
  scaled,
} from './identities.ts';
import { withoutUnit } from './readings.ts';
import { Repeats, textAt } from './repeats.ts';

/** Numbers, and within what each is one. */
const NUMBERS: readonly (readonly [Field, ...Field[]])[] = [
  ['loanNumber'],
  ['facilityNumber', 'dealNumber'],
  ['dealNumber'],
];

interface ValueRange {
  least: string;
  most: string;
  /** The same, as they are compared. */
  readonly bounds: [least: bigint | string, most: bigint | string];
}

interface Tally {
  rows: number;
  first: string;
}

export interface CheckPlan {
  readonly columns: readonly Column[];
  readonly contested: ReadonlyMap<string, readonly Column[]>;
  readonly dialect: NumberDialect;
  readonly dateFormats: readonly string[];
  readonly from: number;
  readonly through: number;
}

export async function checkRows(
  batches: AsyncIterable<readonly TableRow[]>,
  plan: CheckPlan,
): Promise<RowChecks> {
  const checks = new RowChecks(plan);
  for await (const batch of batches) {
    for (const row of batch) {
      if (row.row >= plan.from && row.row <= plan.through) checks.take(row);
    }
  }
  return checks;
}

export class RowChecks {
  readonly ranges = new Map<Column, ValueRange>();
  readonly unreadable = new Map<Column, Tally>();
  readonly sums = new Map<Column, bigint>();
  readonly identities: readonly IdentityCheck[];
  /** By field: loanNumber, facilityNumber, dealNumber. */
  readonly repeats: ReadonlyMap<string, Repeats>;
  readonly owing = new Map<string, number>();
  /** The first amount with more than two decimals that are not zero. */
  readonly longest = { decimals: 2, told: '' };
  readonly rates = { all: 0, belowOne: 0 };
  /** Of columns that stand for one field: rows where they differ. */
  readonly differences = new Map<string, Tally>();
  readonly beyondLimit: Tally = { rows: 0, first: '' };
  readonly #plan: CheckPlan;
  readonly #read: readonly Column[];
  readonly #status: Column | undefined;

  constructor(plan: CheckPlan) {
    this.#plan = plan;
    this.#read = plan.columns.filter(
      ({ kind, evidence }) => ['amount', 'rate', 'date'].includes(kind) && evidence.filled > 0,
    );
    const find = (field: Field) => plan.columns.find((column) => column.field === field);
    this.repeats = new Map(
      NUMBERS.flatMap(([field, ...within]) => {
        const number = [...within, field].flatMap((each) => find(each) ?? []);
        if (find(field) === undefined) return [];
        return [[field, new Repeats(number, plan.columns)] as const];
      }),
    );
    this.#status = find('status');
    const fields = plan.columns.flatMap(({ field }) => field ?? []);
    this.identities = identitiesOf(new Set(fields));
  }

  take(row: TableRow): void {
    const amounts: Amounts = {};
    for (const column of this.#read) {
      const cell = row.cells[column.evidence.index];
      if (cell === undefined || cellText(cell) === '') continue;
      if (column.evidence.emptyMarks.has(cellText(cell))) continue;
      if (column.kind === 'date') this.#takeDate(column, cell, row.row);
      else this.#takeNumber(column, cell, row.row, amounts);
    }
    for (const identity of this.identities) checkIdentity(identity, amounts, row.row);
    const { due, limit } = amounts;
    if (due !== undefined && limit !== undefined && due > limit) {
      this.beyondLimit.rows += 1;
      this.beyondLimit.first ||= `row ${row.row}: ${decimal(due)} of ${decimal(limit)}`;
    }
    for (const repeats of this.repeats.values()) repeats.take(row);
    if (this.#status !== undefined && due !== undefined && due !== 0n) {
      const status = textAt(row, this.#status);
      this.owing.set(status, (this.owing.get(status) ?? 0) + 1);
    }
    for (const [field, columns] of this.#plan.contested) this.#compare(field, columns, row);
  }

  #takeDate(column: Column, cell: Cell, row: number): void {
    const own = column.dates?.flatMap(({ readings: [formats = []] }) => formats.slice(0, 1));
    const formats = isUsed(column) ? this.#plan.dateFormats : (own ?? []);
    // The formats of an open question may read two days.
    const day = formats
      .map((format) => readDate(cell, [format], 1950))
      .find((each) => each !== undefined);
    if (day === undefined) {
      this.#cannotRead(column, cell, row);
      return;
    }
    this.#widen(column, day, day);
  }

  #takeNumber(column: Column, cell: Cell, row: number, amounts: Amounts): void {
    const isRate = typeof cell === 'string' && column.kind === 'rate';
    const bare = isRate ? withoutUnit(cell) : cell;
    const read = readNumber(bare, this.#plan.dialect);
    if (!('text' in read)) {
      this.#cannotRead(column, cell, row);
      return;
    }
    const value = scaled(read.text);
    this.#widen(column, value, read.text);
    this.sums.set(column, (this.sums.get(column) ?? 0n) + value);
    if (isAmount(column.field)) {
      amounts[column.field] = value;
      this.#takeDecimals(column, read.text, row);
    } else if (column.field === 'rate' && value !== 0n) {
      this.rates.all += 1;
      if (value < ONE && value > -ONE) this.rates.belowOne += 1;
    }
  }

  #takeDecimals({ evidence }: Column, text: string, row: number): void {
    const point = text.indexOf('.');
    // Nearly all have two.
    if (point < 0 || text.length - point - 1 <= this.longest.decimals) return;
    const decimals = text.slice(point + 1).replace(/0+$/, '').length;
    if (decimals <= this.longest.decimals) return;
    this.longest.decimals = decimals;
    this.longest.told = `“${evidence.header}”, row ${row}: ${text}`;
  }

  #widen(column: Column, value: bigint | string, text: string): void {
    const range = this.ranges.get(column);
    if (range === undefined) {
      this.ranges.set(column, { least: text, most: text, bounds: [value, value] });
    } else if (value < range.bounds[0]) {
      range.bounds[0] = value;
      range.least = text;
    } else if (value > range.bounds[1]) {
      range.bounds[1] = value;
      range.most = text;
    }
  }

  #cannotRead(column: Column, cell: Cell, row: number): void {
    if (!isUsed(column)) return;
    count(this.unreadable, column, () => `row ${row}: ${cellText(cell).slice(0, 40)}`);
  }

  #compare(field: string, columns: readonly Column[], row: TableRow): void {
    const values = columns.map((column) => textAt(row, column));
    if (new Set(values).size < 2) return;
    count(this.differences, field, () => `row ${row.row}: ${values.join(' and ')}`);
  }
}

function count<Key>(tallies: Map<Key, Tally>, key: Key, told: () => string): void {
  const tally = tallies.get(key);
  if (tally === undefined) tallies.set(key, { rows: 1, first: told() });
  else tally.rows += 1;
}

function isUsed({ field, resembles }: Column): boolean {
  return (field ?? resembles) !== undefined;
}

/** The second reading: sums, identities, ids that repeat, and cells that cannot be read. */
import { readDate } from '../cells/dates.ts';
import { type NumberDialect, readNumber } from '../cells/numbers.ts';
import { cellText } from '../cells/text.ts';
import type { Cell, TableRow } from '../file/table.ts';
import type { AmountField, Field } from '../profile/fields.ts';
import { type Column, isAmount } from './columns.ts';
import {
  type Amounts,
  checkIdentity,
  decimal,
  type IdentityCheck,
  identitiesOf,
  ONE,
  scaled,
} from './identities.ts';
import { Repeats, textAt } from './repeats.ts';

const NUMBERS: readonly (readonly Field[])[] = [
  ['loanNumber'],
  ['dealNumber', 'facilityNumber'],
  ['dealNumber'],
];

export interface ValueRange {
  least: string;
  most: string;
}

export interface RowChecks {
  readonly ranges: ReadonlyMap<Column, ValueRange>;
  readonly unreadable: ReadonlyMap<Column, { cells: number; readonly first: string }>;
  readonly sums: ReadonlyMap<Column, bigint>;
  readonly identities: readonly IdentityCheck[];
  /** By field: loanNumber, facilityNumber, dealNumber. */
  readonly repeats: ReadonlyMap<string, Repeats>;
  /** Of columns that stand for one field: rows where they differ. */
  readonly differences: ReadonlyMap<string, { rows: number; first: string }>;
  /** Rows whose balance is above the limit. */
  readonly beyondLimit: { rows: number; first: string };
  /** By status: rows that owe something. */
  readonly owing: ReadonlyMap<string, number>;
  /** The first amount with more than two decimals that are not zero. */
  readonly longest: { readonly decimals: number; readonly told: string };
  /** Rates that are not zero, and those below 1. */
  readonly rates: { readonly all: number; readonly belowOne: number };
}

export interface CheckPlan {
  readonly columns: readonly Column[];
  readonly contested: ReadonlyMap<string, readonly Column[]>;
  readonly dialect: NumberDialect;
  readonly dateFormats: readonly string[];
  /** The first and the last row of loans. */
  readonly from: number;
  readonly through: number;
}

export async function checkRows(
  batches: AsyncIterable<readonly TableRow[]>,
  plan: CheckPlan,
): Promise<RowChecks> {
  const checker = new RowChecker(plan);
  for await (const batch of batches) {
    for (const row of batch) {
      if (row.row >= plan.from && row.row <= plan.through) checker.take(row);
    }
  }
  return checker;
}

class RowChecker implements RowChecks {
  readonly ranges = new Map<Column, ValueRange>();
  readonly unreadable = new Map<Column, { cells: number; readonly first: string }>();
  readonly sums = new Map<Column, bigint>();
  readonly identities: readonly IdentityCheck[];
  readonly repeats: ReadonlyMap<string, Repeats>;
  readonly owing = new Map<string, number>();
  readonly longest = { decimals: 2, told: '' };
  readonly rates = { all: 0, belowOne: 0 };
  readonly differences = new Map<string, { rows: number; first: string }>();
  readonly beyondLimit = { rows: 0, first: '' };
  readonly #plan: CheckPlan;
  readonly #read: readonly Column[];
  readonly #status: Column | undefined;
  readonly #least = new Map<Column, bigint>();
  readonly #most = new Map<Column, bigint>();

  constructor(plan: CheckPlan) {
    this.#plan = plan;
    this.#read = plan.columns.filter(
      ({ kind, evidence }) => ['amount', 'rate', 'date'].includes(kind) && evidence.filled > 0,
    );
    const find = (field: Field) => plan.columns.filter((column) => column.field === field);
    this.repeats = new Map(
      NUMBERS.flatMap((fields) => {
        const [field = 'loanNumber'] = fields.slice(-1);
        const number = fields.flatMap((each) => find(each).slice(0, 1));
        if (find(field).length === 0) return [];
        return [[field, new Repeats(number, plan.columns)] as const];
      }),
    );
    this.#status = plan.columns.find(({ field }) => field === 'status');
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
    const formats = isUsed(column) ? this.#plan.dateFormats : ownFormats(column);
    // The formats of an open question may read two days.
    const day = formats
      .map((format) => readDate(cell, [format], 1950))
      .find((each) => each !== undefined);
    if (day === undefined) {
      this.#cannotRead(column, cell, row);
      return;
    }
    const range = this.ranges.get(column);
    if (range === undefined) this.ranges.set(column, { least: day, most: day });
    else if (day < range.least) range.least = day;
    else if (day > range.most) range.most = day;
  }

  #takeNumber(column: Column, cell: Cell, row: number, amounts: Amounts): void {
    const bare =
      typeof cell === 'string' && column.kind === 'rate'
        ? cell.replace(/(?:%|bps?)$/i, '').trimEnd()
        : cell;
    const read = readNumber(bare, this.#plan.dialect);
    if (!('text' in read)) {
      this.#cannotRead(column, cell, row);
      return;
    }
    const value = scaled(read.text);
    if (value < (this.#least.get(column) ?? value + 1n))
      this.#extreme(column, value, read.text, 'least');
    if (value > (this.#most.get(column) ?? value - 1n))
      this.#extreme(column, value, read.text, 'most');
    this.sums.set(column, (this.sums.get(column) ?? 0n) + value);
    if (isAmount(column.field)) {
      amounts[column.field as AmountField] = value;
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

  #extreme(column: Column, value: bigint, text: string, end: keyof ValueRange): void {
    (end === 'least' ? this.#least : this.#most).set(column, value);
    const range = this.ranges.get(column) ?? { least: text, most: text };
    range[end] = text;
    this.ranges.set(column, range);
  }

  #cannotRead(column: Column, cell: Cell, row: number): void {
    if (!isUsed(column)) return;
    const found = this.unreadable.get(column);
    if (found === undefined) {
      this.unreadable.set(column, {
        cells: 1,
        first: `row ${row}: ${cellText(cell).slice(0, 40)}`,
      });
    } else found.cells += 1;
  }

  #compare(field: string, columns: readonly Column[], row: TableRow): void {
    const values = columns.map((column) => textAt(row, column));
    if (new Set(values).size < 2) return;
    const found = this.differences.get(field);
    if (found !== undefined) found.rows += 1;
    else this.differences.set(field, { rows: 1, first: `row ${row.row}: ${values.join(' and ')}` });
  }
}

function isUsed({ field, resembles }: Column): boolean {
  return (field ?? resembles) !== undefined;
}

function ownFormats({ dates }: Column): readonly string[] {
  return (dates?.groups ?? []).flatMap(({ readings: [formats = []] }) => formats.slice(0, 1));
}

import { kept } from '../cells/text.ts';
import type { FileFault } from '../file/table.ts';
import type { Field } from '../profile/fields.ts';
import type { Columns } from './columns.ts';

export const REQUIRED = 'this cell is empty; every row needs a value here';

const VALUE_SHOWN_CHARS = 60;
/** A message may quote headers and names of sheets, which are as long as a file makes them. */
const MESSAGE_MAX_CHARS = 4_000;
/** Faults, and warnings, that a report has one by one; it counts all. */
const FINDINGS_KEPT = 10_000;
const FIRST_OF_KIND = 3;

export interface FindingKind {
  readonly code: string;
  readonly column: string;
  readonly count: number;
  readonly first: readonly FileFault[];
}

/** What is told about a statement: faults, for which it is refused, and warnings. */
export class Report {
  readonly #faults: Findings;
  readonly #warnings = new Findings();

  /** @param onFault takes each fault, also those that the report does not keep. */
  constructor(onFault?: (fault: FileFault) => void) {
    this.#faults = new Findings(onFault);
  }

  fault(row: number, column: string, code: string, message: string, value: string): void {
    this.#faults.add(row, column, code, message, value);
  }

  refuse({ row, column, code, message, value }: FileFault): void {
    this.fault(row, column, code, message, value);
  }

  warn(row: number, column: string, code: string, message: string, value: string): void {
    this.#warnings.add(row, column, code, message, value);
  }

  get faults(): readonly FileFault[] {
    return this.#faults.kept;
  }

  get faultCount(): number {
    return this.#faults.count;
  }

  get faultKinds(): readonly FindingKind[] {
    return [...this.#faults.kinds.values()];
  }

  get warnings(): readonly FileFault[] {
    return this.#warnings.kept;
  }

  get warningCount(): number {
    return this.#warnings.count;
  }

  get warningKinds(): readonly FindingKind[] {
    return [...this.#warnings.kinds.values()];
  }
}

class Findings {
  readonly kept: FileFault[] = [];
  readonly kinds = new Map<string, FindingKind & { count: number; first: FileFault[] }>();
  count = 0;
  readonly #onFinding: ((finding: FileFault) => void) | undefined;

  constructor(onFinding?: (finding: FileFault) => void) {
    this.#onFinding = onFinding;
  }

  add(row: number, column: string, code: string, message: string, value: string): void {
    const told = kept(message.slice(0, MESSAGE_MAX_CHARS));
    const finding = { row, column, code, message: told, value: shown(value) };
    this.count += 1;
    if (this.kept.length < FINDINGS_KEPT) this.kept.push(finding);
    this.#onFinding?.(finding);
    const key = `${code} ${column}`;
    const kind = this.kinds.get(key) ?? { code, column, count: 0, first: [] };
    kind.count += 1;
    if (kind.first.length < FIRST_OF_KIND) kind.first.push(finding);
    this.kinds.set(key, kind);
  }
}

/** What shows nothing, or turns what follows around, is told by its number. */
function shown(value: string): string {
  const cut = kept(value.slice(0, VALUE_SHOWN_CHARS));
  return cut.replaceAll(/[\p{Cc}\p{Cf}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** Tells what is wrong with cells of a row, by the headers of their columns. */
export class RowReport {
  row = 0;
  readonly #columns: Columns;
  readonly #report: Report;

  constructor(columns: Columns, report: Report) {
    this.#columns = columns;
    this.#report = report;
  }

  headerOf(field: Field): string {
    return this.#columns.get(field)?.header ?? field;
  }

  fault(field: Field, code: string, message: string, value: string): void {
    this.#report.fault(this.row, this.headerOf(field), code, message, value);
  }

  warn(field: Field, code: string, message: string, value: string): void {
    this.#report.warn(this.row, this.headerOf(field), code, message, value);
  }
}

import type { StatementFault } from './statement-row.ts';

const VALUE_SHOWN_CHARS = 60;
/** Faults, and warnings, that a report has one by one; it counts all. */
export const FINDINGS_KEPT = 10_000;

/** What is told about a statement: faults, for which it is refused, and warnings. */
export class Report {
  readonly faults: StatementFault[] = [];
  readonly warnings: StatementFault[] = [];
  readonly faultCounts = new Map<string, number>();
  readonly warningCounts = new Map<string, number>();

  fault(row: number, column: string, code: string, message: string, value: string): void {
    add(this.faults, this.faultCounts, { row, column, code, message, value });
  }

  warn(row: number, column: string, code: string, message: string, value: string): void {
    add(this.warnings, this.warningCounts, { row, column, code, message, value });
  }

  get faultCount(): number {
    return totalOf(this.faultCounts);
  }

  get warningCount(): number {
    return totalOf(this.warningCounts);
  }
}

function add(list: StatementFault[], counts: Map<string, number>, finding: StatementFault): void {
  counts.set(finding.code, (counts.get(finding.code) ?? 0) + 1);
  if (list.length >= FINDINGS_KEPT) return;
  list.push({ ...finding, value: shown(finding.value) });
}

function totalOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** What shows nothing, or turns what follows around, is told by its number. */
function shown(value: string): string {
  const cut = value.slice(0, VALUE_SHOWN_CHARS);
  return cut.replaceAll(/[\p{Cc}\p{Cf}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

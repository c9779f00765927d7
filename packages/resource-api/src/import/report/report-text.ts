import type { ImportReport } from '../import-report.ts';
import { reportSections } from './report-sections.ts';
import type { Section, Table } from './section.ts';

const WIDTH = 100;
const GAP = '  ';
/** A longer word may be cut. */
const WORD_KEPT = 26;
/** A file's text must not move the cursor, or turn the direction of the line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The report for a terminal of 100 columns. */
export function reportText(report: ImportReport): string {
  return reportSections(report).map(sectionText).join('\n\n');
}

function sectionText({ title, sentences, commands = [], table }: Section): string {
  const said = [...sentences, ...commands];
  const lines = [title.toUpperCase(), ...said.flatMap((sentence) => wrap(sentence, WIDTH))];
  return [...lines, ...(table ? tableLines(table) : [])].join('\n');
}

function tableLines({ columns, numbers, rows }: Table): readonly string[] {
  const all = columns.some((name) => name !== '') ? [columns, ...rows] : rows;
  const isNumber = columns.map((name) => numbers?.includes(name) ?? false);
  const widths = widthsOf(isNumber, all);
  return all.flatMap((row) => rowLines(row, isNumber, widths));
}

/** As wide as the widest cell; where that is too wide, the widest text columns are wrapped. */
function widthsOf(isNumber: readonly boolean[], rows: Table['rows']): readonly number[] {
  const widest = (at: number, lengthOf: (cell: string) => number) =>
    Math.max(...rows.map((row) => lengthOf(row[at] ?? '')));
  const widths = isNumber.map((_, at) => widest(at, (cell) => cell.length));
  const narrowest = isNumber.map((isOne, at) =>
    isOne ? Number.POSITIVE_INFINITY : Math.min(widest(at, longestWord), WORD_KEPT),
  );
  const room = WIDTH - GAP.length * (isNumber.length - 1);
  for (;;) {
    const over = widths.reduce((sum, width) => sum + width, 0) - room;
    const spare = widths.map((width, at) => (width > (narrowest[at] ?? 0) ? width : 0));
    const most = Math.max(...spare);
    if (over <= 0 || most === 0) return widths;
    widths[spare.indexOf(most)] = most - 1;
  }
}

function longestWord(text: string): number {
  return Math.max(...text.split(' ').map(({ length }) => length));
}

function rowLines(
  row: readonly string[],
  isNumber: readonly boolean[],
  widths: readonly number[],
): readonly string[] {
  const cells = row.map((cell, at) => wrap(cell, widths[at] ?? WIDTH));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, at) => {
        const text = lines[line] ?? '';
        const width = widths[at] ?? 0;
        return isNumber[at] ? text.padStart(width) : text.padEnd(width);
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Lines of at most `width` characters; a longer word is cut. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replaceAll(UNSAFE, '\ufffd').split(' ')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length > width) {
      lines.push(line);
      line = '';
    }
    for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width));
    line = line === '' ? rest : `${line} ${rest}`;
  }
  return [...lines, line];
}

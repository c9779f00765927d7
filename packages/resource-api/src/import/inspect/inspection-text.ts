/** An inspection for people, in lines of at most 100 columns where words allow. */
import { groupBy } from '@cls/shared/group-by';
import type { Question } from './draft.ts';
import type { ColumnInspection, Inspection } from './inspection.ts';

const WIDTH = 100;

export function inspectionText(inspection: Inspection): string {
  const { columns, notes, questions, totals, preamble, footer, headerRow, rows } = inspection;
  const facts = [
    `${inspection.file}: ${fileText(inspection)}`,
    ...preamble.map((text) => `before the header: ${text}`),
    headerRow === undefined ? 'no header' : `header in row ${headerRow}`,
    `${rows} rows, ${columns.length} columns`,
    ...(totals === undefined ? [] : [`totals in row ${totals.row}: ${totals.verdict}`]),
    ...footer.map((text) => `after the loans: ${text}`),
  ];
  const asked = shortened(questions).map((text, index) => `${index + 1}. ${text}`);
  return [
    ...facts.map((line) => wrapped(line, '')),
    '',
    columnTable(columns),
    ...(notes.length > 0 ? ['', 'noticed', ...notes.map((note) => wrapped(note, '  '))] : []),
    '',
    asked.length === 0 ? 'nothing is open' : 'open: what the file does not decide',
    ...asked.map((line) => wrapped(line, '  ')),
  ].join('\n');
}

const OF_ONE_LIST = 4;

function shortened(questions: Inspection['questions']): string[] {
  const listOf = ({ setting }: Question) => setting.split('.')[0];
  const lists = groupBy(questions, listOf);
  return questions.flatMap((one) => {
    const list = listOf(one);
    const all = lists.get(list) ?? [];
    const at = all.indexOf(one);
    const isShown = at < OF_ONE_LIST || all.length <= OF_ONE_LIST + 1 || list === 'columns';
    if (isShown) return [`${one.setting}: ${one.question}`];
    return at === OF_ONE_LIST ? [`${list}: and ${all.length - at} more values`] : [];
  });
}

function fileText(inspection: Inspection): string {
  const { kind, compression, encoding, delimiter, sheet, sheets } = inspection;
  const packed = compression === 'none' ? '' : `${compression}, `;
  if (kind === 'workbook') {
    const others = (sheets ?? []).filter(({ name }) => name !== sheet).map(({ name }) => name);
    const more = others.length > 0 ? `; other sheets: ${others.join(', ')}` : '';
    return `${packed}workbook, sheet “${sheet ?? sheets?.[0]?.name ?? ''}”${more}`;
  }
  const sure = encoding?.sure ? '' : ' (not sure)';
  return `${packed}text, ${encoding?.name}${sure}, separated by ${JSON.stringify(delimiter)}`;
}

/** Columns that are taken with what they hold; others in a line each. */
function columnTable(columns: readonly ColumnInspection[]): string {
  const width = Math.min(32, Math.max(6, ...columns.map(({ header }) => header.length)));
  const name = ({ header }: ColumnInspection) => cut(header, width).padEnd(width);
  const taken = columns.filter(({ field }) => field !== undefined);
  const others = columns.filter(({ field }) => field === undefined);
  return [
    ...taken.flatMap((column) => [
      cut(`${name(column)}  ${column.kind} → ${column.field}  ${column.how}`, WIDTH),
      cut(`${' '.repeat(width)}    ${valuesText(column)}`, WIDTH),
    ]),
    ...(others.length > 0 ? ['', `not taken: ${others.length} of ${columns.length} columns`] : []),
    ...others.map((column) => cut(`${name(column)}  ${column.kind}  ${otherText(column)}`, WIDTH)),
  ].join('\n');
}

function otherText(column: ColumnInspection): string {
  if (column.how !== 'by values') return column.how;
  return column.first.length === 0 ? 'empty' : valuesText(column);
}

function valuesText(column: ColumnInspection): string {
  const { smallest, largest, first, blanks, different, differentIsBounded } = column;
  const { repeats, unreadable } = column;
  const range =
    smallest === undefined
      ? first.map((text) => cut(text, 24)).join(', ')
      : `${smallest} to ${largest}`;
  const facts = [
    range,
    `${differentIsBounded ? 'more than ' : ''}${different} different`,
    ...(blanks > 0 ? [`${blanks} empty`] : []),
    ...(repeats === undefined ? [] : [repeats]),
    ...(unreadable > 0 ? [`${unreadable} unreadable`] : []),
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

function cut(text: string, most: number): string {
  const line = text.replace(/\s/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Broken at spaces; following lines are indented. */
function wrapped(text: string, indent: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && indent.length + last.length + word.length + 3 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line, index) => indent + (index === 0 ? '' : '  ') + line).join('\n');
}

import type { FileDescription } from '../file/describe-file.ts';
import { RecordSplitter } from '../file/records.ts';
import { type FileDialect, UnreadableFile } from '../file/table.ts';
import type { Dictionary } from './dictionary.ts';
import type { ProfileDraft } from './draft.ts';
import { headerScore } from './header.ts';

/** @param sheet the one that was asked for. @returns how the file is read to be inspected. */
export function decideFile(
  description: FileDescription,
  dictionary: Dictionary,
  sheet: string | undefined,
  draft: ProfileDraft,
): FileDialect {
  return description.kind === 'workbook'
    ? { encoding: 'utf-8', delimiter: ',', sheet: decideSheet(description.sheets, sheet, draft) }
    : decideText(description, dictionary, draft);
}

type Of<Kind> = Extract<FileDescription, { readonly kind: Kind }>;

function decideSheet(
  sheets: Of<'workbook'>['sheets'],
  asked: string | undefined,
  draft: ProfileDraft,
): string | undefined {
  const filled = sheets.filter(({ rows }) => rows > 1);
  const cells = ({ rows, columns }: (typeof filled)[number]) => rows * columns;
  const [largest] = filled.toSorted((one, other) => cells(other) - cells(one));
  const name = asked ?? largest?.name;
  if (name === undefined || sheets.length < 2) return name;
  if (asked === undefined && filled.length > 1) {
    const names = filled.map((each) => `“${each.name}” (${each.rows} rows)`).join(' or ');
    draft.ask(['sheet'], `${names}? ${name} was inspected; --sheet names another`);
  } else draft.set(['sheet'], name);
  return name;
}

function decideText(
  { encoding, sample }: Of<'text'>,
  dictionary: Dictionary,
  draft: ProfileDraft,
): FileDialect {
  const { name, sure, why } = encoding;
  if (!sure) draft.ask(['encoding'], `${name} or iso-8859-1 or another? ${why}`);
  else if (name !== 'utf-8') draft.set(['encoding'], name, why);
  const found = delimitersOf(sample, dictionary);
  const declared = /^\ufeff?sep=(.)\r?\n/i.exec(sample)?.[1];
  const delimiter = declared ?? found[0] ?? ',';
  if (found.length > 1 && delimiter === found[0]) {
    const marks = found.map((mark) => JSON.stringify(mark)).join(' or ');
    draft.ask(['delimiter'], `${marks}? each of them separates as many cells in nearly all lines`);
  } else if (delimiter !== ',') draft.set(['delimiter'], delimiter);
  return { encoding: name, delimiter };
}

const USUAL = [',', ';', '\t', '|', '^', '~'];
const RECORDS = 300;
const LINES = 400;

/** What separates the cells of each line best, then others that do nearly as well. The last line may be cut. */
function delimitersOf(sample: string, dictionary: Dictionary): readonly string[] {
  const trials = candidates(sample)
    .flatMap((delimiter) => tryDelimiter(sample, delimiter, dictionary) ?? [])
    .toSorted((one, other) => other.score - one.score || other.columns - one.columns);
  const enough = (trials[0]?.score ?? 0) * 0.95;
  return trials
    .filter(({ score, columns }, index) => index === 0 || (score > enough && columns > 2))
    .map(({ delimiter }) => delimiter);
}

/** The usual ones, and other marks that stand in most lines. */
function candidates(sample: string): readonly string[] {
  const lines = sample.split(/\r\n|\n|\r/, 50).filter((line) => line !== '');
  const marks = new Set(
    lines.flatMap((line) => [...new Set(line.match(/[^\p{L}\p{N}\s"'.\-/()_]/gu))]),
  );
  const frequent = [...marks, '\u0001', '\u001f'].filter(
    (mark) => lines.filter((line) => line.includes(mark)).length > lines.length * 0.8,
  );
  return [...new Set([...USUAL, ...frequent])].filter((mark) => mark.length === 1);
}

function tryDelimiter(sample: string, delimiter: string, dictionary: Dictionary) {
  const records = readSample(sample, delimiter);
  const widths = records.map((cells) => cells.length);
  const columns = mostFrequent(widths.filter((width) => width > 1)) ?? 1;
  if (columns === 1) return undefined;
  const consistent = widths.filter((width) => width === columns).length / widths.length;
  const known = Math.max(...records.slice(0, 30).map((cells) => headerScore(cells, dictionary)));
  return { delimiter, columns, score: consistent + Math.min(known, 5) / 5 };
}

function readSample(sample: string, delimiter: string) {
  const lines = sample.split('\n');
  const whole = lines.length > 2 ? lines.slice(0, Math.min(lines.length - 1, LINES)) : lines;
  const splitter = new RecordSplitter(delimiter);
  try {
    const rows = [...splitter.push(whole.join('\n')), ...splitter.end()];
    return rows.slice(0, RECORDS).map(({ cells }) => cells);
  } catch (error) {
    // A quoted cell that the sample cuts.
    if (!(error instanceof UnreadableFile)) throw error;
    return whole.map((line) => line.trimEnd().split(delimiter));
  }
}

function mostFrequent(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]?.[0];
}

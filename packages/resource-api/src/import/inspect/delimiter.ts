import { RecordSplitter } from '../file/records.ts';
import { UnreadableFile } from '../file/table.ts';
import type { Dictionary } from './dictionary.ts';
import { headerScore } from './header.ts';

const USUAL = [',', ';', '\t', '|', '^', '~'];
const RECORDS = 300;
const LINES = 400;

/** What separates the cells of each line best, then others that do nearly as well. The last line may be cut. */
export function delimitersOf(sample: string, dictionary: Dictionary): readonly string[] {
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

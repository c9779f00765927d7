/** What separates the columns of a text file. */
import { parse } from 'csv-parse/sync';
import type { Dictionary } from './dictionary.ts';
import { headerScore } from './header.ts';

const USUAL = [',', ';', '\t', '|', '^', '~'];
const RECORDS = 300;
const LINES = 400;

export interface DelimiterFinding {
  /** Undefined where each line is one cell. */
  readonly delimiter: string | undefined;
  /** Others that separate nearly as well. */
  readonly rivals: readonly string[];
  readonly columns: number;
}

interface Trial {
  readonly delimiter: string;
  /** Share of the records that have the usual number of cells. */
  readonly consistent: number;
  readonly columns: number;
  readonly score: number;
}

/** @param sample the beginning of the file; its last line may be cut. */
export function findDelimiter(sample: string, dictionary: Dictionary): DelimiterFinding {
  const trials = candidates(sample)
    .flatMap((delimiter) => tryDelimiter(sample, delimiter, dictionary) ?? [])
    .toSorted((one, other) => other.score - one.score || other.columns - one.columns);
  const [best, ...rest] = trials;
  if (best === undefined) return { delimiter: undefined, rivals: [], columns: 1 };
  const rivals = rest.filter(({ score, columns }) => score > best.score * 0.95 && columns > 2);
  return {
    delimiter: best.delimiter,
    columns: best.columns,
    rivals: rivals.map(({ delimiter }) => delimiter),
  };
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

function tryDelimiter(
  sample: string,
  delimiter: string,
  dictionary: Dictionary,
): Trial | undefined {
  const records = readSample(sample, delimiter);
  const widths = records.map((cells) => cells.length);
  const columns = mostFrequent(widths.filter((width) => width > 1)) ?? 1;
  if (columns === 1) return undefined;
  const consistent = widths.filter((width) => width === columns).length / widths.length;
  const known = Math.max(...records.slice(0, 30).map((cells) => headerScore(cells, dictionary)));
  return { delimiter, columns, consistent, score: consistent + Math.min(known, 5) / 5 };
}

/** The first records of a text, whose last line may be cut. */
export function readSample(sample: string, delimiter: string): string[][] {
  const options = {
    delimiter,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    to: RECORDS,
  };
  const lines = sample.split('\n');
  const whole = lines.length > 2 ? lines.slice(0, Math.min(lines.length - 1, LINES)) : lines;
  try {
    return parse(whole.join('\n'), options);
  } catch {
    // A quoted cell that the sample cuts.
    return whole.map((line) => line.trimEnd().split(delimiter));
  }
}

/** The value that occurs most often. */
export function mostFrequent<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]?.[0];
}

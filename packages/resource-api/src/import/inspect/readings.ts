import { groupBy } from '@cls/shared/group-by';
import { dateReadings } from '../cells/date-candidates.ts';
import { readDate } from '../cells/dates.ts';
import { dialectsThatRead } from '../cells/number-candidates.ts';
import type { NumberDialect } from '../cells/numbers.ts';
import type { ColumnEvidence } from './evidence.ts';
import type { Sample, ShapeEvidence } from './shapes.ts';

/** Cells that cannot be read are taken for mistakes where they are fewer than this share. */
const MISTAKES = 0.05;
const CENTURY = 1950;

export interface NumberEvidence {
  readonly samples: readonly Sample[];
  readonly mistakes: readonly ShapeEvidence[];
  readonly zeroMarks: readonly Sample[];
}

/** Undefined where the column's texts are no numbers. */
export function numbersIn(column: ColumnEvidence): NumberEvidence | undefined {
  if (column.manyShapes || column.dates > 0) return undefined;
  const samples: Sample[] = [];
  const mistakes: ShapeEvidence[] = [];
  const zeroMarks: Sample[] = [];
  for (const evidence of column.shapes.values()) {
    const [sample] = evidence.samples;
    if (sample === undefined) continue;
    if (/^(?:[-–—]+|nil)$/i.test(sample.text)) zeroMarks.push(sample);
    else if (/\d/.test(sample.text) && dialectsThatRead([withoutUnit(sample.text)]).length > 0) {
      samples.push(sample);
    } else mistakes.push(evidence);
  }
  if (!isFew(mistakes, column.filled) || samples.length + column.numbers === 0) return undefined;
  return { samples, mistakes, zeroMarks };
}

/** A percent sign and `bp` are marks of rates. */
export function withoutUnit(text: string): string {
  return text.replace(/(?:%|bps?)$/i, '').trimEnd();
}

function isFew(shapes: readonly ShapeEvidence[], filled: number): boolean {
  const mistakes = shapes.reduce((sum, { cells }) => sum + cells, 0);
  return mistakes <= filled * MISTAKES || (mistakes === 1 && filled > 2);
}

/** Texts with the same marks between their numbers, and how they may be read. */
export interface DateGroup {
  readonly samples: readonly Sample[];
  /** Formats that read all of them, by the days that they make; several are a question. */
  readonly readings: readonly (readonly string[])[];
}

/** Formats of digits alone, which amounts and numbers of accounts fit as well. */
const BARE = ['serial', 'YYMMDD', 'DDMMYY', 'MMDDYY', 'YYYYMM', 'MMYYYY', 'DDMMYYYY', 'MMDDYYYY'];

/** @param isNamed the column's name says that it has dates: digits alone may be some. */
export function datesIn(
  column: ColumnEvidence,
  isNamed: boolean,
): readonly DateGroup[] | undefined {
  if (column.manyShapes) return undefined;
  const pools = groupBy(column.shapes.values(), ({ shape }) => skeletonOf(shape));
  const groups: DateGroup[] = [];
  const mistakes: ShapeEvidence[] = [];
  for (const shapes of pools.values()) {
    const whole = groupOf(shapes, isNamed);
    if (whole !== undefined) {
      groups.push(whole);
      continue;
    }
    for (const shape of shapes) {
      const group = groupOf([shape], isNamed);
      if (group === undefined) mistakes.push(shape);
      else groups.push(group);
    }
  }
  const some = groups.length + column.dates > 0 || (isNamed && column.numbers > 0);
  return some && isFew(mistakes, column.filled) ? groups : undefined;
}

/** The marks between numbers; lengths too where digits stand alone. */
function skeletonOf(shape: string): string {
  const marks = shape.replace(/\p{L}+\.?/gu, 'L').replace(/[09]\d/g, '');
  return marks === '' || marks === 'L' ? shape.replace(/\p{L}+/gu, 'L') : marks;
}

function groupOf(shapes: readonly ShapeEvidence[], isNamed: boolean): DateGroup | undefined {
  const samples = shapes.flatMap((shape) => shape.samples);
  const readings = dateReadings(samples.map(({ text }) => text)).flatMap(({ formats }) => {
    const usable = isNamed ? formats : formats.filter((format) => !BARE.includes(format));
    return usable.length > 0 ? [usable] : [];
  });
  return readings.length > 0 ? { samples, readings } : undefined;
}

export function orderOf(format: string): string {
  return format
    .replace(/[hms]+|AM|T(?=h)/g, '')
    .replace(/[^DMY]/g, '')
    .replace(/(.)\1+/g, '$1');
}

/** The first sample that a format does not read, which is why it is not the one. */
export function refutation(samples: readonly Sample[], format: string): Sample | undefined {
  return samples.find(({ text }) => readDate(text, [format], CENTURY) === undefined);
}

/** The first sample that no dialect with this decimal separator reads. */
export function numberRefutation<S extends Sample>(
  samples: readonly S[],
  decimalSeparator: NumberDialect['decimalSeparator'],
): S | undefined {
  return samples.find(({ text }) => {
    const dialects = dialectsThatRead([withoutUnit(text)]).flatMap((reading) => reading.dialects);
    return dialects.every((dialect) => dialect.decimalSeparator !== decimalSeparator);
  });
}

import { minorUnitDigits } from '../../ledger/currency.ts';
import type { Cell } from '../file/table.ts';
import {
  type DecimalSeparator,
  type NumberDialect,
  numberOf,
  type ThousandsSeparator,
} from './number-shape.ts';

export interface NumberReading {
  /** All read the samples as the same numbers; the one that declares least is first. */
  readonly dialects: readonly NumberDialect[];
  /** Plain decimals of the samples that are text, in their order. */
  readonly values: readonly string[];
}

const SEPARATED: readonly (readonly [DecimalSeparator, ThousandsSeparator?])[] = [
  ['.'],
  [','],
  ['.', ','],
  [',', '.'],
  ['.', "'"],
  [',', "'"],
  ['.', ' '],
  [',', ' '],
];

/**
 * What the samples are under each dialect that reads all of them: several readings are a question
 * that only the sender can answer. Numbers of a workbook need no dialect and are left out; dates
 * are no numbers, so that with one of them nothing is returned.
 */
export function dialectsThatRead(samples: readonly Cell[]): readonly NumberReading[] {
  if (samples.some((cell) => cell instanceof Date)) return [];
  const texts = samples.flatMap((cell) => (typeof cell === 'string' ? [cell.trim()] : []));
  if (texts.length === 0) return [];
  const readings = new Map<string, { dialects: NumberDialect[]; values: readonly string[] }>();
  for (const dialect of candidates(texts)) {
    const numbers = texts.map((text) => numberOf(text, dialect)?.text);
    const values = numbers.filter((number) => number !== undefined);
    if (values.length < texts.length) continue;
    const reading = readings.get(values.join());
    if (reading) reading.dialects.push(dialect);
    else readings.set(values.join(), { dialects: [dialect], values });
  }
  return [...readings.values()];
}

function candidates(texts: readonly string[]): readonly NumberDialect[] {
  const marks = marksOf(texts);
  return SEPARATED.flatMap(([decimalSeparator, thousandsSeparator]) =>
    marks.map((declared) => ({
      decimalSeparator,
      ...(thousandsSeparator === undefined ? {} : { thousandsSeparator }),
      ...declared,
    })),
  );
}

type Marks = Omit<NumberDialect, 'decimalSeparator' | 'thousandsSeparator'>;

/** What the texts need beside separators. Whether CR or DR is negative, no text says. */
function marksOf(texts: readonly string[]): readonly Marks[] {
  const zeroMarks = distinct(texts.filter((text) => /^(?:[-–—]+|nil)$/i.test(text)));
  const words = texts.flatMap((text) =>
    /\d|-$/.test(text) ? (text.match(/\p{L}*\p{Sc}|\p{L}+/gu) ?? []) : [],
  );
  const currencyMarks = Object.fromEntries(
    distinct(words).flatMap((word) => {
      const currency = currencyOf(word);
      return currency === undefined ? [] : [[word, currency] as const];
    }),
  );
  const common: Marks = {
    ...(texts.some((text) => text.includes('(')) ? { parenthesesNegative: true } : {}),
    ...(texts.some((text) => /\d[-−]/.test(text)) ? { trailingMinus: true } : {}),
    ...(zeroMarks.length > 0 ? { zeroMarks } : {}),
    ...(Object.keys(currencyMarks).length > 0 ? { currencyMarks } : {}),
  };
  if (!texts.some((text) => /(?<!\p{L})[CD]R(?!\p{L})/iu.test(text))) return [common];
  return [
    { ...common, negativeMarks: ['CR'], positiveMarks: ['DR'] },
    { ...common, negativeMarks: ['DR'], positiveMarks: ['CR'] },
  ];
}

/** The most usual of those that write it: `$` is a question too. */
const SIGN_OF: Readonly<Record<string, string>> = {
  $: 'USD',
  US$: 'USD',
  A$: 'AUD',
  C$: 'CAD',
  HK$: 'HKD',
  R$: 'BRL',
  S$: 'SGD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  FR: 'CHF',
};

function currencyOf(word: string): string | undefined {
  const code = word.toUpperCase();
  if (minorUnitDigits(code) !== undefined) return code;
  return Object.hasOwn(SIGN_OF, code) ? SIGN_OF[code] : undefined;
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

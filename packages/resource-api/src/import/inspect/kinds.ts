import { minorUnitDigits } from '../../ledger/currency.ts';
import type { ColumnEvidence } from './evidence.ts';
import type { DateGroup, NumberEvidence } from './readings.ts';

export type ColumnKind =
  | 'id'
  | 'name'
  | 'amount'
  | 'rate'
  | 'date'
  | 'currency'
  | 'country'
  | 'status'
  | 'type'
  | 'flag'
  | 'other';

/** Undefined where the column's texts are neither. */
export interface Readings {
  readonly numbers: NumberEvidence | undefined;
  readonly dates: readonly DateGroup[] | undefined;
}

export function kindByValues(evidence: ColumnEvidence, { dates, numbers }: Readings): ColumnKind {
  const { filled, distinct, distinctIsBounded } = evidence;
  if (filled === 0) return 'other';
  if (evidence.dates > 0 || (dates ?? []).length > 0) return 'date';
  if (allValues(evidence, isCurrency)) return 'currency';
  if (distinct <= 2 && allValues(evidence, (value) => FLAGS.has(value.toLowerCase())))
    return 'flag';
  const isUnique = distinct > filled * 0.9 && evidence.blanks < filled * 0.1 && filled > 1;
  if (numbers !== undefined) {
    if (isUnique && looksLikeIds(evidence)) return 'id';
    return looksLikeMoney(evidence) ? 'amount' : 'other';
  }
  if (allValues(evidence, isCountryCode)) return 'country';
  if (isUnique && evidence.first.every((text) => /\d/.test(text) && !/\s/.test(text))) return 'id';
  if (!distinctIsBounded && distinct <= 30 && distinct * 3 <= filled) return 'type';
  return 'name';
}

/** Whole numbers of one length, or that begin with 0. */
function looksLikeIds({ first, numbers, shapes }: ColumnEvidence): boolean {
  if (numbers > 0) return first.every((text) => /^\d{4,}$/.test(text) && !text.endsWith('00'));
  return [...shapes.keys()].every((shape) => /^[09]\d$/.test(shape)) && shapes.size <= 2;
}

/** Two decimals, or ten thousands: not a score, a year or a number of months. */
function looksLikeMoney({ shapes, numbers, mostNumber }: ColumnEvidence): boolean {
  if (numbers > 0) return mostNumber >= 10_000;
  return [...shapes.keys()].some((shape) =>
    /[09][345]\D[09]2\D*$|\D[09]3\D*$|^\D*[09][568](?:\D[09]\d)?\D*$/.test(shape),
  );
}

/** Whether each value is one; columns of many values are no lists of codes. */
export function allValues(evidence: ColumnEvidence, is: (value: string) => boolean): boolean {
  const { values, distinct, distinctIsBounded } = evidence;
  if (values.size === 0 || values.size < distinct || distinctIsBounded) return false;
  return [...values.keys()].every(is);
}

/** Amounts of interest: no rate has five digits before its decimals. */
export function isHuge({ shapes, numbers, mostNumber }: ColumnEvidence): boolean {
  if (numbers > 0) return mostNumber > 10_000;
  return [...shapes.keys()].some((shape) => /^\D*[09][568]|[09]3\D[09]3/.test(shape));
}

export function isTwoCharacters(value: string): boolean {
  return /^[A-Z0-9]{2}$/.test(value);
}

export function isCurrency(value: string): boolean {
  return minorUnitDigits(value) !== undefined;
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Codes of today: that of Yugoslavia is none. */
export function isCountryCode(value: string): boolean {
  if (!/^[A-Z]{2}$/.test(value) || REGIONS.of(value) === undefined) return false;
  return new Intl.Locale(`und-${value}`).region === value;
}

const FLAGS = new Set('y n yes no true false 0 1 j ja nein oui non si x t f'.split(' '));

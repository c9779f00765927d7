/** What each column is: its kind by its values, and the field that it is taken for. */
import { minorUnitDigits } from '../../ledger/currency.ts';
import { AMOUNT_FIELDS, DATE_FIELDS, type Field } from '../profile/profile.ts';
import { type Dictionary, plain } from './dictionary.ts';
import type { ColumnEvidence } from './evidence.ts';
import { matchNames, type NameMatch } from './match-columns.ts';
import { type DateEvidence, datesIn, type NumberEvidence, numbersIn } from './readings.ts';

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

/** A column with what its name and its values say. */
export interface Column {
  readonly evidence: ColumnEvidence;
  readonly kind: ColumnKind;
  /** Undefined: no field of a profile, or one that the values contradict. */
  readonly field: Field | undefined;
  /** How the field or the kind was recognised: a sentence without its subject. */
  readonly how: string;
  /** A field that the name resembles; only a question may use it. */
  readonly resembles: Field | undefined;
  /** A column that the dictionary knows, and that no profile reads. */
  readonly isKnown: boolean;
  readonly numbers: NumberEvidence | undefined;
  readonly dates: DateEvidence | undefined;
}

const TEXT_KINDS: Readonly<Partial<Record<Field, ColumnKind>>> = {
  asOf: 'date',
  loanNumber: 'id',
  dealNumber: 'id',
  facilityNumber: 'id',
  borrowerNumber: 'id',
  countryCode: 'country',
  guarantorCountryCode: 'country',
  country: 'country',
  lenderShare: 'rate',
  loanType: 'type',
  status: 'status',
  rate: 'rate',
  ratePercent: 'rate',
  currency: 'currency',
};
const KINDS: ReadonlyMap<string, ColumnKind> = new Map([
  ...Object.entries(TEXT_KINDS),
  ...AMOUNT_FIELDS.map((field) => [field, 'amount'] as const),
  ...DATE_FIELDS.map((field) => [field, 'date'] as const),
]);

export function isAmount(field: Field | undefined): boolean {
  return field !== undefined && KINDS.get(field) === 'amount';
}

export function columnsOf(
  evidence: readonly ColumnEvidence[],
  dictionary: Dictionary,
): readonly Column[] {
  const matches = matchNames(
    evidence.map(({ header }) => header),
    dictionary,
  );
  return evidence.map((each, index) => columnOf(each, matches[index]));
}

function columnOf(evidence: ColumnEvidence, match: NameMatch | undefined): Column {
  const wanted = match && match.field !== 'other' ? byCodes(match.field, evidence) : undefined;
  const kindByName = wanted === undefined ? undefined : (KINDS.get(wanted) ?? 'name');
  const dates = evidence.filled === 0 ? undefined : datesIn(evidence, kindByName === 'date');
  const numbers = evidence.filled === 0 ? undefined : numbersIn(evidence);
  const readings = { dates, numbers };
  const byValues = kindByValues(evidence, readings);
  const rest = { evidence, ...readings, isKnown: match?.field === 'other' };
  if (match === undefined || wanted === undefined || kindByName === undefined) {
    const how = match?.field === 'other' ? `known as ${quoted(match)}; no profile reads it` : '';
    return { ...rest, kind: byValues, field: undefined, how, resembles: undefined };
  }
  const contradiction = contradicts(kindByName, wanted, evidence, readings);
  if (contradiction !== undefined) {
    const how = `${match.how === 'exact' ? 'named' : 'named like'} ${quoted(match)}, but ${contradiction}`;
    return { ...rest, kind: byValues, field: undefined, how, resembles: undefined };
  }
  if (match.how === 'partly') {
    const how = `resembles ${quoted(match)}`;
    return { ...rest, kind: kindByName, field: undefined, how, resembles: wanted };
  }
  const isSame = plain(match.entry.name) === plain(evidence.header);
  const how = `named ${isSame ? `so in the dictionary (${match.entry.source})` : quoted(match)}`;
  return { ...rest, kind: kindByName, field: wanted, how, resembles: undefined };
}

/** A column `Facility` of codes has the numbers of facilities. */
const NUMBER_OF: Readonly<Partial<Record<Field, Field>>> = {
  dealName: 'dealNumber',
  facilityName: 'facilityNumber',
  borrower: 'borrowerNumber',
};

function byCodes(field: Field, { first }: ColumnEvidence): Field {
  const isCode =
    first.length > 0 && first.every((text) => /^[\p{L}_/-]{0,6}\d[\w/.-]*$/u.test(text));
  return (isCode ? NUMBER_OF[field] : undefined) ?? field;
}

function quoted({ entry }: NameMatch): string {
  return `“${entry.name}” (${entry.source})`;
}

type Readings = Pick<Column, 'dates' | 'numbers'>;

/** What in the values speaks against the kind that the name says. */
function contradicts(
  kind: ColumnKind,
  field: Field,
  evidence: ColumnEvidence,
  { dates, numbers }: Readings,
): string | undefined {
  if (evidence.filled === 0) return 'no row has a value';
  const example = (is?: (value: string) => boolean) => {
    const [first = ''] = is
      ? [...evidence.values.keys()].filter((value) => !is(value))
      : evidence.first;
    return `“${first.slice(0, 40)}”`;
  };
  if (kind === 'date' && dates === undefined)
    return `its values are no dates, such as ${example()}`;
  const isNumeric = kind === 'amount' || (kind === 'rate' && field !== 'lenderShare');
  if (kind === 'rate' && isHuge(evidence)) return 'its values are above 10,000';
  if (isNumeric && numbers === undefined) return `its values are no numbers, such as ${example()}`;
  if (kind === 'currency' && !allValues(evidence, isCurrency)) {
    return `its values are no currency codes, such as ${example(isCurrency)}`;
  }
  if (field.endsWith('CountryCode') || field === 'countryCode') {
    if (!allValues(evidence, isTwoCharacters)) {
      return `its values are not two letters of a country, such as ${example(isTwoCharacters)}`;
    }
  }
  if (kind === 'name' && numbers !== undefined && numbers.mistakes.length === 0) {
    return `its values are numbers, such as ${example()}`;
  }
  return undefined;
}

function kindByValues(evidence: ColumnEvidence, { dates, numbers }: Readings): ColumnKind {
  const { filled, distinct, distinctIsBounded } = evidence;
  if (filled === 0) return 'other';
  if (evidence.dates > 0 || (dates !== undefined && dates.groups.length > 0)) return 'date';
  if (allValues(evidence, isCurrency)) return 'currency';
  if (distinct <= 2 && allValues(evidence, isFlag)) return 'flag';
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
    /[09][345]\D[09]2\D*$|\D[09]3\D*$|^\D*[09][568]\D*$/.test(shape),
  );
}

/** Whether each value is one; columns of many values are no lists of codes. */
export function allValues(evidence: ColumnEvidence, is: (value: string) => boolean): boolean {
  const { values, distinct, distinctIsBounded } = evidence;
  if (values.size === 0 || values.size < distinct || distinctIsBounded) return false;
  return [...values.keys()].every(is);
}

/** Amounts of interest: no rate has five digits before its decimals. */
function isHuge({ shapes, numbers, mostNumber }: ColumnEvidence): boolean {
  if (numbers > 0) return mostNumber > 10_000;
  return [...shapes.keys()].some((shape) => /^\D*[09][568]|[09]3\D[09]3/.test(shape));
}

function isTwoCharacters(value: string): boolean {
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

function isFlag(value: string): boolean {
  return FLAGS.has(value.toLowerCase());
}

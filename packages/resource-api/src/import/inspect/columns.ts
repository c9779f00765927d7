import { AMOUNT_FIELDS, DATE_FIELDS, type Field } from '../profile/fields.ts';
import { type Dictionary, plain } from './dictionary.ts';
import type { ColumnEvidence } from './evidence.ts';
import {
  allValues,
  type ColumnKind,
  isCurrency,
  isHuge,
  isTwoCharacters,
  kindByValues,
  type Readings,
} from './kinds.ts';
import { matchNames, type NameMatch } from './match-columns.ts';
import { datesIn, numbersIn } from './readings.ts';

export interface Column extends Readings {
  readonly evidence: ColumnEvidence;
  readonly kind: ColumnKind;
  /** Undefined: no field of a profile, or one that the values contradict. */
  readonly field: Field | undefined;
  /** How the field or the kind was recognised: a sentence without its subject. */
  readonly how: string;
  /** A field that the name resembles; only a question may use it. */
  readonly resembles: Field | undefined;
  /** Its name is that of the dictionary: nothing needs to be said. */
  readonly isVerbatim: boolean;
  readonly isKnown: boolean;
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
  const named = match?.field;
  const field = named === undefined || named === 'other' ? undefined : byCodes(named, evidence);
  const kind = field && (KINDS.get(field) ?? 'name');
  const readings = { dates: datesIn(evidence, kind === 'date'), numbers: numbersIn(evidence) };
  const isVerbatim = match !== undefined && plain(match.entry.name) === plain(evidence.header);
  const unnamed: Column = {
    ...{ evidence, ...readings, isVerbatim, isKnown: named === 'other' },
    ...{ kind: kindByValues(evidence, readings), field: undefined, resembles: undefined, how: '' },
  };
  if (match === undefined) return unnamed;
  const { name, source } = match.entry;
  const quoted = `“${name}” (${source})`;
  if (field === undefined || kind === undefined) {
    return { ...unnamed, how: `known as ${quoted}; no profile reads it` };
  }
  const contradiction = contradicts(kind, field, evidence, readings);
  if (contradiction !== undefined) {
    const how = match.how === 'exact' ? 'named' : 'named like';
    return { ...unnamed, how: `${how} ${quoted}, but ${contradiction}` };
  }
  if (match.how === 'partly') {
    return { ...unnamed, kind, how: `resembles ${quoted}`, resembles: field };
  }
  const how = `named ${isVerbatim ? `so in the dictionary (${source})` : quoted}`;
  return { ...unnamed, kind, field, how };
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

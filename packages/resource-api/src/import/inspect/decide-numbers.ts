import { dialectsThatRead } from '../cells/number-candidates.ts';
import type { NumberDialect } from '../cells/numbers.ts';
import type { Column } from './columns.ts';
import type { ProfileDraft } from './draft.ts';
import { numberRefutation, withoutUnit } from './readings.ts';
import type { Sample } from './shapes.ts';

interface Told extends Sample {
  readonly header: string;
}

const PLAIN: NumberDialect = { decimalSeparator: '.' };
/** Signs that several currencies have. */
const SHARED_SIGNS: Readonly<Record<string, string>> = {
  $: 'USD, CAD, AUD and others',
  '£': 'GBP and others',
  '¥': 'JPY or CNY',
  FR: 'CHF and others',
};

/** Writes how numbers are read. @returns that, as it may be until the questions are answered. */
export function decideNumbers(columns: readonly Column[], draft: ProfileDraft): NumberDialect {
  const told = (of: 'samples' | 'zeroMarks'): readonly Told[] =>
    columns.flatMap(({ evidence: { header }, numbers }) =>
      (numbers?.[of] ?? []).map((sample) => ({ ...sample, header })),
    );
  const all = told('samples');
  const marks = told('zeroMarks');
  const readings = dialectsThatRead(all.map(({ text }) => withoutUnit(text)));
  const dialects = readings.map(({ dialects: [first] }) => first ?? PLAIN);
  const separators = new Set(dialects.map(({ decimalSeparator }) => decimalSeparator));
  const [dialect = PLAIN] = dialects;
  if (all.length > 0 && readings.length === 0) {
    const cells = [numberRefutation(all, '.'), numberRefutation(all, ',')];
    const seen = cells.flatMap((cell) => (cell ? [at(cell)] : []));
    draft.ask(['decimalSeparator'], `columns write numbers differently: ${seen.join('; ')}`);
  } else if (separators.size > 1) askForSeparator(all, dialects, draft);
  else if (all.length > 0) setSeparators(all, dialect, draft);
  signs(all, dialect, draft);
  const [mark] = marks;
  if (mark === undefined) return dialect;
  const zeroMarks = [...new Set(marks.map(({ text }) => text))];
  const question = `${JSON.stringify(zeroMarks)} if this is zero`;
  draft.ask(
    ['zeroMarks'],
    `${question}; write it under emptyMarks if it is not known; ${at(mark)}`,
  );
  return { ...dialect, zeroMarks };
}

function at({ header, row, text }: Told): string {
  return `${header}, row ${row}: ${text}`;
}

function askForSeparator(
  all: readonly Told[],
  dialects: readonly NumberDialect[],
  draft: ProfileDraft,
): void {
  const sample = all.find(({ text }) => /[.,]/.test(text));
  const readings = dialectsThatRead([withoutUnit(sample?.text ?? '')]);
  const values = dialects.map(({ decimalSeparator: wanted }) => {
    const reading = readings.find(({ dialects: some }) =>
      some.some(({ decimalSeparator }) => decimalSeparator === wanted),
    );
    return `"${wanted}" (${reading?.values[0] ?? ''})`;
  });
  const question = `${[...new Set(values)].join(' or ')}? ${sample ? at(sample) : ''}, and no number of the file decides`;
  draft.ask(['decimalSeparator'], question);
  if (dialects.every(({ thousandsSeparator }) => thousandsSeparator === undefined)) return;
  const other = 'the other one of point and comma; leave this out if no number has one';
  draft.ask(['thousandsSeparator'], other);
}

function setSeparators(all: readonly Told[], dialect: NumberDialect, draft: ProfileDraft): void {
  const { decimalSeparator, thousandsSeparator } = dialect;
  const other = decimalSeparator === '.' ? ',' : '.';
  const sample = numberRefutation(all, other);
  const why = sample && `because of ${at(sample)}`;
  if (decimalSeparator !== '.' || why !== undefined)
    draft.set(['decimalSeparator'], decimalSeparator, why);
  if (thousandsSeparator === undefined) return;
  const pattern = new RegExp(
    thousandsSeparator === "'"
      ? "\\d['’]\\d{3}"
      : `\\d[${thousandsSeparator === ' ' ? '\\s' : thousandsSeparator}]\\d{3}`,
  );
  const grouped = all.find(({ text }) => pattern.test(text));
  draft.set(['thousandsSeparator'], thousandsSeparator, grouped && `because of ${at(grouped)}`);
}

function signs(all: readonly Told[], dialect: NumberDialect, draft: ProfileDraft): void {
  const because = (pattern: RegExp) => {
    const sample = all.find(({ text }) => pattern.test(text));
    return sample && `because of ${at(sample)}`;
  };
  if (dialect.parenthesesNegative) draft.set(['parenthesesNegative'], true, because(/\(/));
  if (dialect.trailingMinus) draft.set(['trailingMinus'], true, because(/\d[-−]/));
  if (dialect.negativeMarks !== undefined) {
    const sample = all.find(({ text }) => /(?<!\p{L})[CD]R(?!\p{L})/iu.test(text));
    const question = `[CR] or [DR]: which of them is below zero? ${sample ? at(sample) : ''}`;
    draft.ask(['negativeMarks'], question);
    draft.ask(['positiveMarks'], 'the other one of [CR] and [DR]');
  }
  for (const [mark, currency] of Object.entries(dialect.currencyMarks ?? {})) {
    const shared = SHARED_SIGNS[mark.toUpperCase()];
    const sample = all.find(({ text }) => text.includes(mark));
    const example = sample ? at(sample) : '';
    if (shared === undefined) draft.set(['currencyMarks', mark], currency, example);
    else
      draft.ask(['currencyMarks', mark], `${currency}? the sign is that of ${shared}; ${example}`);
  }
}

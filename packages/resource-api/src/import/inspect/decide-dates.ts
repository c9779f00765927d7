import { readDate } from '../cells/dates.ts';
import type { Column } from './columns.ts';
import type { ProfileDraft } from './draft.ts';
import { type DateGroup, orderOf, refutation } from './readings.ts';

interface Found extends DateGroup {
  readonly header: string;
}

/** Writes `dateFormats` and `twoDigitYearsFrom`. @returns the formats, as they may be until answered. */
export function decideDates(columns: readonly Column[], draft: ProfileDraft): readonly string[] {
  const found = columns.flatMap(({ evidence, dates }) =>
    (dates ?? []).map((group) => ({ ...group, header: evidence.header })),
  );
  if (found.length === 0) return ['YYYY-MM-DD'];
  const formats = new Set<string>();
  const reasons: string[] = [];
  const open = new Map<string, Found[]>();
  const ask = (question: string, group: Found) => {
    open.set(question, [...(open.get(question) ?? []), group]);
  };
  for (const group of found) {
    const [first = [], ...others] = group.readings;
    const decided = others.length === 0 ? first : byOtherColumns(group, found, reasons);
    // `DD.MM.YYYY` before `D.M.YYYY`.
    const usable = decided ?? first;
    const strictest = usable.find((each) => refutation(group.samples, each) === undefined);
    const format = strictest ?? usable[0] ?? '';
    formats.add(format);
    const why = decided && others.length === 0 ? whyNot(group, format) : undefined;
    if (why !== undefined) reasons.push(why);
    if (decided === undefined) ask(ambiguity(group), group);
    else if (format === 'serial') ask(SERIAL, group);
  }
  const list = withoutCovered([...formats], found);
  const path = ['dateFormats'];
  const comment = [...new Set(reasons)].slice(0, 6).join('\n');
  const questions = [...open].map(([question, [first, ...others]]) => {
    const also =
      others.length > 0 ? `; so are ${others.map(({ header }) => header).join(', ')}` : '';
    return `${question}; ${first ? exampleOf(first) : ''}${also}`;
  });
  if (questions.length > 0) draft.ask(path, questions.join('; '), comment || undefined);
  else draft.set(path, list, comment || undefined);
  askForCentury(list, found, draft);
  return list;
}

/** A column whose days are all below 13 is written as the file's other columns are. */
function byOtherColumns(
  group: Found,
  found: readonly Found[],
  reasons: string[],
): readonly string[] | undefined {
  const orders = new Set(group.readings.flatMap((formats) => formats.map(orderOf)));
  const marks = marksOf(group);
  const deciding = found.filter(({ readings, header, ...other }) => {
    const [only, second] = readings;
    return header !== group.header && second === undefined && marksOf(other) === marks
      ? (only ?? []).some((format) => orders.has(orderOf(format)))
      : false;
  });
  const decidedOrders = new Set(
    deciding.flatMap(({ readings }) => (readings[0] ?? []).map(orderOf)),
  );
  const [order] = decidedOrders;
  if (order === undefined || decidedOrders.size > 1) return undefined;
  reasons.push(
    `${group.header}: as in ${deciding[0]?.header ?? ''}, because each day could be a month`,
  );
  return group.readings.find((formats) => formats.some((format) => orderOf(format) === order));
}

function marksOf({ samples }: Pick<DateGroup, 'samples'>): string {
  return (samples[0]?.text ?? '').replace(/[\d\p{L}\s:]/gu, '').slice(0, 1);
}

const SWAPPED: Readonly<Record<string, string>> = { DMY: 'MDY', MDY: 'DMY' };

/** The cell that decides between days first and months first. */
function whyNot(group: Found, format: string): string | undefined {
  const order = SWAPPED[orderOf(format)];
  if (order === undefined || /MMM/.test(format)) return undefined;
  const swapped = format.replace(/D+|M+/g, (part) =>
    part.startsWith('D') ? part.replaceAll('D', 'M') : part.replaceAll('M', 'D'),
  );
  const sample = refutation(group.samples, swapped);
  if (sample === undefined) return undefined;
  const noun = order === 'MDY' ? 'day first' : 'month first';
  return `${group.header}: ${noun}, because row ${sample.row} has ${sample.text}`;
}

function ambiguity({ readings }: Found): string {
  const [first = '', second = ''] = readings.map((formats) => formats[0] ?? '');
  const isDayFirst = [first, second].map(orderOf).sort().join() === 'DMY,MDY';
  return `[${first}] or [${second}]? ${isDayFirst ? 'every day is below 13' : 'both read every value'}`;
}

function exampleOf({ header, readings, samples }: Found): string {
  const { text = '', row = 0 } = samples[0] ?? {};
  const days = readings.slice(0, 2).map((formats) => readDate(text, formats.slice(0, 1), 1950));
  return `${header}, row ${row}: ${text} is ${days.join(' or ')}`;
}

/** `D/M/YYYY` reads what `DD/MM/YYYY` reads: one of them is enough. */
function withoutCovered(formats: readonly string[], found: readonly Found[]): readonly string[] {
  return formats.filter((format) => {
    const own = found.filter(({ samples }) => refutation(samples, format) === undefined);
    return !formats.some(
      (other) =>
        other !== format &&
        other.length < format.length &&
        orderOf(other) === orderOf(format) &&
        own.every(({ samples }) => refutation(samples, other) === undefined),
    );
  });
}

function askForCentury(
  formats: readonly string[],
  found: readonly Found[],
  draft: ProfileDraft,
): void {
  if (!formats.some((format) => /(?<!Y)YY(?!Y)/.test(format))) return;
  const group = found.find(({ readings }) =>
    readings.flat().some((format) => formats.includes(format)),
  );
  const { text = '', row = 0 } = group?.samples[0] ?? {};
  const question = `the first of the hundred years that two digits can mean, such as 1980 for 1980 to 2079; row ${row} has ${text}`;
  draft.ask(['twoDigitYearsFrom'], question);
}

/** Other programs than workbooks count days from another day. */
const SERIAL = '[serial]? these are numbers, which a workbook would show as days';

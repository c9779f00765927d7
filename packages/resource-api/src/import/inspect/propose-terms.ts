/** Currency, country, statuses, types and rates of the proposed profile: decided, or asked. */
import { AMOUNT_FIELDS, type Field } from '../profile/profile.ts';
import type { RowChecks } from './check-rows.ts';
import { allValues, type Column, isAmount, isCountryCode, isCurrency } from './columns.ts';
import { type Dictionary, plain } from './dictionary.ts';
import type { ProfileDraft } from './draft.ts';
import { NO_DATE } from './evidence.ts';
import type { RowText } from './scan.ts';

type Find = (field: Field) => Column | undefined;

/** Values of one list that a question quotes. */
const LISTED = 60;

export function proposeCurrency(
  columns: readonly Column[],
  preamble: readonly RowText[],
  find: Find,
  draft: ProfileDraft,
): void {
  const named = find('currency');
  if (named !== undefined) {
    const rows = named.evidence.blanks + [...named.evidence.emptyMarks.values()].length;
    if (rows > 0) {
      const question = `the currency of the ${rows} rows whose “${named.evidence.header}” is empty, such as USD`;
      draft.ask(['currency'], question);
    }
    if (named.evidence.distinct > 1 || /commitment|agreement/i.test(named.evidence.header)) {
      const question = `amounts, if “${named.evidence.header}” is the currency of the row’s amounts; or loan, if all amounts are in one currency, and name that as currency`;
      draft.ask(['currencyColumn'], question);
    }
    return;
  }
  const amounts = columns.filter(({ field }) => isAmount(field));
  const codes = new Set(amounts.map(({ evidence }) => codeIn(evidence.header)));
  const [code] = codes;
  if (codes.size === 1 && code !== undefined) {
    draft.set(['currency'], code, `because of “${amounts[0]?.evidence.header}”`);
    return;
  }
  const marks = Object.values((draft.document['currencyMarks'] ?? {}) as Record<string, string>);
  const [mark] = marks;
  if (mark !== undefined && marks.length === 1 && !mark.startsWith('?')) {
    draft.set(['currency'], mark, 'because of the marks beside amounts');
    return;
  }
  const byValues = columns.filter(({ kind, field }) => kind === 'currency' && field === undefined);
  const title = preamble.map(({ text }) => codeIn(text)).find((found) => found !== undefined);
  const names = byValues.map(({ evidence }) => `“${evidence.header}”`).join(' or ');
  if (names !== '')
    draft.ask(
      ['currency'],
      `move ${names} to columns.currency if it is that of the amounts; or a code such as USD`,
    );
  else draft.ask(['currency'], `${title ?? 'a code such as USD'}: no column has the currency`);
}

/** A currency code in capitals: by itself, and in brackets where all is in capitals: ALL is one. */
function codeIn(text: string): string | undefined {
  const place = text === text.toUpperCase() ? '(?<=[([]\\s*|\\bIN )' : '(?<![\\p{L}\\p{N}])';
  const code = new RegExp(`${place}(?:US\\$|T?[A-Z]{3}|€)(?![\\p{L}\\p{N}])`, 'gu');
  const found = text.match(code) ?? [];
  const codes = found.flatMap((word) => {
    const code = word === 'US$' ? 'USD' : word === '€' ? 'EUR' : word.slice(-3);
    return isCurrency(code) ? [code] : [];
  });
  return new Set(codes).size === 1 ? codes[0] : undefined;
}

/** Writes `amountsIn` where a header or a title says thousands or millions. */
export function proposeUnit(
  columns: readonly Column[],
  preamble: readonly RowText[],
  dictionary: Dictionary,
  draft: ProfileDraft,
): void {
  const headers = columns
    .filter(({ field }) => isAmount(field))
    .map(({ evidence }) => evidence.header);
  const units = headers.map((header) => unitIn(header, dictionary));
  const [unit] = units;
  if (unit !== undefined && units.every((other) => other === unit)) {
    draft.set(['amountsIn'], unit, `because of “${headers[0]}”`);
    return;
  }
  const title = preamble.find(({ text }) => unitIn(text, dictionary) !== undefined);
  const some = headers.find((header) => unitIn(header, dictionary) !== undefined);
  const said = some ?? title?.text;
  if (said === undefined) return;
  const of = unitIn(said, dictionary);
  draft.ask(['amountsIn'], `${of} or 1: “${said}” says so; is it so for all amounts?`);
}

function unitIn(text: string, { thousands, millions }: Dictionary): number | undefined {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}€$']+/u);
  const has = (set: ReadonlySet<string>) =>
    words.some(
      (word, index) => set.has(word) || set.has(`${words[index - 1] ?? ''} ${word}`.trim()),
    );
  // `000` alone is part of a number.
  if (/\d,000|\bk\b/i.test(text)) return undefined;
  if (has(thousands)) return 1_000;
  return has(millions) ? 1_000_000 : undefined;
}

export function proposeCountry(columns: readonly Column[], find: Find, draft: ProfileDraft): void {
  const code = find('countryCode');
  const named = find('country');
  if (code !== undefined) return;
  if (named === undefined) {
    const like = columns.filter(({ kind, field }) => kind === 'country' && field === undefined);
    const names = like.map(({ evidence }) => `“${evidence.header}”`).join(' or ');
    const hint =
      names === '' ? 'no column has it' : `${names} has two letters, which may be something else`;
    draft.ask(['country'], `two letters such as US: the country of the borrowers; ${hint}`);
    return;
  }
  const { header, values, distinct } = named.evidence;
  if (allValues(named.evidence, isCountryCode)) {
    draft.set(['columns', 'countryCode'], [header], `its values are two letters of a country`);
    return;
  }
  if (values.size < distinct) {
    draft.ask(['country'], `two letters; “${header}” has ${distinct} values`);
    return;
  }
  for (const value of values.keys()) {
    const region = regionNamed(value);
    if (region !== undefined) draft.set(['countries', value], region);
    else draft.ask(['countries', value], 'two letters of the country');
  }
}

const LANGUAGES = ['en', 'de', 'fr', 'es'];
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const CODES = LETTERS.flatMap((one) => LETTERS.map((other) => one + other)).filter(isCountryCode);

let regions: ReadonlyMap<string, string> | undefined;

/** The code of a country's name in four languages. */
function regionNamed(name: string): string | undefined {
  regions ??= new Map(
    LANGUAGES.flatMap((language) => {
      const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
      return CODES.map((code) => [countryName(names.of(code) ?? ''), code] as const);
    }),
  );
  return isCountryCode(name) ? name : regions.get(countryName(name));
}

function countryName(name: string): string {
  return plain(name)
    .replaceAll('&', 'and')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim();
}

export function proposeStatuses(
  checks: RowChecks,
  find: Find,
  dictionary: Dictionary,
  draft: ProfileDraft,
): void {
  const column = find('status');
  if (column === undefined) return;
  const { values, distinct, header, blanks } = column.evidence;
  if (distinct > LISTED || values.size < distinct) {
    draft.ask(['statuses', '*'], `“${header}” has ${distinct} values: is it the status of loans?`);
    return;
  }
  for (const [value, { cells }] of values) {
    const triple = dictionary.statuses.get(dictionary.wordsOf(value).join(' '));
    const owing = checks.owing.get(value) ?? 0;
    if (triple === undefined)
      draft.ask(['statuses', value], `${STATUS_EXAMPLE} in ${rowsOf(cells)}`);
    else if (triple[2] === 'active' || owing === 0) draft.set(['statuses', value], [...triple]);
    else {
      const question = `[${triple.join(', ')}] or another? ${rowsOf(owing)} of ${cells} still owe something`;
      draft.ask(['statuses', value], question);
    }
  }
  if (blanks > 0)
    draft.ask(['statuses', '*'], `${STATUS_EXAMPLE} in ${rowsOf(blanks)} without one`);
  draft.comments.set('statuses', STATUS_COMMENT);
}

const STATUS_EXAMPLE = '[active, active, active] or another?';
const STATUS_COMMENT =
  'Of deal, facility and contract: the first two are pending, active, matured or terminated;\n' +
  'the third is pending, active, repaid or written_off.';

function rowsOf(cells: number): string {
  return cells === 1 ? '1 row' : `${cells} rows`;
}

export function proposeTypes(find: Find, dictionary: Dictionary, draft: ProfileDraft): void {
  const column = find('loanType');
  const types = 'term_loan, revolver, delayed_draw, letter_of_credit, swingline or bridge';
  if (column === undefined) {
    const hasLimit = find('limit') !== undefined || find('undisbursed') !== undefined;
    if (hasLimit)
      draft.ask(
        ['facilityTypes', '*'],
        `${types}? no column says whether what is repaid can be drawn again`,
      );
    return;
  }
  const { values, distinct, header, blanks } = column.evidence;
  if (distinct > LISTED || values.size < distinct) {
    draft.ask(
      ['facilityTypes', '*'],
      `${types}? “${header}” has ${distinct} values, too many to list`,
    );
    return;
  }
  const unknown: string[] = blanks > 0 ? [`${rowsOf(blanks)} without one`] : [];
  for (const [value, { cells }] of values) {
    const type = dictionary.facilityTypes.get(dictionary.wordsOf(value).join(' '));
    if (type !== undefined) draft.set(['facilityTypes', value], type);
    else unknown.push(`“${value}” (${rowsOf(cells)})`);
  }
  if (unknown.length === 0) return;
  const which = `for ${unknown.join(', ')}; where they differ, give each its line`;
  draft.ask(['facilityTypes', '*'], `${types}? ${which}`);
}

/** Writes `rateUnit`: a rate of 4.25 is a percentage, 0.0425 may be a fraction. */
export function proposeRates(
  columns: readonly Column[],
  checks: RowChecks,
  draft: ProfileDraft,
): void {
  const column = columns.find(({ field }) => field === 'rate' || field === 'ratePercent');
  const range = column && checks.ranges.get(column);
  if (column === undefined || range === undefined) return;
  const { header, shapes } = column.evidence;
  const [least, most] = [Number(range.least), Number(range.most)];
  const marked = (mark: RegExp) => [...shapes.keys()].some((shape) => mark.test(shape));
  const path = ['rateUnit'];
  const spread = `“${header}” is from ${range.least} to ${range.most}`;
  if (marked(/%$/)) draft.set(path, 'percent', `“${header}” has percent signs`);
  else if (marked(/bps?$/i)) draft.set(path, 'basis_points', `“${header}” has bp`);
  else if (most === 0 && least === 0) return;
  else if (most < 1) draft.ask(path, `fraction or percent: ${spread}`);
  else if (most <= PERCENT_MAX && checks.rates.belowOne > checks.rates.all / 2) {
    draft.ask(path, `fraction or percent: most are below 1, but ${spread}`);
  } else if (most <= PERCENT_MAX) {
    draft.set(path, 'percent', `“${header}”: the largest is ${range.most}, which is no fraction`);
  } else
    draft.ask(
      path,
      `${most > 200 ? 'basis_points or percent' : 'percent or basis_points'}: ${spread}`,
    );
}

/** Rates of loans are seldom above; as basis points all of them would be below 0.6 %. */
const PERCENT_MAX = 60;

/** Writes `emptyMarks`, and asks what an empty amount is. */
export function proposeEmpty(columns: readonly Column[], draft: ProfileDraft): void {
  const used = columns.filter(({ field }) => field !== undefined);
  const marks = new Set(used.flatMap(({ evidence }) => [...evidence.emptyMarks.keys()]));
  const codes = used.filter(({ kind }) => kind === 'country' || kind === 'currency');
  const code = codes.find(({ evidence }) => evidence.emptyMarks.size > 0)?.evidence;
  const list = JSON.stringify([...marks]);
  const noDate = [...marks].find((mark) => NO_DATE.test(mark));
  if (noDate !== undefined) {
    draft.ask(['emptyMarks'], `${list} if ${noDate} stands for no date`);
  } else if (code !== undefined) {
    const question = `${list}? “${code.header}” has ${[...code.emptyMarks.keys()]}, and NA is Namibia; leave out what is no mark for an empty cell`;
    draft.ask(['emptyMarks'], question);
  } else if (marks.size > 0) draft.set(['emptyMarks'], [...marks]);
  const empty = AMOUNT_FIELDS.flatMap((field) => {
    const column = used.find((one) => one.field === field);
    const marked = [...(column?.evidence.emptyMarks.values() ?? [])].reduce(
      (sum, { cells }) => sum + cells,
      0,
    );
    const cells = (column?.evidence.blanks ?? 0) + marked;
    return cells > 0 ? [{ field, header: column?.evidence.header ?? '', cells }] : [];
  });
  if (empty.length === 0) return;
  const told = empty.map(({ header, cells }) => `“${header}” in ${rowsOf(cells)}`).join(', ');
  const fields = empty.map(({ field }) => field).join(', ');
  draft.ask(
    ['emptyIsZero'],
    `[${fields}] if an empty cell is zero; it is empty: ${told}. Leave this out, and such rows are faults`,
  );
}

/** Writes `excessDecimals` where amounts have more decimals than most currencies. */
export function proposeDecimals({ longest }: RowChecks, draft: ProfileDraft): void {
  const unit = draft.document['amountsIn'];
  if (longest.told === '' || (typeof unit === 'number' && unit > 1)) return;
  draft.ask(['excessDecimals'], `reject or round: ${longest.told}`);
}

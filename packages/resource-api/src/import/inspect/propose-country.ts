import { plain } from './dictionary.ts';
import { allValues, isCountryCode } from './kinds.ts';
import type { Proposal } from './proposal.ts';

/** Writes `country`, or `countries` where a column has names of countries. */
export function proposeCountry({ columns, find, draft }: Proposal): void {
  if (find('countryCode') !== undefined) return;
  const evidence = find('country')?.evidence;
  if (evidence === undefined) {
    const like = columns.filter(({ kind, field }) => kind === 'country' && field === undefined);
    const names = like.map(({ evidence: { header } }) => `“${header}”`).join(' or ');
    const hint = `${names} has two letters, which may be something else`;
    const question = 'two letters such as US: the country of the borrowers, or ZZ';
    draft.ask(['country'], `${question}; ${names === '' ? 'no column has it' : hint}`);
    return;
  }
  const { header, values, distinct } = evidence;
  if (allValues(evidence, isCountryCode)) {
    draft.set(['columns', 'countryCode'], [header], 'its values are two letters of a country');
  } else if (values.size < distinct) {
    draft.ask(['country'], `two letters; “${header}” has ${distinct} values`);
  } else {
    for (const value of values.keys()) {
      regions ??= regionsByName();
      const region = isCountryCode(value) ? value : regions.get(nameKey(value));
      if (region !== undefined) draft.set(['countries', value], region);
      else draft.ask(['countries', value], 'two letters of the country');
    }
  }
}

const LANGUAGES = ['en', 'de', 'fr', 'es'];
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
let regions: ReadonlyMap<string, string> | undefined;

/** Codes of countries by their names in four languages. */
function regionsByName(): ReadonlyMap<string, string> {
  const pairs = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
  const codes = pairs.filter(isCountryCode);
  return new Map(
    LANGUAGES.flatMap((language) => {
      const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
      return codes.map((code) => [nameKey(names.of(code) ?? ''), code] as const);
    }),
  );
}

function nameKey(name: string): string {
  return plain(name)
    .replaceAll('&', 'and')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim();
}

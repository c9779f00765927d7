import { type Html, html } from '@cls/shared/http/html';
import type { BalanceItem, Facet, List } from '../balances/shapes.ts';
import { type Changes, sameWith } from '../web/address.ts';
import { countryCodes, countryName, plain } from '../web/countries.ts';
import type { Text } from '../web/text.ts';
import { filtersOf } from './deal-filters.ts';
import { type AskedAt, type PageDeps, timesAsked } from './show.ts';
import type { Visit } from './visit.ts';

/**
 * The country whose name is searched for, if the reader sees deals of it. `names=yes` in the address searches
 * for names all the same.
 */
export async function countrySearched(
  { api }: Pick<PageDeps, 'api'>,
  { asker, query, times }: AskedAt,
): Promise<string | undefined> {
  const country = countryCodes().get(plain(query.get('q') ?? ''));
  if (country === undefined || query.has('names') || query.has('country')) return undefined;
  const filters = { ...filtersOf(query), q: undefined, country };
  const question = { ...timesAsked({ times }), ...filters, level: 'deal', include: 'none' };
  const least = { fields: 'deal.id', limit: '1' };
  const found = await api.read<List<object>>(asker, '/balances', { ...question, ...least });
  // A page may have no items though more are to come.
  return found.data.length === 0 && !found.page.hasMore ? undefined : country;
}

/** What a search for a country becomes. */
export function toCountry(country: string, query: URLSearchParams): Changes {
  return { q: undefined, country, searched: query.get('q') ?? undefined, cursor: undefined };
}

/** Says that a search was taken for a country, and leads to the names with the word. */
export function searchedCountry({ ctx, query }: Visit, text: Text): Html | undefined {
  const searched = query.get('searched');
  const [country = '', another] = query.getAll('country');
  if (searched === null || another !== undefined || countryCodes().get(plain(searched)) !== country)
    return undefined;
  const names = { country: undefined, searched: undefined, q: searched, names: 'yes' };
  return html`<p class="hint">${text.t('search.country', { country: countryName(country, text.locale) })} <a href="${sameWith(ctx.path, query, { ...names, cursor: undefined })}">${text.t('search.names', { word: searched })}</a></p>`;
}

/** By the first letters of so many words names are looked for that may have been meant. */
const [WORDS, LETTERS] = [3, 3];

/**
 * What a search that finds nothing may have meant: each word that no name has stands for one that differs by a
 * letter. Undefined where there is none.
 */
export async function meantBy({ api }: PageDeps, visit: Visit): Promise<string | undefined> {
  const { asker, query } = visit;
  const words = plain(query.get('q') ?? '').split(' ');
  const asked = { ...timesAsked(visit), ...filtersOf(query), q: undefined, level: 'deal' };
  const beginnings = words.map((word) => word.slice(0, LETTERS)).filter(({ length }) => length > 1);
  const [facets, ...lists] = await Promise.all([
    api.read<List<Facet>>(asker, '/facets', {
      ...asked,
      ...{ fields: ['borrower', 'country'], top: '1000' },
    }),
    ...beginnings.slice(0, WORDS).map((q) =>
      api.read<List<BalanceItem>>(asker, '/balances', {
        ...asked,
        ...{ q, fields: ['deal', 'borrower.name'], include: 'none', limit: '1000' },
      }),
    ),
  ]);
  const [countries, borrowers] = ['country', 'borrower'].map((field) =>
    facets.data.filter((facet) => facet.field === field).flatMap(({ values }) => values),
  );
  const names = [
    ...(countries ?? []).flatMap(({ value }) => [
      countryName(value, 'en'),
      countryName(value, 'de'),
    ]),
    ...(borrowers ?? []).map(({ name }) => name ?? ''),
    ...lists
      .flatMap(({ data }) => data)
      .flatMap(({ deal, borrower }) => [deal.name, deal.dealNumber, borrower.name]),
  ];
  const known = [...new Set(names.flatMap((name) => plain(name).split(' ')))];
  const meant = words.map((word) =>
    known.some((one) => one.startsWith(word)) ? word : known.find((one) => isNear(word, one)),
  );
  if (meant.includes(undefined) || meant.join(' ') === words.join(' ')) return undefined;
  return meant.join(' ');
}

/** Whether words differ by one letter: another one, one more or less, or two that changed places. */
export function isNear(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [a, b] = [one.slice(same), other.slice(same)];
  const swapped = `${a[1]}${a[0]}${a.slice(2)}`;
  return [a.slice(1) === b.slice(1), a.slice(1) === b, a === b.slice(1), swapped === b].includes(
    true,
  );
}

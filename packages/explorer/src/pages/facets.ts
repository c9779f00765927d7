import { type Html, html } from '@cls/shared/http/html';
import type { Facet, List } from '../balances/shapes.ts';
import { sameWith } from '../web/address.ts';
import { countryName } from '../web/countries.ts';
import type { Text } from '../web/text.ts';
import { type Filter, filtersOf, shownValue } from './deal-filters.ts';
import { type PageDeps, timesAsked } from './show.ts';
import type { Visit } from './visit.ts';

/** By the API's name of the facet: the filter that takes its values. */
const FILTER_OF = {
  currency: 'currency',
  country: 'country',
  status: 'status',
  borrower: 'borrowerId',
  lender: 'lenderId',
} as const satisfies Readonly<Record<string, Filter>>;
type Field = keyof typeof FILTER_OF;
const FIELDS = Object.keys(FILTER_OF) as Field[];

/** How many of each: those that most deals have, or as many as the API tells. */
const TOP = { yes: '10', all: '1000' } as const;

/**
 * What the filters can be set to, with the number of deals of each. Every deal that was found is
 * counted for it, so it is asked where the reader wants to see it.
 */
export async function readFacets(
  { api }: PageDeps,
  { asker, query, times }: Visit,
): Promise<readonly Facet[] | undefined> {
  const top = TOP[query.get('choices') as keyof typeof TOP];
  if (top === undefined) return undefined;
  const question = { ...timesAsked({ times }), ...filtersOf(query), level: 'deal', fields: FIELDS };
  return (await api.read<List<Facet>>(asker, '/facets', { ...question, top })).data;
}

/** Names of the parties that are choices. */
export function namesOf(facets: readonly Facet[] = []): readonly (readonly [string, string])[] {
  return facets.flatMap(({ values }) =>
    values.flatMap(({ value, name }) => (name == null ? [] : [[value, name] as const])),
  );
}

/** A link for each choice that leaves some deals out; without them, the link that asks for them. */
export function facetLists(
  { ctx, query }: Visit,
  facets: readonly Facet[] | undefined,
  text: Text,
): Html {
  const show = (choices: string | undefined, label: string) =>
    html`<a href="${sameWith(ctx.path, query, { choices })}">${label}</a>`;
  if (facets === undefined) return html`<p>${show('yes', text.t('facets.show'))}</p>`;
  const helpful = facets.filter(({ values }) => values.length > 1);
  const more = facets.some(({ hasMore }) => hasMore) && query.get('choices') === 'yes';
  const lists = helpful.map((facet) => {
    const field = facet.field as Field;
    const filter = FILTER_OF[field];
    const chosen = query.getAll(filter);
    const links = facet.values.map(({ value, name, country, count }) => {
      const word = name ?? shownValue(filter, value, text);
      const of = country == null ? '' : `, ${countryName(country, text.locale)}`;
      const label = html`${word}${of} <small>(${text.number(count)})</small>`;
      if (chosen.includes(value)) return html`<li><span class="chosen">${label}</span></li>`;
      const href = sameWith(ctx.path, query, { cursor: undefined, [filter]: [value] });
      return html`<li><a href="${href}">${label}</a></li>`;
    });
    const id = `choices-${field}`;
    return html`<h3 id="${id}">${text.t(`filter.${filter}`)}</h3><ul class="presets" aria-labelledby="${id}">${links}</ul>`;
  });
  return html`<section><h2>${text.t('facets.title')}</h2>${helpful.length === 0 && html`<p>${text.t('facets.none')}</p>`}${lists}
<p>${more && html`${show('all', text.t('facets.more'))} · `}${show(undefined, text.t('facets.hide'))}</p></section>`;
}

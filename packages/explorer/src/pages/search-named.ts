import { type Html, html } from '@cls/shared/http/html';
import type { BalanceItem, Caller, Facet, List } from '../balances/shapes.ts';
import { pageAddress } from '../web/address.ts';
import { plain } from '../web/countries.ts';
import { type Text, textIn } from '../web/text.ts';
import { type AskedAt, type PageDeps, placesFor, seesLenders, timesAsked } from './show.ts';

const LANGUAGES = [textIn('en'), textIn('de')];
const PARTIES_MAX = 5;

/** A page whose name has the words of a search. */
export interface Named {
  readonly kind: 'borrower' | 'lender' | 'page';
  readonly name: string;
  readonly href: string;
}

interface Party {
  readonly id: string;
  readonly name: string;
}

/** Every lender that a search can name: none for readers who have no list of them. */
export async function lendersToName(
  { api }: Pick<PageDeps, 'api'>,
  { asker, query, times }: AskedAt,
  { roles }: Caller,
): Promise<readonly Party[]> {
  if (!query.has('q') || !seesLenders(roles)) return [];
  const question = { ...timesAsked({ times }), level: 'position', fields: 'lender', top: '1000' };
  const { data } = await api.read<List<Facet>>(asker, '/facets', question);
  return data.flatMap(({ values }) =>
    values.map(({ value, name }) => ({ id: value, name: name ?? value })),
  );
}

/**
 * What else has the words of a search in its name: borrowers of the deals that were found, lenders, and pages
 * by their name in any language.
 */
export function namedBySearch(
  query: URLSearchParams,
  items: readonly Pick<BalanceItem, 'borrower'>[],
  lenders: readonly Party[],
  { roles }: Caller,
  text: Text,
): readonly Named[] {
  const words = plain(query.get('q') ?? '').split(' ');
  const isNamed = (name: string) => {
    const all = plain(name).split(' ');
    return words.every((word) => word !== '' && all.some((one) => one.startsWith(word)));
  };
  const parties = (kind: 'borrower' | 'lender', all: Iterable<Party>): readonly Named[] =>
    [...all]
      .filter(({ name }) => isNamed(name))
      .slice(0, PARTIES_MAX)
      .map(({ id, name }) => ({ kind, name, href: pageAddress(`/${kind}s/${id}`, query) }));
  const borrowers = new Map(items.map(({ borrower }) => [borrower.id, borrower]));
  const pages = placesFor(roles)
    .filter(({ place }) => LANGUAGES.some((language) => isNamed(language.t(`place.${place}`))))
    .map(({ place, path }): Named => {
      return { kind: 'page', name: text.t(`place.${place}`), href: pageAddress(path, query) };
    });
  return [...parties('borrower', borrowers.values()), ...parties('lender', lenders), ...pages];
}

/** A link to each of them. */
export function namedLinks(named: readonly Named[], text: Text): Html | undefined {
  if (named.length === 0) return undefined;
  const links = named.map(({ name, href }) => html`<li><a href="${href}">${name}</a></li>`);
  return html`<ul class="links" aria-label="${text.t('search.named')}"><li>${text.t('search.named')}</li>${links}</ul>`;
}

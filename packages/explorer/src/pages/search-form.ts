import { type Html, html } from '@cls/shared/http/html';
import { OF_THE_VISIT } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import { fieldOf } from './form-faults.ts';
import type { Visit } from './visit.ts';

const OF_A_SEARCH = ['q', 'names', 'searched', 'cursor', 'carried', 'lang'];

/** Finds deals by words of their names and numbers; in the list of deals the other filters stay. */
export function searchForm(
  { ctx, query, faults }: Pick<Visit, 'ctx' | 'query' | 'faults'>,
  text: Text,
): Html {
  // A country that was searched for goes with its search.
  const ofSearch = query.has('searched') ? ['country'] : [];
  const stays = (name: string) =>
    ctx.path === '/deals'
      ? ![...OF_A_SEARCH, ...ofSearch].includes(name)
      : OF_THE_VISIT.some((one) => one === name);
  const hidden = [...query]
    .filter(([name]) => stays(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  const words = ctx.path === '/deals' ? (query.get('q') ?? query.get('searched') ?? '') : '';
  const label = text.t('search.label');
  const field = fieldOf(faults, 'q', words, text);
  return html`<form method="get" action="/deals" class="find" role="search" data-on="${text.t('search.on')}" data-off="${text.t('search.off')}" data-matches="${text.t('matches.label')}">${hidden}<input type="search" name="q" value="${field.value}"${field.attributes} aria-label="${label}" placeholder="${label}" size="22" minlength="2" maxlength="100"> <input type="submit" class="button" value="${text.t('search.find')}">${field.sentence}</form>`;
}

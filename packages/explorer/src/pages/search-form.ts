import { type Html, html } from '@cls/shared/http/html';
import { OF_THE_VISIT } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import { fieldOf } from './form-faults.ts';
import type { Visit } from './visit.ts';

/** What of a list is its look, and no filter. */
const STAYS: readonly string[] = [...OF_THE_VISIT, 'column', 'sort', 'limit'];

/** Finds deals by words of their names and numbers, among all of them: filters of a list do not stay. */
export function searchForm(
  { ctx, query, faults }: Pick<Visit, 'ctx' | 'query' | 'faults'>,
  text: Text,
): Html {
  const isList = ctx.path === '/deals';
  const kept: readonly string[] = isList ? STAYS : OF_THE_VISIT;
  const hidden = [...query]
    .filter(([name]) => kept.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  const words = isList ? (query.get('q') ?? query.get('searched') ?? '') : '';
  const label = text.t('search.label');
  const field = fieldOf(faults, 'q', words, text);
  return html`<form method="get" action="/deals" class="find" role="search" data-on="${text.t('search.on')}" data-off="${text.t('search.off')}" data-matches="${text.t('matches.label')}">${hidden}<input type="search" name="q" value="${field.value}"${field.attributes} aria-label="${label}" placeholder="${text.t('search.short')}" size="22" minlength="2" maxlength="100"> <input type="submit" class="button" value="${text.t('search.find')}">${field.sentence}</form>`;
}

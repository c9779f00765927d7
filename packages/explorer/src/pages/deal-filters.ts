import { type Html, html } from '@cls/shared/http/html';
import { sameWith } from '../web/address.ts';
import { countryName } from '../web/countries.ts';
import type { Text } from '../web/text.ts';
import { AGES } from './ageing.ts';
import { wordOf } from './cells.ts';
import { amountShown, fieldOf } from './form-faults.ts';
import type { Visit } from './visit.ts';

/** The filters of the list of deals, by the API's names. */
export const FILTERS = [
  'q',
  'currency',
  'country',
  'status',
  'borrowerId',
  'lenderId',
  'minOutstanding',
  'maxOutstanding',
  'maturityFrom',
  'maturityTo',
  'daysPastDue',
  'pastDue',
  'restated',
  'includeZero',
] as const;
export type Filter = (typeof FILTERS)[number];
const MARKS = ['pastDue', 'restated', 'includeZero'] as const;
/** Those of deals; contracts alone are repaid or written off. */
const STATUSES = ['pending', 'active', 'matured', 'terminated'];
const FIRST_PAGE = { cursor: undefined, carried: undefined };

/** What of the address is a filter. */
export function filtersOf(query: URLSearchParams): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    FILTERS.map((name) => [name, query.getAll(name)] as const).filter(([, all]) => all.length > 0),
  );
}

interface Chip {
  readonly name: Filter;
  readonly value: string;
  readonly label: string;
}

/** Each filter in words. @param names of parties, by id. */
function chipsOf(
  { query }: Visit,
  names: ReadonlyMap<string, string>,
  text: Text,
): readonly Chip[] {
  return FILTERS.flatMap((name) =>
    query.getAll(name).flatMap((value) => {
      const isMark = MARKS.some((mark) => mark === name);
      if (isMark && value !== 'true') return [];
      const word = isMark
        ? text.t(`filter.${name}`)
        : `${text.t(`filter.${name}`)} ${names.get(value) ?? shownValue(name, value, text)}`;
      return { name, value, label: word };
    }),
  );
}

/** A value of a filter, in words. */
export function shownValue(name: Filter, value: string, text: Text): string {
  if (name === 'minOutstanding' || name === 'maxOutstanding')
    return amountShown(value, text.locale);
  if (name === 'maturityFrom' || name === 'maturityTo') return text.date(value);
  if (name === 'country') return countryName(value, text.locale);
  return wordOf(name, value, text);
}

/** The filters in one line of words; empty without any. */
export function filtersInWords(
  visit: Visit,
  names: ReadonlyMap<string, string>,
  text: Text,
): string {
  return chipsOf(visit, names, text)
    .map(({ label }) => label)
    .join(', ');
}

/** Each filter in words; each leads to the same list without itself. */
export function chips(
  visit: Visit,
  names: ReadonlyMap<string, string>,
  text: Text,
): Html | undefined {
  const { ctx, query } = visit;
  const found = chipsOf(visit, names, text);
  if (found.length === 0) return undefined;
  const items = found.map(({ name, value, label }) => {
    const rest = query.getAll(name).filter((one) => one !== value);
    const href = sameWith(ctx.path, query, { ...FIRST_PAGE, [name]: rest });
    return html`<li><a href="${href}"><span class="unseen">${text.t('filter.remove')} </span>${label} <span aria-hidden="true">×</span></a></li>`;
  });
  const none = Object.fromEntries(FILTERS.map((name) => [name, undefined]));
  const all = sameWith(ctx.path, query, { ...FIRST_PAGE, ...none });
  return html`<ul class="chips" aria-label="${text.t('filter.chosen')}">${items}<li><a href="${all}">${text.t('filter.clear')}</a></li></ul>`;
}

/**
 * A form that works without scripts; its fields are parameters of the address.
 *
 * @param choices stand below it.
 */
export function filterForm({ ctx, query, faults }: Visit, choices: Html, text: Text): Html {
  const kept = [...query].filter(([name]) => !FORM.includes(name));
  const hidden = kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const field = (name: Filter, attributes: Html, typedAs: string = name) => {
    const shown = query.get(name) ?? '';
    const isAmount = typedAs !== name;
    const one = fieldOf(faults, name, isAmount ? amountShown(shown, text.locale) : shown, text);
    return html`<label>${text.t(`filter.${name}`)} <input name="${typedAs}" value="${one.value}"${attributes}${one.attributes}></label> ${one.sentence}`;
  };
  const choice = (name: 'status' | 'daysPastDue', values: readonly string[]) => {
    const options = ['', ...values].map(
      (value) =>
        html`<option value="${value}"${query.get(name) === value && html` selected`}>${value === '' ? text.t('filter.any') : wordOf(name, value, text)}</option>`,
    );
    return html`<label>${text.t(`filter.${name}`)} <select name="${name}">${options}</select></label>`;
  };
  const amount = html` inputmode="decimal" size="18" maxlength="40"`;
  const isOpen = query.has('choices') || FORM.some((name) => faults.has(name));
  return html`<details class="menu"${isOpen && html` open`}><summary>${text.t('filter.title')}</summary><div class="panel">
<form method="get" action="${ctx.path}">${hidden}
${field('currency', html` maxlength="20" size="4" autocapitalize="characters"`)}
${field('country', html` maxlength="60" size="12" autocapitalize="words"`)}
${choice('status', STATUSES)}
${choice('daysPastDue', AGES)}
${field('minOutstanding', amount, 'least')}
${field('maxOutstanding', amount, 'most')}
${field('maturityFrom', html` type="date"`)}
${field('maturityTo', html` type="date"`)}
${MARKS.map((name) => html`<label class="check"><input type="checkbox" name="${name}" value="true"${query.get(name) === 'true' && html` checked`}> ${text.t(`filter.${name}`)}</label>`)}
<button class="button primary">${text.t('filter.apply')}</button>
<p class="hint">${text.t('filter.hint')}</p></form>${choices}</div></details>`;
}

const FORM: readonly string[] = [
  ...['currency', 'country', 'status', 'minOutstanding', 'maxOutstanding'],
  ...['maturityFrom', 'maturityTo', 'daysPastDue', ...MARKS],
  ...['cursor', 'carried', 'lang'],
];

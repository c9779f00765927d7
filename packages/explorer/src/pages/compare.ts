import { type Html, html } from '@cls/shared/http/html';
import { ApiRefused } from '../balances/api-client.ts';
import type { ComparedMeta } from '../balances/shapes.ts';
import { sameWith } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import type { Was } from './cells.ts';
import { fieldOf, instantFields } from './form-faults.ts';
import { offered } from './time-presets.ts';
import type { Times, Visit } from './visit.ts';

const NAMES = ['cmpAsOf', 'cmpKnownAt'] as const;
/** A list of another comparison begins with its first page. */
const NONE = { cmpAsOf: undefined, cmpKnownAt: undefined, cursor: undefined };

/** An answer at the other time. */
export interface Compared<T> extends Was<T> {
  readonly times: Times;
}

/** The times that the address compares with; what it leaves out is as now. */
export function comparedTimes({ query, times }: Visit): Times | undefined {
  const [asOf, knownAt] = NAMES.map((name) => query.get(name));
  if (asOf == null && knownAt == null) return undefined;
  return { asOf: asOf ?? times.asOf, knownAt: knownAt ?? times.knownAt };
}

/** The refusals that mean: it was not there then. */
const ABSENT = ['not_found', 'as_of_before_book', 'known_at_before_book'];

/** A page's question at the time of the comparison; undefined where the page compares nothing. */
export async function readThen<T>(
  visit: Visit,
  read: (times: { asOf: string; knownAt: string }) => Promise<T>,
): Promise<Compared<T> | undefined> {
  const times = comparedTimes(visit);
  if (times === undefined) return undefined;
  const answer = await read({ ...times }).catch((error: unknown) => {
    if (!(error instanceof ApiRefused)) throw error;
    if (ABSENT.includes(error.code)) return undefined;
    throw error.renamed(renamedIn(visit));
  });
  return { times, before: answer };
}

/** What the address does not compare with is the visit's own. */
function renamedIn({ query }: Visit): Readonly<Record<string, string>> {
  const names = Object.entries({ asOf: 'cmpAsOf', knownAt: 'cmpKnownAt' });
  return Object.fromEntries(names.filter(([, name]) => query.has(name)));
}

/** The parameters with which the API compares, in the answer to the same question. */
export function comparisonAsked({ query }: Visit) {
  const [compareAsOf, compareKnownAt] = NAMES.map((name) => query.get(name) ?? undefined);
  return { compareAsOf, compareKnownAt };
}

/** An answer that was asked to compare; undefined where the page compares nothing. */
export function comparedAnswer<T extends { readonly meta: ComparedMeta }>(
  visit: Visit,
  answer: T,
): Compared<T> | undefined {
  const times = comparedTimes(visit);
  if (times === undefined) return undefined;
  return { times, before: answer.meta.compared == null ? undefined : answer };
}

/** What an item, or a group, of such an answer was. */
export function partThen<T>(
  { compared }: { readonly compared?: T | null },
  then: Was<unknown> | undefined,
): Was<T> | undefined {
  return wasOf(then, () => compared ?? undefined);
}

/** A part of what was then. */
export function wasOf<T, V>(
  was: Was<T> | undefined,
  part: (then: T) => V | undefined,
): Was<V> | undefined {
  return was && { before: was.before === undefined ? undefined : part(was.before) };
}

/**
 * Another time to compare with.
 *
 * @param begins the first date with data; null: there is none.
 */
export function compareForm(
  { ctx, query, times, faults }: Visit,
  begins: string | null,
  text: Text,
): Html {
  const kept = [...query].filter(([name]) => !Object.hasOwn(NONE, name) && name !== 'lang');
  const hidden = kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const [asOf = '', knownAt = ''] = NAMES.map((name) => query.get(name) ?? '');
  const day = fieldOf(faults, 'cmpAsOf', asOf, text);
  const presets = offered(times.asOf, begins).flatMap(({ name, day }) =>
    name === 'last' || day === asOf
      ? []
      : html`<li><a href="${sameWith(ctx.path, query, { ...NONE, cmpAsOf: day })}">${text.t(`time.${name}`)}</a></li>`,
  );
  return html`<h2>${text.t('compare.title')}</h2><ul class="presets">${presets}</ul>
<form method="get" action="${ctx.path}">${hidden}
<label>${text.t('time.asOf')} <input type="date" name="cmpAsOf" value="${day.value}"${day.attributes}></label> ${day.sentence}
${instantFields(faults, 'cmpKnownAt', knownAt, text, 'time.knownAt')}
<button class="button">${text.t('compare.show')}</button></form>`;
}

/**
 * With what the page compares, how that reads, and the way back.
 *
 * @param begins the first date with data; null: there is none.
 * @param all what was there only then has its place too.
 */
export function comparedWith(
  { ctx, query }: Visit,
  compared: Compared<unknown> | undefined,
  begins: string | null,
  text: Text,
  { all = false } = {},
) {
  if (compared === undefined) return undefined;
  const { asOf, knownAt } = compared.times;
  const values = { asOf: text.date(asOf), knownAt: text.dateTime(knownAt) };
  const there = compared.before !== undefined;
  const since = begins !== null && asOf < begins && text.date(begins);
  return html`<p class="notice" role="status">${text.t('compare.with', values)} ${text.t(there ? 'compare.how' : 'compare.absent')}${since !== false && html` ${text.t('compare.begins', { begins: since })} <a href="${sameWith(ctx.path, query, { ...NONE, cmpAsOf: begins ?? undefined })}">${text.t('time.showFirst', { begins: since })}</a>`}${there && !all && html` ${text.t('compare.notListed')}`} <a href="${sameWith(ctx.path, query, NONE)}">${text.t('compare.stop')}</a></p>`;
}

import { type Html, html } from '@cls/shared/http/html';
import type { Meta } from '../balances/shapes.ts';
import { sameWith } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import { comparedTimes, compareForm } from './compare.ts';
import { fieldOf, instantFields } from './form-faults.ts';
import { isAllKnown } from './knowledge.ts';
import type { Who } from './show.ts';
import { offered } from './time-presets.ts';
import type { Visit } from './visit.ts';

/** What the bar says of the data. */
export interface KnownTimes {
  /** Of the answer that the page shows. */
  readonly meta: Meta;
  readonly who: Pick<Who, 'meta' | 'known'>;
  /** The first date on which there is what the page shows; that of the book where it is left out. */
  readonly begins?: string | undefined;
  /** The page can show another time beside its own. */
  readonly compares?: true;
}

/**
 * The two times of the visit, and how to change them. The first answer froze them, so that nothing
 * shifts under the reader; what was posted since is announced, and shown when the person asks.
 */
export function timeBar(visit: Visit, known: KnownTimes, text: Text): Html {
  const { ctx, query, times, faults } = visit;
  const { path } = ctx;
  const { who, meta } = known;
  const begins = known.begins ?? meta.dataFrom;
  const isOpen = OWN_FIELDS.some((name) => faults.has(name));
  const presets = offered(who.known.asOf, begins).map(({ name, day }) => {
    const href = sameWith(path, query, { ...NO_CURSOR, asOf: day });
    const label = text.t(`time.${name}`);
    return day === times.asOf
      ? html`<li><span class="chosen">${label}</span></li>`
      : html`<li><a href="${href}">${label}</a> <small>${text.date(day)}</small></li>`;
  });
  return html`<section class="times" aria-label="${text.t('time.label')}">
<details class="when"${isOpen && html` open`}><summary>${inWords(visit, known, text)}</summary><div class="panel"><ul class="presets">${presets}</ul>
${timesForm(visit, meta.dataFrom, text)}${known.compares && compareForm(visit, begins, text)}</div></details>
<p class="printed">${text.t('time.printed', { asOf: text.date(times.asOf), knownAt: text.dateTime(times.knownAt) })}</p>
${dataThrough(visit, who.known, text)}${news(visit, known, text)}</section>`;
}

const OWN_FIELDS = ['asOf', 'knownAt', 'cmpAsOf', 'cmpKnownAt'];

/** `As of 31 Mar 2025 · as known now` */
function inWords(visit: Visit, { who, compares }: KnownTimes, text: Text): string {
  const { asOf, knownAt } = visit.times;
  const isNow = isAllKnown(who.meta, knownAt);
  const then = compares && comparedTimes(visit);
  const beside =
    then?.asOf === asOf
      ? text.t('time.besideKnown', { at: text.dateTime(then.knownAt) })
      : then && text.t('time.beside', { asOf: text.date(then.asOf) });
  return [
    text.t('time.day.in', { asOf: text.date(asOf) }),
    isNow ? text.t('time.known.now') : text.t('time.known.at', { at: text.dateTime(knownAt) }),
    ...(beside === undefined ? [] : [beside]),
  ].join(' · ');
}

/** Through when data go; a date after them is a projection. */
function dataThrough({ ctx, query, times }: Visit, known: Meta, text: Text): Html {
  const { dataThrough: last } = known;
  if (last === null) return html`<p>${text.t('time.noData')}</p>`;
  const day = text.date(last);
  if (text.projectedAfter === undefined) {
    return html`<p>${text.t('time.dataThrough', { day })}</p>`;
  }
  const href = sameWith(ctx.path, query, { ...NO_CURSOR, asOf: last });
  return html`<p class="notice">${text.t('time.projected', { last: day, asOf: text.date(times.asOf) })} <a href="${href}">${text.t('time.showLast', { day })}</a></p>`;
}

/** Both times as fields. @param begins the first date of the book; null: it has none. */
function timesForm({ ctx, query, times, faults }: Visit, begins: string | null, text: Text): Html {
  const { path } = ctx;
  const kept = [...query].filter(([name]) => !CHANGED.includes(name) && name !== 'lang');
  const hidden = kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const first = begins === null ? '' : text.date(begins);
  const asOf = fieldOf(faults, 'asOf', times.asOf, text, { values: { begins: first } });
  const way =
    begins !== null &&
    faults.get('asOf')?.sentence === 'fault.beforeBook' &&
    html` <a href="${sameWith(path, query, { ...NO_CURSOR, asOf: begins })}">${text.t('time.showFirst', { begins: first })}</a>`;
  return html`<form method="get" action="${path}">${hidden}
<label>${text.t('time.asOf')} <input type="date" name="asOf" value="${asOf.value}"${asOf.attributes}></label> ${asOf.sentence}${way}
${instantFields(faults, 'knownAt', times.knownAt, text, 'time.knownAt')}
<button class="button">${text.t('time.show')}</button></form>`;
}

const CHANGED = ['asOf', 'knownAt', 'cursor', 'carried'];
const NO_CURSOR = { cursor: undefined, carried: undefined };
/** At what is known now. */
const NOW = { ...NO_CURSOR, knownAt: undefined };

/**
 * Says that something newer is known. Where nothing is, the script of the page asks now and then,
 * and announces it here: a region that is there from the start is read out when it fills.
 */
function news({ ctx: { path }, query, times: { knownAt } }: Visit, known: KnownTimes, text: Text) {
  const newest = known.who.meta;
  const href = sameWith(path, query, NOW);
  const at = text.dateTime(knownAt);
  if (newest.knownAt === null || isAllKnown(newest, knownAt)) {
    const asked = `/news?${new URLSearchParams({ knownAt })}`;
    return html`<div role="status" data-news="${asked}" data-words="${text.t('time.newer', { at })}" data-link="${text.t('time.now')}" data-show="${href}"></div>`;
  }
  const compare = known.compares && sameWith(path, query, { ...NOW, cmpKnownAt: knownAt });
  return html`<p class="notice" role="status">${text.t('time.history', {
    at,
    newest: text.dateTime(newest.knownAt),
  })} <a href="${href}">${text.t('time.now')}</a>${compare !== undefined && html` · <a href="${compare}">${text.t('time.compareNow')}</a>`}</p>`;
}

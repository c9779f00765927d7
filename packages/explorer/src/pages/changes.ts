import { type Html, html } from '@cls/shared/http/html';
import { ApiRefused } from '../balances/api-client.ts';
import type { BalanceItem, List, Movement } from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import { difference, isZero } from '../web/amounts.ts';
import { lastVisit } from '../web/last-visit.ts';
import type { Text } from '../web/text.ts';
import { isNoTime } from '../web/typed.ts';
import {
  amountText,
  dateCell,
  figureCell,
  instantText,
  type ListHead,
  marks,
  table,
  type Was,
} from './cells.ts';
import { pager } from './deals.ts';
import { instantFields } from './form-faults.ts';
import { isAllKnown } from './knowledge.ts';
import { postingWords } from './movements.ts';
import { listsOfDeals, type PageDeps, showPage, timesAsked, type Who, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

/** What changed of one deal is asked for since then. */
const A_YEAR = 365;
/** A row has up to three numbers for each figure. */
const LIMIT = '50';

/**
 * `/changes`: each deal whose answer differs from what was known at `since`, with the figures that
 * changed: what they are, what they were, and the difference. What was restated comes first.
 */
export async function changesPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, query, times } = visit;
  const dealId = query.get('dealId') ?? undefined;
  const asked = query.get('since') ?? daysBefore(times.knownAt, dealId === undefined ? 1 : A_YEAR);
  const visited = lastVisit(visit.ctx, times.knownAt);
  const read = (since: string) =>
    deps.api.read<List<BalanceItem>>(asker, '/balances', {
      ...timesAsked(visit),
      ...{ level: 'deal', includeZero: 'true', dealId },
      updatedSince: since,
      compareKnownAt: since,
      limit: LIMIT,
      cursor: query.get('cursor') ?? undefined,
    });
  const [{ found, since }, who] = await Promise.all([
    sinceThenOrLater(read, asked, times.knownAt),
    whoAsks(deps, visit),
  ]);
  if (found === undefined) return notComparable(deps, visit, since, who);
  const changes = ranked(found.data);
  const figures = FIGURES.map(([name]) => name).filter((name) =>
    changes.some(({ moved }) => moved.has(name)),
  );
  const [why, gone] = await Promise.all([
    postingsOf(deps, visit, changes),
    readGone(deps, visit, found, since),
  ]);
  const isEmpty = changes.length === 0 && !found.page.hasMore;
  showPage(deps, visit, {
    title: (text) => text.t('changes.title'),
    place: 'changes',
    who,
    meta: found.meta,
    answers: [found, ...why],
    lists: (text) => (isEmpty ? [] : [changesHead(figures, text)]),
    body: (text) => [
      ofOneDeal(visit, dealId, text),
      sinceForm(visit, since, visited, text),
      since !== asked && later(since, text),
      goneList(visit, gone, since, text),
      isEmpty
        ? gone.length === 0 &&
          html`<p class="notice empty">${text.t('changes.none', { at: text.dateTime(since) })}</p>`
        : [
            html`<p>${text.t('changes.how')}</p>`,
            changesTable(
              visit,
              changes,
              why.flatMap(({ data }) => data),
              since,
              figures,
              text,
            ),
          ],
      pager(visit, found, text),
    ],
  });
}

/**
 * Where grants have changed since, before and after are two different views: the changes since the last
 * change of grants. `found` is undefined where the page knows of none later.
 */
async function sinceThenOrLater<T>(
  read: (since: string) => Promise<T>,
  asked: string,
  knownAt: string,
): Promise<{ readonly found: T | undefined; readonly since: string }> {
  try {
    return { found: await read(asked), since: asked };
  } catch (error) {
    if (!(error instanceof ApiRefused) || error.code !== 'delta_unavailable') throw error;
    const since = error.earliestSince;
    if (since === undefined || !isAllKnown({ knownAt: since }, knownAt)) {
      return { found: undefined, since: asked };
    }
    return { found: await read(since), since };
  }
}

function later(since: string, text: Text): Html {
  return html`<p class="notice" role="status">${text.t('changes.later', { at: text.dateTime(since) })}</p>`;
}

/** What is not in the book any more, as it was: a deal all of whose journals were taken back, for example. */
async function readGone(
  { api }: PageDeps,
  { asker, times }: Visit,
  { removed = [] }: List<BalanceItem>,
  since: string,
): Promise<readonly BalanceItem[]> {
  const ids = new Set(removed.map(({ id }) => id));
  if (ids.size === 0) return [];
  // `bal_deal_…_USD`
  const dealId = [...new Set([...ids].map((id) => id.slice('bal_'.length, -'_USD'.length)))];
  const asked = { level: 'deal', includeZero: 'true', include: 'none', limit: '1000' };
  const { data } = await api.read<List<BalanceItem>>(asker, '/balances', {
    ...{ asOf: times.asOf, knownAt: since, dealId },
    ...asked,
  });
  return data.filter(({ id }) => ids.has(id));
}

/** Each leads to what it was. */
function goneList({ query }: Visit, gone: readonly BalanceItem[], since: string, text: Text) {
  if (gone.length === 0) return undefined;
  const items = gone.map(({ deal, currency, global }) => {
    const href = pageAddress(`/deals/${deal.id}`, query, { knownAt: since });
    return html`<li><a href="${href}">${deal.dealNumber}</a> ${deal.name}: ${amountText(global.principal.outstanding, text)} ${currency}</li>`;
  });
  return html`<p>${text.t('changes.gone')}</p><ul class="links">${items}</ul>`;
}

/** More deals have more postings than one answer tells. */
const AT_ONCE = 25;

/** The postings to the deals that changed, without those of deals that have more than one answer tells. */
function postingsOf(deps: PageDeps, visit: Visit, changes: readonly Change[]) {
  const items = changes.map(({ item }) => item);
  const path = '/balances/principal/movements';
  return listsOfDeals<Movement>(deps, visit, items, { path, atOnce: AT_ONCE });
}

/** Why, and the way to the postings: to the first of those that changed the item, where they are known. */
function whyOf(
  { query }: Visit,
  { deal }: BalanceItem,
  own: readonly Movement[],
  text: Text,
): Html {
  const [first] = own;
  const fromDate = own.map(({ effectiveDate }) => effectiveDate).sort()[0];
  const address = pageAddress(`/deals/${deal.id}/movements`, query, { fromDate });
  const href = first === undefined ? address : `${address}#${first.journal.id}`;
  return html`${reasonsOf(own, text)} <a href="${href}">${text.t('movements.title')}</a>`;
}

/** Which movements were posted, why and by whom, each once. */
function reasonsOf(movements: readonly Movement[], text: Text): string {
  const words = movements.map((one) => {
    const isReversal = one.journal.reverses !== null;
    return postingWords(one, text, isReversal ? ` (${text.t('changes.reversal')})` : '');
  });
  return [...new Set(words)].join('; ');
}

/** Nothing can be told since then; another time may do. */
function notComparable(deps: PageDeps, visit: Visit, since: string, who: Who): void {
  showPage(deps, visit, {
    title: (text) => text.t('changes.title'),
    place: 'changes',
    who,
    meta: who.known,
    body: (text) => [
      sinceForm(visit, since, undefined, text),
      html`<p class="notice" role="status">${text.t('changes.unknown')} <a href="${sameWith(visit.ctx.path, visit.query, { since: visit.times.knownAt })}">${text.t('changes.sinceNow')}</a></p>`,
    ],
  });
}

/** Where the changes of one deal are shown: the ways to it, and to those of all. */
function ofOneDeal({ ctx, query }: Visit, dealId: string | undefined, text: Text) {
  if (dealId === undefined) return undefined;
  const all = sameWith(ctx.path, query, { dealId: undefined, cursor: undefined });
  return html`<p>${text.t('changes.oneDeal')} <a href="${pageAddress(`/deals/${dealId}`, query)}">${text.t('changes.toDeal')}</a> · <a href="${all}">${text.t('changes.ofAll')}</a></p>`;
}

const PRESETS = [
  { name: 'day', days: 1 },
  { name: 'week', days: 7 },
  { name: 'month', days: 30 },
  { name: 'year', days: A_YEAR },
] as const;

/** @param visited what was known at the last visit; undefined at the first one. */
function sinceForm(visit: Visit, since: string, visited: string | undefined, text: Text): Html {
  const { ctx, query, times, faults } = visit;
  const presets = [
    ...(visited === undefined ? [] : [{ label: text.t('changes.visit'), at: visited }]),
    ...PRESETS.map(({ name, days }) => {
      return { label: text.t(`changes.${name}`), at: daysBefore(times.knownAt, days) };
    }),
  ];
  const links = presets.map(({ label, at }) =>
    at === since || at === query.get('since')
      ? html`<li><span class="chosen">${label}</span></li>`
      : html`<li><a href="${sameWith(ctx.path, query, { since: at, cursor: undefined })}">${label}</a></li>`,
  );
  const then = { restated: 'true', includeZero: 'true', cmpAsOf: undefined, cmpKnownAt: since };
  const restated = pageAddress('/deals', query, then);
  const hidden = ['asOf', 'knownAt', 'viewer', 'dealId'].flatMap((name) =>
    query.getAll(name).map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  );
  return html`<form method="get" action="${ctx.path}" class="period">${hidden}${instantFields(faults, 'since', since, text, 'changes.since')} <button class="button">${text.t('time.show')}</button></form>
<ul class="presets">${links}</ul>
${!query.has('dealId') && html`<p><a href="${restated}">${text.t('changes.restated')}</a></p>`}`;
}

/** An instant of the API, by whole days earlier; its microseconds stay. What is no instant is the API's to refuse. */
export function daysBefore(instant: string, days: number): string {
  const [, fraction = ''] = /\.(\d+)/.exec(instant) ?? [];
  const whole = new Date(instant);
  if (isNoTime(whole)) return instant;
  whole.setUTCDate(whole.getUTCDate() - days);
  return `${whole.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

/** The amounts whose changes the page lists, by their columns. */
const FIGURES = [
  ['ownOutstanding', ({ share }) => share?.principal.outstanding],
  ['outstanding', ({ global }) => global.principal.outstanding],
  ['commitment', ({ global }) => global.commitment.current],
  ['letterOfCredit', ({ global }) => global.commitment.letterOfCredit],
  ['interestAccrued', ({ global }) => global.interest.accrued],
  ['interestDue', ({ global }) => global.interest.due],
  ['feesAccrued', ({ global }) => global.fees.accrued],
  ['feesDue', ({ global }) => global.fees.due],
  ['pastDue', ({ global }) => global.total.pastDue],
] as const satisfies readonly (readonly [string, (item: BalanceItem) => string | undefined])[];
type Figure = (typeof FIGURES)[number][0];

interface Moved {
  readonly is: string;
  /** Left out of what is new. */
  readonly was?: Was<string>;
}

/** What a figure is, and was; undefined where it did not change. Of what is new, zero is no change. */
function movedOf(
  item: BalanceItem,
  of: (item: BalanceItem) => string | undefined,
): Moved | undefined {
  const is = of(item);
  if (item.compared == null) return is === undefined || isZero(is) ? undefined : { is };
  const was = of(item.compared);
  if (is === was) return undefined;
  // A share that is gone comes to zero.
  return { is: is ?? difference(was ?? '0', was ?? '0'), was: { before: was } };
}

/** An item with the figures that changed. */
interface Change {
  readonly item: BalanceItem;
  readonly moved: ReadonlyMap<Figure, Moved>;
}

function changeOf(item: BalanceItem): Change {
  const all = FIGURES.flatMap(([name, of]) => {
    const moved = movedOf(item, of);
    return moved === undefined ? [] : [[name, moved] as const];
  });
  return { item, moved: new Map(all) };
}

/** Restated figures come first, then other figures, then what has no other figures. */
function ranked(items: readonly BalanceItem[]): readonly Change[] {
  const rank = ({ item, moved }: Change) => {
    if (moved.size === 0) return 2;
    return item.provenance.restated ? 0 : 1;
  };
  return items.map(changeOf).sort((a, b) => rank(a) - rank(b));
}

/** A column for each figure that changed in one of the items. */
function changesHead(figures: readonly Figure[], text: Text): ListHead {
  const amounts = figures.map((name) => ({ label: text.t(`column.${name}`), numeric: true }));
  const columns = [
    { label: text.t('column.deal') },
    { label: text.t('column.currencyShort') },
    ...amounts,
    { label: text.t('changes.why') },
    { label: text.t('column.posted') },
    { label: text.t('changes.marks') },
  ];
  return { id: 'changes', columns };
}

function changesTable(
  visit: Visit,
  changes: readonly Change[],
  posted: readonly Movement[],
  since: string,
  figures: readonly Figure[],
  text: Text,
): Html {
  const isSince = (at: string) => !isAllKnown({ knownAt: at }, since);
  const rows = changes.map(({ item, moved }) => {
    const { deal, currency, compared, provenance } = item;
    const { lastPostedAt } = provenance;
    const times = { cmpAsOf: undefined, cmpKnownAt: since };
    const own = posted.filter(
      (one) => one.dealId === deal.id && one.currency === currency && isSince(one.postedAt),
    );
    const cells = figures.map((name) => {
      const { is, was } = moved.get(name) ?? {};
      return figureCell(name, is, text, was);
    });
    const isPosted = lastPostedAt !== null && isSince(lastPostedAt);
    // Other postings, as of interest and fees, are not among the movements of principal.
    const hasFacts = own.length === 0 && compared != null && !isPosted;
    return html`
<tr><th scope="row"><a href="${pageAddress(`/deals/${deal.id}`, visit.query, times)}">${deal.dealNumber}</a> ${deal.name}</th><td>${currency}</td>${cells}<td class="why">${hasFacts && `${text.t('changes.facts')} `}${whyOf(visit, item, own, text)}</td>${dateCell(isPosted && instantText(lastPostedAt, text))}<td>${compared == null && html`<span class="tag">${text.t('changes.new')}</span>`}${marks(item, text)}</td></tr>`;
  });
  const caption = text.t('changes.caption', { at: text.dateTime(since) });
  return table({ ...changesHead(figures, text), caption, rows, isList: true });
}

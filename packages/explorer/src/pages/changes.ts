import { type Html, html } from '@cls/shared/http/html';
import { ApiRefused } from '../balances/api-client.ts';
import type { BalanceItem, List, Movement } from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import { difference } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { isNoTime } from '../web/typed.ts';
import { amountCell, dateCell, marks, table, wordOf } from './cells.ts';
import { pager } from './deals.ts';
import { instantFields } from './form-faults.ts';
import { isAllKnown } from './knowledge.ts';
import { type PageDeps, showPage, timesAsked, type Who, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

/** What changed of one deal is asked for since then. */
const A_YEAR = 365;
/** As many as the API takes as a filter. */
const LIMIT = '100';

/** What was removed from an answer has an id alone. */
type Changes = List<BalanceItem> & { readonly removed?: readonly { readonly id: string }[] };

/**
 * `/changes`: each deal whose answer differs from what was known at `since`, with what it was and
 * what it is.
 */
export async function changesPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, query, times } = visit;
  const dealId = query.get('dealId') ?? undefined;
  const since = query.get('since') ?? daysBefore(times.knownAt, dealId === undefined ? 1 : A_YEAR);
  const level = { level: 'deal', includeZero: 'true', dealId };
  const [found, who] = await Promise.all([
    deps.api
      .read<Changes>(asker, '/balances', {
        ...timesAsked(visit),
        ...level,
        updatedSince: since,
        compareKnownAt: since,
        limit: LIMIT,
        cursor: query.get('cursor') ?? undefined,
      })
      .catch((error: unknown) => {
        if (error instanceof ApiRefused && error.code === 'delta_unavailable') return undefined;
        throw error;
      }),
    whoAsks(deps, visit),
  ]);
  if (found === undefined) return notComparable(deps, visit, since, who);
  const why = await postingsOf(deps, visit, found.data);
  showPage(deps, visit, {
    title: (text) => text.t('changes.title'),
    place: 'changes',
    who,
    meta: found.meta,
    answers: [found, ...(why === undefined ? [] : [why])],
    body: (text) => [
      ofOneDeal(visit, dealId, text),
      sinceForm(visit, since, text),
      found.data.length === 0 && !found.page.hasMore
        ? html`<p class="notice empty">${text.t('changes.none', { at: text.dateTime(since) })}</p>`
        : changesTable(visit, found.data, why?.data ?? [], since, text),
      pager(visit, found, text),
    ],
  });
}

/** More deals have more postings than one answer tells. */
const TOLD = 25;

/** The postings to the deals that changed; undefined where they are more than one answer tells. */
async function postingsOf(
  { api }: PageDeps,
  visit: Visit,
  items: readonly BalanceItem[],
): Promise<List<Movement> | undefined> {
  const dealId = [...new Set(items.map(({ deal }) => deal.id))];
  if (dealId.length === 0 || dealId.length > TOLD) return undefined;
  const question = { ...timesAsked(visit), dealId, limit: '1000' };
  const path = '/balances/principal/movements';
  const list = await api.read<List<Movement>>(visit.asker, path, question);
  return list.page.hasMore ? undefined : list;
}

/** Which movements were posted, and why, each once. */
function reasonsOf(movements: readonly Movement[], text: Text): string {
  const words = movements.map(({ movement, journal: { reason, reverses } }) => {
    const word = wordOf('movement', movement, text);
    const reversed = reverses === null ? '' : ` (${text.t('changes.reversal')})`;
    return `${word}${reversed}${reason === null ? '' : `: ${reason}`}`;
  });
  return [...new Set(words)].join('; ');
}

/** Where grants changed, before and after are two different views. Another time may do. */
function notComparable(deps: PageDeps, visit: Visit, since: string, who: Who): void {
  showPage(deps, visit, {
    title: (text) => text.t('changes.title'),
    place: 'changes',
    who,
    meta: who.known,
    body: (text) => [
      sinceForm(visit, since, text),
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

function sinceForm({ ctx, query, times, faults }: Visit, since: string, text: Text): Html {
  const links = PRESETS.map(({ name, days }) => {
    const at = daysBefore(times.knownAt, days);
    const label = text.t(`changes.${name}`);
    return at === since
      ? html`<li><span class="chosen">${label}</span></li>`
      : html`<li><a href="${sameWith(ctx.path, query, { since: at, cursor: undefined })}">${label}</a></li>`;
  });
  const hidden = ['asOf', 'knownAt', 'viewer', 'dealId'].flatMap((name) =>
    query.getAll(name).map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  );
  return html`<form method="get" action="${ctx.path}" class="period">${hidden}${instantFields(faults, 'since', since, text, 'changes.since')} <button class="button">${text.t('time.show')}</button></form>
<ul class="presets">${links}</ul>`;
}

/** An instant of the API, by whole days earlier; its microseconds stay. What is no instant is the API's to refuse. */
export function daysBefore(instant: string, days: number): string {
  const [, fraction = ''] = /\.(\d+)/.exec(instant) ?? [];
  const whole = new Date(instant);
  if (isNoTime(whole)) return instant;
  whole.setUTCDate(whole.getUTCDate() - days);
  return `${whole.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

function changesTable(
  visit: Visit,
  items: readonly BalanceItem[],
  posted: readonly Movement[],
  since: string,
  text: Text,
): Html {
  const columns = [
    { label: text.t('column.deal') },
    { label: text.t('column.currency') },
    { label: text.t('changes.before'), numeric: true },
    { label: text.t('changes.after'), numeric: true },
    { label: text.t('compare.difference'), numeric: true },
    { label: text.t('changes.why') },
    { label: text.t('column.posted') },
    { label: text.t('changes.marks') },
  ];
  const rows = items.map((item) => {
    const was = item.compared?.global.principal.outstanding;
    const is = item.global.principal.outstanding;
    const { lastPostedAt } = item.provenance;
    const href = pageAddress(`/deals/${item.deal.id}`, visit.query, {
      cmpAsOf: undefined,
      cmpKnownAt: since,
    });
    const postings = pageAddress(`/deals/${item.deal.id}/movements`, visit.query);
    const own = posted.filter(
      ({ dealId, currency, lender, postedAt }) =>
        dealId === item.deal.id &&
        currency === item.currency &&
        lender === null &&
        !isAllKnown({ knownAt: postedAt }, since),
    );
    return html`
<tr><th scope="row"><a href="${href}">${item.deal.dealNumber}</a> ${item.deal.name}</th><td>${item.currency}</td>${amountCell(was, text)}${amountCell(is, text)}${amountCell(was === undefined ? undefined : difference(was, is), text)}<td>${reasonsOf(own, text)} <a href="${postings}">${text.t('movements.title')}</a></td>${dateCell(lastPostedAt !== null && text.dateTime(lastPostedAt))}<td>${was === undefined ? html`<span class="tag">${text.t('changes.new')}</span>` : undefined}${marks(item, text)}</td></tr>`;
  });
  const caption = text.t('changes.caption', { at: text.dateTime(since) });
  return table({ caption, columns, rows, isList: true, id: 'changes' });
}

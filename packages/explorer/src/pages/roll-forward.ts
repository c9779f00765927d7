import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import {
  type List,
  MOVEMENT_OF,
  MOVEMENTS,
  type MovementName,
  type RollForwardItem,
  type Series,
} from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import { isZero, readableAmount } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { amountCell, globalName, table } from './cells.ts';
import { dealHead, dealTitle } from './deal.ts';
import { fieldOf } from './form-faults.ts';
import { absent, dealAt } from './not-yet.ts';
import { steps, waterfall } from './picture.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

const INTERVALS = ['month', 'quarter', 'year', 'event'] as const;

/**
 * `/deals/{id}/roll-forward`: opening, each movement, closing; with the course of what was
 * outstanding, or with a column for each facility.
 */
export async function rollForwardPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, parts, query } = visit;
  const dealId = parts['id'] ?? '';
  const fromDate = query.get('fromDate') ?? undefined;
  const times = { ...timesAsked(visit), dealId, fromDate };
  const read = (level: string) =>
    deps.api.read<List<RollForwardItem>>(asker, '/balances/principal', {
      ...times,
      ...{ includeZero: 'true', include: 'none', level },
    });
  const byFacility = query.get('by') === 'facility';
  const interval = intervalOf(visit);
  const [deals, facilities, series, who, deal] = await Promise.all([
    read('deal'),
    byFacility ? read('facility') : undefined,
    byFacility
      ? undefined
      : deps.api.read<Series>(asker, '/balances/principal/series', { ...times, interval }),
    whoAsks(deps, visit),
    dealAt(deps, visit, dealId, visit.times),
  ]);
  const [first] = deals.data;
  if (first === undefined) return absent(deps, visit, dealId);
  showPage(deps, visit, {
    title: () => dealTitle(first.deal),
    detail: (text) => text.t('rollForward.title'),
    place: 'deals',
    who,
    meta: deals.meta,
    begins: deal?.dataFrom,
    answers: [facilities ?? deals, ...(series === undefined ? [] : [series])],
    body: (text) => [
      deal && dealHead(visit, deal, 'roll-forward', text),
      periodForm(visit, deals.meta.dataFrom, text),
      html`<ul class="presets"><li><a href="${sameWith(visit.ctx.path, query, { by: byFacility ? undefined : 'facility' })}"${byFacility && html` aria-current="true"`}>${text.t('rollForward.byFacility')}</a></li></ul>`,
      deals.data.map(
        (deal) =>
          html`<h2>${deal.currency}</h2><div class="beside">${[
            !byFacility && waterfallOf(visit, deal, text),
            rollForwardTable(
              visit,
              deal,
              (facilities?.data ?? []).filter(({ currency }) => currency === deal.currency),
              text,
            ),
          ]}</div><div class="pictures">${series !== undefined && course(visit, deal, series, interval, text)}</div>`,
      ),
      facilities?.page.hasMore === true && html`<p>${text.t('deal.moreFacilities')}</p>`,
      html`<p><a href="${pageAddress(`/deals/${dealId}/movements`, query, { fromDate })}">${text.t('rollForward.postings')}</a></p>
<p class="downloads">${text.t('download.label')} <a href="${pageAddress(`/deals/${dealId}/roll-forward.csv`, query, { fromDate })}">CSV</a></p>`,
    ],
  });
}

/** Months of a period; quarters since inception, which may be decades. */
function intervalOf({ query }: Visit): string {
  const chosen = INTERVALS.find((interval) => interval === query.get('interval'));
  return chosen ?? (query.has('fromDate') ? 'month' : 'quarter');
}

/** The postings of a movement in the period, or all of them. */
function postingsOf({ query, parts }: Visit, name?: MovementName): string {
  return pageAddress(`/deals/${parts['id'] ?? ''}/movements`, query, {
    fromDate: query.get('fromDate') ?? undefined,
    movement: name && MOVEMENT_OF[name],
  });
}

/** The first column of the table as a picture. */
function waterfallOf(visit: Visit, { currency, global, share }: RollForwardItem, text: Text) {
  const { opening, movements, closing } = share ?? global;
  const what = text.t('rollForward.caption', { currency });
  const picture = waterfall(
    { label: text.t('rollForward.opening'), amount: opening },
    MOVEMENTS.filter((name) => !isZero(movements[name])).map((name) => ({
      label: text.t(`movement.${name}`),
      amount: movements[name],
      href: postingsOf(visit, name),
    })),
    { label: text.t('rollForward.closing'), amount: closing, href: postingsOf(visit) },
    share === null ? what : `${what} · ${text.t('deal.ownShare', { lender: share.lender.name })}`,
    text,
  );
  return picture && html`<div class="pictured">${picture}</div>`;
}

/** The course of what was outstanding: a picture, and the table behind it. */
function course(
  visit: Visit,
  { currency, share }: RollForwardItem,
  series: Series,
  interval: string,
  text: Text,
) {
  const { ctx, query, parts } = visit;
  const all = series.data.filter((point) => point.currency === currency);
  // Without a first day the book's is taken: what the page shows may begin later.
  const start = query.has('fromDate') ? 0 : all.findIndex(({ movementCount }) => movementCount > 0);
  const points = all.slice(Math.max(start, 0));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const moved = text.t('series.what', {
    currency,
    opening: readableAmount(first.opening, text.locale),
    from: text.date(first.from),
    closing: readableAmount(last.closing, text.locale),
    until: text.date(last.date),
  });
  const what = globalName(moved, share, text);
  const links = INTERVALS.map((name) =>
    name === interval
      ? html`<li><span class="chosen">${text.t(`series.${name}`)}</span></li>`
      : html`<li><a href="${sameWith(ctx.path, query, { interval: name })}">${text.t(`series.${name}`)}</a></li>`,
  );
  const columns = [
    { label: text.t('period.from') },
    { label: text.t('series.until') },
    { label: text.t('rollForward.opening'), numeric: true },
    { label: text.t('rollForward.closing'), numeric: true },
    { label: text.t('series.postings'), numeric: true },
  ];
  const rows = points.map((point) => {
    const postings = { fromDate: point.from, asOf: point.date };
    const href = pageAddress(`/deals/${parts['id'] ?? ''}/movements`, query, postings);
    return html`
<tr><th scope="row">${text.date(point.from)}</th><td>${text.date(point.date)}</td>${amountCell(point.opening, text)}${amountCell(point.closing, text)}<td><a href="${href}">${text.number(point.movementCount)}</a></td></tr>`;
  });
  const shown = points.map(({ date, closing, from }) => ({
    label: date,
    amount: closing,
    href: pageAddress(`/deals/${parts['id'] ?? ''}/movements`, query, {
      fromDate: from,
      asOf: date,
    }),
  }));
  const caption = globalName(text.t('series.caption', { currency }), share, text);
  return html`<div class="pictured"><ul class="presets">${links}</ul>${steps(shown, what, text)}<details><summary>${text.t('chart.table')}</summary>${table({ caption, columns, rows, id: `series-${currency}` })}</details>${series.page.hasMore && html`<p>${text.t('series.more')}</p>`}</div>`;
}

/**
 * The first day of the period; its last one is the date of the visit.
 *
 * @param begins the first date with data; null: there is none.
 */
export function periodForm(
  { ctx, query, times, faults }: Visit,
  begins: string | null,
  text: Text,
): Html {
  const values = { begins: begins === null ? '' : text.date(begins) };
  const from = fieldOf(faults, 'fromDate', query.get('fromDate') ?? '', text, { values });
  const { asOf } = times;
  const [year = '', month = '01'] = asOf.split('-');
  const quarter = ['01', '04', '07', '10'].filter((first) => first <= month).at(-1) ?? '01';
  const presets = [
    { name: 'month', day: `${year}-${month}-01` },
    { name: 'quarter', day: `${year}-${quarter}-01` },
    { name: 'year', day: `${year}-01-01` },
    { name: 'inception', day: undefined },
  ] as const;
  const leading = presets.filter(({ day = '' }) => begins === null || day === '' || day >= begins);
  const links = leading.map(({ name, day }) => {
    const label = text.t(`period.${name}`);
    const href = sameWith(ctx.path, query, { ...NO_CURSOR, fromDate: day });
    return (query.get('fromDate') ?? undefined) === day
      ? html`<li><span class="chosen">${label}</span></li>`
      : html`<li><a href="${href}">${label}</a></li>`;
  });
  const kept = [...query].filter(
    ([name]) => !['fromDate', 'cursor', 'carried', 'lang'].includes(name),
  );
  const hidden = kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="get" action="${ctx.path}" class="period">${hidden}<label>${text.t('period.from')} <input type="date" name="fromDate" value="${from.value}"${from.attributes}></label> ${from.sentence} <button class="button">${text.t('time.show')}</button></form>
<ul class="presets">${links}</ul>`;
}

const NO_CURSOR = { cursor: undefined, carried: undefined };

/** A column for the deal, and one for each facility of the same currency. */
function rollForwardTable(
  visit: Visit,
  deal: RollForwardItem,
  facilities: readonly RollForwardItem[],
  text: Text,
): Html {
  const { currency, share } = deal;
  const parts = facilities.length > 1 ? facilities : [];
  const lines = [
    ...(share === null
      ? []
      : [{ label: text.t('deal.ownShare', { lender: share.lender.name }), line: share }]),
    { label: text.t('deal.global'), line: deal.global },
    ...parts.map(({ facility, global }) => ({
      label: globalName(facility?.name ?? '', share, text),
      line: global,
    })),
  ];
  const moved = MOVEMENTS.filter((name) => lines.some(({ line }) => !isZero(line.movements[name])));
  const row = (label: HtmlValue, amounts: readonly string[]) => html`
<tr><th scope="row">${label}</th>${amounts.map((amount) => amountCell(amount, text))}</tr>`;
  const rows = [
    row(
      text.t('rollForward.opening'),
      lines.map(({ line }) => line.opening),
    ),
    ...moved.map((name) =>
      row(
        html`<a href="${postingsOf(visit, name)}">${text.t(`movement.${name}`)}</a>`,
        lines.map(({ line }) => line.movements[name]),
      ),
    ),
  ];
  const foot = row(
    text.t('rollForward.closing'),
    lines.map(({ line }) => line.closing),
  );
  const columns = [
    { label: text.t('column.movement') },
    ...lines.map(({ label }) => ({ label, numeric: true })),
  ];
  const caption = text.t('rollForward.caption', { currency });
  return table({ caption, columns, rows, foot, id: `roll-forward-${currency}` });
}

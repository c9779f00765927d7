import { type Html, html } from '@cls/shared/http/html';
import type { Caller, GroupTotal, Series, Totals } from '../balances/shapes.ts';
import { pageAddress, sameWith } from '../web/address.ts';
import { countryName } from '../web/countries.ts';
import { lastVisit } from '../web/last-visit.ts';
import type { Text } from '../web/text.ts';
import { ageingOf } from './ageing.ts';
import { type ListHead, table, type Was, wordOf } from './cells.ts';
import { daysBefore } from './changes.ts';
import { comparedAnswer, comparedTimes, comparedWith, comparisonAsked, wasOf } from './compare.ts';
import {
  courseOf,
  currenciesOf,
  groupThen,
  ladderOf,
  maturing,
  SOON,
  sumCells,
  sumColumns,
  sumFigures,
  totalsTable,
} from './exposure.ts';
import { beginOfAll, nothingText } from './not-yet.ts';
import { type PageDeps, seesLenders, showPage, timesAsked, whoAsks } from './show.ts';
import { sumsBeside } from './sums-then.ts';
import { quarterAfter } from './time-presets.ts';
import type { Visit } from './visit.ts';

/** By what a person may look at the whole; a lender’s parts are those of the lender alone. */
const GROUPS = ['borrower', 'country', 'facilityType', 'status', 'lender'] as const;
type Group = (typeof GROUPS)[number];
const TOP = '10';

/** `/portfolio`: what matters per currency, its course, when it matures, and by whom or what. */
export async function portfolioPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, query } = visit;
  const by = GROUPS.find((group) => group === query.get('by')) ?? 'borrower';
  const since = lastVisit(visit.ctx, visit.times.knownAt);
  const own = query.get('view') === 'own';
  const level = own ? { level: 'position' } : {};
  const asked = { ...timesAsked(visit), ...level, lenderId: own ? query.getAll('lenderId') : [] };
  const read = (more: Record<string, string | undefined>) =>
    deps.api.read<Totals>(asker, '/balances/totals', { ...asked, ...more });
  const compared = comparisonAsked(visit);
  const sinceThen = comparedTimes(visit) === undefined && { compareKnownAt: since };
  const [ladder, groups, ages, course, who, ...soon] = await Promise.all([
    read({ ...compared, ...sinceThen, groupBy: 'maturityYear', top: '100' }),
    read({ ...compared, groupBy: by, top: TOP }),
    read({ level: 'deal', ...level, ...compared, groupBy: 'daysPastDue' }),
    deps.api.read<Series>(asker, '/balances/principal/series', { ...asked, interval: 'quarter' }),
    whoAsks(deps, visit),
    ...SOON.map((days) => read(maturing(visit, days))),
  ]);
  const lenderId = ownLenders(who.data);
  if (own && lenderId.length > 0 && `${asked.lenderId}` !== `${lenderId}`) {
    return visit.ctx.redirect(sameWith(visit.ctx.path, query, { lenderId }));
  }
  const [ladderThen, groupsThen, agesThen] = [ladder, groups, ages].map((answer) =>
    comparedAnswer(visit, answer),
  );
  const currencies = currenciesOf(ladder);
  const isEmpty = currencies.length === 0;
  const begins = isEmpty ? await beginOfAll(deps, visit, who.known.asOf) : undefined;
  const filters = own ? undefined : {};
  const caption = (text: Text) => text.t('portfolio.byCaption', { group: text.t(`group.${by}`) });
  const sums = sumsBeside(ladder.totals, changeOf(ladder, ladderThen, since));
  showPage(deps, visit, {
    title: (text) => text.t('portfolio.title'),
    place: 'portfolio',
    who,
    meta: ladder.meta,
    compares: true,
    answers: [ladder, groups, ages, course, ...soon],
    lists: (text) => (isEmpty ? [] : [groupsHead(by, text)]),
    body: (text) =>
      isEmpty
        ? nothing(visit, begins, text)
        : [
            whose(visit, own, who.data.roles, text),
            comparedWith(visit, ladderThen, ladder.meta.dataFrom, text, { all: true }),
            currencies.flatMap((currency) =>
              sums
                .filter(({ sum }) => sum.currency === currency)
                .map((beside) => sumFigures(visit, beside, soon, filters, text)),
            ),
            pointers(visit, since, text),
            currencies.map(
              (currency) =>
                html`<div class="pictures">${courseOf(visit, currency, course, text)}${ladderOf(visit, currency, ladder, filters, text, ladderThen)}</div>${ageingOf(visit, currency, ages, filters, text, agesThen)}`,
            ),
            html`<h2 id="by">${text.t('portfolio.by')}</h2>`,
            groupLinks(visit, by, text),
            groupTable(visit, by, groups, caption(text), text, groupsThen),
            totalsTable(
              ladder,
              text.t(own ? 'portfolio.ownTotals' : 'portfolio.totals'),
              text,
              ladderThen,
            ),
          ],
  });
}

/** Of positions a lender sees its own alone; who is the agent of a deal too sees all, and names its own. */
function ownLenders({ roles, parties }: Caller): readonly string[] {
  return seesLenders(roles) ? parties.map(({ id }) => id) : [];
}

/** What the sums were at the time of the comparison; without one, at the last visit, where that differs. */
function changeOf(
  ladder: Totals,
  then: Was<Totals> | undefined,
  since: string | undefined,
): Was<Totals['totals']> | undefined {
  if (then !== undefined) return wasOf(then, ({ comparedTotals }) => comparedTotals);
  const { comparedTotals = [], totals } = ladder;
  if (since === undefined || comparedTotals.length === 0) return undefined;
  const isSame = JSON.stringify(comparedTotals) === JSON.stringify(totals);
  return isSame ? undefined : { before: comparedTotals };
}

function nothing(visit: Visit, begins: string | undefined, text: Text): Html {
  return html`<div class="notice empty">${nothingText(visit, begins, text)}<p><a href="${pageAddress('/deals', visit.query, { includeZero: 'true' })}">${text.t('deals.showZero')}</a></p></div>`;
}

/** To what wants a look: each is a list that the filters of the deals, or a day, leave. */
function pointers({ query, times }: Visit, since: string | undefined, text: Text): Html {
  const changed =
    since === undefined
      ? text.t('portfolio.changed')
      : text.t('portfolio.changedSince', { at: text.dateTime(since) });
  const [maturityFrom, maturityTo] = quarterAfter(times.asOf);
  const quarter = { from: text.date(maturityFrom), to: text.date(maturityTo) };
  const next = { maturityFrom, maturityTo, sort: 'maturityDate' };
  // Also those that come to zero now.
  const restated = { restated: 'true', includeZero: 'true' };
  const links = [
    [text.t('portfolio.nextQuarter', quarter), pageAddress('/deals', query, next)],
    [text.t('portfolio.pastDue'), pageAddress('/deals', query, { pastDue: 'true' })],
    [text.t('portfolio.restated'), pageAddress('/deals', query, restated)],
    [changed, pageAddress('/changes', query, { since: since ?? daysBefore(times.knownAt, 1) })],
  ] as const;
  return html`<ul class="links">${links.map(([label, href]) => html`<li><a href="${href}">${label}</a></li>`)}</ul>`;
}

/** A lender changes between its share and the global amounts of the same deals. */
function whose({ ctx, query }: Visit, own: boolean, roles: readonly string[], text: Text) {
  if (!own && !roles.includes('lender')) return undefined;
  const links = [
    { view: 'own', label: text.t('portfolio.own'), chosen: own },
    { view: 'global', label: text.t('portfolio.global'), chosen: !own },
  ].map(({ view, label, chosen }) =>
    chosen
      ? html`<li><span class="chosen">${label}</span></li>`
      : html`<li><a href="${sameWith(ctx.path, query, { view, lenderId: undefined })}">${label}</a></li>`,
  );
  return html`<ul class="presets">${links}</ul>`;
}

function groupLinks({ ctx, query }: Visit, by: Group, text: Text): Html {
  const links = GROUPS.map((group) => {
    const label = text.t(`group.${group}`);
    return group === by
      ? html`<li><span class="chosen">${label}</span></li>`
      : html`<li><a href="${`${sameWith(ctx.path, query, { by: group })}#by`}">${label}</a></li>`;
  });
  return html`<ul class="presets">${links}</ul>`;
}

export function groupsHead(by: Group, text: Text): ListHead {
  const group = { label: text.t(`group.${by}`) };
  return {
    id: 'groups',
    columns: [group, { label: text.t('column.currency') }, ...sumColumns(text)],
  };
}

/** The greatest groups of each currency, and what the others come to: together they are the total. */
export function groupTable(
  visit: Visit,
  by: Group,
  groups: Totals,
  caption: string,
  text: Text,
  then: Was<Totals> | undefined,
): Html {
  const wholeOf = ({ currency }: GroupTotal) =>
    groups.totals.find((sum) => sum.currency === currency)?.principalOutstanding;
  const rows = groups.data.map(
    (group) => html`
<tr><th scope="row">${groupName(visit, by, group, text)}</th><td>${group.currency}</td>${sumCells(group, text, groupThen(group, then), wholeOf(group))}</tr>`,
  );
  const rest = groups.rest.map(
    (sum) => html`
<tr><th scope="row">${text.t('portfolio.rest')}</th><td>${sum.currency}</td>${sumCells(sum, text, groupThen(sum, then))}</tr>`,
  );
  return table({ ...groupsHead(by, text), caption, rows: [...rows, ...rest], isList: true });
}

/** Leads to the page of a party, or to the deals of a country; of other groups there is no list. */
function groupName({ query }: Visit, by: Group, group: GroupTotal, text: Text) {
  const { value, name, currency, country } = group;
  if (value === null) return text.t('portfolio.none');
  const label = name ?? value;
  switch (by) {
    case 'borrower':
      return html`<a href="${pageAddress(`/borrowers/${value}`, query)}">${label}</a>${country != null && html` <small>${countryName(country, text.locale)}</small>`}`;
    case 'lender':
      return html`<a href="${pageAddress(`/lenders/${value}`, query)}">${label}</a>`;
    case 'country':
      return html`<a href="${pageAddress('/deals', query, { country: value, currency })}">${countryName(value, text.locale)}</a>`;
    default:
      return wordOf(by, value, text);
  }
}

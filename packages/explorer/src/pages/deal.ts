import { type Html, html } from '@cls/shared/http/html';
import { ApiRefused } from '../balances/api-client.ts';
import type { BalanceItem, Deal, Line, Share } from '../balances/shapes.ts';
import { pageAddress } from '../web/address.ts';
import { isZero, roundedPercent, sumOf } from '../web/amounts.ts';
import { countryName } from '../web/countries.ts';
import type { Text } from '../web/text.ts';
import {
  amountCell,
  amountText,
  beforeText,
  dateCell,
  facts,
  figureCell,
  globalName,
  instantText,
  marks,
  projectedMark,
  table,
  type Was,
  wordOf,
} from './cells.ts';
import { comparedWith, readThen, wasOf } from './compare.ts';
import { figures } from './figures.ts';
import { absent, readDeal } from './not-yet.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import { dayAfter } from './time-presets.ts';
import type { Times, Visit } from './visit.ts';

/**
 * `/deals/{id}`: the deal per currency, its facilities, and its lenders with their sum. With the
 * times of a comparison each amount stands beside what it was then.
 */
export async function dealPage(deps: PageDeps, visit: Visit): Promise<void> {
  const id = visit.parts['id'] ?? '';
  const read = (times: Times) => readDeal(deps, visit, id, times);
  const answers = await Promise.all([
    read(timesAsked(visit)),
    readThen(visit, read),
    whoAsks(deps, visit),
  ]).catch((error: unknown) => {
    if (error instanceof ApiRefused && error.code === 'not_found') return undefined;
    throw error;
  });
  if (answers === undefined) return absent(deps, visit, id);
  const [answer, then, who] = answers;
  const { data: deal, meta } = answer;
  const was = wasOf(then, ({ data }) => data);
  const asked = VIEWS.find((name) => name === visit.query.get('view'));
  const view =
    asked === undefined || (asked === 'lenders' && !hasLenders(deal)) ? 'overview' : asked;
  const shows = (part: DealTab) => view === part || view === 'all';
  const balanceThen = (item: BalanceItem) =>
    wasOf(was, ({ balances }) => balances.find(({ id }) => id === item.id));
  showPage(deps, visit, {
    title: () => dealTitle(deal),
    detail: (text) => (view === 'all' ? '' : text.t(`tab.${view}`)),
    place: 'deals',
    who,
    meta,
    begins: deal.dataFrom,
    compares: true,
    answers: [answer],
    body: (text) => [
      dealHead(visit, deal, view, text, balanceThen),
      comparedWith(visit, then, deal.dataFrom, text),
      shows('overview') && [
        facilitiesTable(visit, deal, text, was),
        html`<div class="beside">${deal.balances.map((item) => amountsTable(item, text, balanceThen(item)))}</div>`,
      ],
      shows('lenders') &&
        deal.balances.map((item) => lendersTable(item, visit, text, balanceThen(item))),
      shows('numbers') &&
        html`<div class="beside">${deal.balances.map((item) => provenance(item, text, visit))}</div>`,
      fileLinks(visit, deal, text),
    ],
  });
}

const VIEWS = ['overview', 'lenders', 'numbers', 'all'] as const;
export type DealTab = (typeof VIEWS)[number] | 'roll-forward' | 'movements';

export function dealTitle({ dealNumber, name }: Pick<Deal, 'dealNumber' | 'name'>): string {
  return `${dealNumber} ${name}`;
}

/**
 * Whose deal it is, what matters of it per currency, and the way to its parts.
 *
 * @param was what a balance was, where the page compares
 */
export function dealHead(
  visit: Visit,
  deal: Deal,
  tab: DealTab,
  text: Text,
  was?: (item: BalanceItem) => Was<BalanceItem> | undefined,
): Html {
  const { query } = visit;
  const base = `/deals/${deal.id}`;
  const several = deal.balances.length > 1;
  const [first] = deal.balances;
  const { country } = first?.borrower ?? {};
  const borrower = html`<a href="${pageAddress(`/borrowers/${deal.borrower.id}`, query)}">${deal.borrower.name}</a>${country !== undefined && `, ${countryName(country, text.locale)}`}`;
  const tabs = [
    ['overview', base, {}],
    ...(hasLenders(deal) ? ([['lenders', base, { view: 'lenders' }]] as const) : []),
    ['roll-forward', `${base}/roll-forward`, {}],
    ['movements', `${base}/movements`, {}],
    ['changes', '/changes', { dealId: deal.id }],
    ['numbers', base, { view: 'numbers' }],
    ['all', base, { view: 'all' }],
  ] as const;
  const links = tabs.map(
    ([name, path, more]) =>
      html`<li><a href="${pageAddress(path, query, more)}"${name === tab && html` aria-current="page"`}>${text.t(`tab.${name}`)}</a></li>`,
  );
  return html`${facts([
    [text.t('column.borrower'), borrower],
    [text.t('deal.agent'), deal.agent?.name],
    [text.t('deal.guarantor'), deal.guarantor?.name],
    [
      text.t('column.status'),
      html`${wordOf('status', deal.status, text)}${deal.balances.map((item) => marks(item, text, restatedAddress(visit, base, item), several ? item.currency : undefined))}`,
    ],
    [text.t('facility.nextPayment'), dateOf(nextPayment(deal), text)],
    [text.t('deal.closing'), dateOf(deal.closingDate, text)],
    [text.t('deal.role'), deal.roles.map((role) => wordOf('role', role, text)).join(', ')],
  ])}${deal.balances.map((item) => itemFigures(visit, item, text, was?.(item)))}
<nav class="tabs" aria-label="${text.t('tab.label')}"><ul>${links}</ul></nav>`;
}

/** When the next bill is due; undefined where none is known, or not all facilities are told. */
function nextPayment({ facilities, hasMoreFacilities }: Deal): string | undefined {
  const dates = facilities.flatMap(({ terms }) => terms?.nextPaymentDate ?? []).sort();
  return hasMoreFacilities ? undefined : dates[0];
}

/** To an item's page, compared with what was reported before; undefined where nothing else was. */
export function restatedAddress(
  { query }: Visit,
  path: string,
  { provenance: { restatedFrom } }: BalanceItem,
): string | undefined {
  if (restatedFrom === null) return undefined;
  return pageAddress(path, query, { cmpAsOf: undefined, cmpKnownAt: restatedFrom.knownAt });
}

/** A lender sees its own share beside the global amounts, and no others. */
function hasLenders({ balances }: Deal): boolean {
  return balances.some(({ lenders, share }) => lenders.length > 0 && share === null);
}

/** What matters of an item, at a glance: of the reader's own share where it has one. */
export function itemFigures(
  visit: Visit,
  item: BalanceItem,
  text: Text,
  then: Was<BalanceItem> | undefined,
): Html {
  const { share, global, currency } = item;
  const line = share ?? global;
  const of = share === null ? undefined : text.t('deal.ownShare', { lender: share.lender.name });
  const late = PAST_DUE.filter(([, amount]) => !isZero(amount(line))).map(([name, amount]) =>
    text.t(`figure.${name}`, { amount: text.short(amount(line)) }),
  );
  // A lender may have no part of what is late.
  const since = isZero(line.total.pastDue) ? undefined : lateSince(visit, item, text);
  const lineThen = wasOf(then, share === null ? (one) => one.global : ownShare);
  const amountOf = (of: (line: Line) => string) => ({ amount: of(line), was: wasOf(lineThen, of) });
  return figures(
    currency,
    [
      { label: text.t('column.outstanding'), ...amountOf(OUTSTANDING), note: of },
      {
        label: text.t('column.unfunded'),
        ...amountOf(({ commitment }) => commitment.unfunded),
        note: text.t('figure.available', { amount: text.short(line.commitment.available) }),
      },
      {
        label: text.t('column.pastDue'),
        ...amountOf(({ total }) => total.pastDue),
        note: [...late, ...(since === undefined ? [] : [since])].join(', '),
        isAlarming: true,
        isGrowing: true,
      },
      {
        label: text.t('column.interestAccrued'),
        ...amountOf(({ interest }) => interest.accrued),
        isGrowing: true,
      },
      {
        label: text.t('column.totalOutstanding'),
        ...amountOf(({ total }) => total.outstanding),
        isGrowing: true,
      },
    ],
    text,
  );
}

/** For how many days something of an item is past due, and since when; undefined where nothing is. */
export function lateSince({ times }: Visit, { status }: BalanceItem, text: Text) {
  const { daysPastDue: days = 0 } = status;
  if (days === 0) return undefined;
  const since = text.date(dayAfter(times.asOf, -days));
  return text.t('deal.lateSince', { days: text.number(days), since });
}

const PAST_DUE = [
  ['principal', ({ principal }: Line) => principal.pastDue],
  ['interest', ({ interest }: Line) => interest.pastDue],
  ['fees', ({ fees }: Line) => fees.pastDue],
] as const;

/** Files of what the page shows: each facility, and each lender's position to whom it is shown. */
function fileLinks({ query }: Visit, { id, roles }: Deal, text: Text): Html {
  const href = (file: string) => pageAddress(file, query, { dealId: id, includeZero: 'true' });
  const positions = roles.some((role) => role !== 'borrower');
  return html`<p class="downloads"><a href="${href('/facilities.csv')}">${text.t('download.facilities')}</a>${positions && html` <a href="${href('/positions.csv')}">${text.t('download.positions')}</a>`}</p>`;
}

export function dateOf(day: string | null | undefined, text: Text): string | undefined {
  return day == null ? undefined : text.date(day);
}

const OUTSTANDING = ({ principal }: Line) => principal.outstanding;
const EXCHANGE_ADJUSTMENT = ({ principal }: Line) => principal.exchangeAdjustment;
const PIK_ACCRUED = ({ interest }: Line) => interest.pikAccrued;
/** Each with its name; a third one decides whether the row stands there: it does where that is not zero. */
const AMOUNTS: readonly (readonly [
  name: string,
  of: (line: Line) => string,
  shownWith?: (line: Line) => string,
])[] = [
  ['commitment', ({ commitment }) => commitment.current],
  ['unfunded', ({ commitment }) => commitment.unfunded],
  ['available', ({ commitment }) => commitment.available],
  ['letterOfCredit', ({ commitment }) => commitment.letterOfCredit],
  ['outstanding', OUTSTANDING],
  ['exchangeAdjustment', EXCHANGE_ADJUSTMENT, EXCHANGE_ADJUSTMENT],
  ['obligation', ({ principal }) => principal.obligation, EXCHANGE_ADJUSTMENT],
  ['principalPastDue', ({ principal }) => principal.pastDue],
  ['interestAccrued', ({ interest }) => interest.accrued],
  ['pikAccrued', PIK_ACCRUED, PIK_ACCRUED],
  ['interestDue', ({ interest }) => interest.due],
  ['interestPastDue', ({ interest }) => interest.pastDue],
  ['feesAccrued', ({ fees }) => fees.accrued],
  ['feesDue', ({ fees }) => fees.due],
  ['feesPastDue', ({ fees }) => fees.pastDue],
  ['totalOutstanding', ({ total }) => total.outstanding],
  ['pastDue', ({ total }) => total.pastDue],
];

/** The amounts of an item, the reader's own share first. */
export function amountsTable(
  { currency, share, global }: BalanceItem,
  text: Text,
  was: Was<BalanceItem> | undefined,
): Html {
  const columns = [
    { label: text.t('column.amount') },
    ...(share === null
      ? []
      : [{ label: text.t('deal.ownShare', { lender: share.lender.name }), numeric: true }]),
    { label: text.t('deal.global'), numeric: true },
  ];
  const [ownThen, globalThen] = [wasOf(was, ownShare), wasOf(was, (then) => then.global)];
  const lines = [share, global, ownThen?.before, globalThen?.before].flatMap((line) => line ?? []);
  const rows = AMOUNTS.map(([name, of, shownWith]) => {
    if (shownWith !== undefined && lines.every((line) => isZero(shownWith(line)))) return undefined;
    const [key, about] = [`column.${name}`, `about.${name}`];
    return html`
<tr><th scope="row">${text.has(key) && text.t(key)}${text.has(about) && html` <small>${text.t(about)}</small>`}</th>${share !== null && figureCell(name, of(share), text, wasOf(ownThen, of))}${figureCell(name, of(global), text, wasOf(globalThen, of))}</tr>`;
  });
  const caption = text.t('deal.amounts', { currency });
  return table({ caption, columns, rows, id: `amounts-${currency}` });
}

/** Undefined where the reader had no share. */
export function ownShare({ share }: BalanceItem): Share | undefined {
  return share ?? undefined;
}

/** Whoever sees each share sees that they add up; a lender sees its own alone. */
export function lendersTable(
  { lenders, share, global, currency }: BalanceItem,
  { query }: Visit,
  text: Text,
  was: Was<BalanceItem> | undefined,
) {
  if (lenders.length === 0 || share !== null) return undefined;
  const columns = [
    { label: text.t('column.lender') },
    { label: text.t('column.fraction'), numeric: true },
    ...SUMMED.map(([name]) => ({ label: text.t(`column.${name}`), numeric: true })),
  ];
  const rows = lenders.map((one) => {
    const then = wasOf(was, (item) =>
      item.lenders.find(({ lender }) => lender.id === one.lender.id),
    );
    return html`
<tr><th scope="row"><a href="${pageAddress(`/lenders/${one.lender.id}`, query)}">${one.lender.name}</a></th><td>${one.fraction !== null && roundedPercent(one.fraction, text.locale)}</td>${SUMMED.map(([name, of]) => figureCell(name, of(one), text, wasOf(then, of)))}</tr>`;
  });
  const foot = html`<tr><th scope="row">${text.t('deal.sumOfLenders')}</th><td></td>${SUMMED.map((figure) => sumCell(lenders, global, figure, text, was))}</tr>`;
  const caption = text.t('deal.lenders', { currency });
  return table({ caption, columns, rows, foot, id: `lenders-${currency}` });
}

type Summed = 'commitment' | 'outstanding' | 'interestAccrued' | 'feesAccrued';
const SUMMED: readonly (readonly [Summed, (line: Line) => string])[] = [
  ['commitment', ({ commitment }) => commitment.current],
  ['outstanding', ({ principal }) => principal.outstanding],
  ['interestAccrued', ({ interest }) => interest.accrued],
  ['feesAccrued', ({ fees }) => fees.accrued],
];

/** The sum in whole minor units, beside the global amount that it must be. */
function sumCell(
  lenders: readonly Share[],
  global: Line,
  [name, of]: (typeof SUMMED)[number],
  text: Text,
  was: Was<BalanceItem> | undefined,
) {
  const then = wasOf(was, (item) => sumOf(item.lenders.map(of)));
  const sum = sumOf(lenders.map(of));
  const equal = sum === of(global);
  const isGrowing = name === 'interestAccrued' || name === 'feesAccrued';
  return html`<td>${amountText(sum, text)}${isGrowing && projectedMark(text)} <span class="${equal ? 'equal' : 'unequal'}">${text.t(equal ? 'deal.equal' : 'deal.unequal')}</span>${beforeText(sum, text, then)}</td>`;
}

const FACILITY_AMOUNTS = [
  ['outstanding', OUTSTANDING],
  ['commitment', ({ commitment }: Line) => commitment.current],
  ['available', ({ commitment }: Line) => commitment.available],
] as const;

function facilitiesTable(
  { query }: Visit,
  deal: Deal,
  text: Text,
  was: Was<Deal> | undefined,
): Html {
  const { facilities: data, hasMoreFacilities } = deal;
  const share = data.find((item) => item.share !== null)?.share ?? null;
  const withOwn = share !== null;
  const columns = [
    { label: text.t('column.facility') },
    { label: text.t('column.type') },
    { label: text.t('column.currency') },
    ...(withOwn ? [{ label: text.t('column.ownOutstanding'), numeric: true }] : []),
    ...FACILITY_AMOUNTS.map(([name]) => ({
      label: globalName(text.t(`column.${name}`), share, text),
      numeric: true,
    })),
    { label: text.t('column.maturity') },
    { label: text.t('column.status') },
  ];
  const rows = data.map((item) => {
    const then = wasOf(was, ({ facilities }) => facilities.find(({ id }) => id === item.id));
    const own = wasOf(then, ownShare);
    const amounts = FACILITY_AMOUNTS.map(([, of]) =>
      amountCell(
        of(item.global),
        text,
        wasOf(then, ({ global }) => of(global)),
        of === OUTSTANDING ? item.global.commitment.current : undefined,
      ),
    );
    return html`
<tr><th scope="row"><a href="${pageAddress(`/facilities/${item.facility?.id ?? ''}`, query)}">${item.facility?.name}</a></th><td>${wordOf('facilityType', item.facility?.type ?? '', text)}</td><td>${item.currency}</td>${withOwn && amountCell(item.share?.principal.outstanding, text, wasOf(own, OUTSTANDING))}${amounts}${dateCell(dateOf(item.facility?.maturityDate, text))}<td>${wordOf('status', item.status.facility ?? '', text)}${marks(item, text)}</td></tr>`;
  });
  const caption = text.t('deal.facilities');
  return html`<h2>${caption}</h2>${table({ caption, underHeading: true, columns, rows, id: 'facilities' })}${hasMoreFacilities && html`<p>${text.t('deal.moreFacilities')}</p>`}`;
}

export function provenance(item: BalanceItem, text: Text, visit: Visit): Html {
  const { provenance: from, currency } = item;
  const { lastPostedAt, ledgerSeq, restatedFrom } = from;
  return html`<section class="provenance"><h2>${text.t('provenance.title', { currency })}</h2>${facts(
    [
      [text.t('deal.lastEffective'), dateOf(from.lastEffectiveDate, text)],
      [
        text.t('provenance.lastPosted'),
        lastPostedAt === null ? undefined : instantText(lastPostedAt, text),
      ],
      [text.t('provenance.ledgerSeq'), text.number(ledgerSeq)],
      [
        text.t('provenance.restated'),
        restatedFrom === null
          ? undefined
          : html`${text.t('provenance.restatedFrom', { at: text.dateTime(restatedFrom.knownAt) })} <a href="${restatedAddress(visit, visit.ctx.path, item)}">${text.t('compare.show')}</a>`,
      ],
    ],
  )}</section>`;
}

import { type Html, html } from '@cls/shared/http/html';
import { ApiRefused } from '../balances/api-client.ts';
import type { BalanceItem, Deal, Line, Share, Single } from '../balances/shapes.ts';
import { pageAddress } from '../web/address.ts';
import { difference, sumOf } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { amountCell, amountText, facts, marks, table, wordOf } from './cells.ts';
import { compareAddress, comparedTimes, comparedWith, compareForm } from './compare.ts';
import { problemPage } from './problem-page.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import type { Times, Visit } from './visit.ts';

/**
 * `/deals/{id}`: the deal per currency, its facilities, and its lenders with their sum. With the
 * times of a comparison each amount stands beside what it was then.
 */
export async function dealPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, parts } = visit;
  const path = `/deals/${parts['id'] ?? ''}`;
  const compared = comparedTimes(visit);
  const [{ data: deal, meta }, then, who] = await Promise.all([
    deps.api.read<Single<Deal>>(asker, path, timesAsked(visit)),
    compared && readThen(deps, visit, path, compared),
    whoAsks(deps, visit),
  ]);
  const before = (currency: string) =>
    then?.data.balances.find((item) => item.currency === currency);
  showPage(deps, visit, {
    title: () => `${deal.dealNumber} ${deal.name}`,
    place: 'deals',
    who,
    meta,
    body: (text) => [
      head(visit, deal, text),
      compareForm(visit, text),
      compared !== undefined && comparedWith(compared, then !== undefined, text),
      deal.balances.map((item) => currencySection(item, text, before(item.currency))),
      facilitiesTable(visit, deal, text),
      deal.balances.map((item) => provenance(item, text, visit)),
    ],
  });
}

const ABSENT = ['not_found', 'as_of_before_book', 'known_at_before_book'];

/** Undefined where the deal was not there then. */
async function readThen(
  { api }: PageDeps,
  { asker }: Visit,
  path: string,
  then: Times,
): Promise<Single<Deal> | undefined> {
  try {
    return await api.read<Single<Deal>>(asker, path, { ...then });
  } catch (error) {
    if (error instanceof ApiRefused && ABSENT.includes(error.code)) return undefined;
    throw error;
  }
}

/** A deal that was not granted reads as one that does not exist. */
export function absent({ pages }: PageDeps, { ctx, query }: Visit): void {
  ctx.state['refused'] = 'absent';
  pages.show(ctx, 404, problemPage('not_found', { href: pageAddress('/deals', query) }));
}

function head({ query, parts }: Visit, deal: Deal, text: Text): Html {
  const base = `/deals/${parts['id'] ?? ''}`;
  const [first] = deal.balances;
  const { daysPastDue = 0 } = first?.status ?? {};
  const { country } = first?.borrower ?? {};
  return html`${facts([
    [
      text.t('column.borrower'),
      country === undefined ? deal.borrower.name : `${deal.borrower.name} (${country})`,
    ],
    [text.t('deal.agent'), deal.agent?.name],
    [text.t('deal.guarantor'), deal.guarantor?.name],
    [text.t('column.status'), wordOf('status', deal.status, text)],
    [text.t('deal.closing'), dateOf(deal.closingDate, text)],
    [text.t('deal.role'), deal.roles.map((role) => wordOf('role', role, text)).join(', ')],
    [text.t('deal.daysPastDue'), daysPastDue > 0 ? text.count(daysPastDue) : undefined],
  ])}<p>${deal.balances.map((item) => marks(item, text))}</p>
<ul class="links"><li><a href="${pageAddress(`${base}/roll-forward`, query)}">${text.t('rollForward.title')}</a></li><li><a href="${pageAddress(`${base}/movements`, query)}">${text.t('movements.title')}</a></li></ul>`;
}

export function dateOf(day: string | null | undefined, text: Text): string | undefined {
  return day == null ? undefined : text.date(day);
}

const AMOUNTS: readonly (readonly [string, (line: Line) => string])[] = [
  ['outstanding', ({ principal }) => principal.outstanding],
  ['pastDue', ({ total }) => total.pastDue],
  ['commitment', ({ commitment }) => commitment.current],
  ['unfunded', ({ commitment }) => commitment.unfunded],
  ['available', ({ commitment }) => commitment.available],
  ['letterOfCredit', ({ commitment }) => commitment.letterOfCredit],
  ['interestAccrued', ({ interest }) => interest.accrued],
  ['interestDue', ({ interest }) => interest.due],
  ['feesAccrued', ({ fees }) => fees.accrued],
  ['feesDue', ({ fees }) => fees.due],
  ['totalOutstanding', ({ total }) => total.outstanding],
];

/** The amounts of an item, the reader's own share first, and its lenders. */
export function currencySection(item: BalanceItem, text: Text, before?: BalanceItem): Html {
  const { currency, share, global } = item;
  const columns = [
    { label: text.t('column.amount') },
    ...(share === null
      ? []
      : [{ label: text.t('deal.ownShare', { lender: share.lender.name }), numeric: true }]),
    { label: text.t('deal.global'), numeric: true },
    ...(before === undefined
      ? []
      : [
          { label: text.t('compare.then'), numeric: true },
          { label: text.t('compare.difference'), numeric: true },
        ]),
  ];
  const rows = AMOUNTS.map(([name, of]) => {
    const key = `column.${name}`;
    return html`
<tr><th scope="row">${text.has(key) && text.t(key)}</th>${share !== null && amountCell(of(share), text)}${amountCell(of(global), text)}${before !== undefined && [amountCell(of(before.global), text), amountCell(difference(of(before.global), of(global)), text)]}</tr>`;
  });
  const caption = text.t('deal.amounts', { currency });
  return html`<section><h2>${currency}</h2>
${table({ caption, columns, rows, id: `amounts-${currency}` })}
${lendersTable(item, text)}</section>`;
}

/** Whoever sees each share sees that they add up; a lender sees its own alone. */
function lendersTable({ lenders, share, global, currency }: BalanceItem, text: Text) {
  if (lenders.length === 0 || share !== null) return undefined;
  const columns = [
    { label: text.t('column.lender') },
    { label: text.t('column.fraction'), numeric: true },
    ...['commitment', 'outstanding', 'interestAccrued', 'feesAccrued'].map((name) => ({
      label: text.t(`column.${name}` as 'column.outstanding'),
      numeric: true,
    })),
  ];
  const rows = lenders.map(
    (one) => html`
<tr><th scope="row">${one.lender.name}</th><td class="n">${one.fraction === null ? '' : fractionText(one.fraction, text)}</td>${SUMMED.map((of) => amountCell(of(one), text))}</tr>`,
  );
  const foot = html`<tr><th scope="row">${text.t('deal.sumOfLenders')}</th><td></td>${SUMMED.map((of) => sumCell(lenders, global, of, text))}</tr>`;
  const caption = text.t('deal.lenders', { currency });
  return table({ caption, columns, rows, foot, id: `lenders-${currency}` });
}

const SUMMED: readonly ((line: Line) => string)[] = [
  ({ commitment }) => commitment.current,
  ({ principal }) => principal.outstanding,
  ({ interest }) => interest.accrued,
  ({ fees }) => fees.accrued,
];

/** The sum in whole minor units, beside the global amount that it must be. */
function sumCell(lenders: readonly Share[], global: Line, of: (line: Line) => string, text: Text) {
  const sum = sumOf(lenders.map(of));
  const equal = sum === of(global);
  return html`<td class="n">${amountText(sum, text)} <span class="${equal ? 'equal' : 'unequal'}">${text.t(equal ? 'deal.equal' : 'deal.unequal')}</span></td>`;
}

/** Cut at six decimals of a fraction, as shares are quoted; the API has twelve. */
function fractionText(fraction: string, { locale }: Text): string {
  const cut = fraction.replace(/(\.\d{6})\d*$/, '$1');
  return locale === 'de' ? cut.replace('.', ',') : cut;
}

function facilitiesTable({ query }: Visit, deal: Deal, text: Text): Html {
  const { facilities: data, hasMoreFacilities } = deal;
  const own = data.some(({ share }) => share !== null);
  const columns = [
    { label: text.t('column.facility') },
    { label: text.t('column.type') },
    { label: text.t('column.currency') },
    ...(own ? [{ label: text.t('column.ownOutstanding'), numeric: true }] : []),
    { label: text.t('column.outstanding'), numeric: true },
    { label: text.t('column.commitment'), numeric: true },
    { label: text.t('column.available'), numeric: true },
    { label: text.t('column.maturity') },
    { label: text.t('column.status') },
  ];
  const rows = data.map(
    (item) => html`
<tr><th scope="row"><a href="${pageAddress(`/facilities/${item.facility?.id ?? ''}`, query)}">${item.facility?.name}</a></th><td>${wordOf('facilityType', item.facility?.type ?? '', text)}</td><td>${item.currency}</td>${own && amountCell(item.share?.principal.outstanding, text)}${amountCell(item.global.principal.outstanding, text)}${amountCell(item.global.commitment.current, text)}${amountCell(item.global.commitment.available, text)}<td>${dateOf(item.facility?.maturityDate, text)}</td><td>${wordOf('status', item.status.facility ?? '', text)} ${marks(item, text)}</td></tr>`,
  );
  const caption = text.t('deal.facilities');
  return html`<h2>${caption}</h2>${table({ caption, underHeading: true, columns, rows, id: 'facilities' })}${hasMoreFacilities && html`<p>${text.t('deal.moreFacilities')}</p>`}`;
}

export function provenance(
  { provenance: from, currency }: BalanceItem,
  text: Text,
  visit?: Visit,
): Html {
  const { lastPostedAt, ledgerSeq, restatedFrom } = from;
  return html`<section class="provenance"><h2>${text.t('provenance.title', { currency })}</h2>${facts(
    [
      [text.t('deal.lastEffective'), dateOf(from.lastEffectiveDate, text)],
      [
        text.t('provenance.lastPosted'),
        lastPostedAt === null ? undefined : text.instant(lastPostedAt),
      ],
      [text.t('provenance.ledgerSeq'), text.count(ledgerSeq)],
      [
        text.t('provenance.restated'),
        restatedFrom === null
          ? undefined
          : html`${text.t('provenance.restatedFrom', { at: text.instant(restatedFrom.knownAt) })}${visit !== undefined && html` <a href="${compareAddress(visit, restatedFrom.knownAt)}">${text.t('compare.show')}</a>`}`,
      ],
    ],
  )}</section>`;
}

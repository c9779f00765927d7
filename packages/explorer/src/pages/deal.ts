import { type Html, html } from '@cls/shared/http/html';
import { ApiRefused } from '../balances/api-client.ts';
import type { BalanceItem, Deal, Line, Share, Single } from '../balances/shapes.ts';
import { pageAddress } from '../web/address.ts';
import { sumOf } from '../web/amounts.ts';
import type { Text } from '../web/text.ts';
import { apiCall } from './api-call.ts';
import {
  amountCell,
  amountText,
  beforeText,
  facts,
  figureCell,
  marks,
  projectedMark,
  table,
  type Was,
  wordOf,
} from './cells.ts';
import { compareAddress, comparedWith, compareForm, readThen, wasOf } from './compare.ts';
import { absent } from './not-yet.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

/**
 * `/deals/{id}`: the deal per currency, its facilities, and its lenders with their sum. With the
 * times of a comparison each amount stands beside what it was then.
 */
export async function dealPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, parts } = visit;
  const path = `/deals/${parts['id'] ?? ''}`;
  const read = (times: { asOf: string; knownAt: string }) =>
    deps.api.read<Single<Deal>>(asker, path, times);
  const answers = await Promise.all([
    read(timesAsked(visit)),
    readThen(visit, read),
    whoAsks(deps, visit),
  ]).catch((error: unknown) => {
    if (error instanceof ApiRefused && error.code === 'not_found') return undefined;
    throw error;
  });
  if (answers === undefined) return absent(deps, visit, parts['id'] ?? '');
  const [answer, then, who] = answers;
  const { data: deal, meta } = answer;
  const was = wasOf(then, ({ data }) => data);
  showPage(deps, visit, {
    title: () => `${deal.dealNumber} ${deal.name}`,
    place: 'deals',
    who,
    meta,
    begins: deal.dataFrom,
    body: (text) => [
      head(visit, deal, text),
      compareForm(visit, deal.dataFrom, text),
      comparedWith(visit, then, deal.dataFrom, text),
      deal.balances.map((item) =>
        currencySection(
          item,
          text,
          apiCall(deps, answer, text),
          wasOf(was, ({ balances }) => balances.find(({ id }) => id === item.id)),
        ),
      ),
      fileLinks(visit, deal, text),
      facilitiesTable(visit, deal, text, apiCall(deps, answer, text), was),
      deal.balances.map((item) => provenance(item, text, visit)),
    ],
  });
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
    [
      text.t('deal.daysPastDue'),
      daysPastDue > 0 ? html`${text.number(daysPastDue)}${projectedMark(text)}` : undefined,
    ],
  ])}<p>${deal.balances.map((item) => marks(item, text))}</p>
<ul class="links"><li><a href="${pageAddress(`${base}/roll-forward`, query)}">${text.t('rollForward.title')}</a></li><li><a href="${pageAddress(`${base}/movements`, query)}">${text.t('movements.title')}</a></li></ul>`;
}

/** Files of what the page shows: each facility, and each lender's position to whom it is shown. */
function fileLinks({ query }: Visit, { id, roles }: Deal, text: Text): Html {
  const href = (file: string) => pageAddress(file, query, { dealId: id });
  const positions = roles.some((role) => role !== 'borrower');
  return html`<p class="downloads"><a href="${href('/facilities.csv')}">${text.t('download.facilities')}</a>${positions && html` <a href="${href('/positions.csv')}">${text.t('download.positions')}</a>`}</p>`;
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
export function currencySection(
  item: BalanceItem,
  text: Text,
  call: Html | undefined,
  was: Was<BalanceItem> | undefined,
): Html {
  const { currency, share, global } = item;
  const columns = [
    { label: text.t('column.amount') },
    ...(share === null
      ? []
      : [{ label: text.t('deal.ownShare', { lender: share.lender.name }), numeric: true }]),
    { label: text.t('deal.global'), numeric: true },
  ];
  const [ownThen, globalThen] = [wasOf(was, ownShare), wasOf(was, (then) => then.global)];
  const rows = AMOUNTS.map(([name, of]) => {
    const key = `column.${name}`;
    return html`
<tr><th scope="row">${text.has(key) && text.t(key)}</th>${share !== null && figureCell(name, of(share), text, wasOf(ownThen, of))}${figureCell(name, of(global), text, wasOf(globalThen, of))}</tr>`;
  });
  const caption = text.t('deal.amounts', { currency });
  return html`<section><h2>${currency}</h2>
${table({ caption, columns, rows, call, id: `amounts-${currency}` })}
${lendersTable(item, text, call, was)}</section>`;
}

/** Undefined where the reader had no share. */
export function ownShare({ share }: BalanceItem): Share | undefined {
  return share ?? undefined;
}

/** Whoever sees each share sees that they add up; a lender sees its own alone. */
function lendersTable(
  { lenders, share, global, currency }: BalanceItem,
  text: Text,
  call: Html | undefined,
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
<tr><th scope="row">${one.lender.name}</th><td class="n">${one.fraction === null ? '' : fractionText(one.fraction, text)}</td>${SUMMED.map(([name, of]) => figureCell(name, of(one), text, wasOf(then, of)))}</tr>`;
  });
  const foot = html`<tr><th scope="row">${text.t('deal.sumOfLenders')}</th><td></td>${SUMMED.map((figure) => sumCell(lenders, global, figure, text, was))}</tr>`;
  const caption = text.t('deal.lenders', { currency });
  return table({ caption, columns, rows, foot, call, id: `lenders-${currency}` });
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
  return html`<td class="n">${amountText(sum, text)}${isGrowing && projectedMark(text)} <span class="${equal ? 'equal' : 'unequal'}">${text.t(equal ? 'deal.equal' : 'deal.unequal')}</span>${beforeText(sum, text, then)}</td>`;
}

/** Cut at six decimals of a fraction, as shares are quoted; the API has twelve. */
function fractionText(fraction: string, { locale }: Text): string {
  const cut = fraction.replace(/(\.\d{6})\d*$/, '$1');
  return locale === 'de' ? cut.replace('.', ',') : cut;
}

const OUTSTANDING = ({ principal }: Line) => principal.outstanding;
const FACILITY_AMOUNTS: readonly ((line: Line) => string)[] = [
  OUTSTANDING,
  ({ commitment }) => commitment.current,
  ({ commitment }) => commitment.available,
];

function facilitiesTable(
  { query }: Visit,
  deal: Deal,
  text: Text,
  call: Html | undefined,
  was: Was<Deal> | undefined,
): Html {
  const { facilities: data, hasMoreFacilities } = deal;
  const withOwn = data.some(({ share }) => share !== null);
  const columns = [
    { label: text.t('column.facility') },
    { label: text.t('column.type') },
    { label: text.t('column.currency') },
    ...(withOwn ? [{ label: text.t('column.ownOutstanding'), numeric: true }] : []),
    { label: text.t('column.outstanding'), numeric: true },
    { label: text.t('column.commitment'), numeric: true },
    { label: text.t('column.available'), numeric: true },
    { label: text.t('column.maturity') },
    { label: text.t('column.status') },
  ];
  const rows = data.map((item) => {
    const then = wasOf(was, ({ facilities }) => facilities.find(({ id }) => id === item.id));
    const own = wasOf(then, ownShare);
    const amounts = FACILITY_AMOUNTS.map((of) =>
      amountCell(
        of(item.global),
        text,
        wasOf(then, ({ global }) => of(global)),
      ),
    );
    return html`
<tr><th scope="row"><a href="${pageAddress(`/facilities/${item.facility?.id ?? ''}`, query)}">${item.facility?.name}</a></th><td>${wordOf('facilityType', item.facility?.type ?? '', text)}</td><td>${item.currency}</td>${withOwn && amountCell(item.share?.principal.outstanding, text, wasOf(own, OUTSTANDING))}${amounts}<td>${dateOf(item.facility?.maturityDate, text)}</td><td>${wordOf('status', item.status.facility ?? '', text)}${marks(item, text)}</td></tr>`;
  });
  const caption = text.t('deal.facilities');
  return html`<h2>${caption}</h2>${table({ caption, underHeading: true, columns, rows, call, id: 'facilities' })}${hasMoreFacilities && html`<p>${text.t('deal.moreFacilities')}</p>`}`;
}

export function provenance(
  { provenance: from, currency }: BalanceItem,
  text: Text,
  visit: Visit,
): Html {
  const { lastPostedAt, ledgerSeq, restatedFrom } = from;
  return html`<section class="provenance"><h2>${text.t('provenance.title', { currency })}</h2>${facts(
    [
      [text.t('deal.lastEffective'), dateOf(from.lastEffectiveDate, text)],
      [
        text.t('provenance.lastPosted'),
        lastPostedAt === null ? undefined : text.dateTime(lastPostedAt),
      ],
      [text.t('provenance.ledgerSeq'), text.number(ledgerSeq)],
      [
        text.t('provenance.restated'),
        restatedFrom === null
          ? undefined
          : html`${text.t('provenance.restatedFrom', { at: text.dateTime(restatedFrom.knownAt) })} <a href="${compareAddress(visit, restatedFrom.knownAt)}">${text.t('compare.show')}</a>`,
      ],
    ],
  )}</section>`;
}

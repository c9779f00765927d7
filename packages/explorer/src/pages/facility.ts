import { type Html, html } from '@cls/shared/http/html';
import type { Accrual, BalanceItem, Line, List, Rate, Share } from '../balances/shapes.ts';
import { pageAddress } from '../web/address.ts';
import { difference, isNegative, isZero, MINUS, percentOf } from '../web/amounts.ts';
import { countryName } from '../web/countries.ts';
import type { Text } from '../web/text.ts';
import {
  accruedCell,
  amountCell,
  dateCell,
  facts,
  figureCell,
  globalName,
  marks,
  statedRate,
  table,
  type Was,
  wordOf,
} from './cells.ts';
import { comparedAnswer, comparedWith, comparisonAsked, partThen, wasOf } from './compare.ts';
import {
  amountsTable,
  dateOf,
  itemFigures,
  lendersTable,
  provenance,
  restatedAddress,
} from './deal.ts';
import { absent, dealBegins } from './not-yet.ts';
import { steps } from './picture.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

/** `/facilities/{id}`: commitment, contracts, and how accrued interest comes about. */
export async function facilityPage(deps: PageDeps, visit: Visit): Promise<void> {
  const { asker, parts, query } = visit;
  const facilityId = parts['id'] ?? '';
  const times = { ...timesAsked(visit), ...comparisonAsked(visit) };
  const asked = { ...times, facilityId, includeZero: 'true', include: 'none' };
  const read = (more: Record<string, string>) =>
    deps.api.read<List<BalanceItem>>(asker, '/balances', { ...asked, ...more });
  const facility = read({ level: 'facility', expand: 'accrual,terms' });
  const [found, contracts, who, begins] = await Promise.all([
    facility,
    read({ level: 'contract', expand: 'terms,rates' }),
    whoAsks(deps, visit),
    facility.then(({ data: [item] }) => item && dealBegins(deps, visit, item.deal.id, visit.times)),
  ]);
  const [item] = found.data;
  if (item === undefined) return facilityAbsent(deps, visit);
  const then = comparedAnswer(visit, found);
  const was = partThen(item, then);
  const first = begins ?? found.meta.dataFrom;
  showPage(deps, visit, {
    title: () => `${item.facility?.name ?? ''} · ${item.deal.dealNumber}`,
    place: 'deals',
    who,
    meta: found.meta,
    begins: first ?? undefined,
    compares: true,
    answers: [found, contracts],
    body: (text) => [
      facts([
        [
          text.t('column.deal'),
          html`<a href="${pageAddress(`/deals/${item.deal.id}`, query)}">${item.deal.dealNumber} ${item.deal.name}</a>`,
        ],
        [
          text.t('column.borrower'),
          html`<a href="${pageAddress(`/borrowers/${item.borrower.id}`, query)}">${item.borrower.name}</a>, ${countryName(item.borrower.country, text.locale)}`,
        ],
        [text.t('column.type'), wordOf('facilityType', item.facility?.type ?? '', text)],
        [
          text.t('column.status'),
          html`${wordOf('status', item.status.facility ?? '', text)}${marks(item, text, restatedAddress(visit, visit.ctx.path, item))}`,
        ],
        [text.t('column.maturity'), dateOf(item.facility?.maturityDate, text)],
        [text.t('deal.agent'), item.terms?.agent?.name],
        [text.t('facility.effective'), dateOf(item.terms?.effectiveDate, text)],
        [text.t('facility.nextPayment'), dateOf(item.terms?.nextPaymentDate, text)],
        [text.t('facility.dayCount'), item.terms?.dayCount ?? undefined],
      ]),
      itemFigures(visit, item, text, was),
      comparedWith(visit, then, first, text),
      html`<div class="beside">${commitmentTable(item, text, was)}${amountsTable(item, text, was)}</div>`,
      lendersTable(item, visit, text, was),
      contractsTable(contracts, item.share, text, comparedAnswer(visit, contracts)),
      rateCourses(visit, contracts, text),
      (item.accrual ?? []).map((one, at) => accrualTable(one, item, at, contracts.data, text)),
      provenance(item, text, visit),
    ],
  });
}

/** On the date of the visit. The facility may be there later: then its deal may say since when. */
async function facilityAbsent(deps: PageDeps, visit: Visit): Promise<void> {
  const { known } = await whoAsks(deps, visit);
  const later = await deps.api.read<List<BalanceItem>>(visit.asker, '/balances', {
    ...{ asOf: known.asOf, knownAt: visit.times.knownAt, facilityId: visit.parts['id'] ?? '' },
    ...{ level: 'facility', includeZero: 'true', include: 'none' },
  });
  return absent(deps, visit, later.data[0]?.deal.id ?? '-');
}

const STEPS = [
  'original',
  'cancelled',
  'current',
  'funded',
  'letterOfCredit',
  'sublimitUsed',
  'unfunded',
  'unavailable',
  'available',
] as const;

/** What is neither cancelled nor there still: what a term loan repaid; below zero, what was added. */
function otherwise({ global: { commitment } }: BalanceItem): string {
  const { original, cancelled, current } = commitment;
  return difference(current, difference(cancelled, original));
}

function commitmentTable(item: BalanceItem, text: Text, was: Was<BalanceItem> | undefined): Html {
  const { currency, facility, global, share } = item;
  const { current } = global.commitment;
  const zero = difference(current, current);
  const columns = [
    { label: text.t('column.commitment') },
    { label: globalName(currency, share, text), numeric: true },
  ];
  const row = (label: string, of: (one: BalanceItem) => string) => html`
<tr><th scope="row">${label}</th>${amountCell(of(item), text, wasOf(was, of))}</tr>`;
  const other = otherwise(item);
  const isRepaid = facility?.type !== 'revolver' && !isNegative(other);
  const rows = STEPS.flatMap((step) => [
    ...(step === 'current' && !isZero(other)
      ? [
          row(text.t(isRepaid ? 'commitment.repaid' : 'commitment.adjusted'), (one) =>
            isRepaid ? otherwise(one) : difference(otherwise(one), zero),
          ),
        ]
      : []),
    row(text.t(`commitment.${step}`), (one) => one.global.commitment[step]),
  ]);
  const caption = text.t('facility.commitment');
  return table({ caption, columns, rows, id: 'commitment' });
}

const CONTRACT_AMOUNTS: readonly (readonly [string, (line: Line) => string])[] = [
  ['outstanding', ({ principal }) => principal.outstanding],
  ['interestAccrued', ({ interest }) => interest.accrued],
  ['pastDue', ({ total }) => total.pastDue],
];

function contractsTable(
  { data, page }: List<BalanceItem>,
  share: Share | null,
  text: Text,
  was: Was<List<BalanceItem>> | undefined,
): Html | undefined {
  if (data.length === 0) return undefined;
  const columns = [
    { label: text.t('column.contract') },
    { label: text.t('column.outstanding'), numeric: true },
    { label: text.t('column.interestAccrued'), numeric: true },
    { label: text.t('column.pastDue'), numeric: true },
    { label: text.t('accrual.rate') },
    { label: text.t('column.maturity') },
    { label: text.t('column.status') },
  ];
  const rows = data.map((item) => {
    const { contract, global, status, currency, terms } = item;
    const then = partThen(item, was);
    const stated = statedRate(terms);
    const amounts = CONTRACT_AMOUNTS.map(([name, of]) =>
      figureCell(
        name,
        of(global),
        text,
        wasOf(then, (one) => of(one.global)),
      ),
    );
    return html`
<tr><th scope="row">${contract?.contractNumber} (${currency})</th>${amounts}<td>${rateText(terms?.rate, text) ?? (stated && percent(stated, text))}</td><td>${dateOf(contract?.maturityDate, text)}</td><td>${wordOf('status', status.contract ?? '', text)}</td></tr>`;
  });
  const caption = globalName(text.t('facility.contracts'), share, text);
  return html`<h2>${caption}</h2>${table({ caption, underHeading: true, columns, rows, id: 'contracts' })}${page.hasMore && html`<p>${text.t('facility.moreContracts')}</p>`}`;
}

/** `6.7% = SONIA 4.45% + 2.25%` */
function rateText(rate: Rate | null | undefined, text: Text): Html | undefined {
  if (rate == null) return undefined;
  const { allIn, base, margin, adjustment, index } = rate;
  if (base === null) return html`${percent(allIn, text)}`;
  const more = [margin, adjustment].flatMap((part) => {
    if (part === null) return [];
    return isNegative(part)
      ? [` ${MINUS} ${percent(part.slice(1), text)}`]
      : [` + ${percent(part, text)}`];
  });
  return html`${percent(allIn, text)} <small>= ${index === null ? '' : `${index} `}${percent(base, text)}${more}</small>`;
}

/** As many courses of rates fit on a page. */
const RATES_MAX = 6;

/** How the rates of contracts changed: pictures, and the tables behind them. */
function rateCourses(visit: Visit, { data }: List<BalanceItem>, text: Text): Html | undefined {
  const changing = data.filter(({ rates = [] }) => rates.length > 1);
  if (changing.length === 0) return undefined;
  const more = changing.length > RATES_MAX && html`<p>${text.t('rates.more')}</p>`;
  return html`<div class="pictures">${changing.slice(0, RATES_MAX).map((one) => rateCourse(visit, one, text))}</div>${more}`;
}

function rateCourse({ times }: Visit, { contract, rates = [] }: BalanceItem, text: Text) {
  const last = rates.at(-1);
  if (contract === null || last === undefined) return undefined;
  const values = { number: contract.contractNumber, rate: percent(last.allIn, text) };
  const what = text.t('rates.what', { ...values, since: text.date(last.since) });
  const unit = text.locale === 'de' ? '\u00a0%' : '%';
  // The last one holds until the date.
  const now = last.since === times.asOf ? [] : [{ ...last, since: times.asOf }];
  const marks = [...rates, ...now].map(({ since, allIn }) => {
    return { label: since, amount: percentOf(allIn), unit };
  });
  const rows = rates.toReversed().map(
    (rate) => html`
<tr><th scope="row">${text.date(rate.since)}</th><td>${rateText(rate, text)}</td></tr>`,
  );
  const columns = [{ label: text.t('rates.since') }, { label: text.t('accrual.rate') }];
  const numbers = table({ caption: what, columns, rows, id: `rates-${contract.id}` });
  return html`<div class="pictured">${steps(marks, what, text)}<details><summary>${text.t('chart.table')}</summary>${numbers}</details></div>`;
}

/** Each period with its rate and its exact amount; their sum is rounded once. */
function accrualTable(
  accrual: Accrual,
  { currency, share }: BalanceItem,
  at: number,
  contracts: readonly BalanceItem[],
  text: Text,
): Html {
  const { component, contractId, periods, amount, corrects, dayCount, start, end } = accrual;
  const what = wordOf('accrualOf', component, text);
  const number = contracts.find(({ contract }) => contract?.id === contractId)?.contract
    ?.contractNumber;
  const columns = [
    { label: text.t('accrual.from') },
    { label: text.t('accrual.until') },
    { label: text.t('accrual.days'), numeric: true },
    { label: text.t('accrual.balance'), numeric: true },
    { label: text.t('accrual.rate'), numeric: true },
    { label: text.t('accrual.exact'), numeric: true },
  ];
  const rows = periods.map(
    (period) => html`
<tr>${dateCell(text.date(period.start))}${dateCell(text.date(period.end))}<td>${text.number(period.days)}</td>${amountCell(period.balance, text)}<td>${percent(period.rate, text)}</td>${accruedCell(period.amount, period.end, text)}</tr>`,
  );
  const sumRow = (label: string, sum: Html) =>
    html`<tr><th scope="row" colspan="5">${label}</th>${sum}</tr>`;
  const sum = accruedCell(amount, end, text);
  const foot =
    corrects === null
      ? sumRow(text.t('accrual.rounded', { currency }), sum)
      : html`${sumRow(text.t('accrual.billed'), amountCell(corrects.billed, text))}${sumRow(text.t('accrual.difference', { currency }), sum)}`;
  const caption = text.t('accrual.caption', {
    component: number === undefined ? what : text.t('accrual.ofContract', { what, number }),
    from: text.date(start),
    until: text.date(end),
    dayCount,
  });
  const title =
    at === 0 ? html`<h2>${globalName(text.t('accrual.title'), share, text)}</h2>` : undefined;
  return html`${title}${table({ caption, columns, rows, foot, id: `accrual-${at}` })}`;
}

function percent(rate: string, { locale }: Text): string {
  const shown = percentOf(rate);
  return locale === 'de' ? `${shown.replace('.', ',')} %` : `${shown}%`;
}

import { type Html, html } from '@cls/shared/http/html';
import type { BalanceItem, Line, List, Series, Totals } from '../balances/shapes.ts';
import { pageAddress } from '../web/address.ts';
import { countryName } from '../web/countries.ts';
import type { Text } from '../web/text.ts';
import { amountCell, dateCell, figureCell, type ListHead, marks, table, wordOf } from './cells.ts';
import { lateSince } from './deal.ts';
import {
  courseOf,
  currenciesOf,
  ladderOf,
  maturing,
  SOON,
  sumFigures,
  totalsTable,
} from './exposure.ts';
import { absent } from './not-yet.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

export type PartyKind = 'borrower' | 'lender';

/** `/borrowers/{id}` and `/lenders/{id}`: what a party owes, or has a share of: sums, course, maturities, loans. */
export async function partyPage(deps: PageDeps, visit: Visit, kind: PartyKind): Promise<void> {
  const { asker } = visit;
  const id = visit.parts['id'] ?? '';
  const isLender = kind === 'lender';
  const filter = isLender ? { lenderId: id } : { borrowerId: id };
  const asked = { ...timesAsked(visit), ...filter, ...(isLender ? { level: 'position' } : {}) };
  const read = (more: Record<string, string>) =>
    deps.api.read<Totals>(asker, '/balances/totals', { ...asked, ...more });
  // In a large book the first pages may have none of the party's items.
  const readLoans = async (cursor?: string): Promise<List<BalanceItem>> => {
    const found = await deps.api.read<List<BalanceItem>>(asker, '/balances', {
      ...asked,
      ...{ level: isLender ? 'position' : 'facility', sort: '-outstanding', include: 'none' },
      includeZero: 'true',
      cursor,
    });
    const { nextCursor } = found.page;
    return found.data.length > 0 || nextCursor == null ? found : readLoans(nextCursor);
  };
  const [ladder, list, course, who, ...soon] = await Promise.all([
    read({ groupBy: 'maturityYear', top: '100' }),
    readLoans(),
    deps.api.read<Series>(asker, '/balances/principal/series', { ...asked, interval: 'quarter' }),
    whoAsks(deps, visit),
    ...SOON.map((days) => read(maturing(visit, days))),
  ]);
  const [first] = list.data;
  if (first === undefined) return absent(deps, visit, '-');
  const name = isLender ? (lenderOf(first, id)?.lender.name ?? '') : first.borrower.name;
  // The country of a deal: a borrower may have deals of several.
  const countries = new Set(isLender ? [] : list.data.map(({ borrower }) => borrower.country));
  const filters: Readonly<Record<string, string>> = filter;
  showPage(deps, visit, {
    title: () => name,
    place: `${kind}s`,
    who,
    meta: list.meta,
    answers: [ladder, list, course, ...soon],
    lists: (text) => [loansHead(text)],
    body: (text) => [
      html`<p class="lead">${text.t(`party.${kind}`)}${[...countries].map((country, at) => `${at === 0 ? ' · ' : ', '}${countryName(country, text.locale)}`)} · <a href="${pageAddress('/deals', visit.query, filters)}">${text.t('party.deals')}</a></p>`,
      currenciesOf(ladder).flatMap((currency) =>
        ladder.totals
          .filter((sum) => sum.currency === currency)
          .map((sum) => sumFigures(visit, { sum }, soon, filters, text)),
      ),
      currenciesOf(ladder).map(
        (currency) =>
          html`<div class="pictures">${courseOf(visit, currency, course, text)}${ladderOf(visit, currency, ladder, filters, text, undefined)}</div>`,
      ),
      loansTable(visit, list, (item) => (isLender ? lenderOf(item, id) : item.global), text),
      totalsTable(ladder, text.t('party.totals'), text, undefined),
    ],
  });
}

function lenderOf({ share, lenders }: BalanceItem, id: string) {
  return share ?? lenders.find(({ lender }) => lender.id === id);
}

function loansHead(text: Text): ListHead {
  const amounts = (['outstanding', 'commitment', 'available', 'pastDue'] as const).map((name) => ({
    label: text.t(`column.${name}`),
    numeric: true,
  }));
  const columns = [
    { label: text.t('column.deal') },
    { label: text.t('column.facility') },
    { label: text.t('column.currencyShort') },
    ...amounts,
    { label: text.t('column.maturity') },
    { label: text.t('column.status') },
  ];
  return { id: 'deals', columns };
}

/** Each facility with what is the party's of it. */
function loansTable(
  visit: Visit,
  { data, page }: List<BalanceItem>,
  lineOf: (item: BalanceItem) => Line | undefined,
  text: Text,
): Html {
  const { query } = visit;
  const rows = data.map((item) => {
    const { deal, facility, currency, status } = item;
    const line = lineOf(item);
    const { maturityDate } = facility ?? {};
    const since = lateSince(visit, item, text);
    return html`
<tr><th scope="row"><a href="${pageAddress(`/deals/${deal.id}`, query)}">${deal.dealNumber}</a> ${deal.name}</th><td><a href="${pageAddress(`/facilities/${facility?.id ?? ''}`, query)}">${facility?.name}</a></td><td>${currency}</td>${amountCell(line?.principal.outstanding, text)}${amountCell(line?.commitment.current, text)}${amountCell(line?.commitment.available, text)}${figureCell('pastDue', line?.total.pastDue, text)}${dateCell(maturityDate != null && text.date(maturityDate))}<td>${wordOf('status', status.facility ?? '', text)}${since !== undefined && ` · ${since}`}${marks(item, text)}</td></tr>`;
  });
  const caption = text.t('party.loans');
  return html`<h2>${caption}</h2>${table({ ...loansHead(text), caption, underHeading: true, rows, isList: true })}${page.hasMore && html`<p>${text.t('party.more')}</p>`}`;
}

import { expect } from 'chai';
import type { GroupSum, Sum, Totals } from '../src/balances/shapes.ts';
import { sumOf } from '../src/web/amounts.ts';
import type { Page, Person } from './support/person.ts';
import { linkNamed, numberOf, type Row, rowsOf, valuesIn } from './support/reading.ts';
import {
  aBook,
  aLoan,
  aParty,
  FULL,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';

const shown = (sum: Sum) => [
  `${sum.count}`,
  ...[sum.principalOutstanding, sum.pastDue, sum.commitment, sum.available],
  ...[sum.interestAccrued, sum.feesAccrued],
];

/** What the table behind the picture of maturities has. */
const ofLadder = (sum: Sum) => [`${sum.count}`, sum.principalOutstanding, sum.pastDue];

const ABSENT = 'not there then';
/** Each number, and what it was. */
const beside = ({ numbers, compared }: Row) =>
  compared.map((cell, column) => [
    numbers[column],
    cell.length === 3 || cell[1] === ABSENT ? cell[1] : numbers[column],
  ]);
/** A group without an item was not there. */
const comparedOf = (group: GroupSum, of = shown) => {
  const { compared } = group;
  const was = compared == null || compared.count === 0 ? undefined : of(compared);
  return of(group).map((one, column) => [one, was === undefined ? ABSENT : was[column]]);
};

describe('the portfolio', () => {
  let services: Services;
  let person: Person;
  let page: Page;
  let times: string;
  before(async () => {
    services = await sharedServices();
    await services.post(aBook({ contracts: 24, seed: 5 }).records);
    person = await services.person(FULL);
    page = await person.signIn('/');
    times = page.url.search.slice(1);
  });

  it('is where the first address leads', () => {
    expect(page.url.pathname).to.equal('/portfolio');
    expect(page.html).to.include('aria-current="page"');
  });

  it('has a row of totals per currency, those of the API', async () => {
    const { totals } = await services.ask<Totals>(`/balances/totals?${times}&groupBy=maturityYear`);
    const rows = rowsOf(page.html, 'portfolio');
    expect(rows.map(({ head }) => head)).to.deep.equal(totals.map(({ currency }) => currency));
    expect(rows.map(({ numbers }) => numbers)).to.deep.equal(totals.map(shown));
  });

  it('shows when what is outstanding matures: a picture, and its numbers', async () => {
    const { data, totals } = await services.ask<Totals>(
      `/balances/totals?${times}&groupBy=maturityYear&top=100`,
    );
    for (const { currency } of totals) {
      const years = data.filter((group) => group.currency === currency);
      const rows = rowsOf(page.html, `ladder-${currency}`);
      expect(rows.map(({ numbers }) => numbers)).to.have.deep.members(years.map(ofLadder));
      const what = `Outstanding principal in ${currency} by the year of maturity`;
      const columns = valuesIn(page.html, what).map((value) => numberOf(value.replace(/.*: /, '')));
      expect(sumOf(columns)).to.equal(sumOf(years.map((year) => year.principalOutstanding)));
    }
  });

  it('shows for how long something is past due, and each range leads to its deals', async () => {
    const { data, totals } = await services.ask<Totals>(
      `/balances/totals?${times}&level=deal&groupBy=daysPastDue`,
    );
    const late = data.filter(({ value }) => value !== '0');
    expect(late).not.to.have.length(0);
    const currencies = new Set(late.map(({ currency }) => currency));
    const ofShown = (one: Sum) => currencies.has(one.currency);
    const aged = (sum: Sum) => [`${sum.count}`, sum.pastDue, sum.principalOutstanding];
    const rows = (part: 'tbody' | 'tfoot') =>
      [...currencies].flatMap((currency) => rowsOf(page.html, `ageing-${currency}`, part));
    expect(rows('tbody').map(({ numbers }) => numbers)).to.have.deep.members(
      data.filter(ofShown).map(aged),
    );
    expect(rows('tfoot').map(({ numbers }) => numbers)).to.have.deep.members(
      totals.filter(ofShown).map(aged),
    );
    const found = rows('tbody').map(async ({ html }) => {
      const href = /href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const deals = await person.open(`${href}&limit=250`);
      return rowsOf(deals.html, 'deals').length;
    });
    expect(await Promise.all(found)).to.have.members(
      data.filter(ofShown).map(({ count }) => count),
    );
  });

  for (const by of ['borrower', 'country', 'facilityType', 'status', 'lender']) {
    it(`shows where it is by ${by}, and that the rest is not left out`, async () => {
      const { html } = await person.open(`/portfolio?${times}&by=${by}`);
      const { data, rest } = await services.ask<Totals>(
        `/balances/totals?${times}&groupBy=${by}&top=10`,
      );
      expect(rowsOf(html, 'groups').map(({ numbers }) => numbers)).to.deep.equal(
        [...data, ...rest].map(shown),
      );
      // Each leads to its deals, where it leads anywhere.
      const [, table = ''] = html.split('<caption id="groups">');
      const [, href] = /<th scope="row"><a href="([^"]*)"/.exec(table) ?? [];
      if (href === undefined) return;
      const deals = await person.open(href.replaceAll('&amp;', '&'));
      expect(deals.response.status).to.equal(200);
      expect(rowsOf(deals.html, 'deals')).not.to.have.length(0);
    });
  }

  for (const by of ['borrower', 'country', 'facilityType', 'status', 'lender']) {
    it(`shows by ${by} what each row of another time was, as the API compares`, async () => {
      const then = '2024-06-30';
      const { html } = await person.open(`/portfolio?${times}&by=${by}&cmpAsOf=${then}`);
      const ask = (more: string) =>
        services.ask<Totals>(`/balances/totals?${times}&compareAsOf=${then}&${more}`);
      const groups = await ask(`groupBy=${by}&top=10`);
      const ladder = await ask('groupBy=maturityYear&top=100');
      const told = rowsOf(html, 'groups').map(beside);
      expect(told).to.deep.equal([...groups.data, ...groups.rest].map((sum) => comparedOf(sum)));
      const { totals, comparedTotals = [] } = ladder;
      const ofAll = totals.map((sum) => {
        const compared = comparedTotals.find(({ currency }) => currency === sum.currency);
        return comparedOf({ ...sum, compared: compared ?? null });
      });
      expect(rowsOf(html, 'portfolio').map(beside)).to.deep.equal(ofAll);
      const years = totals.flatMap(({ currency }) => rowsOf(html, `ladder-${currency}`));
      expect(years.map(beside)).to.have.deep.members(
        ladder.data.map((year) => comparedOf(year, ofLadder)),
      );
      const moved = [told, ofAll, years.map(beside)].map((rows) =>
        rows.flat().some(([is, was]) => is !== was),
      );
      expect(moved).to.deep.equal([true, true, true]);
    });
  }

  it('says what changed since the browser was here before', async () => {
    expect(page.html).to.include('What changed in the last day').and.not.include('Δ');
    const known = page.url.searchParams.get('knownAt') ?? '';
    const borrower = aParty('Borrower since the last visit');
    const loan = aLoan(borrower, [], { currency: 'GBP' });
    const drawn = posting(loan, '2024-06-30', [[undefined, '12.34']]);
    await services.post([borrower, ...loan.all, drawn]);
    person.plant('cls_explorer_seen', `${known}_${known}_2020-01-01T00:00:00.000Z`);
    const { html } = await person.open('/portfolio');
    expect(html).to.include('What changed since your last visit').and.include('<b>Δ +12.34</b>');
    expect(html.match(/<b>Δ/g), 'nothing else').to.have.length(1);
    // A page later it is the same visit.
    expect((await person.open('/portfolio')).html).to.include('<b>Δ +12.34</b>');
  });

  it('leads to all deals that were restated, also those that come to zero', () => {
    const href = linkNamed(page.html, 'Deals that were restated');
    expect(href).to.include('restated=true').and.include('includeZero=true');
  });

  it('says that nothing was granted', async () => {
    const nobody = await services.person(VIEW);
    const { html } = await nobody.signIn('/');
    expect(html).to.include('Deals appear here when the agent grants them');
  });
});

import { expect } from 'chai';
import type { Sum, Totals } from '../src/balances/shapes.ts';
import type { Page, Person } from './support/person.ts';
import { rowsOf } from './support/reading.ts';
import { aBook, FULL, type Services, sharedServices, VIEW } from './support/services.ts';

const shown = (sum: Sum) => [
  `${sum.count}`,
  ...[sum.principalOutstanding, sum.pastDue, sum.commitment, sum.available],
  ...[sum.interestAccrued, sum.feesAccrued],
];

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
      expect(rows.map(({ numbers }) => numbers)).to.have.deep.members(years.map(shown));
      const drawn = years.filter(
        ({ principalOutstanding }) => !/^0(\.0+)?$/.test(principalOutstanding),
      );
      if (drawn.length < 2) continue;
      const chart = page.html.match(
        new RegExp(`<svg[^>]*Outstanding principal in ${currency}[\\s\\S]*?</svg>`),
      );
      expect(chart?.[0].match(/<rect/g)).to.have.length(drawn.length);
    }
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

  it('says that nothing was granted', async () => {
    const nobody = await services.person(VIEW);
    const { html } = await nobody.signIn('/');
    expect(html).to.include('Deals appear here when the agent grants them');
  });
});

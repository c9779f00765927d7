import { expect } from 'chai';
import type { Deal, Single } from '../src/balances/shapes.ts';
import { offered } from '../src/pages/time-bar.ts';
import type { Person } from './support/person.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import {
  aBook,
  aLoan,
  aParty,
  businessDate,
  type Loan,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';

const BEGINS = '2024-03-15';
const BEFORE = '2024-03-14';
/** After the last date with data, and before today. */
const LATER = '2026-06-30';

describe('a date without data', () => {
  let services: Services;
  let person: Person;
  let loan: Loan;
  let times: string;
  before(async () => {
    services = await sharedServices();
    const [borrower, lender] = [aParty('Borrower of the dates'), aParty('Lender of the dates')];
    loan = aLoan(borrower, [lender]);
    const booked = loan.all.map((one) => ({ ...one, bookedOn: businessDate(BEGINS) }));
    const drawn = posting(loan, BEGINS, [
      [undefined, '1000000.00'],
      [lender, '1000000.00'],
    ]);
    // The book begins before the deal.
    await services.post([
      ...aBook({ contracts: 12, seed: 9 }).records,
      ...[borrower, lender, ...booked, drawn],
    ]);
    const deals = { borrowerId: borrower.id } as const;
    person = await services.person(VIEW, { role: 'agent', lenderId: undefined, deals });
    times = (await person.signIn('/deals')).url.search.slice(1);
  });
  const at = (path: string, asOf: string, more = '') => {
    const query = new URLSearchParams(times);
    query.set('asOf', asOf);
    return person.open(`${path}?${query}${more}`);
  };

  it('is told by the API: since when the book, and a deal, have data', async () => {
    const path = `/deals/${loan.deal.id}`;
    const { data, meta } = await services.ask<Single<Deal>>(path);
    expect(data.dataFrom).to.equal(BEGINS);
    expect(meta.dataFrom).to.be.a('string');
    expect((meta.dataFrom ?? '') <= BEGINS).to.equal(true);
  });

  it('after the data is a projection, which is said on the page and at each figure', async () => {
    const last = await person.open(`/deals/${loan.deal.id}?${times}`);
    expect(textOf(last.html)).to.include('Data go through').and.not.include('projection');
    expect(last.html).not.to.include('>projected<');
    for (const path of ['/deals', '/portfolio', `/deals/${loan.deal.id}`]) {
      const page = await at(path, LATER);
      expect(page.response.status, path).to.equal(200);
      expect(textOf(page.html), path).to.include('is a projection');
      const back = linkNamed(page.html, /Show \d+ \w+ \d{4}/.exec(textOf(page.html))?.[0] ?? '');
      expect(textOf((await person.open(back ?? '')).html)).not.to.include('is a projection');
    }
  });

  it('before a deal leads to its first date', async () => {
    for (const path of ['', '/roll-forward', '/movements']) {
      const page = await at(`/deals/${loan.deal.id}${path}`, BEFORE);
      expect(page.response.status, path).to.equal(404);
      expect(textOf(page.html)).to.include('not in the book on 14 Mar 2024 yet');
      expect(textOf(page.html)).to.include('It begins on 15 Mar 2024');
      const first = await person.open(linkNamed(page.html, 'Show 15 Mar 2024') ?? '');
      expect(first.response.status, path).to.equal(200);
    }
    const facility = await at(`/facilities/${loan.facility.id}`, BEFORE);
    expect(textOf(facility.html)).to.include('It begins on 15 Mar 2024');
  });

  it('before a deal that was not granted says nothing of it', async () => {
    const stranger = await services.person(VIEW);
    await stranger.signIn();
    const page = await stranger.open(`/deals/${loan.deal.id}?asOf=${BEFORE}`);
    expect(page.response.status).to.equal(404);
    expect(textOf(page.html)).to.include('or it was not granted').and.not.include('15 Mar');
  });

  it('before anything that the reader may see leads to the first date', async () => {
    for (const path of ['/portfolio', '/deals']) {
      const page = await at(path, BEFORE);
      expect(page.response.status, path).to.equal(200);
      expect(textOf(page.html)).to.include('What you may see begins on 15 Mar 2024');
      expect(textOf(page.html)).not.to.include('when the agent grants them');
      const first = await person.open(linkNamed(page.html, 'Show 15 Mar 2024') ?? '');
      expect(textOf(first.html), path).to.include('1,000,000.00');
    }
  });

  it('before the book leads to its first date, with the form as it was filled', async () => {
    const page = await at('/portfolio', '1950-01-01');
    expect(page.response.status).to.equal(400);
    expect(textOf(page.html)).to.include('The book begins on');
    expect(page.html).to.include('name="asOf" value="1950-01-01"');
    const way = /href="([^"]*)">Show \d+ \w+ \d{4}</.exec(page.html)?.[1] ?? '';
    const first = await person.open(way.replaceAll('&amp;', '&'));
    expect(first.response.status).to.equal(200);
  });

  it('has no difference in a comparison', async () => {
    for (const [path, table] of [
      ['/portfolio', 'portfolio'],
      ['/portfolio', 'groups'],
      ['/deals', 'totals'],
    ] as const) {
      const { html } = await person.open(`${path}?${times}&cmpAsOf=${BEFORE}`);
      const rows = rowsOf(html, table);
      expect(rows.length, table).to.be.greaterThan(0);
      for (const row of rows) {
        expect(row.html, table).to.include('not there then').and.not.include('Δ');
      }
    }
    const deal = await person.open(`/deals/${loan.deal.id}?${times}&cmpAsOf=${BEFORE}`);
    expect(textOf(deal.html)).to.include('Data begin on 15 Mar 2024');
  });

  it('is no preset', () => {
    const days = (begins: string | null) => offered('2025-03-31', begins).map(({ day }) => day);
    expect(days(null)).to.have.length(5);
    expect(days('2024-12-31')).to.deep.equal([
      ...['2025-03-31', '2025-02-28', '2024-12-31', '2024-12-31'],
    ]);
  });

  it('is no part of a roll-forward since inception', async () => {
    const { html } = await person.open(`/deals/${loan.deal.id}/roll-forward?${times}`);
    expect(rowsOf(html, 'series-USD')[0]?.head).to.equal('1 Jan 2024');
  });
});

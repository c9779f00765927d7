import { expect } from 'chai';
import type { Caller, Deal, Single } from '../src/balances/shapes.ts';
import { accruedCell } from '../src/pages/cells.ts';
import { isAllKnown } from '../src/pages/knowledge.ts';
import { offered } from '../src/pages/time-presets.ts';
import { textIn } from '../src/web/text.ts';
import type { Person } from './support/person.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import {
  aBook,
  aJournal,
  aLoan,
  aParty,
  businessDate,
  type Loan,
  type Party,
  posting,
  type Services,
  sharedServices,
  startServices,
  VIEW,
} from './support/services.ts';

const BEGINS = '2024-03-15';
const BEFORE = '2024-03-14';
/** After the last date with data, and before today. */
const LATER = '2026-06-30';
/** A deal of this date was not there a year before the last one. */
const RECENT = '2025-01-10';

/** A drawing that bears interest from its first day. */
function drawn(loan: Loan, lender: Party, on: string) {
  const of = { facility: loan.facility.id, contract: loan.contract.id };
  const [startDate, component] = [businessDate(on), 'interest' as const];
  return [
    posting(loan, on, [
      [undefined, '1000000.00'],
      [lender, '1000000.00'],
    ]),
    aJournal(loan.deal, 'rate_set', on, [], {
      rates: [{ ...of, component, startDate, allInRate: '0.05' }],
    }),
  ];
}

/** Addresses of what a page offers to choose from. */
function presetsIn(html: string): readonly string[] {
  const lists = [...html.matchAll(/<ul class="presets">([\s\S]*?)<\/ul>/g)];
  const links = lists.flatMap(([, list = '']) => [...list.matchAll(/href="([^"]*)"/g)]);
  return links.map(([, href = '']) => href.replaceAll('&amp;', '&'));
}

describe('a date without data', () => {
  let services: Services;
  let person: Person;
  let loan: Loan;
  let recent: Loan;
  let times: string;
  before(async () => {
    services = await sharedServices();
    const [borrower, lender] = [aParty('Borrower of the dates'), aParty('Lender of the dates')];
    [loan, recent] = [aLoan(borrower, [lender]), aLoan(borrower, [lender])];
    const booked = (one: Loan, on: string) =>
      one.all.map((record) => ({ ...record, bookedOn: businessDate(on) }));
    // The book begins before the deal.
    await services.post([
      ...aBook({ contracts: 12, seed: 9 }).records,
      ...[borrower, lender, ...booked(loan, BEGINS), ...booked(recent, RECENT)],
      ...[...drawn(loan, lender, BEGINS), ...drawn(recent, lender, RECENT)],
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
    const facility = `/facilities/${loan.facility.id}`;
    for (const path of ['/deals', '/portfolio', `/deals/${loan.deal.id}`, facility]) {
      const page = await at(path, LATER);
      expect(page.response.status, path).to.equal(200);
      expect(textOf(page.html), path).to.include('is a projection');
      const back = linkNamed(page.html, /Show \d+ \w+ \d{4}/.exec(textOf(page.html))?.[0] ?? '');
      expect(textOf((await person.open(back ?? '')).html)).not.to.include('is a projection');
    }
  });

  it('after the data marks what accrues on a contract, and each period that goes beyond them', async () => {
    const { html } = await at(`/facilities/${loan.facility.id}`, LATER);
    const marked = (table: string, part?: 'tfoot') =>
      rowsOf(html, table, part).map((row) => row.html.includes('>projected<'));
    expect(marked('contracts')).to.deep.equal([true]);
    expect(marked('accrual-0')).to.deep.equal([true]);
    expect(marked('accrual-0', 'tfoot')).to.deep.equal([true]);
    expect(rowsOf(html, 'contracts')[0]?.html.split('>projected<')).to.have.length(2);
    const last = await person.open(`/facilities/${loan.facility.id}?${times}`);
    expect(last.html).not.to.include('>projected<');
  });

  it('marks no period that ends with the last day of data, whose end is the day after', () => {
    const text = { ...textIn('en'), projectedAfter: '2025-03-31' };
    const marked = ['2025-03-31', '2025-04-01', '2025-04-02'].map((end) =>
      `${accruedCell('1.00', end, text)}`.includes('>projected<'),
    );
    expect(marked).to.deep.equal([false, false, true]);
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

  it('is no preset of a deal, or of what is below it', async () => {
    const { id } = recent.deal;
    const below = [`/deals/${id}/roll-forward`, `/deals/${id}/movements`];
    for (const path of [`/deals/${id}`, ...below, `/facilities/${recent.facility.id}`]) {
      const page = await person.open(`${path}?${times}`);
      expect(linkNamed(page.html, 'End of last month'), path).to.be.a('string');
      for (const preset of presetsIn(page.html)) {
        expect((await person.open(preset)).response.status, preset).to.equal(200);
        const { searchParams } = new URL(preset, services.url);
        for (const name of ['asOf', 'cmpAsOf']) {
          expect((searchParams.get(name) ?? RECENT) >= RECENT, preset).to.equal(true);
        }
      }
    }
  });

  it('is no part of a roll-forward since inception', async () => {
    const { html } = await person.open(`/deals/${loan.deal.id}/roll-forward?${times}`);
    expect(rowsOf(html, 'series-USD')[0]?.head).to.equal('1 Jan 2024');
  });
});

describe('a time of knowledge before the last import', () => {
  let services: Services;
  let person: Person;
  let loan: Loan;
  let known: string;
  before(async () => {
    services = await startServices();
    const [borrower, lender] = [aParty('Borrower then'), aParty('Lender then')];
    loan = aLoan(borrower, [lender]);
    await services.post([borrower, lender, ...loan.all, ...drawn(loan, lender, '2024-03-15')]);
    await services.post([
      posting(loan, '2024-12-31', [
        [undefined, '5.00'],
        [lender, '5.00'],
      ]),
    ]);
    person = await services.person(VIEW, {
      ...{ role: 'agent', lenderId: undefined },
      deals: { borrowerId: borrower.id },
    });
    await person.signIn('/deals');
    known = (await services.ask<Single<Caller>>('/me')).meta.knownAt ?? '';
    await services.post([
      posting(loan, '2025-03-31', [
        [undefined, '7.00'],
        [lender, '7.00'],
      ]),
    ]);
  });
  after(() => services.stop());

  it('has data through the last date that was known then: a later one is a projection', async () => {
    const deal = `/deals/${loan.deal.id}`;
    const pages = ['/portfolio', '/deals', deal, `${deal}/roll-forward`, `${deal}/movements`];
    for (const path of [...pages, `/facilities/${loan.facility.id}`, '/changes']) {
      const page = await person.open(`${path}?asOf=2025-03-31&knownAt=${known}`);
      expect(page.response.status, path).to.equal(200);
      expect(textOf(page.html), path).to.include('Data go through 31 Dec 2024');
      expect(textOf(page.html), path).to.include('is a projection');
      const last = await person.open(linkNamed(page.html, 'Last date') ?? '');
      expect(last.url.searchParams.get('asOf'), path).to.equal('2024-12-31');
      expect(textOf(last.html), path).not.to.include('is a projection');
    }
    const { html } = await person.open(`${deal}?asOf=2025-03-31&knownAt=${known}`);
    expect(html).to.include('>projected<');
  });

  it('is told from all that is known now, to the microsecond and in any offset', () => {
    const newest = { knownAt: '2026-11-28T11:03:59.873016Z' };
    for (const [knownAt, isAll] of [
      ['2026-11-28T11:03:59.873016Z', true],
      ['2026-11-28T11:03:59.873015Z', false],
      ['2026-11-28T11:03:59Z', false],
      ['2026-11-28T11:04:00Z', true],
      ['2026-11-28T12:03:59+01:00', false],
      ['2026-11-28T06:04:00-05:00', true],
      ['soon', false],
    ] as const) {
      expect(isAllKnown(newest, knownAt), knownAt).to.equal(isAll);
    }
    expect(isAllKnown({ knownAt: null }, '2026-11-28T11:03:59Z')).to.equal(true);
  });

  it('is no reason to take for a projection what is known now', async () => {
    const page = await person.open('/deals?asOf=2025-03-31');
    expect(textOf(page.html)).to.include('Data go through 31 Mar 2025');
    expect(page.html).not.to.include('>projected<');
  });

  it('is reached from the mark of each currency, which the mark of a deal with several names', async () => {
    const debtor = aParty('Borrower of two currencies');
    const dollars = aLoan(debtor, []);
    const { deal } = dollars;
    const euros = { ...aLoan(debtor, [], { deal: deal.id, currency: 'EUR' }), deal };
    const drawings = (day: string) =>
      [dollars, euros].map((one) => posting(one, day, [[undefined, '5.00']]));
    await services.post([debtor, ...dollars.all, euros.facility, euros.contract]);
    await services.post(drawings('2025-04-30'));
    await services.post(drawings('2025-04-15'));
    const agent = await services.person(VIEW, {
      ...{ role: 'agent', lenderId: undefined },
      deals: { dealId: deal.id },
    });
    const { html } = await agent.signIn(`/deals/${deal.id}`);
    expect(textOf(html)).to.include('restated (EUR)').and.include('restated (USD)');
    const [, mark = ''] = /<span class="tag">(.*?)<\/span>/.exec(html) ?? [];
    expect(linkNamed(mark, 'restated')).to.include('cmpKnownAt=');
  });
});

import { expect } from 'chai';
import type { Meta } from '../src/balances/shapes.ts';
import { daysBefore } from '../src/pages/changes.ts';
import { presetsOf, quarterAfter } from '../src/pages/time-presets.ts';
import type { Person } from './support/person.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import {
  aJournal,
  aLoan,
  aParty,
  businessDate,
  entry,
  FULL,
  type Loan,
  type Party,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';

const TREASURY = 'treasury@agent.example';

describe('two points in time', () => {
  let services: Services;
  let person: Person;
  let loan: Loan;
  let lender: Party;
  /** After the first posting and before the grant. */
  let knownBefore: string;
  /** Between the first and the second posting. */
  let between: string;
  before(async () => {
    services = await sharedServices();
    const borrower = aParty('Borrower of two times');
    lender = aParty('Lender of two times');
    loan = aLoan(borrower, [lender]);
    const quiet = aLoan(borrower, [lender]);
    await services.post([
      ...[borrower, lender, ...loan.all, ...quiet.all],
      ...[draw('1000.00'), posting(quiet, '2024-01-31', legs('9.00'))],
    ]);
    knownBefore = (await services.ask<{ meta: Meta }>('/balances?limit=1')).meta.knownAt ?? '';
    const deals = { borrowerId: borrower.id } as const;
    person = await services.person(VIEW, { role: 'agent', lenderId: undefined, deals });
    const page = await person.signIn('/deals');
    between = page.url.searchParams.get('knownAt') ?? '';
    await services.post([{ ...draw('-250.50'), createdBy: TREASURY }]);
  });
  const legs = (amount: string) =>
    [
      [undefined, amount],
      [lender, amount],
    ] as const;
  const draw = (amount: string) => posting(loan, '2025-01-31', legs(amount));

  it('stand beside each other on a deal, with the difference', async () => {
    const address = `/deals/${loan.deal.id}?cmpKnownAt=${encodeURIComponent(between)}`;
    const { html } = await person.open(address);
    const [outstanding, pastDue] = rowsOf(html, 'amounts-USD');
    expect(outstanding?.compared).to.deep.equal([['749.50', '1000.00', '-250.50']]);
    expect(pastDue?.compared).to.deep.equal([['0.00']]);
    expect(textOf(html)).to.include('Compared with').and.include(between);
    const [, figures = ''] = /<section class="figures"[^>]*>(.*?)<\/section>/s.exec(html) ?? [];
    expect(textOf(figures)).to.include('then 1,000.00').and.include('−250.50');
    expect(textOf(html)).to.include('compared with what was known on');
  });

  it('may be two dates as well', async () => {
    const { html } = await person.open(`/deals/${loan.deal.id}?cmpAsOf=2025-01-30`);
    const outstanding = outstandingIn(html);
    expect(outstanding?.compared).to.deep.equal([['749.50', '0.00', '749.50']]);
  });

  it('say so where the deal was not there yet', async () => {
    for (const then of ['cmpAsOf=2020-01-01', 'cmpKnownAt=2020-01-01T00:00:00Z']) {
      const { html } = await person.open(`/deals/${loan.deal.id}?${then}`);
      expect(html, then).to.include('was not there then');
      const outstanding = outstandingIn(html);
      expect(outstanding?.compared).to.deep.equal([['749.50', 'not there then']]);
    }
  });

  const outstandingIn = (html: string) =>
    rowsOf(html, 'amounts-USD').find(({ head }) => head === 'Outstanding principal');

  const TABLES = {
    '/portfolio': ['portfolio', 'ladder-USD', 'groups'],
    '/portfolio?by=lender': ['portfolio', 'groups'],
    '/deals?includeZero=true': ['deals', 'totals'],
    '/deals/{deal}?view=all': ['amounts-USD', 'lenders-USD', 'facilities'],
    '/facilities/{facility}': ['commitment', 'amounts-USD', 'contracts'],
  } as const;
  for (const [path, tables] of Object.entries(TABLES)) {
    for (const by of ['cmpKnownAt', 'cmpAsOf'] as const) {
      it(`say of each number of ${path} what it was, as the page at that time does (${by})`, async () => {
        const at = path.replace('{deal}', loan.deal.id).replace('{facility}', loan.facility.id);
        const value = by === 'cmpKnownAt' ? between : '2025-01-30';
        const mark = at.includes('?') ? '&' : '?';
        const now = await person.open(`${at}${mark}${by}=${encodeURIComponent(value)}`);
        const { searchParams } = now.url;
        const other = new URLSearchParams({
          asOf: searchParams.get(by === 'cmpAsOf' ? by : 'asOf') ?? '',
          knownAt: searchParams.get(by === 'cmpKnownAt' ? by : 'knownAt') ?? '',
        });
        const then = await person.open(`${at}${mark}${other}`);
        for (const id of tables) {
          const before = rowsOf(then.html, id);
          const rows = rowsOf(now.html, id);
          expect(rows.length, id).to.be.greaterThan(0);
          for (const { head, compared } of rows) {
            const same = before.find((row) => row.head === head);
            for (const [column, cell] of compared.entries()) {
              const what = `${id} ${head} ${column}`;
              if (id === 'lenders-USD' && column === 0) continue; // The fraction is no amount.
              const [is = '', second, change] = cell;
              const was = change === undefined ? is : second;
              if (second === 'not there then') continue;
              if (same !== undefined) expect(was, what).to.equal(same.numbers[column]);
              if (change === undefined) expect(second, what).to.equal(undefined);
              else expect(minor(is) - minor(change), what).to.equal(minor(was ?? ''));
            }
          }
        }
      });
    }
  }
  const minor = (amount: string) => BigInt(amount.replace('.', ''));

  it('show a lender its own share at both times, and nothing of another’s', async () => {
    const [own, other] = [aParty('Own lender of two times'), aParty('Secret lender of two times')];
    const debtor = aParty('Borrower of both');
    const shared = aLoan(debtor, [own, other]);
    const part = (mine: string, theirs: string, all: string) =>
      posting(shared, '2025-01-31', [
        [undefined, all],
        [own, mine],
        [other, theirs],
      ]);
    await services.post([
      ...[debtor, own, other, ...shared.all],
      part('111.11', '666.66', '777.77'),
    ]);
    const grant = { role: 'lender', lenderId: own.id, deals: { dealId: shared.deal.id } } as const;
    const reader = await services.person(VIEW, grant);
    const then = (await reader.signIn('/deals')).url.searchParams.get('knownAt') ?? '';
    await services.post([part('22.22', '44.45', '66.67')]);
    const at = `cmpKnownAt=${encodeURIComponent(then)}`;
    const pages = await Promise.all(
      [
        ...[
          '/portfolio',
          '/portfolio?view=own',
          '/portfolio?by=lender',
          '/deals',
          '/deals?choices=all',
        ],
        ...[`/deals/${shared.deal.id}`, `/facilities/${shared.facility.id}`],
        ...['/positions.csv', '/facilities.csv', `/positions.csv?dealId=${shared.deal.id}`],
      ].map((path) => reader.open(`${path}${path.includes('?') ? '&' : '?'}${at}`)),
    );
    for (const { html, url } of pages) {
      for (const secret of ['666.66', '44.45', '711.11', 'Secret lender', other.id]) {
        expect(html, url.href).not.to.include(secret);
      }
    }
    const [, ownView, , deals, , deal, , ...files] = pages.map(({ html }) => html);
    for (const file of files) expect(file.trimEnd().split('\r\n')).to.have.length(2);
    expect(files[0]).to.include('133.33');
    expect(rowsOf(ownView ?? '', 'portfolio')[0]?.compared[1]).to.deep.equal([
      '133.33',
      '111.11',
      '22.22',
    ]);
    expect(rowsOf(deals ?? '', 'deals')[0]?.compared.slice(0, 2)).to.deep.equal([
      ['133.33', '111.11', '22.22'],
      ['844.44', '777.77', '66.67'],
    ]);
    expect(rowsOf(deal ?? '', 'amounts-USD')[0]?.compared).to.deep.equal([
      ['133.33', '111.11', '22.22'],
      ['844.44', '777.77', '66.67'],
    ]);
  });

  it('go with the reader from page to page, until the reader stops comparing', async () => {
    const { html } = await person.open(`/portfolio?cmpKnownAt=${encodeURIComponent(between)}`);
    const deals = await person.open(linkNamed(html, 'Deals') ?? '');
    const row = rowsOf(deals.html, 'deals').find(({ head }) => head.includes(loan.deal.name));
    expect(row?.compared[0]).to.deep.equal(['749.50', '1000.00', '-250.50']);
    const deal = await person.open(linkNamed(deals.html, loan.deal.dealNumber) ?? '');
    const facility = rowsOf(deal.html, 'facilities')[0]?.html ?? '';
    const last = await person.open(linkNamed(facility, loan.facility.name) ?? '');
    expect(textOf(last.html)).to.include('Compared with').and.include(between);
    const alone = await person.open(linkNamed(last.html, 'Stop comparing') ?? '');
    expect(textOf(alone.html)).not.to.include('Compared with');
  });

  it('tell of a deal that is not in the book any more', async () => {
    const debtor = aParty('Borrower of a mistake');
    const mistake = aLoan(debtor, []);
    const undated = mistake.all.map(({ ...record }) => ({ ...record, bookedOn: undefined }));
    const drawn = posting(mistake, '2025-01-31', [[undefined, '12.34']]);
    await services.post([debtor, ...undated, drawn]);
    const reader = await services.person(FULL);
    const since = (await reader.signIn('/deals')).url.searchParams.get('knownAt') ?? '';
    const takenBack = drawn.postings.map((one) => ({
      ...one,
      amount: `-${one.amount}`.replace('--', ''),
    }));
    const { type, effectiveDate } = drawn;
    await services.post([
      aJournal(mistake.deal, type, effectiveDate, takenBack, { reverses: drawn.id }),
    ]);
    const { html } = await reader.open(`/changes?since=${encodeURIComponent(since)}`);
    const { dealNumber, name } = mistake.deal;
    expect(textOf(html)).to.include(`${dealNumber} ${name}: 12.34 USD`);
    expect(textOf(html)).not.to.include('Nothing changed');
    const then = await reader.open(linkNamed(html, dealNumber) ?? '');
    expect(outstandingIn(then.html)?.numbers).to.deep.equal(['12.34']);
  });

  it('begin with the first page of the list, whichever page the reader was on', async () => {
    const borrower = aParty('Borrower of many deals');
    const loans = Array.from({ length: 51 }, () => aLoan(borrower, [lender]));
    const drawn = loans.map((one) => posting(one, '2025-01-31', legs('5.00')));
    await services.post([borrower, ...loans.flatMap(({ all }) => all), ...drawn]);
    const deals = { borrowerId: borrower.id } as const;
    const reader = await services.person(VIEW, { role: 'agent', lenderId: undefined, deals });
    const { html } = await reader.signIn('/deals?asOf=2025-01-31&limit=50');
    const second = await reader.open(linkNamed(html, 'Next page') ?? '');
    expect(rowsOf(second.html, 'deals')).to.have.length(1);
    const form = second.html.slice(second.html.indexOf('Compare with another time'));
    expect(form.slice(0, form.indexOf('</form>')))
      .to.include('"limit"')
      .and.not.include('"cursor"');
    const compared = await reader.open(linkNamed(form, 'End of last month') ?? '');
    expect(compared.response.status).to.equal(200);
    expect(rowsOf(compared.html, 'deals')).to.have.length(50);
    expect(rowsOf(compared.html, 'deals')[0]?.compared[0]).to.deep.equal(['5.00', '0.00', '5.00']);
    const last = await reader.open(linkNamed(compared.html, 'Next page') ?? '');
    expect(rowsOf(last.html, 'deals')).to.have.length(1);
    const alone = await reader.open(linkNamed(last.html, 'Stop comparing') ?? '');
    expect(rowsOf(alone.html, 'deals')).to.have.length(50);
  });

  it('are asked for anew where there is no book for the other time', async () => {
    for (const [name, value] of [
      ['cmpAsOf', '2150-01-01'],
      ['cmpKnownAt', '2150-01-01T00:00:00Z'],
    ] as const) {
      for (const path of ['/portfolio', '/deals', `/deals/${loan.deal.id}`]) {
        const page = await person.open(`${path}?asOf=2025-01-31&${name}=${value}`);
        expect(page.response.status, path).to.equal(400);
        expect(page.html).to.include(`id="fault-${name}"`).and.include('value="2150-01-01"');
        expect(textOf(page.html)).to.include('This lies in the future.');
        expect(textOf(page.html)).not.to.include('Compared with');
      }
    }
  });

  it('may be told by a name, such as the same day a year before', async () => {
    const { html } = await person.open('/portfolio?asOf=2025-01-31');
    const address =
      linkNamed(html.slice(html.indexOf('Compare with another time')), 'Same day last year') ?? '';
    expect(address).to.include('cmpAsOf=2024-01-31');
  });

  it('differ by the deals that changed between them, and by no other', async () => {
    const { html } = await person.open(`/changes?since=${encodeURIComponent(between)}`);
    const rows = rowsOf(html, 'changes');
    expect(rows.map(({ head }) => head)).to.deep.equal([
      `${loan.deal.dealNumber} ${loan.deal.name}`,
    ]);
    expect(rows[0]?.compared[0]).to.deep.equal(['749.50', '1000.00', '-250.50']);
    expect(textOf(rows[0]?.html ?? '')).to.include('Advance');
    const [address = '', journal] = (linkNamed(rows[0]?.html ?? '', 'Postings') ?? '').split('#');
    const postings = await person.open(address);
    const posted = rowsOf(postings.html, 'movements').map(({ numbers: [amount] }) => amount);
    expect(posted).to.deep.equal(['1000.00', '-250.50']);
    expect(postings.html.split(`<tr id="${journal}">`)[1])
      .to.include('250.50')
      .and.not.include('1,000');
    const deal = await person.open(linkNamed(html, loan.deal.dealNumber) ?? '');
    const outstanding = outstandingIn(deal.html);
    expect(outstanding?.compared).to.deep.equal([['749.50', '1000.00', '-250.50']]);
  });

  it('differ by many deals, each with what was posted', async () => {
    const borrower = aParty('Borrower of 30 changes');
    const loans = Array.from({ length: 30 }, () => aLoan(borrower, [lender]));
    await services.post([borrower, ...loans.flatMap(({ all }) => all)]);
    const deals = { borrowerId: borrower.id } as const;
    const reader = await services.person(VIEW, { role: 'agent', lenderId: undefined, deals });
    const { url } = await reader.signIn('/deals?includeZero=true');
    const since = encodeURIComponent(url.searchParams.get('knownAt') ?? '');
    await services.post(loans.map((one) => posting(one, '2025-01-31', legs('5.00'))));
    const { html } = await reader.open(`/changes?since=${since}`);
    const rows = rowsOf(html, 'changes');
    expect(rows).to.have.length(30);
    for (const row of rows) expect(textOf(row.html), row.head).to.include('Advance');
  });

  it('differ, of one deal alone, where the page of the deal leads to its changes', async () => {
    const { html: page } = await person.open(`/deals/${loan.deal.id}`);
    const tabs = page.slice(page.indexOf('class="tabs"'));
    const href = `${linkNamed(tabs, 'Changes')}&since=${encodeURIComponent(between)}`;
    const { html } = await person.open(href);
    expect(rowsOf(html, 'changes')).to.have.length(1);
    expect(linkNamed(html, 'Show the deal')).to.include(loan.deal.id);
    const none = await person.open(href.replace(loan.deal.id, `deal_${'0'.repeat(26)}`));
    expect(none.html).to.include('Nothing changed since');
    expect(linkNamed(none.html, 'Show the changes of all deals')).not.to.include('dealId');
  });

  it('are the same where nothing was posted', async () => {
    const now = (await person.open('/deals')).url.searchParams.get('knownAt') ?? '';
    const { html } = await person.open(`/changes?since=${encodeURIComponent(now)}`);
    expect(html).to.include('Nothing changed since');
  });

  it('differ by what changed since the access to deals did, where that was later', async () => {
    for (const address of ['/changes', '/changes?since=2020-01-01T00:00:00Z']) {
      const { html, response } = await person.open(address);
      expect(response.status).to.equal(200);
      expect(html, address).to.include('access to deals changed on');
      const rows = rowsOf(html, 'changes');
      expect(rows.map(({ head }) => head)).to.deep.equal([
        `${loan.deal.dealNumber} ${loan.deal.name}`,
      ]);
      expect(rows[0]?.compared[0]).to.deep.equal(['749.50', '1000.00', '-250.50']);
      expect(textOf(rows[0]?.html ?? ''), 'who posted').to.include(`Advance (${TREASURY})`);
    }
  });

  it('do not compare where the access to deals changed after what is shown', async () => {
    const known = encodeURIComponent(knownBefore);
    const { html, response } = await person.open(`/changes?knownAt=${known}`);
    expect(response.status).to.equal(200);
    expect(html).to.include('access to deals has changed');
  });

  it('differ by interest where a rate alone became known, which no posting tells', async () => {
    const since = (await person.open('/deals')).url.searchParams.get('knownAt') ?? '';
    const of = { facility: loan.facility.id, contract: loan.contract.id };
    const [startDate, component] = [businessDate('2024-12-01'), 'interest' as const];
    await services.post([
      aJournal(loan.deal, 'rate_set', '2024-12-01', [], {
        rates: [{ ...of, component, startDate, allInRate: '0.05' }],
      }),
    ]);
    const now = await person.open(`/changes?asOf=2025-03-31&since=${encodeURIComponent(since)}`);
    const [row, ...others] = rowsOf(now.html, 'changes');
    expect(others).to.deep.equal([]);
    expect(row?.compared.length, 'figures that moved').to.be.greaterThan(0);
    expect(textOf(row?.html ?? '')).to.include('Facts without postings, such as rates');
  });

  it('are not said to come without a posting where one moves no figure of the page', async () => {
    const since = (await person.open('/deals')).url.searchParams.get('knownAt') ?? '';
    const blocked = entry({ facility: loan.facility }, ['UNAVAILABLE', 'MEMO'], legs('1.00'));
    await services.post([aJournal(loan.deal, 'availability_block', '2025-01-31', blocked)]);
    const { html } = await person.open(`/changes?since=${encodeURIComponent(since)}`);
    const [row, ...others] = rowsOf(html, 'changes');
    expect(others).to.deep.equal([]);
    expect(row?.head).to.include(loan.deal.dealNumber);
    expect(textOf(row?.html ?? '')).not.to.include('Facts without postings');
  });

  it('have presets that every calendar has', () => {
    const days = (last: string) =>
      Object.fromEntries(presetsOf(last).map((one) => [one.name, one.day]));
    expect(days('2025-03-31')).to.deep.equal({
      last: '2025-03-31',
      month: '2025-02-28',
      quarter: '2024-12-31',
      year: '2024-12-31',
      before: '2024-03-31',
    });
    expect(days('2024-02-29')['before']).to.equal('2023-02-28');
    expect(days('2025-08-15')).to.include({ month: '2025-07-31', quarter: '2025-06-30' });
    expect(daysBefore('2025-03-01T10:00:00.123456Z', 1)).to.equal('2025-02-28T10:00:00.123456Z');
    expect(quarterAfter('2025-03-31')).to.deep.equal(['2025-04-01', '2025-06-30']);
    expect(quarterAfter('2024-11-30')).to.deep.equal(['2025-01-01', '2025-03-31']);
  });
});

import { expect } from 'chai';
import type { Page, Person } from './support/person.ts';
import { linkNamed, rowsOf, textOf } from './support/reading.ts';
import {
  aLoan,
  aParty,
  type Loan,
  type Party,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';

const ANNA = '31415926.53';
const BERT = '27182818.28';
const GLOBAL = '58598744.81';

describe('a visit', () => {
  let services: Services;
  let loan: Loan;
  let anna: Party;
  let bert: Party;
  before(async () => {
    services = await sharedServices();
    const borrower = aParty('Borrower of the visit');
    [anna, bert] = [aParty('Anna Bank'), aParty('Bert Bank')];
    loan = aLoan(borrower, [anna, bert]);
    await services.post([
      ...[borrower, anna, bert, ...loan.all],
      posting(loan, '2025-01-31', [
        [undefined, GLOBAL],
        [anna, ANNA],
        [bert, BERT],
      ]),
    ]);
  });
  const ofTheDeal = (role: 'agent' | 'lender' | 'borrower', lender?: Party) => ({
    role,
    lenderId: lender?.id,
    deals: { dealId: loan.deal.id } as const,
  });
  const all = ['', '/roll-forward', '/movements', '/movements?lenders=yes'];
  /** Every page and file about the deal that a person can open. */
  const everything = async (person: Person): Promise<string[]> => {
    await person.signIn();
    const addresses = [
      ...['/deals', '/deals.csv', '/deals.ndjson', `/facilities/${loan.facility.id}`],
      ...all.map((part) => `/deals/${loan.deal.id}${part}`),
      ...['movements.csv', 'roll-forward.csv'].map((file) => `/deals/${loan.deal.id}/${file}`),
    ];
    const pages = await Promise.all(addresses.map((address) => person.open(address)));
    for (const page of pages) expect(page.response.status, page.url.href).to.equal(200);
    return pages.map(({ html }) => html.replaceAll(',', ''));
  };

  it('shows a lender its own share, and nothing of another’s', async () => {
    const texts = await everything(await services.person(VIEW, ofTheDeal('lender', anna)));
    for (const text of texts) {
      expect(text).not.to.include(BERT).and.not.to.include('Bert Bank');
      expect(text).not.to.include(bert.id);
    }
    const [deals = '', , , , deal = ''] = texts;
    expect(rowsOf(deals, 'deals')[0]?.numbers.slice(0, 2)).to.deep.equal([ANNA, GLOBAL]);
    expect(rowsOf(deal, 'amounts-USD')[0]?.numbers).to.deep.equal([ANNA, GLOBAL]);
    expect(deal).not.to.include('Sum of lenders');
  });

  it('says to a lender which figures beside its own are global', async () => {
    const person = await services.person(VIEW, ofTheDeal('lender', anna));
    await person.signIn();
    const [deal, facility] = [`/deals/${loan.deal.id}`, `/facilities/${loan.facility.id}`];
    for (const [path, ...names] of [
      [deal, ...['Outstanding principal', 'Commitment', 'Available']],
      [facility, 'USD', 'Contracts'],
      [`${deal}/roll-forward`, 'Opening and closing of each interval in USD'],
    ]) {
      const [english, german] = await Promise.all(
        ['en', 'de'].map(async (lang) => (await person.open(`${path}?lang=${lang}`)).html),
      );
      for (const name of names) expect(english, path).to.include(`>${name} (global)<`);
      expect(german?.match(/ \(gesamt\)</g)?.length, path).to.equal(
        english?.match(/ \(global\)</g)?.length,
      );
    }
    const agent = await services.person(VIEW, ofTheDeal('agent'));
    expect((await agent.signIn(facility)).html).not.to.include('(global)');
  });

  it('shows a lender the sum of its own share first', async () => {
    const person = await services.person(VIEW, ofTheDeal('lender', anna));
    const own = await person.signIn('/');
    expect(own.html).to.include('Total of your share').and.not.include('Bert Bank');
    expect(rowsOf(own.html, 'portfolio')[0]?.numbers[1]).to.equal(ANNA);
    const all = await person.open(linkNamed(own.html, 'Global amounts') ?? '');
    expect(rowsOf(all.html, 'portfolio')[0]?.numbers[1]).to.equal(GLOBAL);
    for (const by of ['lender', 'borrower', 'country']) {
      const { html } = await person.open(`/portfolio?by=${by}`);
      expect(html.replaceAll(',', '')).not.to.include(BERT).and.not.include('Bert Bank');
    }
  });

  it('shows an agent that is a lender too the sum of its own share, and no other’s', async () => {
    const grants = [ofTheDeal('agent'), ofTheDeal('lender', anna)];
    const person = await services.person(VIEW, ...grants);
    const all = await person.signIn('/');
    expect(rowsOf(all.html, 'portfolio')[0]?.numbers[1]).to.equal(GLOBAL);
    const own = await person.open(linkNamed(all.html, 'Your share') ?? '');
    expect(own.html).to.include('Total of your share');
    expect(rowsOf(own.html, 'portfolio')[0]?.numbers[1]).to.equal(ANNA);
    expect(own.html.replaceAll(',', '')).not.to.include(BERT);
  });

  it('leads a lender from the course of its share to its share of another day', async () => {
    const [debtor, own] = [aParty('Borrower of the course'), aParty('Lender of the course')];
    const shared = aLoan(debtor, [own]);
    const drawn = ['2024-05-15', '2024-11-15'].map((day) =>
      posting(shared, day, [
        [undefined, '5.00'],
        [own, '5.00'],
      ]),
    );
    await services.post([debtor, own, ...shared.all, ...drawn]);
    const deals = { dealId: shared.deal.id } as const;
    const person = await services.person(VIEW, { role: 'lender', lenderId: own.id, deals });
    const { html } = await person.signIn('/');
    const days = [...html.matchAll(/<a class="mark" href="(\/portfolio[^"]*)"/g)];
    expect(days).not.to.have.length(0);
    for (const [, href] of days) expect(href).to.include('view=own');
  });

  it('shows a borrower the global amounts, and no lender', async () => {
    const texts = await everything(await services.person(VIEW, ofTheDeal('borrower')));
    for (const text of texts) {
      for (const secret of [ANNA, BERT, 'Anna Bank', 'Bert Bank']) {
        expect(text).not.to.include(secret);
      }
    }
    expect(texts[0]).to.include(GLOBAL);
  });

  it('shows a lender the deal where an address asks for the lenders', async () => {
    const person = await services.person(VIEW, ofTheDeal('lender', anna));
    const { html } = await person.signIn(`/deals/${loan.deal.id}?view=lenders`);
    expect(rowsOf(html, 'amounts-USD')).not.to.have.length(0);
  });

  it('says to a borrower that it sees no lenders, not that it has no deals', async () => {
    const person = await services.person(VIEW, ofTheDeal('borrower'));
    const { html } = await person.signIn('/lenders');
    expect(html).to.include('Only the agent of a deal sees them').and.not.include('no deals');
  });

  it('shows an agent each share, and that they add up', async () => {
    const person = await services.person(VIEW, ofTheDeal('agent'));
    const { html: deal } = await person.signIn(`/deals/${loan.deal.id}?view=all`);
    expect(deal).to.include('Anna Bank').and.include('Bert Bank');
    expect(rowsOf(deal, 'lenders-USD', 'tfoot')[0]?.html).to.include('equals the global amount');
  });

  it('shows a deal that was not granted as one that does not exist', async () => {
    const person = await services.person(VIEW);
    await person.signIn();
    const times = 'asOf=2025-01-31&knownAt=2030-01-01T00:00:00Z';
    const [granted, absent] = await Promise.all(
      [loan.deal.id, `deal_${'0'.repeat(26)}`].map((id) => person.open(`/deals/${id}`)),
    );
    expect(granted?.response.status).to.equal(404);
    const without = (page?: Page) =>
      page?.html.replace(/<code>[^<]*<\/code>/, '').replaceAll(/deal_\w+/g, '');
    expect(without(granted)).to.equal(without(absent));
    for (const part of ['/roll-forward', '/movements']) {
      const page = await person.open(`/deals/${loan.deal.id}${part}?${times}`);
      expect(page.response.status, part).to.be.oneOf([400, 404]);
      expect(page.html).not.to.include(loan.deal.dealNumber);
    }
  });

  it('shows nothing of the person before, once another one has signed in', async () => {
    const first = await services.person(VIEW, ofTheDeal('agent'));
    await first.signIn();
    const second = await services.person(VIEW);
    // In the same browser: the issuer’s cookies are gone, those of the explorer stay.
    for (const name of ['cls_explorer', 'cls_explorer_browser']) {
      second.plant(name, first.cookie(name) ?? '');
    }
    await second.signIn('/sign-in?return=/deals');
    const page = await second.open('/deals');
    expect(page.html).to.include(second.email).and.not.include(first.email);
    expect(page.html).not.to.include(loan.deal.dealNumber);
  });

  it('says who is signed in now in a tab that another person opened, before any number', async () => {
    const first = await services.person(VIEW, ofTheDeal('agent'));
    const tab = await first.signIn(`/deals/${loan.deal.id}`);
    const second = await services.person(VIEW, ofTheDeal('lender', anna));
    for (const name of ['cls_explorer', 'cls_explorer_browser', 'cls_explorer_viewers']) {
      second.plant(name, first.cookie(name) ?? '');
    }
    await second.signIn('/sign-in?return=/deals');
    for (const address of [
      tab.url.href,
      linkNamed(tab.html, 'Postings') ?? '',
      linkNamed(tab.html, 'Facilities (CSV)') ?? '',
    ]) {
      const page = await second.open(address);
      expect(page.response.status, address).to.equal(409);
      expect(page.html).to.include(`You are now signed in as ${second.email}`);
      expect(page.html).not.to.include(first.email).and.not.include(loan.deal.dealNumber);
      const shown = linkNamed(page.html, `Show this page as ${second.email}`) ?? '';
      expect((await second.open(shown)).response.status).to.equal(200);
    }
  });

  it('shows a link that somebody else sent without a question', async () => {
    const first = await services.person(VIEW, ofTheDeal('agent'));
    const sent = await first.signIn(`/deals/${loan.deal.id}`);
    const second = await services.person(VIEW, ofTheDeal('lender', anna));
    const page = await second.signIn(sent.url.href);
    expect(page.response.status).to.equal(200);
    expect(page.html).to.include(second.email);
    const times = (url: URL) => ['asOf', 'knownAt'].map((name) => url.searchParams.get(name));
    expect(times(page.url)).to.deep.equal(times(sent.url));
    expect(page.url.search).not.to.equal(sent.url.search);
  });

  describe('at two times', () => {
    let person: Person;
    let page: Page;
    before(async () => {
      person = await services.person(VIEW, ofTheDeal('agent'));
      page = await person.signIn('/deals');
    });

    it('is frozen by the first answer, and every link keeps it', async () => {
      const { searchParams } = page.url;
      expect(searchParams.get('asOf')).to.match(/^\d{4}-\d\d-\d\d$/);
      expect(searchParams.get('knownAt')).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      const links = [...page.html.matchAll(/href="(\/deals[^"]*)"/g)].map(([, href = '']) => href);
      expect(links.length).to.be.greaterThan(3);
      for (const link of links) expect(link).to.include('knownAt=').and.include('asOf=');
    });

    it('shows the same numbers after a later posting, and says that there is one', async () => {
      const before = rowsOf(page.html, 'deals');
      expect(textOf(page.html)).not.to.include('Newer postings');
      await services.post([
        posting(loan, '2025-01-31', [
          [undefined, '5.00'],
          [anna, '5.00'],
        ]),
      ]);
      const again = await person.open(page.url.href);
      expect(rowsOf(again.html, 'deals')).to.deep.equal(before);
      expect(textOf(again.html)).to.include('Newer postings are known');
      const compared = await person.open(
        linkNamed(again.html, 'Compare what is known now with it') ?? '',
      );
      expect(rowsOf(compared.html, 'deals')[0]?.html)
        .to.include('58,598,749.81')
        .and.include('+5.00');
      const now = await person.open(linkNamed(again.html, 'Show what is known now') ?? '');
      expect(rowsOf(now.html, 'deals')[0]?.numbers[0]).to.equal('58598749.81');
      expect(textOf(now.html)).not.to.include('Newer postings');
    });

    it('counts on from page to page, and believes no made-up balance', async () => {
      const more = Array.from({ length: 60 }, () =>
        posting(loan, '2025-01-31', [
          [undefined, '1.00'],
          [anna, '1.00'],
        ]),
      );
      await services.post(more);
      const first = await person.open(`/deals/${loan.deal.id}/movements?lenders=yes`);
      const next = linkNamed(first.html, 'Next page') ?? '';
      const second = await person.open(next);
      expect(
        rowsOf(second.html, 'movements').findLast(({ numbers }) => numbers[1])?.numbers[1],
      ).to.equal('58598809.81');
      const forged = new URL(next, services.url);
      forged.searchParams.set('carried', 'x'.repeat(80));
      const honest = await person.open(forged.href);
      expect(honest.response.status).to.equal(200);
      expect(rowsOf(honest.html, 'movements').every(({ numbers }) => numbers[1] === '')).to.equal(
        true,
      );
    });
  });
});

import { expect } from 'chai';
import { problem } from './support/between.ts';
import type { Person } from './support/person.ts';
import { linkNamed, textOf } from './support/reading.ts';
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

interface Matches {
  readonly said: string;
  readonly options: string;
}

describe('the first matches of a search', () => {
  let services: Services;
  let loan: Loan;
  let others: Loan;
  let lender: Party;
  let agent: Person;
  let times: string;
  before(async () => {
    services = await sharedServices();
    const borrower = aParty('Wolfram <Mining> & Sons');
    lender = aParty('Wolframite Credit Bank');
    loan = aLoan(borrower, [lender]);
    const hospital = aParty('Wolframheim Hospital');
    others = aLoan(hospital, []);
    const drawn = [loan, others].map((one) =>
      posting(one, '2025-01-31', [
        [undefined, '5.00'],
        ...(one === loan ? ([[lender, '5.00']] as const) : []),
      ]),
    );
    await services.post([borrower, lender, hospital, ...loan.all, ...others.all, ...drawn]);
    agent = await services.person(VIEW, {
      ...{ role: 'agent', lenderId: undefined },
      deals: { dealId: loan.deal.id },
    });
    times = (await agent.signIn('/deals')).url.search.slice(1);
  });
  afterEach(() => {
    services.between.fault = undefined;
  });
  const ask = async (person: Person, q: string, more = times) => {
    const response = await person.send(`/matches?${more}&q=${encodeURIComponent(q)}`);
    expect(response.status).to.equal(200);
    return (await response.json()) as Matches;
  };
  const optionsIn = ({ options }: Matches) =>
    [...options.matchAll(/<a role="option" [^>]*>([\s\S]*?)<\/a>/g)].map(([, one = '']) => ({
      name: textOf(one.replace(/<small>[\s\S]*/, ''))
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>'),
      about: textOf(/<small>([\s\S]*)<\/small>/.exec(one)?.[1] ?? ''),
    }));

  it('are deals, borrowers and lenders, each at the times of the page', async () => {
    const found = await ask(agent, 'wolfram');
    expect(optionsIn(found).map(({ about }) => about.split(' ·')[0])).to.deep.equal([
      'Deal',
      'Borrower',
      'Lender',
    ]);
    expect(found.said).to.match(/^Matches: 3\./);
    const hrefs = [...found.options.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(hrefs.map((href) => href.replace(/\?.*/, ''))).to.deep.equal([
      `/deals/${loan.deal.id}`,
      `/borrowers/${loan.deal.borrower}`,
      `/lenders/${lender.id}`,
    ]);
    for (const href of hrefs) {
      const page = await agent.open(href.replaceAll('&amp;', '&'));
      expect(page.response.status, href).to.equal(200);
      for (const name of ['asOf', 'knownAt']) {
        const [shown, asked] = [page.url.search, times].map((one) =>
          new URLSearchParams(one).get(name),
        );
        expect(shown, href).to.equal(asked);
      }
    }
  });

  it('are those that the search names on its page', async () => {
    for (const q of ['wolfram', 'wolframite', 'changes', 'lend', 'deals', 'mining sons']) {
      const { html } = await agent.open(`/deals?${times}&q=${encodeURIComponent(q)}`);
      const [, list = ''] =
        /<ul class="links" aria-label="Pages with this name:">(.*?)<\/ul>/s.exec(html) ?? [];
      const links = [...list.matchAll(/<a [^>]*>(.*?)<\/a>/gs)].map(([, name = '']) => name);
      const named = optionsIn(await ask(agent, q)).filter(({ about }) => !about.startsWith('Deal'));
      expect(
        named.map(({ name }) => name),
        q,
      ).to.deep.equal(links.map((one) => textOf(one).replace('&lt;', '<').replace('&gt;', '>')));
      expect(links, q).not.to.be.empty;
    }
  });

  it('say that there is none, in the language of the page', async () => {
    const none = await ask(agent, 'nobodyhasthisname');
    expect(none).to.deep.equal({ said: 'No match. Enter looks for similar names.', options: '' });
    const german = await ask(agent, 'changes', `${times}&lang=de`);
    expect(german.said).to.match(/^Treffer: 1\./);
    expect(optionsIn(german)).to.deep.equal([{ name: 'Änderungen', about: 'Seite' }]);
    await agent.open('/deals?lang=en');
  });

  it('lead to a country whose name is written, if the reader sees a deal of it', async () => {
    const found = await ask(agent, 'vereinigte staaten');
    expect(optionsIn(found)).to.deep.equal([{ name: 'United States', about: 'Country' }]);
    const [, href = ''] = /href="([^"]*)"/.exec(found.options) ?? [];
    const { html } = await agent.open(href.replaceAll('&amp;', '&'));
    expect(linkNamed(html, 'Search the names for “vereinigte staaten”')).to.be.a('string');
    expect(html).to.include(loan.deal.dealNumber);
    expect(optionsIn(await ask(agent, 'deutschland'))).to.deep.equal([]);
  });

  it('are only what the reader may see, and leave lenders to those who have a list of them', async () => {
    expect(JSON.stringify(await ask(agent, 'wolframheim'))).not.to.include('Hospital');
    const borrower = await services.person(VIEW, {
      ...{ role: 'borrower', lenderId: undefined },
      deals: { dealId: loan.deal.id },
    });
    const own = (await borrower.signIn('/deals')).url.search.slice(1);
    services.between.asked.length = 0;
    const found = optionsIn(await ask(borrower, 'wolfram', own));
    expect(found.map(({ about }) => about.split(' ·')[0])).to.deep.equal(['Deal', 'Borrower']);
    expect(services.between.asked.join()).not.to.include('/facets');
  });

  it('cost three questions, and leave the filters of a list aside', async () => {
    services.between.asked.length = 0;
    const narrowed = await ask(agent, 'wolfram', `${times}&currency=JPY&limit=250&sort=borrower`);
    expect(optionsIn(narrowed)).to.have.length(3);
    expect(services.between.asked).to.have.length(3);
    expect(services.between.asked.join()).not.to.match(/JPY|limit=250|sort=/);
  });

  it('are found on a page without times too, as known now', async () => {
    expect(optionsIn(await ask(agent, 'wolfram', 'lang=en'))).to.have.length(3);
  });

  it('are kept by no cache, and told to nobody else', async () => {
    const address = `/matches?${times}&q=wolfram`;
    const response = await agent.send(address);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.get('content-type')).to.include('application/json');
    const stranger = await agent.another().send(address);
    expect(stranger.status).to.equal(401);
    expect(await stranger.text()).to.equal('');
    const second = await services.person(VIEW);
    await second.signIn('/deals');
    const another = await second.send(address);
    expect(another.status).to.equal(409);
    expect(await another.text()).to.equal('');
  });

  it('are refused in a status, without a page, where the API refuses', async () => {
    for (const [q, status] of [
      ['', 400],
      ['x'.repeat(101), 400],
    ] as const) {
      expect((await agent.send(`/matches?${times}&q=${q}`)).status, q).to.equal(status);
    }
    services.between.fault = problem(429, 'rate_limited', { 'retry-after': '17' });
    const throttled = await agent.send(`/matches?${times}&q=wolfram`);
    expect(throttled.status).to.equal(429);
    expect(throttled.headers.get('retry-after')).to.equal('17');
    services.between.fault = problem(403, 'token_expired');
    const expired = await agent.send(`/matches?${times}&q=wolfram`);
    expect(expired.status).to.equal(401);
    services.between.fault = undefined;
    // The session goes on: the next page looks after its token.
    expect(optionsIn(await ask(agent, 'wolfram'))).to.have.length(3);
  });
});

import { expect } from 'chai';
import { problem } from './support/between.ts';
import type { Person } from './support/person.ts';
import { linkNamed, textOf } from './support/reading.ts';
import {
  aLoan,
  aParty,
  FULL,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';

const TIMES = 'asOf=2025-01-31&knownAt=2030-01-01T00:00:00Z';

describe('what is in the way', () => {
  let services: Services;
  let person: Person;
  let known: string;
  before(async () => {
    services = await sharedServices();
    const [borrower, lender] = [aParty('A borrower'), aParty('A lender')];
    const loan = aLoan(borrower, [lender]);
    const drawn = posting(loan, '2025-01-31', [
      [undefined, '7.00'],
      [lender, '7.00'],
    ]);
    await services.post([borrower, lender, ...loan.all, drawn]);
    person = await services.person(FULL);
    const page = await person.signIn();
    known = page.url.search;
  });
  afterEach(() => {
    services.between.fault = undefined;
  });

  for (const [what, address, status, words, way] of [
    ['an order that is none', '/deals?sort=luck', 400, 'sort', 'Show it without these'],
    [
      'a cursor that is none',
      '/deals?cursor=abc',
      400,
      'does not continue',
      'Show the list from its beginning',
    ],
    ['an address without a page', '/nothing', 404, 'nothing here', 'Go to your deals'],
  ] as const) {
    it(`is said in words, with a way on: ${what}`, async () => {
      const page = await person.open(address);
      expect(page.response.status).to.equal(status);
      expect(page.html).to.include(words);
      const href = linkNamed(page.html, way);
      const next = await person.open(href ?? 'nowhere');
      expect(next.response.status, `${href}`).to.equal(200);
    });
  }

  for (const [what, times, words, way] of [
    [
      'a date after the book',
      'asOf=2150-01-01',
      'no book for this',
      'Show the last date of the book',
    ],
    [
      'a time before the book',
      'knownAt=1990-01-01T00:00:00Z',
      'Nothing is known',
      'Show what is known now',
    ],
  ] as const) {
    it(`of a file is said in words, with a way on: ${what}`, async () => {
      const page = await person.open(`/deals.csv?${times}`);
      expect(page.response.status).to.equal(400);
      expect(page.html).to.include(words);
      const file = await person.open(linkNamed(page.html, way) ?? 'nowhere');
      expect(file.response.status).to.equal(200);
      expect(file.response.headers.get('content-type')).to.include('text/csv');
    });
  }

  it('says that a filter finds nothing, and leads on without it', async () => {
    const page = await person.open('/deals?country=XX&currency=USD');
    expect(page.html).to.include('No deal passes these filters');
    expect(linkNamed(page.html, 'Clear all')).not.to.include('country');
    const chip = linkNamed(page.html, 'Remove the filter Country XX ×') ?? '';
    expect(chip).to.include('currency=USD').and.not.include('country');
  });

  it('says that nothing was granted', async () => {
    const page = await (await services.person(VIEW)).signIn();
    expect(page.html).to.include('Deals appear here when the agent grants them');
  });

  it('names the permission that a person lacks', async () => {
    services.between.fault = problem(403, 'insufficient_permission');
    const page = await person.open(`/deals${known}`);
    expect(page.response.status).to.equal(403);
    expect(page.html).to.include('cls-deal.view');
  });

  it('says how long to wait when there were too many requests', async () => {
    services.between.fault = problem(429, 'rate_limited', { 'retry-after': '17' });
    const page = await person.open(`/deals${known}`);
    expect(page.response.status).to.equal(429);
    expect(page.response.headers.get('retry-after')).to.equal('17');
    expect(page.html).to.include('17 seconds');
    expect(linkNamed(page.html, 'Try again')).to.equal(`/deals${known}`);
  });

  for (const [what, fault] of [
    ['is unavailable', problem(503, 'unavailable')],
    ['has no keys', problem(503, 'keys_unavailable')],
    ['fails', problem(500, 'internal')],
  ] as const) {
    it(`keeps the address where the API ${what}`, async () => {
      services.between.fault = fault;
      const page = await person.open(`/deals${known}`);
      expect(page.response.status).to.equal(503);
      expect(linkNamed(page.html, 'Try again')).to.equal(`/deals${known}`);
      expect(page.html).to.include('cannot be read just now');
    });
  }

  it('keeps the address where something else answers, or nothing does', async () => {
    services.between.fault = (response) => response.end('<html>proxy</html>');
    expect((await person.open(`/deals${known}`)).response.status).to.equal(503);
    services.between.fault = (response) => response.destroy();
    expect((await person.open(`/deals${known}`)).response.status).to.equal(503);
  });

  it('shows the page where a connection to the API was closed just as it was used', async () => {
    services.between.asked.length = 0;
    services.between.fault = (response) => {
      services.between.fault = undefined;
      response.destroy();
    };
    expect((await person.open(`/deals${known}`)).response.status).to.equal(200);
    expect(services.between.asked).to.have.length(4);
  });

  it('breaks a download off where the API does, so that nobody takes a part for the whole', async () => {
    services.between.fault = (response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('object,id\r\n', () => response.destroy());
    };
    const response = await person.send(`/deals.csv${known}`);
    const failed = await response.text().then(
      () => false,
      () => true,
    );
    expect(failed).to.equal(true);
  });

  it('signs in again where the API refuses a token, and says so where it refuses that too', async () => {
    services.between.fault = problem(403, 'token_expired');
    const page = await person.open(`/deals?${TIMES}`);
    expect(page.response.status).to.equal(502);
    expect(page.html).to.include('cannot be read with your sign-in');
  });

  it('says that the session has ended where the token was revoked, and shows nothing more in it', async () => {
    const other = await services.person(FULL);
    await other.signIn();
    services.between.fault = problem(403, 'token_revoked');
    const page = await other.open(`/deals?${TIMES}`);
    expect(page.response.status).to.equal(401);
    expect(page.html).to.include('Your session has ended');
    expect(linkNamed(page.html, 'Sign in')).to.include('/sign-in?return=%2Fdeals');
    services.between.fault = undefined;
    expect((await other.send(`/deals?${TIMES}`)).status).to.be.oneOf([302, 303]);
  });

  it('escapes what an address brings', async () => {
    const page = await person.open(`/deals?${TIMES}&sort=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`);
    expect(page.html).not.to.include('<script');
    const filtered = await person.open('/deals?country=%22%3E%3Cscript%3E');
    expect(filtered.html).not.to.match(/<script(?! type="module" src="\/assets)/);
  });

  it('speaks German to who reads German', async () => {
    const page = await person.open('/deals?asOf=2150-01-01', {
      headers: { 'accept-language': 'de-CH,de;q=0.9' },
    });
    expect(textOf(page.html)).to.include('Das liegt in der Zukunft');
    const chosen = await person.open(`/deals${known}&lang=de`);
    expect(chosen.html).to.include('<html lang="de">').and.include('Ausstehendes Kapital');
    expect((await person.open(`/deals${known}`)).html, 'remembered').to.include('<html lang="de">');
    await person.open(`/deals${known}&lang=en`);
  });

  it('speaks the language that stands first among those that are wanted as much', async () => {
    const { html } = await person.another().open('/not-signed-in?why=denied', {
      headers: { 'accept-language': 'en, de;q=1.0' },
    });
    expect(html).to.include('<html lang="en">');
  });
});

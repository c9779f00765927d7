import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Explorer } from '../src/compose.ts';
import { formToken } from '../src/sign-in/form-token.ts';
import { safeReturn, withoutLanguage } from '../src/web/address.ts';
import { formOf, type Person } from './support/person.ts';
import { linkNamed } from './support/reading.ts';
import {
  aLoan,
  aParty,
  FULL,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from './support/services.ts';

const SESSION = 'cls_explorer';
const JWT = /eyJ[\w-]+\.eyJ[\w-]+/;

describe('signing in', () => {
  let services: Services;
  let person: Person;
  let https: Explorer;
  after(() => https?.stop());
  before(async () => {
    services = await sharedServices();
    const [borrower, lender] = [aParty('A borrower'), aParty('A lender')];
    const loan = aLoan(borrower, [lender]);
    const drawn = posting(loan, '2025-01-31', [
      [undefined, '100.00'],
      [lender, '100.00'],
    ]);
    await services.post([borrower, lender, ...loan.all, drawn]);
  });
  beforeEach(async () => {
    person = await services.person(FULL);
  });

  it('leads through the issuer, and back to the address that was opened', async () => {
    const page = await person.signIn('/deals?currency=USD&sort=-outstanding');
    expect(page.response.status).to.equal(200);
    expect(page.url.origin).to.equal(services.url);
    expect(page.url.searchParams.get('currency')).to.equal('USD');
    expect(page.url.searchParams.get('sort')).to.equal('-outstanding');
    expect(page.html).to.include(person.email);
  });

  it('pushes the request: the address at the issuer has no more than its name', async () => {
    const response = await person.send('/deals');
    const to = new URL(response.headers.get('location') ?? '');
    expect(to.origin).to.equal(services.auth.issuer);
    expect([...to.searchParams.keys()].sort()).to.deep.equal(['client_id', 'request_uri']);
  });

  it('shows the sign-in in the language that was chosen in the explorer', async () => {
    const page = await person.open('/deals?lang=de');
    expect(page.url.origin).to.equal(services.auth.issuer);
    expect(page.html).to.include('<html lang="de">');
    expect((await person.signIn('/deals')).html).to.include('<html lang="de">');
  });

  it('comes back in the language that was chosen on the way', async () => {
    const begun = await person.open('/deals?lang=de');
    const english = await person.open(`${begun.url.origin}${begun.url.pathname}?lang=en`);
    const password = 'correct horse battery staple';
    const page = await person.submit(english, { email: person.email, password });
    expect(page.url.pathname).to.equal('/deals');
    expect(page.html).to.include('<html lang="en">');
    const callback = person.visited.find((address) => address.includes('/callback?')) ?? '';
    expect(new URL(callback).searchParams.get('lang')).to.equal('en');
  });

  it('hands on no language that nobody chose', async () => {
    const headers = { 'accept-language': 'de' };
    const begun = await person.open('/deals', { headers });
    const password = 'correct horse battery staple';
    expect(begun.html).to.include('<html lang="de">');
    await person.submit(begun, { email: person.email, password });
    expect(person.visited.join('\n')).not.to.include('lang=');
  });

  it('brings no token to the browser, into an address or into the log', async () => {
    const page = await person.signIn();
    const pages = [page, await person.open('/deals?sort=borrower')];
    for (const { html, response } of pages) {
      expect(html).not.to.match(JWT);
      expect(JSON.stringify([...response.headers])).not.to.match(JWT);
    }
    expect(person.visited.join('\n')).not.to.match(JWT);
    expect(person.cookie(SESSION)).to.match(/^[\w-]{43}$/);
    expect(services.lines.join('\n')).not.to.match(JWT);
    expect(services.lines.join('\n')).not.to.include(person.cookie(SESSION));
  });

  it('gives the session a new name each time, whatever name the browser brought', async () => {
    const planted = 'a'.repeat(43);
    person.plant(SESSION, planted);
    await person.signIn('/sign-in?return=/deals');
    const first = person.cookie(SESSION);
    expect(first).not.to.equal(planted);
    await person.open('/sign-in?return=/deals');
    expect(person.cookie(SESSION)).not.to.equal(first);
    const before = person.another();
    before.plant(SESSION, first ?? '');
    const page = await before.open('/deals');
    expect(page.html, 'the session of before is over').not.to.include(person.email);
  });

  it('refuses an answer in a browser that did not begin the sign-in', async () => {
    const attacker = await services.person(VIEW);
    // The attacker stops before the last step, and gives its address to somebody else.
    const stolen = await stopAtCallback(attacker, () => attacker.signIn());
    const page = await person.open(stolen);
    expect(page.response.status).to.equal(400);
    expect(person.cookie(SESSION)).to.equal(undefined);
  });

  it('takes an answer again that came while the issuer could not give tokens', async () => {
    const answer = await stopAtCallback(person, () => person.signIn());
    const { fetch } = globalThis;
    globalThis.fetch = async (input, init) =>
      `${input}`.endsWith('/oauth/token')
        ? Response.json({ error: 'temporarily_unavailable' }, { status: 503 })
        : fetch(input, init);
    const refused = await person.send(answer).finally(() => {
      globalThis.fetch = fetch;
    });
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
    const page = await person.open(answer);
    expect(page.response.status).to.equal(200);
    expect(page.url.origin).to.equal(services.url);
  });

  it('takes an answer once', async () => {
    await person.signIn();
    const callback = person.visited.find((address) => address.includes('/callback?')) ?? '';
    const identifier = person.cookie(SESSION);
    const back = await person.open(callback);
    expect(back.url.pathname, 'who is signed in stays so').to.equal('/portfolio');
    expect(person.cookie(SESSION)).to.equal(identifier);
    person.forget(SESSION);
    const page = await person.open(callback);
    expect(page.response.status).to.equal(400);
    expect(page.html).to.include('href="/sign-in?return=%2F"');
  });

  for (const [fault, change] of [
    ['another state', { state: 'x'.repeat(43) }],
    ['another issuer', { iss: 'https://else.test' }],
    ['another code', { code: 'x'.repeat(43) }],
    ['no issuer', { iss: undefined }],
  ] as const) {
    it(`refuses an answer with ${fault}`, async () => {
      const callback = new URL(await stopAtCallback(person, () => person.signIn()));
      for (const [name, value] of Object.entries(change)) {
        if (value === undefined) callback.searchParams.delete(name);
        else callback.searchParams.set(name, value);
      }
      const page = await person.open(callback.href);
      expect(page.response.status).to.equal(400);
      expect(person.cookie(SESSION)).to.equal(undefined);
    });
  }

  it('says that a person without a permission cannot see balances', async () => {
    const nobody = await services.person(VIEW);
    const page = await nobody.signIn();
    expect(page.response.status).to.equal(200);
    expect(page.html).to.include('There are no deals');
  });

  it('says so where the issuer refuses', async () => {
    const first = await person.send('/deals');
    const request = new URL(first.headers.get('location') ?? '');
    expect(request.pathname).to.equal('/oauth/authorize');
    const page = await person.open('/callback?error=access_denied&state=unknown');
    expect(page.response.status).to.equal(400);
  });

  it('leads to no other site afterwards', () => {
    for (const wanted of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example/',
      '/%0d%0aLocation:x\n',
      '/\t/evil.example',
      '/../..//evil.example',
      'javascript:alert(1)',
      '/sign-out',
      '/callback?code=1',
    ]) {
      const url = new URL(safeReturn(wanted), 'https://explorer.example');
      expect(url.origin, wanted).to.equal('https://explorer.example');
      expect(url.pathname, wanted).not.to.match(/^\/(sign-|callback)/);
    }
    expect(safeReturn('/deals?currency=USD')).to.equal('/deals?currency=USD');
  });

  it('leads to the whole address afterwards, without the language', () => {
    const back = withoutLanguage('/deals?q=a?b&lang=de&currency=USD');
    expect(back).to.equal('/deals?q=a%3Fb&currency=USD');
    expect(withoutLanguage('/deals?q=a?lang=de')).to.equal('/deals?q=a?lang=de');
  });

  describe('and out', () => {
    const isOver = async (who: Person) => {
      const response = await who.send('/deals?asOf=2025-01-31&knownAt=2030-01-01T00:00:00Z');
      return response.status === 302;
    };

    it('ends the session here and at the issuer, without another question', async () => {
      const page = await person.signIn();
      const name = person.cookie(SESSION) ?? '';
      const end = await person.submit(page);
      expect(end.url.href).to.equal(`${services.url}/signed-out`);
      expect(end.html).to.include('You are signed out');
      expect(person.cookie(SESSION)).to.equal(undefined);
      const again = await person.open('/deals');
      expect(again.url.origin, 'the issuer asks who it is').to.equal(services.auth.issuer);
      expect(again.html).to.include('name="password"');
      person.plant(SESSION, name);
      expect(await isOver(person)).to.equal(true);
    });

    it('asks where another session goes on in this browser', async () => {
      await person.signIn();
      const name = person.cookie(SESSION) ?? '';
      const other = await services.person(VIEW);
      const page = await other.signIn();
      other.plant(SESSION, name);
      const { action } = formOf(page);
      const body = new URLSearchParams({ csrf: formToken(name) });
      const question = await other.open(action, { method: 'POST', body });
      expect(question.url.origin).to.equal(services.auth.issuer);
      expect(question.html.replaceAll('<wbr>', ''))
        .to.include(other.email)
        .and.include('name="logout"');
    });

    it('refuses a form that another site made', async () => {
      await person.signIn();
      const body = new URLSearchParams({ csrf: 'x'.repeat(43) });
      const response = await person.send('/sign-out', { method: 'POST', body });
      expect(response.status).to.equal(403);
      expect(await isOver(person)).to.equal(false);
    });

    it('of everything, at the issuer, ends the session here too', async () => {
      await person.signIn();
      const page = await person.open(`${services.auth.issuer}/oauth/logout`);
      await person.submit(page, { logout: 'yes' });
      await eventually(async () => expect(await isOver(person)).to.equal(true));
      const ended = await person.open('/deals?q=ab');
      expect(ended.response.status).to.equal(401);
      expect(ended.html).to.include('Your session has ended');
      expect(`${ended.url.pathname}${ended.url.search}`, 'the address stays').to.equal(
        '/deals?q=ab',
      );
      const again = await person.open(ended.url.href);
      expect(again.html, 'also when it is loaded again').to.include('Your session has ended');
      const back = await person.signIn(linkNamed(again.html, 'Sign in') ?? '');
      expect(back.response.status).to.equal(200);
      expect(back.url.searchParams.get('q')).to.equal('ab');
    });

    it('refuses a logout token that is none', async () => {
      const body = new URLSearchParams({ logout_token: 'x.y.z' });
      const response = await person.send('/backchannel-logout', { method: 'POST', body });
      expect(response.status).to.equal(400);
      expect(await response.json()).to.include({ error: 'invalid_request' });
    });
  });

  it('comes back without a page where only the session here ended', async () => {
    await person.signIn();
    person.plant(SESSION, 'z'.repeat(43));
    const page = await person.open('/deals?sort=borrower');
    expect(page.response.status).to.equal(200);
    expect(page.url.searchParams.get('sort')).to.equal('borrower');
    expect(page.html).to.include(person.email);
  });

  it('protects cookies and pages', async () => {
    https = await services.startAnother({
      EXPLORER_URL: 'https://balances.test',
      EXPLORER_PORT: '0',
      CLS_DATA_DIR: temporaryDirectory('cls-explorer-'),
    });
    const response = await fetch(`http://127.0.0.1:${https.port}/deals`, { redirect: 'manual' });
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).to.match(/^__Host-cls_explorer_browser=/);
    expect(cookie.toLowerCase()).to.include('; secure').and.include('; httponly');
    expect(cookie.toLowerCase()).to.include('samesite=lax').and.include('path=/');
    expect(cookie.toLowerCase()).not.to.include('domain=');
    expect(response.headers.get('strict-transport-security')).to.match(/max-age=\d+/);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
    expect(policy).not.to.include('unsafe');
  });
});

/** The address with the issuer's answer, which the browser did not open. */
async function stopAtCallback(person: Person, signIn: () => Promise<unknown>): Promise<string> {
  const { send } = person;
  let stopped = '';
  person.send = async (address, init) => {
    if (!address.includes('/callback?')) return send.call(person, address, init);
    stopped = address;
    return new Response('stopped', { status: 200 });
  };
  await signIn();
  person.send = send;
  if (stopped === '') throw new Error('the sign-in did not come to its end');
  return stopped;
}

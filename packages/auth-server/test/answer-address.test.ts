import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const MAX = 8_000;
const TARGET = encodeURIComponent(REDIRECT_URI).length;
const MESSAGE = `must not be longer than ${MAX} bytes together, percent-encoded`;
/** What proxies take of an answer's head, with its other headers and cookies. */
const HEAD_MAX = 16_384;

const LONGEST = 'x'.repeat(MAX - TARGET);
const TOO_LONG: Readonly<Record<string, string>> = {
  'one byte more': `${LONGEST}x`,
  'what gateways saw before': 'x'.repeat(16_200),
  'what is long only when it is encoded': '%'.repeat(Math.ceil((MAX - TARGET) / 3) + 1),
  'letters of two bytes': 'é'.repeat(Math.ceil((MAX - TARGET) / 6) + 1),
};

describe('an authorization request whose answer has a long address', () => {
  let server: TestAuthServer;
  let party: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    party = await relyingParty(server, { confidential: false });
  });
  after(() => server?.stop());

  const push = async (parameters: URLSearchParams) => {
    const pushed = await fetch(`${server.issuer}/oauth/par`, { method: 'POST', body: parameters });
    return { status: pushed.status, body: (await pushed.json()) as Record<string, string> };
  };

  it('is answered where the address is as long as it may be, with long other parameters', async () => {
    const long = { nonce: 'n'.repeat(3_000), login_hint: `${'h'.repeat(2_000)}@india.example` };
    const flow = await authorizationUrl(party, { state: LONGEST, ...long });
    const browser = new Browser();
    for (const name of ['a', 'b', 'c']) browser.plant(name, 'c'.repeat(3_000));
    const { url, response } = await browser.submit(await browser.follow(flow.url), server.person);
    expect(url.searchParams.get('state')).to.equal(LONGEST);
    const head = [...response.headers].map(([name, value]) => name.length + value.length + 4);
    expect(head.reduce((sum, length) => sum + length, 0)).to.be.at.most(HEAD_MAX);
    const tokens = await exchange(party, { ...flow, state: LONGEST, nonce: long.nonce }, url);
    expect(tokens).to.have.property('access_token');
  });

  for (const [what, state] of Object.entries(TOO_LONG)) {
    it(`is refused on a page before anybody signs in: ${what}`, async () => {
      const { url } = await authorizationUrl(party, { state });
      const { response, url: end } = await new Browser().follow(url);
      expect([response.status, end.pathname]).to.deep.equal([400, '/oauth/authorize']);
      expect(await response.text()).to.include(MESSAGE);
    });

    it(`is refused where it is pushed: ${what}`, async () => {
      const { url } = await authorizationUrl(party, { state });
      url.searchParams.set('client_id', party.id);
      const { status, body } = await push(url.searchParams);
      expect([status, body['error']]).to.deep.equal([400, 'invalid_request']);
      expect(body['error_description']).to.include(MESSAGE);
    });
  }

  it('is refused before a session that is there answers it', async () => {
    const browser = new Browser();
    const page = await browser.follow((await authorizationUrl(party)).url);
    await browser.submit(page, server.person);
    const silent = { prompt: 'none', state: `${LONGEST}x` };
    const { response } = await browser.follow((await authorizationUrl(party, silent)).url);
    expect([response.status, response.headers.get('location')]).to.deep.equal([400, null]);
  });

  it('of a sign-out is refused too', async () => {
    const url = new URL(`${server.issuer}/oauth/logout`);
    url.search = `${new URLSearchParams({
      ...{ client_id: party.id, post_logout_redirect_uri: 'https://portal.example/' },
      state: 'x'.repeat(MAX),
    })}`;
    const { response } = await new Browser().follow(url);
    expect(response.status).to.equal(400);
    expect(await response.text()).to.include(MESSAGE);
  });
});

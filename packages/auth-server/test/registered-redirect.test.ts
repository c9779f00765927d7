import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { asRegistered } from '../src/oauth/authorize/around-library.ts';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';

const ODD = 'https://portal.example/cb?a=%7e&b=x%20y&c=(1)&d';

describe('the address that an answer goes to', () => {
  for (const [registered, added, expected] of [
    ['https://a.example/cb', 'code=1', 'https://a.example/cb?code=1'],
    ['https://a.example', 'code=1', 'https://a.example?code=1'],
    [ODD, 'code=1&state=a+b', `${ODD}&code=1&state=a+b`],
    ['https://a.example/cb?', 'code=1', 'https://a.example/cb?code=1'],
    ['https://a.example/cb?x=1&', 'code=1', 'https://a.example/cb?x=1&code=1'],
    ['com.example.app:/cb?x=%7e', 'code=1', 'com.example.app:/cb?x=%7e&code=1'],
    [ODD, '', ODD],
  ] as const) {
    it(`is ${registered}, with ${added || 'nothing'}`, () => {
      const made = new URL(registered);
      for (const [name, value] of new URLSearchParams(added)) made.searchParams.set(name, value);
      expect(asRegistered(made.href, registered)).to.equal(expected);
    });
  }

  it('keeps a fragment', () => {
    const made = new URL(ODD);
    made.hash = 'code=1';
    expect(asRegistered(made.href, ODD)).to.equal(`${ODD}#code=1`);
  });

  it('is not taken for another one', () => {
    for (const [location, registered] of [
      ['https://b.example/cb?code=1', 'https://a.example/cb'],
      ['https://a.example/other?code=1', 'https://a.example/cb'],
      ['https://a.example/cb?state=new', 'https://a.example/cb?state=old'],
      ['https://a.example/cb', '/cb'],
    ] as const) {
      expect(asRegistered(location, registered), location).to.equal(undefined);
    }
  });
});

describe('a redirect URI with a query', () => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
  });
  after(() => server?.stop());

  it('comes back as it is registered, with a code, with an error and after signing out', async () => {
    const party = await relyingParty(server, {
      redirectUris: [ODD],
      postLogoutRedirectUris: [ODD],
    });
    const { url } = await authorizationUrl(party, { redirect_uri: ODD, state: 'a b' });
    const browser = new Browser();
    const page = await browser.follow(url);
    const fields = { email: server.person.email, password: PASSWORD };
    const { response } = await browser.submit(page, fields);
    expect(response.headers.get('location') ?? '').to.satisfy((text: string) =>
      text.startsWith(`${ODD}&code=`),
    );
    const refused = await authorizationUrl(party, { redirect_uri: ODD, prompt: 'none' });
    const { response: error } = await new Browser().follow(refused.url);
    expect(error.headers.get('location') ?? '').to.satisfy((text: string) =>
      text.startsWith(`${ODD}&error=`),
    );
    const logout = new URL(`${server.issuer}/oauth/logout`);
    logout.search = `${new URLSearchParams({ client_id: party.id, post_logout_redirect_uri: ODD, state: 's' })}`;
    const confirm = await browser.submit(await browser.follow(logout), { logout: 'yes' });
    expect(confirm.response.headers.get('location')).to.equal(`${ODD}&state=s`);
  });
});

import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { FULL, PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, exchange, relyingParty } from './support/relying-party.ts';

describeOnDatabase('an application that is registered for some scopes', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());
  const scope = (name: string) => `${server.config.scopeBase}/auth/${name}`;
  const signIn = async (flow: { url: URL }) => {
    const browser = new Browser();
    const fields = { email: server.person.email, password: PASSWORD };
    return browser.submit(await browser.follow(flow.url), fields);
  };

  it('gets these, where the person has them', async () => {
    const party = await relyingParty(server, { scopes: ['openid', 'cls-deal.view'] });
    const flow = await authorizationUrl(party, { scope: `openid ${scope('cls-deal.view')}` });
    const { url } = await signIn(flow);
    const { access_token: token } = await exchange(party, flow, url);
    expect(String(decodeJwt(token)['scope'])).to.include('cls-deal.view');
  });

  for (const [asked, name] of [
    ['a permission', FULL],
    ['an address', 'email'],
  ] as const) {
    it(`is refused ${asked} beyond them before anybody is asked: invalid_scope`, async () => {
      const party = await relyingParty(server, {
        ...{ scopes: ['openid', 'cls-deal.view'], device: true, confidential: false },
      });
      const beyond = `openid ${name === FULL ? scope(FULL) : name}`;
      const flow = await authorizationUrl(party, { scope: beyond });
      const { url } = await new Browser().follow(flow.url);
      expect(url.origin).to.equal('https://portal.example');
      expect(url.searchParams.get('error')).to.equal('invalid_scope');
      const error = await client
        .initiateDeviceAuthorization(party.config, { scope: beyond })
        .catch((refusal: client.ResponseBodyError) => refusal.error);
      expect(error).to.equal('invalid_scope');
      const pushed = await fetch(`${server.issuer}/oauth/par`, {
        ...{ method: 'POST', body: flow.url.searchParams },
      });
      expect(await pushed.json()).to.include({ error: 'invalid_scope' });
    });
  }

  it('loses at the next refresh what it is registered for no more', async () => {
    const party = await relyingParty(server, { scopes: ['openid', 'cls-deal.view'] });
    const flow = await authorizationUrl(party, { scope: `openid ${scope('cls-deal.view')}` });
    const { url } = await signIn(flow);
    const { refresh_token: token = '' } = await exchange(party, flow, url);
    await server.database.query(`UPDATE application SET scopes = '{openid}' WHERE id = $1`, [
      party.id,
    ]);
    const outcome = await client.refreshTokenGrant(party.config, token).then(
      ({ scope: left = '' }) => left,
      ({ error }: client.ResponseBodyError) => error,
    );
    expect(outcome).to.not.include('cls-deal.view');
  });
});

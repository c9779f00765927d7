import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { pglite } from '@cls/testing/engines';
import { freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { sqlApplications } from '../src/clients/sql-applications.ts';
import { sqlUpstreamProviders } from '../src/organisations/sql-upstream.ts';
import { KEY, PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const DOMAIN = 'india.example';

describe('the first sign-in through the organisation, in a browser where one is signed in', () => {
  let server: TestAuthServer;
  let upstream: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(pglite);
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    upstream = await startTestAuthServer(pglite, { ISSUER: issuer, AUTH_PORT: `${port}` });
    const { id, secret } = await sqlApplications(upstream.database).create({
      name: 'CLS',
      firstParty: true,
      confidential: true,
      redirectUris: [`${server.issuer}/upstream/${DOMAIN}`],
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
      device: false,
    });
    await sqlUpstreamProviders(server.database, aesGcmSealer(new Secret(KEY))).add({
      ...{ domain: DOMAIN, customer: 'india', issuer, clientId: id },
      ...{ clientSecret: secret ?? new Secret(''), emailClaim: 'email' },
      emailVerifiedClaim: 'email_verified',
    });
    portal = await relyingParty(server, { name: 'Portal' });
  });
  after(async () => {
    await server?.stop();
    await upstream?.stop();
  });

  const withPassword = async (browser: Browser, email: string) => {
    const flow = await authorizationUrl(portal, {
      scope: 'openid offline_access',
    });
    const page = await browser.follow(flow.url);
    const { url } = await browser.submit(page, { email, password: PASSWORD });
    return exchange(portal, flow, url);
  };
  /** As far as the place to which the organisation sends the browser back. */
  const throughOrganisation = async (browser: Browser, url: URL, email: string) => {
    // Who is signed in is known, and the first form of the page is the way to the organisation.
    const there = await browser.submit(await browser.follow(url), { email });
    expect(there.url.origin).to.equal(upstream.issuer);
    const theirs = new Browser();
    const signIn = await theirs.follow(there.url);
    const back = await theirs.submit(signIn, { email, password: PASSWORD });
    expect(back.url.pathname).to.equal(`/upstream/${DOMAIN}`);
    return browser.follow(back.url);
  };

  it('arrives at the application, and ends what the password had opened', async () => {
    const { email } = server.person;
    const [browser, elsewhere] = [new Browser(), new Browser()];
    const tokens = await withPassword(browser, email);
    await withPassword(elsewhere, email);
    const flow = await authorizationUrl(portal, { prompt: 'login' });
    const { url, response } = await throughOrganisation(browser, flow.url, email);
    expect([url.origin, response.status]).to.deep.equal(['https://portal.example', 303]);
    const { access_token: token } = await exchange(portal, flow, url);
    expect(token).to.be.a('string');
    const account = await browser.follow(`${server.issuer}/account`);
    expect(account.url.pathname).to.equal('/account');
    expect(await account.response.text(), 'there is no password to change')
      .to.include('India (127.0.0.1')
      .and.not.include('/account/password');
    const other = await elsewhere.follow(`${server.issuer}/account`);
    expect(other.url.pathname).to.match(/^\/interaction\//);
    const refused = await client
      .refreshTokenGrant(portal.config, tokens.refresh_token ?? '')
      .catch((error: { error?: string }) => error.error);
    expect(refused).to.equal('invalid_grant');
  });
});

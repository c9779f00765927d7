import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';
import { type Send, sendTo } from './support/send.ts';

const ISSUER = 'https://id.cls.example';
/** What the proxy that ends TLS writes. */
const PROXY = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.24' };

describe('what an https issuer tells browsers about transport', () => {
  let server: TestAuthServer;
  let answers: Response[];
  let send: Send;
  before(async () => {
    server = await startTestAuthServer(anyEngine, { ISSUER, TRUSTED_PROXY_HOPS: '1' });
    const proxy = sendTo(server.config.port, PROXY);
    send = async (url, init) => {
      const response = await proxy(url, init);
      answers.push(response);
      return response;
    };
  });
  beforeEach(() => {
    answers = [];
  });
  after(() => server?.stop());

  it('every answer asks for https from then on', async () => {
    for (const path of ['/account', '/oauth/token', '/.well-known/jwks.json', '/nothing']) {
      const { headers } = await send(`${ISSUER}${path}`);
      expect(headers.get('strict-transport-security'), path).to.equal('max-age=31536000');
    }
  });

  it('signing out clears what the browser keeps of the site, and nothing else does', async () => {
    const portal = await relyingParty(server, {}, send);
    const browser = new Browser(send);
    const { url } = await authorizationUrl(portal);
    const { email } = server.person;
    await browser.submit(await browser.follow(url), { email, password: PASSWORD });
    const question = await browser.follow(client.buildEndSessionUrl(portal.config));
    const clearing = () => answers.flatMap(({ headers }) => headers.get('clear-site-data') ?? []);
    expect(clearing()).to.deep.equal([]);
    await browser.submit(question, { logout: 'yes' });
    expect(clearing()).to.deep.equal(['"cache", "storage"']);
    expect(browser.cookie('__Host-cls_device')).to.be.a('string');
  });
});

describe('an http issuer', () => {
  it('asks for no https', async () => {
    const server = await startTestAuthServer(anyEngine);
    const { headers } = await fetch(`${server.issuer}/.well-known/jwks.json`);
    await server.stop();
    expect(headers.get('strict-transport-security')).to.equal(null);
  });
});

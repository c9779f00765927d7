import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { sqlUpstreamProviders } from '../src/organisations/sql-upstream.ts';
import {
  KEY,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { type Send, sendTo } from './support/send.ts';

const ISSUER = 'https://id.cls.example';
const DOMAIN = 'upstream.example';
/** What the proxy that ends TLS writes. */
const PROXY = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.24' };

/** Each `Set-Cookie`, as name and attributes. */
interface SetCookie {
  readonly name: string;
  readonly path: string | undefined;
  readonly attributes: readonly string[];
}

function parsed(line: string): SetCookie {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim().toLowerCase());
  const path = attributes.find((one) => one.startsWith('path='))?.slice('path='.length);
  return { name: line.slice(0, pair.indexOf('=')), path, attributes };
}

describe('cookies of an https issuer behind a proxy', () => {
  let server: TestAuthServer;
  let upstream: TestAuthServer;
  let portal: RelyingParty;
  let seen: SetCookie[];
  let send: Send;
  before(async () => {
    server = await startTestAuthServer(anyEngine, { ISSUER, TRUSTED_PROXY_HOPS: '1' });
    upstream = await startTestAuthServer(anyEngine);
    await sqlUpstreamProviders(server.database, aesGcmSealer(new Secret(KEY))).add({
      domain: DOMAIN,
      customer: 'india',
      issuer: upstream.issuer,
      clientId: upstream.client.id,
      clientSecret: new Secret(upstream.client.secret),
      emailClaim: 'email',
      emailVerifiedClaim: 'email_verified',
    });
    const proxy = sendTo(server.config.port, PROXY);
    send = async (url, init) => {
      const response = await proxy(url, init);
      seen.push(...response.headers.getSetCookie().map(parsed));
      return response;
    };
    seen = [];
    portal = await relyingParty(server, {}, send);
  });
  beforeEach(() => {
    seen = [];
  });
  after(async () => {
    await server?.stop();
    await upstream?.stop();
  });

  const names = () => [...new Set(seen.map(({ name }) => name.replace(/\.sig$/, '')))].sort();

  /** RFC 6265bis §4.1.3: a browser drops a prefixed cookie that lacks any of these. */
  const expectGuarded = () => {
    for (const { name, path, attributes } of seen) {
      expect(attributes, name).to.include.members(['secure', 'httponly', 'samesite=lax']);
      expect(
        attributes.filter((one) => one.startsWith('domain')),
        name,
      ).to.deep.equal([]);
      if (path === '/') expect(name).to.match(/^__Host-cls_/);
      else expect(name, path).to.match(/^__Secure-cls_/);
    }
  };

  it('are tied to the host, or to their path, in a whole sign-in and sign-out', async () => {
    const browser = new Browser(send);
    const flow = await authorizationUrl(portal);
    const first = await browser.follow(flow.url);
    await browser.open(`${first.url.href}?lang=de`);
    const { email, totpSecret } = server.guarded;
    const second = await browser.submit(await browser.follow(first.url), {
      email,
      password: PASSWORD,
    });
    await browser.submit(second, { code: totpCode(totpSecret) });
    const question = await browser.follow(client.buildEndSessionUrl(portal.config));
    await browser.submit(question, { logout: 'yes' });
    expectGuarded();
    expect(names()).to.deep.equal([
      '__Host-cls_device',
      '__Host-cls_language',
      '__Host-cls_session',
      '__Secure-cls_interaction',
      '__Secure-cls_resume',
    ]);
  });

  it('are so for the form of a forgotten password', async () => {
    const browser = new Browser(send);
    const page = await browser.follow(`${ISSUER}/password/reset`);
    const sent = await browser.submit(page, { email: server.person.email });
    expect(sent.response.status).to.equal(200);
    expectGuarded();
    expect(names()).to.deep.equal(['__Host-cls_form']);
  });

  it('are so on the way to an organisation’s own provider', async () => {
    const browser = new Browser(send);
    const page = await browser.follow((await authorizationUrl(portal)).url);
    const email = `somebody@${DOMAIN}`;
    const offer = await browser.submit(page, { email, password: '' });
    const away = await browser.submit(offer, { email });
    expect(away.url.origin).to.equal(upstream.issuer);
    expectGuarded();
    const left = seen.filter(({ name }) => name.startsWith('__Secure-cls_upstream_'));
    expect(left.map(({ path }) => path)).to.deep.equal(['/upstream']);
  });

  it('count for nothing under the name that they have without https', async () => {
    const browser = new Browser(send);
    await browser.submit(await browser.follow((await authorizationUrl(portal)).url), {
      email: server.person.email,
      password: PASSWORD,
    });
    const plain = new Browser(send);
    for (const name of ['cls_session', 'cls_session.sig']) {
      plain.plant(name, browser.cookie(`__Host-${name}`) ?? '');
    }
    const { url } = await plain.follow((await authorizationUrl(portal, { prompt: 'none' })).url);
    expect(url.searchParams.get('error')).to.equal('login_required');
    const again = await browser.follow((await authorizationUrl(portal, { prompt: 'none' })).url);
    expect(again.url.searchParams.has('code'), 'and for all under their own').to.equal(true);
  });
});

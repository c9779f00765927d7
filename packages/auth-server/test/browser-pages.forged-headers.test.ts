import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';
import { type Send, sendTo } from './support/send.ts';

const EVIL = 'evil.example';
/** The caller's own words about where the request came from and went to. */
const FORGED = {
  host: EVIL,
  'x-forwarded-host': EVIL,
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '444',
  'x-forwarded-prefix': `//${EVIL}`,
  'x-forwarded-server': EVIL,
  'x-original-url': `//${EVIL}/`,
  'x-rewrite-url': `//${EVIL}/`,
  'x-real-ip': '198.51.100.66',
  'true-client-ip': '198.51.100.66',
  x_forwarded_for: '198.51.100.66',
  forwarded: `for=198.51.100.66;host=${EVIL};proto=https`,
};
const SOCKET = '127.0.0.1';

for (const { hops, forwardedFor, address } of [
  { hops: 0, forwardedFor: '198.51.100.66, 203.0.113.24', address: SOCKET },
  { hops: 1, forwardedFor: '198.51.100.66, 203.0.113.24', address: '203.0.113.24' },
  { hops: 1, forwardedFor: `198.51.100.66,${EVIL}, , 203.0.113.24`, address: '203.0.113.24' },
  { hops: 2, forwardedFor: '198.51.100.66, 203.0.113.24, 10.0.0.7', address: '203.0.113.24' },
  { hops: 2, forwardedFor: '203.0.113.24', address: SOCKET },
]) {
  describe(`forged headers, ${hops} trusted hops, X-Forwarded-For: ${forwardedFor}`, () => {
    let server: TestAuthServer;
    let forged: Send;
    before(async () => {
      server = await startTestAuthServer(anyEngine, { TRUSTED_PROXY_HOPS: `${hops}` });
      const headers = { ...FORGED, 'x-forwarded-for': forwardedFor };
      forged = sendTo(server.config.port, headers);
    });
    after(() => server?.stop());

    const expectNoTrace = async (response: Response) => {
      const said = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
      expect(`${said}\n${await response.clone().text()}`).not.to.match(/evil|:444(?!\d)|198\.51/);
      for (const cookie of response.headers.getSetCookie()) {
        expect(cookie).not.to.match(/; (secure|domain=)/i);
      }
    };

    it('change no value of discovery', async () => {
      for (const path of ['openid-configuration', 'oauth-authorization-server', 'jwks.json']) {
        const url = `${server.issuer}/.well-known/${path}`;
        const response = await forged(url);
        await expectNoTrace(response);
        expect(await response.text()).to.equal(await (await fetch(url)).text());
      }
    });

    it(`lead no step of a sign-in elsewhere, and leave ${address} in the audit`, async () => {
      const portal = await relyingParty(server);
      const { url } = await authorizationUrl(portal);
      const browser = new Browser(async (target, init) => {
        const response = await forged(target, init);
        await expectNoTrace(response);
        return response;
      });
      const page = await browser.follow(url);
      expect(page.url.origin).to.equal(server.issuer);
      const refused = await browser.submit(page, { ...server.person, password: 'wrong' });
      expect(refused.response.status).to.equal(422);
      const signedIn = await browser.submit(refused, server.person);
      expect(signedIn.url.searchParams.get('iss')).to.equal(server.issuer);
      const events = await eventually(async () => {
        const found = await server.database.query<{ type: string; address: string }>(
          `SELECT type, address FROM audit_event WHERE type LIKE 'sign_in.%' ORDER BY id`,
        );
        if (found.length < 2) throw new Error('not written yet');
        return found;
      });
      expect(events).to.deep.equal([
        { type: 'sign_in.refused', address },
        { type: 'sign_in.succeeded', address },
      ]);
    });

    it('put no other place into the link of a forgotten password', async () => {
      const browser = new Browser(forged);
      const page = await browser.follow(`${server.issuer}/password/reset`);
      await expectNoTrace(page.response);
      await expectNoTrace((await browser.submit(page, server.person)).response);
      const { mailOutbox } = server.config;
      const mail = await eventually(async () => {
        const texts = readdirSync(mailOutbox)
          .filter((file) => file.endsWith('.txt'))
          .map((file) => readFileSync(join(mailOutbox, file), 'utf8'));
        // Other messages may lie there too: of the sign-in before.
        const found = texts.find((text) => text.includes('/password/new?token='));
        if (found === undefined) throw new Error('no message yet');
        return found;
      });
      expect(mail).to.include(`${server.issuer}/password/new?token=`).and.not.include(EVIL);
    });
  });
}

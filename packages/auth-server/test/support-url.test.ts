import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { parseConfig } from '../src/config.ts';
import { startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';

const LINK = '<a href="mailto:help@cls.example?subject=CLS">help@cls.example</a>';

describe('SUPPORT_URL', () => {
  let server: TestAuthServer;
  let without: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(anyEngine, {
      SUPPORT_URL: 'mailto:help@cls.example?subject=CLS',
    });
    without = await startTestAuthServer(anyEngine);
  });
  after(async () => {
    await server?.stop();
    await without?.stop();
  });

  const page = async (of: TestAuthServer, path: string) =>
    (await new Browser().open(`${of.issuer}${path}`)).text();
  /** The page that asks for the second factor. */
  const challenge = async (of: TestAuthServer) => {
    const browser = new Browser();
    const { url } = await authorizationUrl(await relyingParty(of));
    const { email, password } = of.guarded;
    const { response } = await browser.submit(await browser.follow(url), { email, password });
    return response.text();
  };

  for (const [what, path] of [
    ['an error', '/oauth/authorize?client_id=nobody'],
    ['an invitation that expired', '/invitation?token=aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['a link that no longer works', '/password/new?token=aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['an address at which there is nothing', '/nothing'],
    ['the page that resets a password', '/password/reset'],
  ] as const) {
    it(`tells whom to contact, on ${what}`, async () => {
      expect(await page(server, path)).to.include(`If you need help, contact ${LINK}.`);
      expect(await page(without, path)).not.to.include('If you need help');
    });
  }

  it('tells who lost every second factor whom to ask: the administrator where none is set', async () => {
    expect(await challenge(server)).to.include(`Ask ${LINK}.`);
    expect(await challenge(without)).to.include('Ask the administrator of your organisation.');
  });

  for (const [given, good] of [
    ['https://help.cls.example/contact', true],
    ['mailto:help@cls.example', true],
    ['http://help.cls.example', false],
    ['javascript:alert(1)', false],
    ['mailto:nobody', false],
    ['mailto:%zz@cls.example', false],
    ['help@cls.example', false],
    ['https://help.cls.example/ x', false],
  ] as const) {
    it(`${good ? 'takes' : 'refuses'} ${given}`, () => {
      const parse = () => parseConfig({ SUPPORT_URL: given });
      if (good) expect(parse().supportUrl).to.equal(given);
      else expect(parse).to.throw('SUPPORT_URL: expected an https or mailto URL');
    });
  }
});

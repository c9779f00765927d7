import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { Browser, relyingParty } from './support/relying-party.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe('connecting a second device to an account', () => {
  let server: TestAuthServer;
  beforeEach(async () => {
    server = await startTestAuthServer(anyEngine);
  });
  afterEach(() => server?.stop());

  /** The pages of a browser in which the person is signed in already. */
  const connect = async (name: string, firstParty: boolean, answer: Record<string, string>) => {
    const tool = await relyingParty(server, {
      ...{ name, firstParty, redirectUris: [], device: true, confidential: false },
    });
    const begun = await client.initiateDeviceAuthorization(tool.config, {
      scope: 'openid email offline_access',
    });
    const browser = new Browser((url, init) =>
      fetch(url, { ...init, headers: { ...(init?.headers as object), 'user-agent': FIREFOX } }),
    );
    const login = await browser.follow(`${server.issuer}/account`);
    await browser.submit(login, { email: server.person.email, password: PASSWORD });
    const page = await browser.follow(begun.verification_uri);
    const confirm = await browser.submit(page, { user_code: begun.user_code });
    const next = await browser.submit(confirm, answer);
    const text = await next.response.text();
    if (!text.includes('value="allow"')) return text;
    expect(text).to.include('continue at the device').and.not.include('back to');
    return (await browser.submit({ ...next, text }, { decision: 'allow' })).response.text();
  };
  const events = async () =>
    server.database.query<{ about: string; address: string; browser: string }>(
      `SELECT about, address, browser FROM audit_event WHERE type = 'account.device_connected'`,
    );
  const mails = () => {
    const { mailOutbox } = server.config;
    const names = existsSync(mailOutbox) ? readdirSync(mailOutbox) : [];
    return names
      .filter((name) => name.endsWith('.txt'))
      .map((name) => readFileSync(join(mailOutbox, name), 'utf8'))
      .filter((text) => text.includes('Subject: A device or tool was connected'));
  };

  for (const [whose, firstParty] of [
    ['the platform’s own', true],
    ['another firm’s', false],
  ] as const) {
    it(`is in the security log and told to the owner, for ${whose} tool`, async () => {
      const done = await connect('Ledger Tool', firstParty, { confirm: 'yes' });
      expect(done).to.include('Device connected');
      await eventually(async () => {
        const [event, ...more] = await events();
        expect(more).to.deep.equal([]);
        expect(event).to.include({ about: 'Ledger Tool', browser: 'Firefox' });
        expect(event?.address).to.match(/127\.0\.0\.1|::1/);
        const [mail, ...others] = mails();
        expect(others).to.deep.equal([]);
        expect(mail)
          .to.include(`To: ${server.person.email}`)
          .and.include('“Ledger Tool” was connected')
          .and.include('Device: Firefox on Windows');
      });
    });
  }

  it('leaves neither where the person denies it', async () => {
    expect(await connect('Ledger Tool', true, { abort: 'yes' })).to.include('not connected');
    await eventually(async () => {
      const signedIn = await server.database.query(
        `SELECT FROM audit_event WHERE type = 'sign_in.succeeded'`,
      );
      expect(signedIn).to.have.length(1);
    });
    expect([await events(), mails()]).to.deep.equal([[], []]);
  });
});

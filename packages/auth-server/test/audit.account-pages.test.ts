import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { TOTP, Secret as TotpSecret } from 'otpauth';
import { ACCOUNT_ROUTES } from '../src/account-pages/routes.ts';
import type { AuditEventType } from '../src/audit/audit-log.ts';
import {
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
} from './support/auth-server.ts';
import { authorizationUrl, Browser, exchange, relyingParty } from './support/relying-party.ts';
import { softPasskey } from './support/soft-authenticator.ts';
import { allEvents, eventsAfter } from './support/stored-events.ts';

const EMAIL = 'asha@india.example';
const NEW_PASSWORD = 'another long password';
/** What each form records, in the order in which they are sent here. */
const RECORDED: Readonly<Record<string, readonly AuditEventType[]>> = {
  '/account/name': ['account.renamed'],
  '/account/sessions/end': ['account.session_ended'],
  '/account/sessions/end-others': ['account.other_sessions_ended'],
  '/account/sessions/forget': ['account.device_forgotten'],
  '/account/applications/withdraw': ['account.access_withdrawn'],
  '/account/password': ['account.password_changed'],
  '/account/factors/totp': ['account.totp_enrolled'],
  '/account/factors/codes': [],
  '/account/factors/passkey': ['account.passkey_added'],
  '/account/factors/rename': ['account.factor_renamed'],
  '/account/factors/recovery-codes': ['account.recovery_codes_replaced'],
  '/account/factors/remove': ['account.totp_removed'],
};
/** integration-pages.test.ts and account-pages.test.ts show what these record. Step-up changes nothing. */
const ELSEWHERE = /^\/account\/(integrations\/.*|step-up|sign-out)$/;

describe('every form of the account pages that changes something', () => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
  });
  after(() => server?.stop());

  const read = async ({ url, response }: { url: URL; response: Response }) => ({
    ...{ url, response },
    text: await response.text(),
  });
  const open = async (browser: Browser, path: string) =>
    read(await browser.follow(`${server.issuer}${path}`));
  const signIn = async (fields: Record<string, string> = {}) => {
    const browser = new Browser();
    const page = await open(browser, '/account');
    await browser.submit(page, { email: EMAIL, password: PASSWORD, ...fields });
    return browser;
  };
  const hrefIn = ({ text }: { readonly text: string }, path: string) =>
    new RegExp(`href="(${path}[^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

  it('is recorded once, without passwords, codes and secrets', async () => {
    const id = await createPerson(server.database, EMAIL);
    const recorded: Record<string, readonly string[]> = {};
    const browser = await signIn({ remember_device: 'yes' });
    /** Sends the form with this action that a page has. */
    const send = async (
      action: string,
      at: string | Awaited<ReturnType<typeof read>>,
      fields: Record<string, string> = {},
    ) => {
      const page = typeof at === 'string' ? await open(browser, at) : at;
      const forms = page.text.match(/<form [\s\S]*?<\/form>/g) ?? [];
      const text = forms.find((form) => new RegExp(`action="${action}["?]`).test(form)) ?? '';
      const { last } = await eventsAfter(server, 0n);
      const answer = await read(await browser.submit({ ...page, text }, fields));
      expect(answer.response.status, action).to.equal(200);
      const { events } = await eventsAfter(server, last);
      recorded[action] = events.map(({ type }) => type);
      for (const { subject } of events) expect(subject, action).to.equal(id);
      return answer;
    };

    await send('/account/name', '/account/name', { name: 'Asha Rao' });
    await signIn();
    await send('/account/sessions/end', '/account/sessions');
    await signIn();
    await send('/account/sessions/end-others', '/account/sessions');
    await send('/account/sessions/forget', '/account/sessions');

    const party = await relyingParty(server, { name: 'Other Firm', firstParty: false });
    const flow = await authorizationUrl(party);
    const consent = await read(await browser.follow(flow.url));
    const { url } = await browser.submit(consent, { decision: 'allow' });
    const { access_token: token } = await exchange(party, flow, url);
    const access = await open(browser, '/account/applications');
    await send('/account/applications/withdraw', hrefIn(access, '/account/applications/withdraw'));
    const change = { password: PASSWORD, new_password: NEW_PASSWORD };
    await send('/account/password', '/account/password', change);

    const page = await open(browser, '/account/factors/totp');
    const [, secret = ''] = /otpauth:[^"]*secret=([A-Z2-7]+)/.exec(page.text) ?? [];
    const code = new TOTP({ secret: TotpSecret.fromBase32(secret) }).generate();
    const added = await send('/account/factors/totp', page, { code, name: 'Phone' });
    const codes = [...added.text.matchAll(/<li><code>([^<]+)/g)].map(([, one]) => one ?? '');
    await send('/account/factors/codes', '/account/factors/codes', { saved: 'yes' });
    const adding = await open(browser, '/account/factors/passkey');
    const [, options = ''] = /data-options="([^"]*)"/.exec(adding.text) ?? [];
    const credential = softPasskey(server.issuer, id).create(
      JSON.parse(options.replaceAll('&quot;', '"')),
    );
    await send('/account/factors/passkey', adding, { credential, name: 'Laptop' });
    const factors = await open(browser, '/account/factors');
    await send('/account/factors/rename', hrefIn(factors, '/account/factors/rename'), {
      name: 'Tablet',
    });
    await send('/account/factors/recovery-codes', '/account/factors/recovery-codes');
    await send('/account/factors/remove', hrefIn(factors, '/account/factors/remove'));

    expect(recorded).to.deep.equal(RECORDED);
    const forms = ACCOUNT_ROUTES.filter(({ methods }) => methods.length > 1);
    const others = forms.map(({ path }) => path).filter((path) => !(path in RECORDED));
    expect(others.filter((path) => !ELSEWHERE.test(path))).to.deep.equal([]);
    const events = await allEvents(server.database);
    const secrets = [PASSWORD, NEW_PASSWORD, token, secret, ...codes];
    expect(codes).to.have.length.greaterThan(7);
    expect(secrets.filter((text) => events.includes(text))).to.deep.equal([]);
  });
});

import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import {
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
} from './support/auth-server.ts';
import { authenticatorApp } from './support/authenticator-app.ts';
import {
  authorizationUrl,
  Browser,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

describe('new recovery codes that were not saved', () => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine, { MFA_POLICY: 'required' });
    portal = await relyingParty(server);
  });
  after(() => server?.stop());

  let n = 0;
  /** A person who has added an authenticator app while signing in, and left the page of the codes. */
  const enrolled = async () => {
    n += 1;
    const email = `person-${n}@india.example`;
    await createPerson(server.database, email);
    const browser = new Browser();
    const signIn = await browser.follow((await authorizationUrl(portal)).url);
    const signInPage = { url: signIn.url, text: await signIn.response.text() };
    /** The form is sent, the first time or from that page in the history. */
    const sendPassword = () =>
      browser.submit({ ...signInPage, response: signIn.response }, { email, password: PASSWORD });
    await sendPassword();
    const at = (step: string) => browser.follow(`${signIn.url.href}/${step}`);
    const adding = await at('enrol/totp');
    const text = await adding.response.text();
    const [, groups = ''] = /<code id="secret">([^<]*)</.exec(text) ?? [];
    const app = authenticatorApp(groups.replaceAll(' ', ''));
    const codes = await browser.submit(
      { ...adding, text },
      { code: await app.code(), name: 'Phone' },
    );
    expect(codes.url.pathname).to.equal(`${signIn.url.pathname}/enrol/codes`);
    expect(await codes.response.text()).to.include('<li><code>');
    return { browser, sendPassword, at, app };
  };

  it('are gone for whoever begins again as somebody else', async () => {
    const { browser, sendPassword, at, app } = await enrolled();
    await at('other-account');
    const asked = await sendPassword();
    expect(await (await at('enrol/codes')).response.text()).to.not.include('<li><code>');
    const done = await browser.submit(asked, { code: await app.code() });
    expect(done.url.href).to.include(REDIRECT_URI);
  });

  it('are shown again after the second factor, and not after the password alone', async () => {
    const { browser, sendPassword, at, app } = await enrolled();
    const asked = await sendPassword();
    const text = await asked.response.text();
    const codes = await at('enrol/codes');
    expect(codes.url.pathname).to.equal(asked.url.pathname);
    expect(await codes.response.text()).to.not.include('<li><code>');
    const shown = await browser.submit({ ...asked, text }, { code: await app.code() });
    expect(await shown.response.text()).to.include('<li><code>');
  });

  it('are not taken for saved by somebody with the password alone', async () => {
    const { browser, sendPassword, at, app } = await enrolled();
    const codes = await at('enrol/codes');
    const asked = await sendPassword();
    await browser.submit(codes, { saved: 'yes' });
    const shown = await browser.submit(asked, { code: await app.code() });
    expect(await shown.response.text()).to.include('<li><code>');
  });
});

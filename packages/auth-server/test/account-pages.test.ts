import { systemClock } from '@cls/shared/clock';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { TOTP, Secret as TotpSecret } from 'otpauth';
import type { AccountPageContext } from '../src/account-pages/account-page-context.ts';
import { isRecentlyAuthenticated } from '../src/account-pages/step-up.ts';
import { sqlAccountLinks } from '../src/accounts/sql-account-links.ts';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { THROTTLE_POLICIES } from '../src/throttle/policy.ts';
import {
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  VIEW,
} from './support/auth-server.ts';
import { quickHash } from './support/quick-hash.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

interface Shown {
  readonly url: URL;
  readonly response: Response;
  readonly text: string;
}

describe('the account pages', () => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  let thirdParty: RelyingParty;
  let n = 0;

  before(async () => {
    server = await startTestAuthServer(anyEngine);
    portal = await relyingParty(server, { name: 'Portal' });
    thirdParty = await relyingParty(server, { name: 'Other Firm', firstParty: false });
  });
  after(() => server?.stop());

  const newPerson = async () => {
    n += 1;
    const email = `person-${n}@india.example`;
    await createPerson(server.database, email);
    return email;
  };
  const read = async ({ url, response }: { url: URL; response: Response }): Promise<Shown> => ({
    url,
    response,
    text: await response.text(),
  });
  const open = async (browser: Browser, path: string) =>
    read(await browser.follow(`${server.issuer}${path}`));
  const submit = async (browser: Browser, page: Shown, fields: Record<string, string>) =>
    read(await browser.submit(page, fields));
  /** Opens an account page as somebody who has to sign in first. */
  const signIn = async (browser: Browser, email: string, path = '/account') => {
    const page = await open(browser, path);
    return submit(browser, page, { email, password: PASSWORD });
  };
  const title = ({ text }: Shown) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
  const codeFor = (page: Shown, offsetS = 0) => {
    const [, uri = ''] = /href="otpauth:\/\/totp\/[^"]*secret=([A-Z2-7]+)/.exec(page.text) ?? [];
    const totp = new TOTP({ secret: TotpSecret.fromBase32(uri), digits: 6, period: 30 });
    return totp.generate({ timestamp: Date.now() + offsetS * 1000 });
  };
  const application = async (browser: Browser, party: RelyingParty, scope = 'openid email') => {
    const flow = await authorizationUrl(party, { scope });
    let at = await browser.follow(flow.url);
    while (at.url.origin === server.issuer) {
      const text = await at.response.text();
      if (!text.includes('value="allow"')) throw new Error(`stopped at ${at.url.pathname}`);
      at = await browser.submit({ ...at, text }, { decision: 'allow' });
    }
    return exchange(party, flow, at.url);
  };
  const refresh = ({ config }: RelyingParty, token: string | undefined) =>
    client.refreshTokenGrant(config, token ?? '').then(
      () => 'refreshed',
      (error: { error?: string }) => error.error,
    );

  it('let in who signs in, at the page that was asked for, and name the person', async () => {
    const email = await newPerson();
    const browser = new Browser();
    const page = await signIn(browser, email, '/account/sessions');
    expect(page.url.pathname).to.equal('/account/sessions');
    expect(title(page)).to.equal('Sessions');
    const overview = await open(browser, '/account');
    expect(overview.text).to.include(email).and.include('India');
    expect(overview.response.headers.get('cache-control')).to.equal('no-store');
    expect(overview.response.headers.get('content-security-policy')).to.match(/form-action 'self'/);
  });

  it('say when a password was set, also one that was never changed', async () => {
    const email = await newPerson();
    const accounts = sqlAccounts(server.database);
    const { id = '' } = (await accounts.findByEmail(email)) ?? {};
    await server.database.query('UPDATE account SET password_hash = NULL WHERE id = $1', [id]);
    const links = sqlAccountLinks(server.database, systemClock);
    const { token } = await links.create(id, 'invitation', 600);
    await links.useForPassword('invitation', token, await quickHash(PASSWORD));
    const { text } = await signIn(new Browser(), email);
    expect(text)
      .to.match(/Set on \d/)
      .and.not.include('Changed on');
  });

  it('name the last sign-in from the first page on, wherever it was', async () => {
    const email = await newPerson();
    const from = (agent: string) =>
      new Browser((url, init) =>
        fetch(url, { ...init, headers: { ...(init?.headers as object), 'user-agent': agent } }),
      );
    const lastSignIn = ({ text }: Shown) =>
      /Last sign-in<\/dt><dd>.*, (\w+), [\d.:a-f]+</.exec(text)?.[1];
    const [here, there] = [from('Firefox/140.0'), from('Chrome/140.0')];
    expect(lastSignIn(await signIn(here, email))).to.equal('Firefox');
    expect(lastSignIn(await signIn(there, email))).to.equal('Chrome');
    expect(lastSignIn(await open(here, '/account'))).to.equal('Chrome');
  });

  it('share the sign-in of an application, and the other way round', async () => {
    const browser = new Browser();
    await signIn(browser, await newPerson());
    const tokens = await application(browser, portal);
    expect(tokens.claims()?.aud).to.equal(portal.id);
  });

  for (const path of [
    '/account',
    '/account/password',
    '/account/factors',
    '/account/factors/totp',
    '/account/sessions',
    '/account/applications',
    '/account/log',
    '/account/step-up',
  ]) {
    it(`${path} is closed without a session`, async () => {
      const response = await new Browser().open(`${server.issuer}${path}`);
      expect(response.status).to.equal(303);
      expect(response.headers.get('location')).to.match(/^\/oauth\/authorize\?client_id=cls-acc/);
    });
  }

  it('are closed once the account is disabled, also while its sessions are still to be ended', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    await server.database.query('UPDATE account SET disabled_at = now() WHERE email = $1', [email]);
    expect((await browser.open(`${server.issuer}/account`)).status).to.equal(303);
  });

  it('refuse forms without a session, and forms from elsewhere', async () => {
    const body = new URLSearchParams({ password: PASSWORD, new_password: 'another long password' });
    const post = (browser: Browser) =>
      browser.open(`${server.issuer}/account/password`, { method: 'POST', body });
    expect((await post(new Browser())).status).to.equal(403);
    const browser = new Browser();
    await signIn(browser, await newPerson());
    expect((await post(browser)).status).to.equal(400);
    const stranger = new Browser();
    await signIn(stranger, await newPerson());
    const theirs = await open(stranger, '/account/password');
    const [, token = ''] = /name="csrf" value="([^"]+)"/.exec(theirs.text) ?? [];
    body.set('csrf', token);
    expect((await post(browser)).status).to.equal(400);
  });

  it('change the password, end the other sessions and say so', async () => {
    const email = await newPerson();
    const [browser, other] = [new Browser(), new Browser()];
    await signIn(browser, email);
    await signIn(other, email);
    const page = await open(browser, '/account/password');
    const wrong = await submit(browser, page, { password: 'x', new_password: 'another password' });
    expect(wrong.response.status).to.equal(422);
    expect(wrong.text).to.include('That is not your current password.');
    const done = await submit(browser, wrong, {
      password: PASSWORD,
      new_password: 'another long password',
    });
    expect(done.url.pathname).to.equal('/account/password');
    expect(done.text).to.include('Your password was changed.');
    expect((await open(browser, '/account/password')).text).to.not.include('was changed.');
    expect((await open(other, '/account')).url.pathname).to.match(/^\/interaction\//);
  });

  it('add an authenticator app, show recovery codes once they are there, and demand both later', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email, '/account/factors');
    const page = await open(browser, '/account/factors/totp');
    const wrong = await submit(browser, page, { code: '000000', name: 'Phone' });
    expect(wrong.response.status).to.equal(422);
    expect(codeFor(wrong), 'the secret that was scanned stays').to.equal(codeFor(page));
    const codes = await submit(browser, wrong, { code: codeFor(page), name: 'Phone' });
    expect(title(codes)).to.equal('Save your recovery codes');
    expect(codes.text.match(/<li><code>/g)).to.have.length.greaterThan(7);
    expect((await open(browser, codes.url.pathname + codes.url.search)).text).to.include('<code>');
    const unsaved = await submit(browser, codes, {});
    expect(unsaved.response.status).to.equal(422);
    const factors = await submit(browser, unsaved, { saved: 'yes' });
    expect(factors.url.pathname).to.equal('/account/factors');
    expect(factors.text).to.include('Phone').and.include('The sign-in method was added.');
    const again = await open(browser, codes.url.pathname + codes.url.search);
    expect(again.url.pathname).to.equal('/account/factors');
    const next = await signIn(new Browser(), email);
    expect(title(next)).to.equal('Confirm that it is you');
    expect(next.text).to.include('name="code"');
  });

  it('ask for a fresh proof before a factor is changed', async () => {
    const email = await newPerson();
    const [here, there] = [new Browser(), new Browser()];
    await signIn(here, email);
    await signIn(there, email);
    const adding = await open(there, '/account/factors/totp');
    const codes = await submit(there, adding, { code: codeFor(adding), name: 'Phone' });
    expect(title(codes)).to.equal('Save your recovery codes');
    // Signed in a moment ago, but without the factor that the account has now.
    const factors = await open(here, '/account/factors');
    const [, remove = ''] = /href="(\/account\/factors\/remove[^"]+)"/.exec(factors.text) ?? [];
    const asked = await open(here, remove);
    expect(asked.url.pathname).to.equal('/account/step-up');
    expect(asked.text).to.include('You are about to remove a sign-in method.');
    const weaker = await submit(here, asked, { password: PASSWORD });
    expect(weaker.response.status, 'the password alone').to.equal(422);
    const wrong = await submit(here, weaker, { code: '000000' });
    expect(wrong.response.status).to.equal(422);
    const question = await submit(here, wrong, { code: codeFor(adding, 30) });
    expect(`${question.url.pathname}${question.url.search}`).to.equal(remove);
    const done = await submit(here, question, { confirm: 'yes' });
    expect(done.text).to.include('The sign-in method was removed.').and.not.include('Phone');
  });

  it('ask for the second factor also where the password was proven just before it was added', async () => {
    const email = await newPerson();
    const [here, there] = [new Browser(), new Browser()];
    await signIn(here, email);
    await signIn(there, email);
    const stepUp = await open(here, '/account/step-up?to=/account/factors/passkey');
    const proven = await submit(here, stepUp, { password: PASSWORD });
    expect(proven.url.pathname).to.equal('/account/factors/passkey');
    const adding = await open(there, '/account/factors/totp');
    await submit(there, adding, { code: codeFor(adding), name: 'Phone' });
    const asked = await open(here, '/account/factors/passkey');
    expect(asked.url.pathname).to.equal('/account/step-up');
    expect(asked.text).to.include('name="code"');
  });

  it('slow guesses at the password where a fresh proof is asked for', async () => {
    const browser = new Browser();
    const email = await newPerson();
    await signIn(browser, email);
    let page = await open(browser, '/account/step-up?to=/account/factors/passkey');
    const statuses = new Set<number>();
    for (let tries = 0; tries <= THROTTLE_POLICIES['account-password'].free; tries += 1) {
      page = await submit(browser, page, { password: `guess ${tries}` });
      statuses.add(page.response.status);
      if (page.response.status === 429) break;
    }
    expect([...statuses]).to.deep.equal([422, 429]);
    expect((await submit(browser, page, { password: PASSWORD })).response.status).to.equal(429);
  });

  it('show new recovery codes to nobody but who has just proven themselves', async () => {
    const browser = new Browser();
    await signIn(browser, await newPerson());
    const adding = await open(browser, '/account/factors/totp');
    await submit(browser, adding, { code: codeFor(adding), name: 'Phone' });
    expect(title(await open(browser, '/account/factors/codes'))).to.equal(
      'Save your recovery codes',
    );
    await server.database.query(`DELETE FROM protocol_state WHERE kind = 'FreshProof'`);
    const later = await open(browser, '/account/factors/codes');
    expect(later.url.pathname).to.equal('/account/step-up');
    const seen = await submit(browser, later, { code: codeFor(adding, 30) });
    expect(title(seen)).to.equal('Save your recovery codes');
  });

  it('rename a factor, but not to a name that is taken', async () => {
    const browser = new Browser();
    await signIn(browser, await newPerson());
    for (const name of ['Phone', 'Tablet']) {
      const page = await open(browser, '/account/factors/totp');
      await submit(browser, page, { code: codeFor(page), name });
    }
    const factors = await open(browser, '/account/factors');
    const [, href = ''] = /href="(\/account\/factors\/rename[^"]+)"/.exec(factors.text) ?? [];
    const page = await open(browser, href);
    expect(page.text).to.include('value="Phone"');
    const taken = await submit(browser, page, { name: 'Tablet' });
    expect(taken.response.status).to.equal(422);
    const done = await submit(browser, taken, { name: 'Old phone' });
    expect(done.text)
      .to.include('Old phone')
      .and.include('was renamed.')
      .and.not.include('>Phone<');
  });

  it('give the person all that is kept about them as a file, and nothing that opens anything', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    const page = await open(browser, '/account/factors/totp');
    await submit(browser, page, { code: codeFor(page), name: 'Phone' });
    const { response, text } = await open(browser, '/account/data.json');
    expect(response.headers.get('content-disposition')).to.match(/^attachment; filename=/);
    const data = JSON.parse(text);
    expect(data.account).to.include({ email, customer: 'india' });
    expect(data.factors[0]).to.include({ kind: 'totp', name: 'Phone' });
    expect(data.sessions).to.have.length(1);
    expect(data.securityLog).to.be.an('array');
    expect(text).to.not.match(/secret|hash|"uid"/i);
  });

  it('hand out a long log page by page, and all of it', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    await server.database.query(
      `INSERT INTO audit_event (at, type, subject)
       SELECT now(), 'token.refused', $1 FROM generate_series(1, 2000)`,
      [email],
    );
    const response = await browser.open(`${server.issuer}/account/data.json`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value: start = new Uint8Array() } = await reader.read();
    let text = Buffer.from(start).toString();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += Buffer.from(part.value).toString();
    }
    const log: { type: string }[] = JSON.parse(text).securityLog;
    expect(log.filter(({ type }) => type === 'sign_in_failed')).to.have.length(2_000);
    expect(start.length).to.be.below(text.length / 2);
    expect(response.headers.get('content-length')).to.equal(null);
  });

  it('accept no proof that is older than five minutes', async () => {
    const visit = (ageS: number, more: Partial<AccountPageContext> = {}) =>
      ({
        account: { id: 'acc_1', secondFactor: false },
        session: { jti: 'jti', uid: 'uid' },
        signedInAtS: Math.floor(Date.now() / 1000) - ageS,
        mfa: false,
        deps: { state: { find: async () => undefined } },
        ...more,
      }) as unknown as AccountPageContext;
    expect(await isRecentlyAuthenticated(visit(290))).to.equal(true);
    expect(await isRecentlyAuthenticated(visit(310))).to.equal(false);
    const account = { id: 'acc_1', secondFactor: true } as AccountPageContext['account'];
    expect(await isRecentlyAuthenticated(visit(10, { account }))).to.equal(false);
    expect(await isRecentlyAuthenticated(visit(10, { account, mfa: true }))).to.equal(true);
  });

  it('list the sessions, this one first, and end another one with all that applications got', async () => {
    const email = await newPerson();
    const [here, there] = [new Browser(), new Browser()];
    await signIn(here, email);
    await signIn(there, email);
    const tokens = await application(there, portal);
    expect(await refresh(portal, tokens.refresh_token)).to.equal('refreshed');
    const another = await application(there, portal);
    const page = await open(here, '/account/sessions');
    expect(page.text.match(/<h2>/g)).to.have.length(2);
    expect(page.text.indexOf('This device')).to.be.lessThan(page.text.indexOf('>End<'));
    const done = await submit(here, page, {});
    expect(done.text).to.include('The session was ended.').and.include('signed in nowhere else');
    expect((await open(there, '/account')).url.pathname).to.match(/^\/interaction\//);
    expect(await refresh(portal, another.refresh_token)).to.equal('invalid_grant');
  });

  it('end all other sessions', async () => {
    const email = await newPerson();
    const browsers = [new Browser(), new Browser(), new Browser()];
    for (const browser of browsers) await signIn(browser, email);
    const [here = new Browser(), ...others] = browsers;
    const page = await open(here, '/account/sessions');
    const forms = page.text.slice(page.text.indexOf('</section>'));
    await submit(here, { ...page, text: forms }, {});
    expect((await open(here, '/account/sessions')).text).to.include('signed in nowhere else');
    for (const other of others) {
      expect((await open(other, '/account')).url.pathname).to.match(/^\/interaction\//);
    }
  });

  it('never end or show a stranger’s session', async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    await signIn(mine, await newPerson());
    const email = await newPerson();
    await signIn(theirs, email);
    const [row] = await server.database.query<{ id: string }>(
      `SELECT s.id FROM signed_in_session s JOIN account a ON a.id = s.account_id
       WHERE a.email = $1`,
      [email],
    );
    const page = await open(mine, '/account/password');
    const text = page.text.replace('action="/account/password"', 'action="/account/sessions/end"');
    await submit(mine, { ...page, text }, { session: row?.id ?? '' });
    expect((await open(theirs, '/account')).url.pathname).to.equal('/account');
  });

  for (const [whose, party] of [
    ['their own', () => 'cls-account-pages'],
    ['the platform’s application', () => portal.id],
  ] as const) {
    it(`go on after prompt=consent for ${whose}, and remember no consent`, async () => {
      const email = await newPerson();
      const browser = new Browser();
      await signIn(browser, email);
      const { url } = await authorizationUrl(portal, { prompt: 'consent', scope: 'openid' });
      url.searchParams.set('client_id', party());
      if (whose === 'their own') {
        url.searchParams.set('response_type', 'none');
        url.searchParams.set('redirect_uri', `${server.issuer}/account/signed-in`);
      }
      const question = await browser.follow(url);
      const done = await browser.submit(question, { decision: 'allow' });
      expect(done.url.pathname).to.match(/^\/(account|callback)$/);
      const consents = await server.database.query(
        'SELECT 1 FROM consent c JOIN account a ON a.id = c.account_id WHERE a.email = $1',
        [email],
      );
      expect(consents).to.deep.equal([]);
    });
  }

  const withdraw = async (browser: Browser) => {
    const page = await open(browser, '/account/applications');
    const [, href = ''] = /href="(\/account\/applications\/withdraw[^"]+)"/.exec(page.text) ?? [];
    return submit(browser, await open(browser, href), { confirm: 'yes' });
  };

  it('remember a consent in the next session, until the person withdraws it', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    const tokens = await application(browser, thirdParty);
    const next = new Browser();
    await signIn(next, email);
    const flow = await authorizationUrl(thirdParty);
    const arrived = await next.follow(flow.url);
    expect(arrived.url.href, 'not asked again').to.match(new RegExp(`^${REDIRECT_URI}\\?code=`));
    const page = await open(next, '/account/applications');
    expect(page.text).to.include('Other Firm').and.include('portal.example');
    const done = await withdraw(next);
    expect(done.text).to.include('no longer has access').and.not.include('Other Firm');
    expect(await refresh(thirdParty, tokens.refresh_token)).to.equal('invalid_grant');
    const asked = await next.follow((await authorizationUrl(thirdParty)).url);
    expect(asked.url.pathname).to.match(/^\/interaction\//);
  });

  it('open an application where it signs people in, or at its start page', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    const links = {
      client_uri: 'https://desk.example/',
      initiate_login_uri: 'https://desk.example/in',
    };
    const { client_uri } = { client_uri: 'https://board.example/start' };
    await application(browser, await relyingParty(server, { name: 'Desk', links }));
    await application(
      browser,
      await relyingParty(server, { name: 'Board', links: { client_uri } }),
    );
    const { text } = await open(browser, '/account/applications');
    const iss = encodeURIComponent(server.issuer);
    expect(text)
      .to.include(`href="https://desk.example/in?iss=${iss}" aria-label="Open Desk"`)
      .and.include(`href="${client_uri}" aria-label="Open Board"`);
    await server.database.query("UPDATE application SET disabled_at = now() WHERE name = 'Board'");
    const { text: after } = await open(browser, '/account/applications');
    expect(after).to.include('aria-label="Open Desk"').and.not.include('aria-label="Open Board"');
  });

  it('list of an application what it may do in the person’s name, and nothing that they may not', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    const [view, full] = [VIEW, 'external-api.fullcontrol'].map(
      (permission) => `${server.config.scopeBase}/auth/${permission}`,
    );
    await application(browser, portal, `openid ${view} ${full}`);
    const { text } = await open(browser, '/account/applications');
    expect(text)
      .to.include('See the deals, balances and positions')
      .and.not.include('those of other organisations');
  });

  describe('an application that was withdrawn', () => {
    const ask = async (party: RelyingParty, browser: Browser, parameters: Record<string, string>) =>
      browser.follow((await authorizationUrl(party, parameters)).url);

    for (const [answer, prompt] of [
      ['said no to more', {}],
      ['was not asked', { prompt: 'none' }],
    ] as const) {
      it(`asks again in another browser, where the person ${answer}`, async () => {
        const party = await relyingParty(server, { firstParty: false });
        const email = await newPerson();
        const [here, there] = [new Browser(), new Browser()];
        await signIn(here, email);
        await application(here, party, 'openid');
        await signIn(there, email);
        const more = await ask(party, there, { scope: 'openid email', ...prompt });
        if (answer === 'said no to more') await there.submit(more, { decision: 'deny' });
        await withdraw(here);
        const silent = await ask(party, there, { scope: 'openid', prompt: 'none' });
        expect(silent.url.searchParams.get('error')).to.equal('consent_required');
        const asked = await ask(party, there, { scope: 'openid' });
        expect(asked.url.pathname).to.match(/^\/interaction\//);
      });
    }

    it('gets no more in another browser than what is allowed anew', async () => {
      const party = await relyingParty(server, { firstParty: false });
      const email = await newPerson();
      const [here, there] = [new Browser(), new Browser()];
      await signIn(here, email);
      await application(here, party, 'openid email');
      await signIn(there, email);
      const view = `${server.config.scopeBase}/auth/${VIEW}`;
      await ask(party, there, { scope: `openid email ${view}`, prompt: 'none' });
      await withdraw(here);
      await application(here, party, 'openid');
      const more = await ask(party, there, { scope: 'openid email' });
      expect(more.url.pathname).to.match(/^\/interaction\//);
      const allowed = await ask(party, there, { scope: 'openid' });
      expect(allowed.url.searchParams.has('code')).to.equal(true);
    });
  });

  it('keep a log of what happened, with the device', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    await eventually(async () => {
      expect((await open(browser, '/account/log')).text).to.include('Signed in');
    });
  });

  it('say in the log why a sign-in failed, and count methods in words that fit', async () => {
    const email = await newPerson();
    const browser = new Browser();
    const asked = await open(browser, '/account/log');
    expect(asked.text).to.include('to manage your account').and.not.include('to continue to');
    const refused = await submit(browser, asked, { email, password: 'not this one' });
    const log = await submit(browser, refused, { email, password: PASSWORD });
    expect(log.text).to.include('Sign-in failed<br><span class="hint">wrong password</span>');
    const setUp = await open(browser, '/account/factors/totp');
    const fields = { code: codeFor(setUp), name: 'Phone' };
    await submit(browser, setUp, fields);
    expect((await open(browser, '/account')).text).to.include('1 method set up');
    await server.database.query(
      'DELETE FROM recovery_code WHERE account_id = (SELECT id FROM account WHERE email = $1)',
      [email],
    );
    expect((await open(browser, '/account/factors')).text)
      .to.include('>Make recovery codes</a>')
      .and.not.include('Make new codes');
    const first = await open(browser, '/account/factors/recovery-codes');
    expect(title(first)).to.equal('Make recovery codes?');
  });

  it('sign out at once by their own form, and by nobody else’s', async () => {
    const email = await newPerson();
    const browser = new Browser();
    const page = await signIn(browser, email);
    const url = `${server.issuer}/account/sign-out`;
    const forged = await browser.open(url, { method: 'POST', body: new URLSearchParams({}) });
    expect(forged.status).to.equal(400);
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const body = new URLSearchParams({ csrf });
    const out = await read(await browser.follow(url, { method: 'POST', body }));
    expect(title(out)).to.equal('Signed out');
    const again = await read(await browser.follow(url, { method: 'POST', body }));
    expect(title(again), 'a second press').to.equal('Signed out');
    expect((await open(browser, '/account')).url.pathname).to.match(/^\/interaction\//);
  });

  it('keep in the log that somebody signed out, and at which application’s wish', async () => {
    const email = await newPerson();
    const browser = new Browser();
    await signIn(browser, email);
    const question = await open(browser, `/oauth/logout?client_id=${portal.id}`);
    await submit(browser, question, { logout: 'yes' });
    await signIn(browser, email);
    await eventually(async () => {
      expect((await open(browser, '/account/log')).text).to.include('Signed out');
    });
    const events = await server.database.query(
      `SELECT e.client_id, e.address FROM audit_event e JOIN account a ON a.id = e.subject
       WHERE a.email = $1 AND e.type = 'sign_in.ended'`,
      [email],
    );
    expect(events).to.have.length(1);
    expect(events[0]).to.have.property('client_id', portal.id);
    expect(events[0]).to.have.property('address').that.is.a('string');
  });
});

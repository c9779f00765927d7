import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { noMetrics } from '@cls/shared/metrics/metrics';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { anyEngine, describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { argon2Verifier } from '../src/accounts/password.ts';
import { composeAccounts } from '../src/compose-accounts.ts';
import { sqlUpstreamProviders } from '../src/organisations/sql-upstream.ts';
import { sqlStateStore } from '../src/state/sql-state-store.ts';
import {
  createPerson,
  KEY,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
  VIEW,
} from './support/auth-server.ts';
import { applicationRecords } from './support/client-records.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { softPasskey } from './support/soft-authenticator.ts';

describeOnDatabase('signing in with a browser', (engine) => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(engine);
    portal = await relyingParty(server, { name: 'Portal' });
  });
  after(() => server?.stop());

  const signIn = async (browser: Browser, url: URL, email = server.person.email) =>
    browser.submit(await browser.follow(url), { email, password: PASSWORD });
  const scope = (name: string) => `${server.config.scopeBase}/auth/${name}`;

  it('gives a relying party a code, tokens with how the person proved who they are, and userinfo', async () => {
    const flow = await authorizationUrl(portal);
    const { url } = await signIn(new Browser(), flow.url);
    expect(url.href.startsWith(REDIRECT_URI)).to.equal(true);
    expect(url.searchParams.get('iss')).to.equal(server.issuer);
    const tokens = await exchange(portal, flow, url);
    const claims = tokens.claims();
    expect(claims).to.include({ iss: server.issuer, aud: portal.id, acr: 'urn:cls:acr:password' });
    expect(claims?.['amr']).to.deep.equal(['pwd']);
    expect(claims?.auth_time).to.be.a('number');
    const userinfo = await client.fetchUserInfo(
      portal.config,
      tokens.access_token,
      claims?.sub ?? '',
    );
    expect(userinfo).to.deep.equal({
      sub: claims?.sub,
      email: server.person.email,
      email_verified: true,
    });
  });

  it('gives an access token for the API that says what the person may', async () => {
    const flow = await authorizationUrl(portal, { scope: `openid ${scope(VIEW)}` });
    const { url } = await signIn(new Browser(), flow.url);
    const tokens = await exchange(portal, flow, url);
    const token = decodeJwt(tokens.access_token);
    expect(token).to.include({
      iss: server.issuer,
      aud: server.config.audience,
      account_type: 'account',
      customer: 'india',
      client_id: portal.id,
      scope: scope(VIEW),
      acr: 'urn:cls:acr:password',
    });
    expect(token['amr']).to.deep.equal(['pwd']);
    expect(tokens.expires_in).to.be.at.most(3_600);
  });

  it('gives no permission that the person does not have, whatever is asked for, and takes what is lost', async () => {
    const [view, full] = [scope(VIEW), scope('external-api.fullcontrol')];
    const email = 'asks-for-all@india.example';
    const id = await createPerson(server.database, email, [VIEW, 'external-api.fullcontrol']);
    const granted = async (holder: string) => {
      const flow = await authorizationUrl(portal, { scope: `openid ${full} ${view}` });
      return exchange(portal, flow, (await signIn(new Browser(), flow.url, holder)).url);
    };
    const scopesOf = (token: string) => String(decodeJwt(token)['scope']).split(' ').sort();
    const viewer = await granted(server.person.email);
    expect(scopesOf(viewer.access_token)).to.deep.equal([view]);
    const all = await granted(email);
    expect(scopesOf(all.access_token)).to.deep.equal([view, full].sort());
    await server.database.query(`UPDATE account SET permissions = $2 WHERE id = $1`, [id, [VIEW]]);
    const later = await client.refreshTokenGrant(portal.config, all.refresh_token ?? '');
    expect(scopesOf(later.access_token)).to.deep.equal([view]);
  });

  it('lets nobody into an application that is disabled, which gets nothing any more', async () => {
    const party = await relyingParty(server);
    const [first, second] = [await authorizationUrl(party), await authorizationUrl(party)];
    const browser = new Browser();
    const tokens = await exchange(party, first, (await signIn(browser, first.url)).url);
    const { url: answer } = await browser.follow(second.url);
    await applicationRecords(server.database).setDisabled(party.id, true);
    const statusOf = (work: Promise<unknown>) =>
      work.then(
        () => 200,
        ({ status }: { status?: number }) => status,
      );
    expect(await statusOf(exchange(party, second, answer))).to.equal(401);
    const refresh = client.refreshTokenGrant(party.config, tokens.refresh_token ?? '');
    expect(await statusOf(refresh)).to.equal(401);
    const { response, url } = await browser.follow((await authorizationUrl(party)).url);
    expect([response.status, url.pathname]).to.deep.equal([400, '/oauth/authorize']);
  });

  it('asks for the second factor where one is enrolled, and says so in the tokens', async () => {
    const browser = new Browser();
    const flow = await authorizationUrl(portal);
    const second = await signIn(browser, flow.url, server.guarded.email);
    const text = await second.response.clone().text();
    expect(text).to.include('name="code"').and.not.include(server.guarded.totpSecret);
    const wrong = await browser.submit(second, { code: '000000' });
    expect(wrong.response.status).to.equal(422);
    const { url } = await browser.submit(wrong, { code: totpCode(server.guarded.totpSecret) });
    const claims = (await exchange(portal, flow, url)).claims();
    expect(claims?.['acr']).to.equal('urn:cls:acr:mfa');
    expect(claims?.['amr']).to.deep.equal(['pwd', 'otp', 'mfa']);
  });

  it('goes on when the form with the code is sent a second time', async () => {
    const browser = new Browser();
    const flow = await authorizationUrl(portal);
    const second = await signIn(browser, flow.url, server.guarded.email);
    const text = await second.response.text();
    const body = new URLSearchParams({
      csrf: /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? '',
      code: totpCode(server.guarded.totpSecret, 30),
    });
    const press = () => browser.open(`${second.url.href}/second-factor`, { method: 'POST', body });
    expect([(await press()).status, (await press()).status]).to.deep.equal([303, 303]);
    const { url } = await browser.follow(second.url);
    expect((await exchange(portal, flow, url)).claims()?.['acr']).to.equal('urn:cls:acr:mfa');
  });

  /** The use cases behind the pages, on the service's own database. */
  const composeWithMail = async () => {
    let token = '';
    const people = await accountUseCases((sent) => {
      token = sent;
    });
    return { ...people, sentToken: () => token };
  };
  const accountUseCases = async (invited: (token: string) => void = () => undefined) => {
    const { database, config } = server;
    const state = sqlStateStore(database, () => undefined);
    const nothing = () => undefined;
    const mail = {
      ...{ changed: nothing, newDevice: nothing, passwordReset: nothing },
      invitationElsewhere: nothing,
      organisationInvitation: nothing,
      invitation: (_: unknown, __: string, token: string) => invited(token),
    };
    const audit = {
      record() {},
      recordSafely: async () => undefined,
      synced: async () => undefined,
      catchUp: async () => undefined,
      flush: async () => undefined,
    };
    const secret = new Secret(KEY);
    return composeAccounts(
      {
        issuer: server.issuer,
        mfaPolicy: config.mfaPolicy,
        production: config.production,
        upstreamTimeoutS: config.upstreamTimeoutS,
        rememberDeviceS: config.rememberDeviceS,
        keyEncryptionKey: secret,
        cookieKey: secret,
      },
      {
        database,
        state,
        passwords: await argon2Verifier(1, 10),
        audit,
        mail,
        clock: systemClock,
        log: silentLog,
        metrics: noMetrics,
      },
    );
  };
  const optionsOn = async (page: { response: Response }) => {
    const [, text = ''] = /data-options="([^"]*)"/.exec(await page.response.clone().text()) ?? [];
    return JSON.parse(
      text.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'),
    ) as object;
  };

  it('lets a person in with a recovery code, once', async () => {
    const people = await accountUseCases();
    const account = await people.accounts.find(server.guarded.id);
    if (account === undefined) throw new Error('no account');
    const [code = ''] = await people.recoveryCodes.replace(account, {});
    const attempt = async () => {
      const browser = new Browser();
      const flow = await authorizationUrl(portal);
      const second = await signIn(browser, flow.url, account.email);
      const other = await browser.follow(`${second.url.href}?method=recovery_code`);
      return { flow, answer: await browser.submit(other, { recovery_code: code }) };
    };
    const { flow, answer } = await attempt();
    expect((await exchange(portal, flow, answer.url)).claims()?.['amr']).to.deep.equal([
      'pwd',
      'otp',
      'mfa',
    ]);
    const again = await attempt();
    expect(again.answer.response.status).to.equal(422);
    expect(await again.answer.response.text()).to.include('recovery code did not work');
  });

  it('lets a person in with a passkey, as the second step and as the only one', async () => {
    const people = await accountUseCases();
    const account = await people.accounts.find(server.guarded.id);
    if (account === undefined) throw new Error('no account');
    const key = softPasskey(server.issuer, account.id);
    const creation = await people.passkeys.beginCreation(account, 'session-1');
    const form = { credential: key.create(creation), name: 'Phone' };
    await people.passkeys.finishCreation(account, 'session-1', form, {});

    const browser = new Browser();
    const flow = await authorizationUrl(portal);
    const second = await signIn(browser, flow.url, account.email);
    const credential = key.get(await optionsOn(second));
    const { url } = await browser.submit(second, { credential });
    expect((await exchange(portal, flow, url)).claims()?.['amr']).to.deep.equal([
      'pwd',
      'swk',
      'user',
      'mfa',
    ]);

    const alone = new Browser();
    const only = await authorizationUrl(portal, { acr_values: 'urn:cls:acr:mfa' });
    const page = await alone.follow(only.url);
    const text = await page.response.clone().text();
    const body = new URLSearchParams({
      csrf: /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? '',
      credential: key.get(await optionsOn(page)),
    });
    const done = await alone.follow(`${page.url.href}/passkey`, { method: 'POST', body });
    const claims = (await exchange(portal, only, done.url)).claims();
    expect(claims?.['amr']).to.deep.equal(['swk', 'user', 'mfa']);
    expect(claims?.['acr']).to.equal('urn:cls:acr:mfa');
    const replayed = await alone.open(`${page.url.href}/passkey`, { method: 'POST', body });
    expect(replayed.status).to.be.oneOf([410, 422]);
  });

  /** The newest message to somebody, from the outbox of a developer's machine. */
  const linkTo = (email: string) =>
    eventually(async () => {
      const folder = join(server.config.dataDir, 'outbox');
      const letters = readdirSync(folder)
        .sort()
        .reverse()
        .map((name) => readFileSync(join(folder, name), 'utf8'));
      const letter = letters.find((text) => text.includes(email) && text.includes('token='));
      const [link] =
        /https?:\/\/\S+token=3?D?[\w-]+/.exec(
          (letter ?? '').replaceAll('=\r\n', '').replaceAll('=\n', ''),
        ) ?? [];
      if (link === undefined) throw new Error('no message yet');
      return link.replace('token=3D', 'token=');
    });

  it('sets a forgotten password by a link that is good once, and says nothing of who has an account', async () => {
    const browser = new Browser();
    const ask = async (email: string) =>
      browser.submit(await browser.follow(`${server.issuer}/password/reset`), { email });
    const [known, unknown] = [await ask(server.guarded.email), await ask('nobody@india.example')];
    const neutral = async ({ response }: { response: Response }, email: string) =>
      (await response.text())
        .replaceAll(email, 'EMAIL')
        .replace(/<wbr>/g, '')
        .replace(/[\w.]+@india\.example/g, 'EMAIL');
    expect(await neutral(known, server.guarded.email)).to.equal(
      await neutral(unknown, 'nobody@india.example'),
    );
    const link = await linkTo(server.guarded.email);
    const common = await browser.submit(await browser.follow(link), {
      new_password: 'password123456789',
    });
    expect(common.response.status).to.equal(422);
    const fresh = 'a quiet river under seven bridges';
    const done = await browser.submit(
      { url: common.url, response: common.response },
      { new_password: fresh },
    );
    expect(done.response.status).to.equal(200);
    expect((await browser.follow(link)).response.status).to.equal(410);
    // The second step is still asked for.
    const page = await browser.follow((await authorizationUrl(portal)).url);
    const next = await browser.submit(page, { email: server.guarded.email, password: fresh });
    expect(next.url.pathname).to.match(/^\/interaction\//);
    expect(await next.response.text()).to.match(/name="code"|data-passkey/);
  });

  it('lets somebody who was invited choose the first password', async () => {
    const people = await composeWithMail();
    const invited = await people.invite(
      { email: 'new@india.example', customer: 'india', permissions: [VIEW] },
      {},
    );
    if (!('account' in invited)) throw new Error('not invited');
    const browser = new Browser();
    const page = await browser.follow(`${server.issuer}/invitation?token=${people.sentToken()}`);
    expect(await page.response.clone().text()).to.include('India');
    const password = 'a lantern on the northern shore';
    const done = await browser.submit(page, { new_password: password });
    expect(await done.response.text()).to.include('href="/">Go to sign-in');
    const flow = await authorizationUrl(portal);
    const { url } = await browser.submit(await browser.follow(flow.url), {
      email: 'new@india.example',
      password,
    });
    expect((await exchange(portal, flow, url)).claims()?.sub).to.equal(invited.account.id);
  });

  it('leads somebody who was invited and may see no deals to the account pages', async () => {
    const people = await composeWithMail();
    const invitee = { email: 'administrator@india.example', customer: 'india' };
    await people.invite({ ...invitee, permissions: ['cls-customer.administer'] }, {});
    const browser = new Browser();
    const page = await browser.follow(`${server.issuer}/invitation?token=${people.sentToken()}`);
    const done = await browser.submit(page, { new_password: 'a lantern on the eastern shore' });
    expect(await done.response.text()).to.include('href="/account">Go to sign-in');
  });

  it('lets a person in through the organisation’s own provider', async () => {
    const domain = 'india.example';
    const upstream = await startTestAuthServer(anyEngine);
    try {
      const { id, secret } = await applicationRecords(upstream.database).create({
        name: 'CLS',
        firstParty: true,
        confidential: true,
        redirectUris: [`${server.issuer}/upstream/${domain}`],
        postLogoutRedirectUris: [],
        backchannelLogoutUri: null,
        device: false,
      });
      const providers = sqlUpstreamProviders(server.database, aesGcmSealer(new Secret(KEY)));
      await providers.add({
        domain,
        customer: 'india',
        issuer: upstream.issuer,
        clientId: id,
        clientSecret: secret ?? new Secret(''),
        emailClaim: 'email',
        emailVerifiedClaim: 'email_verified',
      });
      const email = `abroad@${domain}`;
      for (const { database } of [server, upstream]) await createPerson(database, email);
      const [here, there] = [new Browser(), new Browser()];
      const flow = await authorizationUrl(portal);
      const page = await here.follow(flow.url);
      const offer = await here.submit(page, { email, password: '' });
      const text = await offer.response.clone().text();
      expect(text).to.include(new URL(upstream.issuer).host);
      // The first form of the page is the way to the organisation.
      const away = await here.submit(offer, { email });
      expect(away.url.origin).to.equal(upstream.issuer);
      const theirs = await there.follow(away.url);
      const back = await there.submit(theirs, { email, password: PASSWORD });
      expect(back.url.pathname).to.equal(`/upstream/${domain}`);
      const stranger = await new Browser().follow(back.url);
      expect(stranger.response.status).to.equal(410);
      const { url } = await here.follow(back.url);
      expect((await exchange(portal, flow, url)).claims()?.['amr']).to.deep.equal(['pwd']);
      const fresh = await here.follow(`${server.issuer}/account/factors/totp`);
      expect(fresh.url.pathname).to.equal('/account/factors/totp');
      // Who is to prove it anew here is to prove it anew there.
      const anew = await authorizationUrl(portal, { prompt: 'login' });
      const asked = (await here.submit(await here.follow(anew.url), { email })).url.searchParams;
      expect([asked.get('prompt'), asked.get('max_age')]).to.deep.equal(['login', '0']);
    } finally {
      await server.database.query('DELETE FROM upstream_link');
      await server.database.query('DELETE FROM upstream_provider');
      await upstream.stop();
    }
  });

  it('refuses links and forms that are not its own', async () => {
    const browser = new Browser();
    for (const path of [
      '/password/new',
      '/password/new?token=abc',
      `/invitation?token=${'x'.repeat(40)}`,
    ]) {
      expect((await browser.open(`${server.issuer}${path}`)).status).to.equal(410);
    }
    const body = new URLSearchParams({ email: server.person.email });
    const forged = await browser.open(`${server.issuer}/password/reset`, { method: 'POST', body });
    expect(forged.status).to.equal(400);
  });

  it('goes on in the language that somebody chose, whatever the application asked for', async () => {
    const browser = new Browser();
    const page = await browser.follow((await authorizationUrl(portal, { ui_locales: 'de' })).url);
    expect(page.response.headers.get('content-language')).to.equal('de');
    const chosen = await browser.follow(new URL('?lang=en', page.url));
    const refused = await browser.submit(chosen, { email: 'nobody@india.example', password: 'x' });
    expect(refused.response.headers.get('content-language')).to.equal('en');
  });

  it('knows a browser again where the person asks for it', async () => {
    const browser = new Browser();
    const page = await browser.follow((await authorizationUrl(portal)).url);
    const fields = { email: server.person.email, password: PASSWORD, remember_device: 'yes' };
    const again = await browser.submit(page, { ...fields, password: 'not this one' });
    expect(await again.response.clone().text(), 'the tick stays').to.include('value="yes" checked');
    await browser.submit(again, fields);
    expect(browser.cookie('cls_device')).to.match(/^\d+\./);
  });

  it('goes on knowing a browser when the person signs in there again without asking for it', async () => {
    const browser = new Browser();
    const { url } = await authorizationUrl(portal, { prompt: 'login' });
    const deviceAfter = async (fields: Record<string, string>) => {
      const page = await browser.follow(url);
      await browser.submit(page, { email: server.person.email, password: PASSWORD, ...fields });
      return browser.cookie('cls_device');
    };
    const remembered = await deviceAfter({ remember_device: 'yes' });
    // A cookie that is set anew without an age would be gone when the browser is closed.
    expect(await deviceAfter({})).to.equal(remembered);
    expect(await deviceAfter({ remember_device: 'yes' }), 'asked anew').not.to.equal(remembered);
  });

  it('lets every application in once signed in, without a page in between', async () => {
    const browser = new Browser();
    await signIn(browser, (await authorizationUrl(portal)).url);
    const other = await relyingParty(server, { confidential: false });
    const flow = await authorizationUrl(other);
    const { url } = await browser.follow(flow.url);
    expect((await exchange(other, flow, url)).claims()?.aud).to.equal(other.id);
  });

  it('answers an unknown e-mail, a wrong password and a disabled account alike', async () => {
    await server.database.query(
      `INSERT INTO account (id, email, customer_id, permissions, password_hash, disabled_at)
       SELECT 'acc_' || repeat('0', 26), 'gone@acme.example', customer_id, permissions,
         password_hash, now() FROM account WHERE email = $1 ON CONFLICT DO NOTHING`,
      [server.person.email],
    );
    const pages = await Promise.all(
      [
        ['nobody@acme.example', PASSWORD],
        [server.person.email, 'wrong'],
        ['gone@acme.example', PASSWORD],
      ].map(async ([email = '', password = '']) => {
        const browser = new Browser();
        const page = await browser.follow((await authorizationUrl(portal)).url);
        const { response } = await browser.submit(page, { email, password });
        const text = await response.text();
        const uid = page.url.pathname.split('/').at(-1) ?? '';
        const neutral = text.replaceAll(email, 'EMAIL').replaceAll(uid, 'UID');
        const once = /name="csrf" value="[^"]*"|&quot;challenge&quot;:&quot;[^&]*&quot;/g;
        return [response.status, neutral.replace(once, '')];
      }),
    );
    expect(pages[0]?.[0]).to.equal(422);
    expect(pages[1]).to.deep.equal(pages[0]);
    expect(pages[2]).to.deep.equal(pages[0]);
  });

  it('refuses forms from elsewhere, and interactions of another browser', async () => {
    const browser = new Browser();
    const page = await browser.follow((await authorizationUrl(portal)).url);
    const action = `${page.url.href}/sign-in`;
    const body = new URLSearchParams({ email: server.person.email, password: PASSWORD });
    const forged = await browser.open(action, { method: 'POST', body });
    expect(forged.status).to.equal(400);
    expect(await forged.text()).to.include('could not accept this form');
    const stranger = await new Browser().open(page.url);
    expect(stranger.status).to.equal(410);
    expect(await stranger.text()).to.include('<html');
  });

  it('asks for consent on behalf of a third party, once, and takes no for an answer', async () => {
    const third = await relyingParty(server, { firstParty: false, name: 'Other Firm' });
    const ask = () => authorizationUrl(third, { scope: `openid ${scope(VIEW)}` });
    const browser = new Browser();
    const denied = await browser.submit(await signIn(browser, (await ask()).url), {
      decision: 'deny',
    });
    expect(denied.url.searchParams.get('error')).to.equal('access_denied');
    expect(denied.url.searchParams.get('iss')).to.equal(server.issuer);
    const flow = await ask();
    const consent = await browser.follow(flow.url);
    const text = await consent.response.clone().text();
    expect(text).to.include('Other Firm');
    const allowed = await browser.submit(consent, { decision: 'allow' });
    const tokens = await exchange(third, flow, allowed.url);
    expect(decodeJwt(tokens.access_token)['scope']).to.equal(scope(VIEW));
    const again = await browser.follow((await ask()).url);
    expect(again.url.searchParams.has('code')).to.equal(true);
  });

  it('links the privacy policy and the terms of an application where people sign in and allow', async () => {
    const links = {
      policy_uri: 'https://firm.example/privacy',
      tos_uri: 'https://firm.example/tos',
    };
    const third = await relyingParty(server, { firstParty: false, name: 'Linked Firm', links });
    const browser = new Browser();
    const asked = await browser.follow((await authorizationUrl(third)).url);
    const consent = await browser.submit(
      { ...asked, text: await asked.response.clone().text() },
      server.person,
    );
    for (const { response } of [asked, consent]) {
      expect(await response.text())
        .to.include('<a href="https://firm.example/privacy">Privacy policy</a>')
        .and.include('<a href="https://firm.example/tos">Terms of use</a>');
      expect(response.headers.get('content-security-policy')).to.not.include('firm.example');
    }
  });

  it('rotates refresh tokens; a lost answer may be asked for again', async () => {
    const flow = await authorizationUrl(portal, { scope: `openid ${scope(VIEW)}` });
    const { url } = await signIn(new Browser(), flow.url);
    const first = (await exchange(portal, flow, url)).refresh_token ?? '';
    const refresh = (token: string) => client.refreshTokenGrant(portal.config, token);
    const second = await refresh(first);
    expect(second.refresh_token).to.be.a('string').and.not.equal(first);
    const repeated = await refresh(first);
    expect(repeated.refresh_token).to.equal(second.refresh_token);
    expect(repeated.access_token).to.equal(second.access_token);
    const third = await refresh(second.refresh_token ?? '');
    expect(decodeJwt(third.access_token)).to.include({ scope: scope(VIEW), customer: 'india' });
  });

  it('signs out of the session after asking, and goes back to the application', async () => {
    const browser = new Browser();
    await signIn(browser, (await authorizationUrl(portal)).url);
    const out = client.buildEndSessionUrl(portal.config, {
      post_logout_redirect_uri: 'https://portal.example/',
      state: 'bye',
    });
    const page = await browser.follow(out);
    expect(page.response.status).to.equal(200);
    const done = await browser.submit(page, { logout: 'yes' });
    expect(done.url.href).to.equal('https://portal.example/?state=bye');
    const again = await browser.follow((await authorizationUrl(portal, { prompt: 'none' })).url);
    expect(again.url.searchParams.get('error')).to.equal('login_required');
  });

  it('shows people a page with a reference and a way on when an application makes a mistake', async () => {
    for (const parameters of [
      { redirect_uri: 'https://portal.example/callback/' },
      { redirect_uri: 'https://evil.example/callback' },
      { client_id: 'app_00000000000000000000000000' },
    ]) {
      const { url } = await authorizationUrl(portal, parameters as Record<string, string>);
      const response = await new Browser().open(url);
      expect(response.status).to.equal(400);
      const text = await response.text();
      expect(text)
        .to.include('<code>req_')
        .and.match(/<a class="button primary" href="/);
      expect(text).to.not.match(/<h1>invalid_/);
    }
  });

  describe('response_mode=form_post', () => {
    const native = () =>
      relyingParty(server, { confidential: false, redirectUris: [OWN, LOOPBACK] });
    const OWN = 'com.example.app:/cb';
    const LOOPBACK = 'http://127.0.0.1/cb';
    const asked = async (redirect_uri: string, parameters = {}) => {
      const form = { redirect_uri, response_mode: 'form_post', ...parameters };
      return (await authorizationUrl(await native(), form)).url;
    };

    it('is refused on a page, before anybody signs in, for an own scheme', async () => {
      const { url, response } = await new Browser().follow(await asked(OWN));
      expect([url.pathname, response.status]).to.deep.equal(['/oauth/authorize', 400]);
      expect(await response.text())
        .to.include('invalid_request')
        .and.include('expected a redirect_uri of https or http with response_mode=form_post');
    });

    for (const mistake of [{ code_challenge_method: 'plain' }, { response_type: 'token' }]) {
      it(`is answered on a page for an own scheme also beside ${JSON.stringify(mistake)}`, async () => {
        const { url, response } = await new Browser().follow(await asked(OWN, mistake));
        expect([url.pathname, response.status]).to.deep.equal(['/oauth/authorize', 400]);
        expect(await response.text()).to.include('<code>req_');
      });
    }

    it('is refused for an own scheme where the request is pushed', async () => {
      const { searchParams } = await asked(OWN);
      const init = { method: 'POST', body: searchParams };
      const answer = await fetch(`${server.issuer}/oauth/par`, init);
      expect([answer.status, await answer.json()]).to.deep.equal([
        400,
        {
          error: 'invalid_request',
          error_description:
            'expected a redirect_uri of https or http with response_mode=form_post, or no response_mode',
        },
      ]);
    });

    it('is good for an address on the person’s own machine', async () => {
      const { url } = await new Browser().follow(await asked(LOOPBACK));
      expect(url.pathname).to.match(/^\/interaction\//);
    });
  });

  it('sends the answer to mistakes that are the application’s to the application', async () => {
    const noPkce = await authorizationUrl(portal);
    noPkce.url.searchParams.delete('code_challenge');
    noPkce.url.searchParams.delete('code_challenge_method');
    const plain = await authorizationUrl(portal, { code_challenge_method: 'plain' });
    const implicit = await authorizationUrl(portal, { response_type: 'token' });
    for (const { url } of [noPkce, plain, implicit]) {
      const answer = await new Browser().follow(url);
      expect(answer.url.origin).to.equal('https://portal.example');
      expect(`${answer.url.search}${answer.url.hash}`).to.match(
        /error=(invalid_request|unsupported_response_type)/,
      );
    }
  });

  for (const scope of [undefined, '', 'profile']) {
    it(`refuses a request for nothing that there is (scope ${scope}) before anybody is asked`, async () => {
      const flow = await authorizationUrl(portal);
      flow.url.searchParams.delete('nonce'); // Which is for openid alone.
      if (scope === undefined) flow.url.searchParams.delete('scope');
      else flow.url.searchParams.set('scope', scope);
      const { url } = await new Browser().follow(flow.url);
      expect(url.origin).to.equal('https://portal.example');
      expect(url.searchParams.get('error')).to.equal('invalid_scope');
      expect(url.searchParams.get('error_description')).to.include('scope must contain openid');
      const tool = await relyingParty(server, {
        ...{ redirectUris: [], device: true, confidential: false },
      });
      const refused = await client
        .initiateDeviceAuthorization(tool.config, scope === undefined ? {} : { scope })
        .catch((error: client.ResponseBodyError) => error.error);
      expect(refused).to.equal('invalid_scope');
    });
  }

  it('gives no code where another person signs in than id_token_hint names', async () => {
    const flow = await authorizationUrl(portal);
    const tokens = await exchange(portal, flow, (await signIn(new Browser(), flow.url)).url);
    const email = 'another-than-hinted@india.example';
    await createPerson(server.database, email);
    const hinted = () => authorizationUrl(portal, { id_token_hint: tokens.id_token ?? '' });
    const browser = new Browser();
    for (const who of ['nobody', 'the other person']) {
      const { url } = await signIn(browser, (await hinted()).url, email);
      expect(url.searchParams.get('error'), `${who} is signed in`).to.equal('login_required');
      expect(url.searchParams.has('code')).to.equal(false);
    }
    const right = await hinted();
    const { url } = await signIn(new Browser(), right.url);
    expect((await exchange(portal, right, url)).claims()?.sub).to.equal(tokens.claims()?.sub);
  });

  for (const { registered, asked, confidential = false, good } of [
    { registered: 'http://127.0.0.1/cb', asked: 'http://127.0.0.1:49152/cb', good: true },
    { registered: 'http://127.0.0.1:3000/cb', asked: 'http://127.0.0.1:49152/cb', good: true },
    { registered: 'http://[::1]/cb', asked: 'http://[::1]:49152/cb', good: true },
    { registered: 'http://localhost:3000/cb', asked: 'http://localhost:3000/cb', good: true },
    { registered: 'http://127.0.0.1/cb', asked: 'http://127.0.0.1:49152/cb/', good: false },
    { registered: 'http://127.0.0.1/cb', asked: 'http://[::1]/cb', good: false },
    { registered: 'http://127.0.0.1/cb', asked: 'http://127.0.0.1.evil.example/cb', good: false },
    { registered: 'http://127.0.0.1/cb', asked: 'http://127.0.0.1@evil.example/cb', good: false },
    { registered: 'http://localhost:3000/cb', asked: 'http://localhost:9999/cb', good: false },
    { registered: 'http://localhost:3000/cb', asked: 'http://localhost:03000/cb', good: false },
    {
      ...{ registered: 'http://127.0.0.1:3000/cb', asked: 'http://127.0.0.1:9999/cb' },
      ...{ confidential: true, good: false },
    },
  ]) {
    const whose = confidential ? 'a confidential' : 'a public';
    it(`${good ? 'takes' : 'refuses'} ${asked} of ${whose} application that registered ${registered}`, async () => {
      const party = await relyingParty(server, { redirectUris: [registered], confidential });
      const { url } = await authorizationUrl(party, { redirect_uri: asked });
      const page = await new Browser().follow(url);
      expect(page.response.status).to.equal(good ? 200 : 400);
      expect(page.url.pathname).to.match(good ? /^\/interaction\// : /^\/oauth\/authorize$/);
    });
  }

  it('works through pushed requests', async () => {
    const flow = await authorizationUrl(portal);
    const pushed = await client.buildAuthorizationUrlWithPAR(
      portal.config,
      Object.fromEntries(flow.url.searchParams),
    );
    expect(pushed.searchParams.has('request_uri')).to.equal(true);
    const { url } = await signIn(new Browser(), pushed);
    expect((await exchange(portal, flow, url)).claims()?.aud).to.equal(portal.id);
  });

  for (const aheadS of [-90, 90]) {
    it(`works through a request pushed to a replica whose clock differs by ${aheadS} s`, async () => {
      const flow = await authorizationUrl(portal);
      const parameters = Object.fromEntries(flow.url.searchParams);
      const { now } = Date;
      Date.now = () => now() + aheadS * 1_000;
      const pushed = await client
        .buildAuthorizationUrlWithPAR(portal.config, parameters)
        .finally(() => {
          Date.now = now;
        });
      const { url } = await signIn(new Browser(), pushed);
      expect((await exchange(portal, flow, url)).claims()?.aud).to.equal(portal.id);
    });
  }

  it('answers a pushed request once, however often a browser asks at the same time', async () => {
    const browser = new Browser();
    await signIn(browser, (await authorizationUrl(portal)).url);
    const flow = await authorizationUrl(portal);
    const pushed = await client.buildAuthorizationUrlWithPAR(
      portal.config,
      Object.fromEntries(flow.url.searchParams),
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.open(pushed.href)));
    const locations = answers.map(({ headers }) => headers.get('location') ?? '');
    const codes = locations.filter((location) =>
      new URL(location, pushed).searchParams.has('code'),
    );
    expect(codes, locations.join('\n')).to.have.length(1);
    expect((await exchange(portal, flow, new URL(codes[0] ?? ''))).claims()?.aud).to.equal(
      portal.id,
    );
    const again = await browser.open(pushed.href);
    expect(again.headers.get('location') ?? '').not.to.include('code=');
    expect(again.status).to.be.within(300, 499);
  });

  const pushedBy = async (party: RelyingParty) => {
    const flow = await authorizationUrl(party);
    const parameters = Object.fromEntries(flow.url.searchParams);
    return { flow, pushed: await client.buildAuthorizationUrlWithPAR(party.config, parameters) };
  };
  /** As if everything had been kept for so long. */
  const later = (seconds: number) =>
    server.database.query(
      `UPDATE protocol_state SET created_at = created_at - make_interval(secs => $1),
         expires_at = expires_at - make_interval(secs => $1)`,
      [seconds],
    );

  it('gives one code for a pushed request, though several browsers have opened it and take their time', async () => {
    for (const seconds of [70, 2_000]) {
      const { flow, pushed } = await pushedBy(portal);
      const opened = await Promise.all(
        [new Browser(), new Browser(), new Browser()].map(async (browser) => ({
          browser,
          page: await browser.follow(pushed),
        })),
      );
      await later(seconds);
      // The people who sign in are still there.
      await server.database.query(
        `UPDATE protocol_state SET expires_at = now() + interval '5 minutes'
         WHERE kind IN ('Interaction', 'Session')`,
      );
      const late = await new Browser().open(pushed);
      expect(late.status, 'it is too late to begin').to.equal(400);
      const ends: URL[] = [];
      for (const { browser, page } of opened) {
        const proof = { email: server.person.email, password: PASSWORD };
        ends.push((await browser.submit(page, proof)).url);
      }
      const codes = ends.filter(({ searchParams }) => searchParams.has('code'));
      expect(codes, ends.join('\n')).to.have.length(seconds < 1_000 ? 1 : 0);
      const [code] = codes;
      if (code !== undefined) await exchange(portal, flow, code);
    }
  });

  it('gives one code for a pushed request, though a request of the browser is held up and the next one overtakes it', async function () {
    if (engine.name === 'PGlite') return this.skip(); // One statement at a time: nothing overtakes.
    const browser = new Browser();
    await signIn(browser, (await authorizationUrl(portal)).url);
    const { flow, pushed } = await pushedBy(portal);
    let answers: Promise<Response[]> | undefined;
    await server.database.transaction(async (transaction) => {
      // What a request writes once it has used the pushed request.
      await transaction.execute('LOCK TABLE application_grant IN EXCLUSIVE MODE');
      answers = Promise.all([browser.open(pushed), browser.open(pushed)]);
      await eventually(async () => {
        const waiting = await server.database.query(
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'application_grant'::regclass`,
        );
        expect(waiting.length).to.equal(2);
      });
    });
    const locations = ((await answers) ?? []).map(({ headers }) => headers.get('location') ?? '');
    const codes = locations.filter((location) => location.includes('code='));
    expect(codes, locations.join('\n')).to.have.length(1);
    await exchange(portal, flow, new URL(codes[0] ?? ''));
  });

  it('shows the sign-in of a pushed request again after a reload and the back button', async () => {
    const flow = await authorizationUrl(portal);
    const pushed = await client.buildAuthorizationUrlWithPAR(
      portal.config,
      Object.fromEntries(flow.url.searchParams),
    );
    const browser = new Browser();
    const page = await browser.follow(pushed);
    expect((await browser.follow(page.url)).response.status).to.equal(200);
    expect((await browser.follow(pushed)).response.status).to.equal(200);
    const { url } = await signIn(browser, pushed);
    expect((await exchange(portal, flow, url)).claims()?.aud).to.equal(portal.id);
  });

  it('signs a command-line tool in on a second device', async () => {
    const tool = await relyingParty(server, {
      redirectUris: [],
      device: true,
      confidential: false,
    });
    const begun = await client.initiateDeviceAuthorization(tool.config, {
      scope: `openid ${scope(VIEW)}`,
    });
    const browser = new Browser();
    const page = await browser.follow(begun.verification_uri);
    const confirm = await browser.submit(page, { user_code: begun.user_code });
    const login = await browser.submit(confirm, { confirm: 'yes' });
    const done = await browser.submit(login, { email: server.person.email, password: PASSWORD });
    expect(await done.response.text()).to.include('<html');
    const tokens = await client.pollDeviceAuthorizationGrant(tool.config, {
      ...begun,
      interval: 1,
    });
    expect(decodeJwt(tokens.access_token)).to.include({ customer: 'india', scope: scope(VIEW) });
  });

  it('says what a second device will be allowed, before the person lets it in', async () => {
    const tool = await relyingParty(server, {
      ...{ redirectUris: [], device: true, confidential: false },
    });
    const begun = await client.initiateDeviceAuthorization(tool.config, {
      scope: `openid email ${scope(VIEW)}`,
    });
    const browser = new Browser();
    const page = await browser.follow(begun.verification_uri);
    const confirm = await browser.submit(page, { user_code: begun.user_code });
    const text = await confirm.response.text();
    const [, permissions] = /<ul class="permissions">(.*?)<\/ul>/s.exec(text) ?? [];
    expect(permissions?.match(/(?<=<li>)[^<]+/g)).to.deep.equal([
      'See your e-mail address',
      'See the deals, balances and positions that you have access to',
    ]);
  });

  it('says where a second device asked from, and gives back a code that is not known', async () => {
    const tool = await relyingParty(server, {
      ...{ redirectUris: [], device: true, confidential: false },
    });
    const begun = await client.initiateDeviceAuthorization(tool.config, { scope: 'openid' });
    const browser = new Browser();
    const wrong = await browser.submit(await browser.follow(begun.verification_uri), {
      user_code: 'BBBB-BBBB',
    });
    const text = await wrong.response.text();
    expect(text).to.match(/<input[^>]* name="user_code"[^>]* value="BBBB-BBBB"/);
    const fields = { user_code: begun.user_code };
    const confirm = await browser.submit({ ...wrong, text }, fields);
    expect(await confirm.response.text()).to.include('The device asked from 127.0.0.1.');
  });

  it('keeps a second device out that the person denies, and says so to both', async () => {
    const tool = await relyingParty(server, {
      ...{ name: 'Ledger Tool', redirectUris: [], device: true, confidential: false },
    });
    const begun = await client.initiateDeviceAuthorization(tool.config, { scope: 'openid' });
    const browser = new Browser();
    const page = await browser.follow(begun.verification_uri);
    const wrong = await browser.submit(page, { user_code: 'BBBB-BBBB' });
    expect(wrong.response.status).to.equal(422);
    const confirm = await browser.submit(wrong, { user_code: begun.user_code });
    const denied = await browser.submit(confirm, { abort: 'yes' });
    const text = await denied.response.text();
    expect(text).to.include('Device not connected').and.include('Ledger Tool');
    const refused = await client
      .pollDeviceAuthorizationGrant(tool.config, { ...begun, interval: 1 })
      .catch((error: client.ResponseBodyError) => error.error);
    expect(refused).to.equal('access_denied');
  });

  it('refuses a form of a second device without the cookie that came with it, with a page', async () => {
    const body = new URLSearchParams({ xsrf: 'x', user_code: 'BBBB-BBBB', confirm: 'yes' });
    const answer = await new Browser().open(`${server.issuer}/device`, { method: 'POST', body });
    expect(answer.status).to.equal(400);
    expect(await answer.text())
      .to.include('<html')
      .and.include('href="/device"');
  });

  it('sets cookies that scripts cannot read and other sites cannot send', async () => {
    const response = await new Browser().open((await authorizationUrl(portal)).url);
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).to.be.greaterThan(1);
    for (const cookie of cookies)
      expect(cookie)
        .to.match(/; httponly/i)
        .and.match(/; samesite=lax/i);
  });

  it('ends what a person had when the account is disabled', async () => {
    const flow = await authorizationUrl(portal, { scope: `openid ${scope(VIEW)}` });
    const browser = new Browser();
    const { url } = await signIn(browser, flow.url);
    const tokens = await exchange(portal, flow, url);
    const setDisabled = (at: string) =>
      server.database.query(`UPDATE account SET disabled_at = ${at} WHERE email = $1`, [
        server.person.email,
      ]);
    await setDisabled('now()');
    const refused = await client
      .refreshTokenGrant(portal.config, tokens.refresh_token ?? '')
      .catch((error: client.ResponseBodyError) => error.error);
    expect(refused).to.equal('invalid_grant');
    const again = await browser.follow((await authorizationUrl(portal)).url);
    expect(again.url.pathname).to.match(/^\/interaction\//);
    await setDisabled('NULL');
  });
});

import { systemClock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { newId } from '@cls/shared/new-id';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { Secret as TotpSecret } from 'otpauth';
import { type AuthServer, startAuthServer } from '../src/compose.ts';
import { sqlTotpFactors } from '../src/factors/sql-totp-factors.ts';
import {
  createPerson,
  KEY,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { useCasesBeside } from './support/use-cases.ts';

const REMEMBERED = 'urn:cls:acr:remembered';
const MFA = 'urn:cls:acr:mfa';
const NEW_PASSWORD = 'a quiet river under seven bridges';

interface Person {
  readonly id: string;
  readonly email: string;
  /** A code that was not used yet, once. */
  readonly code: () => string;
}

describeOnDatabase('a remembered device', (engine) => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  let people: Awaited<ReturnType<typeof useCasesBeside>>;
  let n = 0;
  before(async () => {
    server = await startTestAuthServer(engine);
    portal = await relyingParty(server);
    people = await useCasesBeside(server);
  });
  after(async () => {
    await people?.close();
    await server?.stop();
  });

  const newPerson = async (): Promise<Person> => {
    n += 1;
    const email = `remembered-${n}@india.example`;
    const id = await createPerson(server.database, email);
    const secret = new TotpSecret({ size: 20 }).base32;
    await sqlTotpFactors(server.database, aesGcmSealer(new Secret(KEY)), systemClock).enrol(
      id,
      secret,
    );
    // Each code works once. That of the step before could have ended when it arrives.
    const offsets = [0, 30];
    return { id, email, code: () => totpCode(secret, offsets.shift()) };
  };
  const ask = (browser: Browser, more: Record<string, string> = {}) =>
    authorizationUrl(portal, more).then(async (flow) => ({
      flow,
      page: await browser.follow(flow.url),
    }));
  /** Types the password, with the tick or without. @returns where the browser is then. */
  const enter = async (
    browser: Browser,
    { email }: Person,
    { remember = true, password = PASSWORD, ...more }: EnterOptions = {},
  ) => {
    const { flow, page } = await ask(browser, more.parameters);
    const fields = { email, password, ...(remember ? { remember_device: 'yes' } : {}) };
    const at = await browser.submit(page, fields);
    const text = at.url.origin === server.issuer ? await at.response.clone().text() : '';
    const asked = text.includes('name="code"');
    return { flow, at, asked };
  };
  const prove = async (browser: Browser, person: Person, options?: EnterOptions) => {
    const { flow, at, asked } = await enter(browser, person, options);
    expect(asked, 'the second factor is asked for').to.equal(true);
    const { url } = await browser.submit(at, { code: person.code() });
    return exchange(portal, flow, url);
  };
  /** Somebody who asked to be remembered, and signed out since. */
  const remembered = async (): Promise<{ person: Person; browser: Browser }> => {
    const [person, browser] = [await newPerson(), new Browser()];
    await prove(browser, person);
    await signOut(browser);
    return { person, browser };
  };
  const signOut = async (browser: Browser) => {
    const page = await browser.follow(`${server.issuer}/oauth/logout`);
    await browser.submit(page, { logout: 'yes' });
  };
  const deviceIn = (browser: Browser) => browser.cookie('cls_remembered') ?? '';
  const accountOf = async ({ id }: Person) => {
    const account = await people.accounts.find(id);
    if (account === undefined) throw new Error('there is no such account');
    return account;
  };
  const lists = async (person: Person) =>
    (await people.rememberedDevices.list(await accountOf(person))).length;

  it('is not asked for the second factor again, and no token claims that it was', async () => {
    const { person, browser } = await remembered();
    const { flow, at, asked } = await enter(browser, person);
    expect(asked).to.equal(false);
    const tokens = await exchange(portal, flow, at.url);
    expect(tokens.claims()).to.deep.include({ amr: ['pwd'], acr: REMEMBERED });
    expect(await lists(person)).to.equal(1);
  });

  it('is asked for it where an application wants one, or a fresh proof', async () => {
    for (const parameters of [{ acr_values: MFA }, { prompt: 'login' }]) {
      const { person, browser } = await remembered();
      const tokens = await prove(browser, person, { parameters });
      expect(tokens.claims()?.['acr'], JSON.stringify(parameters)).to.equal(MFA);
    }
    const { person, browser } = await remembered();
    await enter(browser, person);
    const weak = await ask(browser, { acr_values: MFA, prompt: 'none' });
    expect(weak.page.url.searchParams.get('error')).to.equal('login_required');
  });

  it('stays signed in, also when it is closed, and no longer than the operator says', async () => {
    const person = await newPerson();
    const lines: string[] = [];
    const watched = new Browser(async (url, init) => {
      const response = await fetch(url, init);
      lines.push(...response.headers.getSetCookie());
      return response;
    });
    await prove(watched, person);
    const lastingS = (name: string) => {
      const line = lines.findLast((each) => each.startsWith(`${name}=`)) ?? '';
      const [, until = ''] = /expires=([^;]+)/i.exec(line) ?? [];
      return (Date.parse(until) - Date.now()) / 1000;
    };
    expect(lastingS('cls_session')).to.be.within(2_591_000, 2_592_001);
    expect(lastingS('cls_remembered')).to.be.within(2_591_000, 2_592_001);
    lines.length = 0;
    await signOut(watched);
    await enter(watched, person, { remember: false });
    lines.length = 0;
    const { at } = await enter(watched, person, { remember: false });
    await watched.submit(at, { code: person.code() });
    expect(Number.isNaN(lastingS('cls_session')), 'without the tick').to.equal(true);
  });

  it('is forgotten when the person signs in there without the tick', async () => {
    const { person, browser } = await remembered();
    const { page } = await ask(browser);
    expect(await page.response.clone().text()).to.include('value="yes" checked');
    await prove(browser, person, { remember: false });
    expect([deviceIn(browser), await lists(person)]).to.deep.equal(['', 0]);
  });

  it('is nobody else’s', async () => {
    const { person, browser } = await remembered();
    const other = await newPerson();
    const before = deviceIn(browser);
    expect((await enter(browser, other)).asked).to.equal(true);
    expect(deviceIn(browser)).to.equal(before);
    expect((await enter(browser, person)).asked).to.equal(false);
  });

  it('has a new secret after each sign-in; a copy of an old one ends it', async () => {
    const { person, browser } = await remembered();
    const copied = deviceIn(browser);
    await enter(browser, person);
    await signOut(browser);
    expect(deviceIn(browser)).to.not.equal(copied);
    const thief = new Browser();
    thief.plant('cls_remembered', copied);
    expect((await enter(thief, person)).asked).to.equal(true);
    expect((await enter(browser, person)).asked, 'the owner too').to.equal(true);
    expect(await lists(person)).to.equal(0);
  });

  it('is recognised when an answer with a new secret was lost', async () => {
    const { person, browser } = await remembered();
    const before = deviceIn(browser);
    const account = await accountOf(person);
    const uid = 'an-interaction-whose-answer-was-lost';
    const signIn = { account, uid, cookie: before };
    const first = await people.rememberedDevices.renew(signIn);
    const again = await people.rememberedDevices.renew(signIn);
    expect(again?.value).to.equal(first?.value).and.not.equal(before);
    const other = { ...signIn, uid: 'another-interaction' };
    expect(await people.rememberedDevices.recognises(other), 'another sign-in').to.equal(false);
  });

  const ends: Readonly<Record<string, (person: Person, browser: Browser) => Promise<unknown>>> = {
    'a new password': async (person) => {
      const session = { jti: 'none', uid: 'none' };
      const account = await accountOf(person);
      const given = { password: PASSWORD, newPassword: NEW_PASSWORD };
      expect(await people.changePassword(account, given, session, {})).to.equal(undefined);
    },
    'a factor that is added, also when it is removed again': async ({ id }) => {
      const factor = newId('fac');
      await server.database.query(
        `INSERT INTO factor (id, account_id, kind, name) VALUES ($1, $2, 'totp', 'Tablet')`,
        [factor, id],
      );
      await server.database.query('DELETE FROM factor WHERE id = $1', [factor]);
    },
    'an administrator who ends all sessions': async (person) =>
      people.administer.endSessions(await accountOf(person), {}),
    'an account that was disabled for a while': async (person) => {
      await people.administer.disable(await accountOf(person), {});
      await people.administer.enable(await accountOf(person), {});
    },
    'ending all other sessions elsewhere': async (person) =>
      people.accountSessions.endOthers(await accountOf(person), 'elsewhere', {}),
    'forgetting it elsewhere': async (person) => {
      const account = await accountOf(person);
      const [device] = await people.rememberedDevices.list(account);
      expect(await people.rememberedDevices.forget(account, device?.id ?? '', {})).to.equal(true);
    },
  };
  for (const [what, end] of Object.entries(ends)) {
    it(`is forgotten by ${what}`, async () => {
      const { person, browser } = await remembered();
      await end(person, browser);
      const password = what === 'a new password' ? NEW_PASSWORD : PASSWORD;
      expect((await enter(browser, person, { password })).asked).to.equal(true);
      expect(await lists(person)).to.equal(0);
    });
  }

  it('is forgotten with its session, when that is ended from elsewhere', async () => {
    const [person, browser] = [await newPerson(), new Browser()];
    await prove(browser, person);
    const account = await accountOf(person);
    const [session] = await people.accountSessions.list(account);
    expect(session?.rememberedDeviceId).to.equal(deviceIn(browser).split('.')[0]);
    await people.accountSessions.end(account, session?.id ?? '', {});
    expect((await enter(browser, person)).asked).to.equal(true);
  });

  it('keeps its secret out of the database', async () => {
    const { browser } = await remembered();
    const [id = '', secret = ''] = deviceIn(browser).split('.');
    const rows = await server.database.query('SELECT * FROM remembered_device WHERE id = $1', [id]);
    expect(rows).to.have.length(1);
    expect(JSON.stringify(rows)).to.not.include(secret);
  });
});

interface EnterOptions {
  readonly remember?: boolean;
  readonly password?: string;
  readonly parameters?: Record<string, string>;
}

describeOnDatabase('remembered devices, as the operator sets them', (engine) => {
  let first: TestAuthServer;
  let running: AuthServer | undefined;
  after(() => running?.stop());

  it('meet MFA_POLICY=required, except before a change of the account; with 0 there are none', async () => {
    first = await startTestAuthServer(engine, { MFA_POLICY: 'required' });
    const { guarded } = first;
    const portal = await relyingParty(first);
    const browser = new Browser();
    const enter = async () => {
      const flow = await authorizationUrl(portal);
      const page = await browser.follow(flow.url);
      const fields = { email: guarded.email, password: PASSWORD, remember_device: 'yes' };
      return { flow, at: await browser.submit(page, fields) };
    };
    const { at: asked } = await enter();
    await browser.submit(asked, { code: totpCode(guarded.totpSecret) });
    const page = await browser.follow(`${first.issuer}/oauth/logout`);
    await browser.submit(page, { logout: 'yes' });
    const { flow, at } = await enter();
    const tokens = await exchange(portal, flow, at.url);
    expect(tokens.claims()?.['acr']).to.equal(REMEMBERED);
    const refreshed = await client.refreshTokenGrant(portal.config, tokens.refresh_token ?? '');
    expect(refreshed.access_token).to.be.a('string');
    const account = await browser.follow(`${first.issuer}/account/factors`);
    expect([account.response.status, account.url.pathname]).to.deep.equal([
      200,
      '/account/factors',
    ]);
    const change = await browser.follow(`${first.issuer}/account/factors/totp`);
    expect(change.url.pathname, 'a fresh second factor').to.equal('/account/step-up');
    expect(await change.response.text()).to.include('name="code"');
    await first.stop();

    running = await startAuthServer({ ...first.config, rememberDeviceS: 0 }, silentLog);
    const fresh = new Browser();
    const { response } = await fresh.follow(`${first.issuer}/account`);
    expect(await response.text()).to.not.include('remember_device');
  });
});

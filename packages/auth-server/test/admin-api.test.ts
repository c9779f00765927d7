import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { INTEGRATIONS_PERMISSION } from '@cls/shared/access-token';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually, freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import { sqlUpstreamProviders } from '../src/organisations/sql-upstream.ts';
import {
  type AdminAnswer,
  type AdminClient,
  adminClient,
  adminToken,
  MANAGE,
  newCaller,
  type TestCaller,
} from './support/administrator.ts';
import {
  FULL,
  KEY,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
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

/** What the owner's message is called. */
const DISABLED = 'Your account was switched off';
const NOBODY = 'acc_00000000000000000000000000';

describeOnDatabase('the administrators’ API', (engine) => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  let caller: TestCaller;
  let call: AdminClient;
  /** Another customer's account. */
  let stranger: string;
  let passwordHash: string;
  before(async () => {
    server = await startTestAuthServer(engine);
    portal = await relyingParty(server);
    caller = await newCaller(server);
    call = adminClient(server, await adminToken(server, caller));
    passwordHash = await quickHash(PASSWORD);
    await sqlCustomers(server.database).create('kenya', 'Kenya', false);
    stranger = await newAccount('stranger@kenya.example', 'kenya');
  });
  after(() => server?.stop());

  const newAccount = (email: string, customer = 'india') =>
    sqlAccounts(server.database).create({ email, customer, permissions: [VIEW], passwordHash });
  const idOf = async (email: string) => {
    const account = await sqlAccounts(server.database).findByEmail(email);
    if (account === undefined) throw new Error(`no account ${email}`);
    return account.id;
  };
  /** A refresh token of somebody who signed in with a browser, and that browser. */
  const signIn = async (email: string, second: Record<string, string> = {}) => {
    const browser = new Browser();
    const flow = await authorizationUrl(portal, { scope: 'openid offline_access' });
    let page = await browser.submit(await browser.follow(flow.url), { email, password: PASSWORD });
    if (Object.keys(second).length > 0) page = await browser.submit(page, second);
    const { refresh_token: refreshToken = '' } = await exchange(portal, flow, page.url);
    return { browser, refreshToken };
  };
  /** Whether a browser gets a code without signing in again. */
  const signedIn = async (browser: Browser) => {
    const { url } = await browser.follow((await authorizationUrl(portal)).url);
    return url.searchParams.has('code');
  };
  const refreshes = (token: string) =>
    client.refreshTokenGrant(portal.config, token).then(
      () => true,
      (error: { error?: string }) => {
        if (error.error !== 'invalid_grant') throw error;
        return false;
      },
    );
  const auditOf = (subject: string, type: string) =>
    eventually(async () => {
      const rows = await server.database.query<Record<string, unknown>>(
        'SELECT * FROM audit_event WHERE subject = $1 AND type = $2 ORDER BY id DESC',
        [subject, type],
      );
      if (rows[0] === undefined) throw new Error(`no ${type} yet`);
      return rows[0];
    });
  /** Subjects of the messages that somebody was sent. */
  const messagesTo = (email: string): readonly string[] => {
    const folder = join(server.config.dataDir, 'outbox');
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((text) => new RegExp(`^To: .*${email}`, 'm').test(text))
      .map((text) => /^Subject: (.*)$/m.exec(text)?.[1] ?? '');
  };
  const expectProblem = ({ status, headers, body }: AdminAnswer, expected: object) => {
    expect(headers.get('content-type')).to.equal('application/problem+json');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(body).to.include({
      status,
      type: `${server.issuer}/docs/errors/${body.code}`,
      ...expected,
    });
  };
  const faults = ({ body }: AdminAnswer) =>
    body.errors.map((fault: { parameter: string; code: string }) => [fault.parameter, fault.code]);

  describe('GET /admin/v1/accounts', () => {
    it('lists the accounts of the caller’s customer in pages, each once, and no other’s', async () => {
      for (const n of [1, 2, 3]) await newAccount(`listed-${n}@india.example`);
      const seen: string[] = [];
      let cursor = '';
      for (let pages = 0; pages < 20; pages += 1) {
        const { status, headers, body } = await call('GET', `/accounts?limit=2${cursor}`);
        expect(status).to.equal(200);
        expect(headers.get('cache-control')).to.equal('no-store');
        expect(body).to.include({ object: 'list' });
        expect(body.page).to.include({ limit: 2, hasMore: body.page.nextCursor !== null });
        seen.push(...body.data.map(({ email }: { email: string }) => email));
        if (body.page.nextCursor === null) break;
        expect(body.data).to.have.length(2);
        cursor = `&cursor=${body.page.nextCursor}`;
      }
      const all = await server.database.query<{ email: string }>(
        `SELECT email FROM account WHERE customer_id = 'india' ORDER BY id`,
      );
      expect(seen).to.deep.equal(all.map(({ email }) => email));
      expect(seen).to.include(server.person.email).and.not.include('stranger@kenya.example');
    });

    it('finds an account by its e-mail in any spelling, and never another customer’s', async () => {
      const found = await call('GET', '/accounts?email=GUARDED%40India.example');
      expect(found.body.data).to.deep.equal([
        {
          object: 'account',
          id: server.guarded.id,
          email: server.guarded.email,
          customer: 'india',
          permissions: [VIEW],
          disabled: false,
          secondFactor: true,
          pending: false,
          lastSignedInAt: null,
        },
      ]);
      expect(found.body.page).to.deep.equal({ limit: 50, hasMore: false, nextCursor: null });
      for (const email of ['stranger@kenya.example', 'nobody@india.example']) {
        const none = await call('GET', `/accounts?email=${email}`);
        expect(none.body.data).to.deep.equal([]);
      }
    });

    it('names every fault of a query at once', async () => {
      const answer = await call('GET', '/accounts?limit=101&cursor=x&email=a%00b@c&sort=email');
      expectProblem(answer, { status: 400, code: 'invalid_parameter' });
      expect(faults(answer)).to.have.deep.members([
        ['limit', 'invalid_parameter'],
        ['cursor', 'invalid_cursor'],
        ['email', 'invalid_parameter'],
        ['sort', 'unknown_parameter'],
      ]);
      for (const [query, code] of [
        ['limit=0', 'invalid_parameter'],
        ['limit=1&limit=2', 'invalid_parameter'],
        ['cursor=12', 'invalid_cursor'],
        ['mail=x', 'unknown_parameter'],
        ['constructor=x', 'unknown_parameter'],
      ]) {
        expectProblem(await call('GET', `/accounts?${query}`), { status: 400, code });
      }
    });
  });

  describe('GET /admin/v1/applications', () => {
    it('lists the applications of the caller’s customer in pages, and no other’s', async () => {
      const links = {
        client_uri: 'https://india.example/',
        tos_uri: 'https://india.example/terms',
      };
      const mine = [
        await relyingParty(server, { customer: 'india', links, scopes: ['openid', VIEW] }),
        await relyingParty(server, { customer: 'india', confidential: false }),
      ];
      await relyingParty(server, { customer: 'kenya' });
      await relyingParty(server);
      const first = (await call('GET', '/applications?limit=1')).body;
      const next = `/applications?limit=1&cursor=${first.page.nextCursor}`;
      const second = (await call('GET', next)).body;
      expect(second.page.nextCursor).to.equal(null);
      const all = [...first.data, ...second.data];
      expect(all.map(({ id }) => id)).to.deep.equal(mine.map(({ id }) => id).sort());
      const one = all.find(({ id }) => id === mine[0]?.id);
      const { name, ...rest } = one;
      expect(name).to.match(/^Portal/);
      expect(rest).to.deep.equal({
        ...{ object: 'application', id: mine[0]?.id, customer: 'india', disabled: false },
        ...{ scopes: ['openid', VIEW], redirectUris: [REDIRECT_URI], confidential: true },
        ...{ clientUri: links.client_uri, initiateLoginUri: null },
        ...{ policyUri: null, tosUri: links.tos_uri },
      });
    });
  });

  describe('GET /admin/v1/accounts/{id}', () => {
    it('shows an account, without anything of its password', async () => {
      const id = await idOf(server.person.email);
      const { status, body } = await call('GET', `/accounts/${id}`);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        object: 'account',
        id,
        email: server.person.email,
        customer: 'india',
        permissions: [VIEW],
        disabled: false,
        secondFactor: false,
        pending: false,
        lastSignedInAt: null,
      });
      await server.postJson(server.person);
      const after = (await call('GET', `/accounts/${id}`)).body;
      expect(Date.now() - Date.parse(after.lastSignedInAt)).to.be.lessThan(600_000);
      expect((await call('HEAD', `/accounts/${id}`)).status).to.equal(200);
    });

    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/events'],
      ['POST', '/disable'],
      ['POST', '/enable'],
      ['POST', '/reset-factors'],
      ['POST', '/end-sessions'],
    ] as const) {
      it(`${method} …${rest} answers another customer’s account as one that is not there`, async () => {
        const answers = [];
        for (const id of [stranger, NOBODY, 'x', '%00']) {
          const answer = await call(method, `/accounts/${id}${rest}`);
          expectProblem(answer, { status: 404, code: 'account_not_found' });
          const { requestId: _, instance, ...document } = answer.body;
          expect(instance).to.equal(`/admin/v1/accounts/${id}${rest}`);
          answers.push(document);
        }
        for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
        const account = await server.database.query(
          'SELECT FROM account WHERE id = $1 AND disabled_at IS NULL',
          [stranger],
        );
        expect(account).to.have.length(1);
      });
    }
  });

  describe('POST /admin/v1/accounts', () => {
    const invite = (email: string, permissions: unknown = [VIEW]) =>
      call('POST', '/accounts', { email, permissions });

    it('invites: the person is sent a link, and the audit names the caller', async () => {
      const { status, headers, body } = await invite(' New@India.example');
      expect(status).to.equal(201);
      expect(body).to.have.keys('object', 'account', 'expiresAt');
      expect(body.account).to.deep.include({
        object: 'account',
        email: 'new@india.example',
        customer: 'india',
        permissions: [VIEW],
        disabled: false,
        pending: true,
      });
      const { id } = body.account;
      expect(headers.get('location')).to.equal(`${server.issuer}/admin/v1/accounts/${id}`);
      expect(Date.parse(body.expiresAt)).to.be.greaterThan(Date.now() + 6 * 86_400_000);
      expect(JSON.stringify(body)).not.to.match(/token|invitation\?/);
      await eventually(async () => expect(messagesTo('new@india.example')).to.have.length(1));
      for (const type of ['account.created', 'account.invited']) {
        expect(await auditOf(id, type)).to.include({ client_id: caller.id });
      }
    });

    it('writes to the person in the language that is asked for', async () => {
      const email = 'neu@india.example';
      const body = { email, permissions: [VIEW], language: 'de' };
      expect((await call('POST', '/accounts', body)).status).to.equal(201);
      await eventually(async () => {
        expect(messagesTo(email).join()).to.include('lädt Sie zu CLS ein');
      });
      const none = { email: 'null@india.example', name: null, language: null };
      expect((await call('POST', '/accounts', { ...body, ...none })).status).to.equal(201);
      const refused = await call('POST', '/accounts', { ...body, language: 'fr' });
      expect(faults(refused)).to.deep.equal([['language', 'invalid_parameter']]);
    });

    it('invites to the organisation’s own sign-in where there is one: no link, and no end of it', async () => {
      const { body: local } = await invite('jo@elsewhere.example');
      await sqlUpstreamProviders(server.database, aesGcmSealer(new Secret(KEY))).add({
        ...{ domain: 'bank.example', customer: 'india', issuer: 'https://login.bank.example' },
        ...{ clientId: 'cls', clientSecret: new Secret('secret'), emailClaim: 'email' },
        emailVerifiedClaim: 'email_verified',
      });
      const { status, body } = await invite('jo@BANK.example');
      expect(status).to.equal(201);
      expect(body)
        .to.have.keys(...Object.keys(local))
        .and.include({ expiresAt: null });
      await eventually(async () => {
        const [subject] = messagesTo('jo@bank.example');
        expect(subject).to.equal('India made an account for you at CLS');
      });
    });

    it('sends somebody who has not accepted another link, and slows sending many', async () => {
      const email = 'slow@india.example';
      const first = await invite(email);
      const statuses = [];
      let last = first;
      for (let tries = 0; tries < 6; tries += 1) {
        last = await invite(email);
        statuses.push(last.status);
      }
      expect(statuses.slice(0, 3)).to.deep.equal([201, 201, 201]);
      expectProblem(last, { status: 429, code: 'too_many_invitations' });
      expect(Number(last.headers.get('retry-after'))).to.be.greaterThan(0);
      expect((await invite('other@india.example')).status).to.equal(201);
    });

    it('refuses an address that has an account here with 409', async () => {
      for (let tries = 0; tries < 7; tries += 1) {
        const answer = await invite(server.person.email.toUpperCase());
        expectProblem(answer, { status: 409, code: 'account_exists' });
      }
    });

    it('does not tell whether another customer has the person, whatever is asked afterwards', async () => {
      const strip = (text: string) =>
        text
          .replaceAll(/acc_\w{26}|req_[\w-]+/g, 'id')
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|"id":"\d+"/g, 'then')
          .replaceAll(/stranger@kenya\.example|nobody-yet@kenya\.example/g, 'email');
      const said = async (email: string) => {
        // Somebody tries to sign in there, as the administrator may do to see what is recorded.
        await server.postJson({ email, password: 'a guess of the administrator' });
        const { status, body } = await invite(email);
        const { id } = body.account;
        await server.postJson({ email, password: 'another guess' });
        await eventually(async () => {
          const { body: events } = await call('GET', `/accounts/${id}/events`);
          if (events.data.length < 2) throw new Error('not written yet');
        });
        const answers = [
          { status, body },
          await invite(email),
          await invite(email, [VIEW, VIEW]),
          await call('GET', `/accounts?email=${email}`),
          await call('GET', `/accounts/${id}`),
          await call('PUT', `/accounts/${id}/permissions`, { permissions: [VIEW] }),
          await call('POST', `/accounts/${id}/reset-factors`),
          await call('POST', `/accounts/${id}/disable`),
          await invite(email),
          await call('POST', `/accounts/${id}/enable`),
          await call('POST', `/accounts/${id}/end-sessions`),
          await eventually(async () => {
            const events = await call('GET', `/accounts/${id}/events`);
            const [newest] = events.body.data;
            if (newest.type !== 'account.sessions_ended') throw new Error('not written yet');
            return events;
          }),
        ];
        return answers.map((each) => strip(JSON.stringify([each.status, each.body])));
      };
      const theirs = await said('stranger@kenya.example');
      expect(theirs).to.deep.equal(await said('nobody-yet@kenya.example'));
      expect(theirs[0]).to.include('201');
      const account = await sqlAccounts(server.database).findByEmail('stranger@kenya.example');
      expect(account).to.include({ id: stranger, customer: 'kenya', disabled: false });
      const password = { email: 'stranger@kenya.example', password: PASSWORD };
      expect((await server.postJson(password)).status, 'their own account').to.equal(200);
    });

    it('has a quota for each customer, however many strangers are invited', async () => {
      await sqlCustomers(server.database).create('spain', 'Spain', false);
      const spammer = await newCaller(server, [MANAGE], 'spain');
      const spam = adminClient(server, await adminToken(server, spammer));
      const statuses: number[] = [];
      for (let n = 0; n < 60; n += 1) {
        const asked = { email: `target-${n}@elsewhere.example`, permissions: [VIEW] };
        statuses.push((await spam('POST', '/accounts', asked)).status);
      }
      expect(statuses.filter((status) => status === 201)).to.have.length(50);
      const last = await spam('POST', '/accounts', { email: 'a@x.example', permissions: [VIEW] });
      expectProblem(last, { status: 429, code: 'too_many_invitations' });
      expect((await invite('of-another@india.example')).status).to.equal(201);
    });

    it('gives no permission that the caller was not granted, and nobody the one to administer', async () => {
      const full = await newCaller(server, [MANAGE, FULL]);
      const fullCall = adminClient(server, await adminToken(server, full));
      const email = 'grasping@india.example';
      for (const [as, permissions, says] of [
        [call, [VIEW, FULL], 'of cls-deal.view, each'],
        [call, [MANAGE], 'of cls-deal.view, each'],
        [fullCall, [VIEW, MANAGE], 'of cls-deal.view, external-api.fullcontrol, each'],
      ] as const) {
        const answer = await as('POST', '/accounts', { email, permissions });
        expectProblem(answer, { status: 400, code: 'invalid_parameter' });
        expect(faults(answer)).to.deep.equal([['permissions', 'invalid_parameter']]);
        expect(answer.body.errors[0].message).to.include(says);
      }
      const given = await fullCall('POST', '/accounts', { email, permissions: [FULL, VIEW] });
      expect(given.body.account.permissions).to.deep.equal([VIEW, FULL]);
      // It is another's invitation: this caller may not renew it.
      expectProblem(await invite(email), { status: 409, code: 'account_exists' });
    });

    for (const { given, body, expected } of [
      { given: 'nothing', body: undefined, expected: ['email', 'permissions'] },
      {
        given: 'everything wrong at once',
        body: { email: 'x', permissions: [], customer: 'kenya', password: 'x' },
        expected: ['customer', 'password', 'email', 'permissions'],
      },
      {
        given: 'other types',
        body: { email: 1, permissions: VIEW },
        expected: ['email', 'permissions'],
      },
      {
        given: 'a control character',
        body: { email: 'a\u0000b@india.example', permissions: [VIEW] },
        expected: ['email'],
      },
      {
        given: 'a permission twice',
        body: { email: 'a@india.example', permissions: [VIEW, VIEW] },
        expected: ['permissions'],
      },
      {
        given: 'an unknown field',
        body: { email: 'a@india.example', permissions: [VIEW], note: '' },
        expected: ['note'],
      },
      {
        given: '__proto__',
        body: `{"email":"a@india.example","permissions":["${VIEW}"],"__proto__":{}}`,
        expected: ['__proto__'],
      },
      { given: 'a list', body: [], expected: ['body'] },
      { given: 'broken JSON', body: '{"email":', expected: ['body'] },
      { given: 'a member twice', body: '{"email":"a@b","email":"c@d"}', expected: ['body'] },
      { given: 'a byte order mark', body: '\ufeff{}', expected: ['body'] },
    ]) {
      it(`refuses ${given} with 400, naming ${expected.join(', ')}`, async () => {
        const answer = await call('POST', '/accounts', body);
        expectProblem(answer, { status: 400 });
        expect(faults(answer).map(([name]: [string]) => name)).to.deep.equal(expected);
        expect(JSON.stringify(answer.body)).not.to.include('kenya');
      });
    }

    it('refuses other media types and encodings with 415, and too much with 413', async () => {
      const good = JSON.stringify({ email: 'a@india.example', permissions: [VIEW] });
      for (const headers of [
        { 'content-type': 'application/x-www-form-urlencoded' },
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/json; charset=utf-16' },
        { 'content-encoding': 'gzip' },
      ]) {
        const answer = await call('POST', '/accounts', good, headers as Record<string, string>);
        expectProblem(answer, { status: 415, code: 'unsupported_media_type' });
      }
      const large = JSON.stringify({ email: 'x'.repeat(20_000) });
      expectProblem(await call('POST', '/accounts', large), {
        status: 413,
        code: 'body_too_large',
      });
      const accepted = { 'content-type': 'Application/JSON; charset="UTF-8"' };
      const invited = await call('POST', '/accounts', good, accepted);
      expect(invited.status).to.equal(201);
    });

    it('reads a body that does not say its length: nothing is nothing, too much is too much', async () => {
      const token = await adminToken(server, caller);
      const post = async (path: string, chunks: readonly string[]) => {
        const body = new ReadableStream({
          start(controller) {
            for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
            controller.close();
          },
        });
        const headers = { authorization: `Bearer ${token}` };
        const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
        return (await fetch(`${server.issuer}/admin/v1/accounts${path}`, init)).status;
      };
      expect(await post('', Array(20).fill('x'.repeat(1_000)))).to.equal(413);
      expect(await post('', ['{}'])).to.equal(415);
      expect(await post('', [])).to.equal(400);
      const id = await idOf(server.person.email);
      expect(await post(`/${id}/end-sessions`, [])).to.equal(200);
    });
  });

  describe('POST /admin/v1/accounts/{id}/…', () => {
    it('disable ends sessions and refresh tokens at once; enable brings none of them back', async () => {
      const email = 'leaver@india.example';
      const id = await newAccount(email);
      const { browser, refreshToken } = await signIn(email);
      expect(await signedIn(browser)).to.equal(true);
      const disabled = await call('POST', `/accounts/${id}/disable`);
      expect(disabled.status).to.equal(200);
      expect(disabled.body).to.include({ object: 'account', id, disabled: true });
      expect(await signedIn(browser)).to.equal(false);
      expect(await refreshes(refreshToken)).to.equal(false);
      expect((await server.postJson({ email, password: PASSWORD })).status).to.equal(400);

      const enabled = await call('POST', `/accounts/${id}/enable`, {});
      expect(enabled.body).to.include({ id, disabled: false });
      expect(await signedIn(browser)).to.equal(false);
      expect(await refreshes(refreshToken)).to.equal(false);
      expect((await server.postJson({ email, password: PASSWORD })).status).to.equal(200);

      const record = await auditOf(id, 'account.disabled');
      expect(record).to.include({ client_id: caller.id });
      expect(record['request_id']).to.equal(disabled.headers.get('x-request-id'));
      expect(await auditOf(id, 'account.enabled')).to.include({ client_id: caller.id });
      await eventually(async () => {
        expect(messagesTo(email).includes(DISABLED)).to.equal(true);
      });
    });

    it('end-sessions ends them, and leaves the account', async () => {
      const email = 'stayer@india.example';
      const id = await newAccount(email);
      const { browser, refreshToken } = await signIn(email);
      const { status, body } = await call('POST', `/accounts/${id}/end-sessions`);
      expect(status).to.equal(200);
      expect(body).to.include({ id, disabled: false });
      expect(await signedIn(browser)).to.equal(false);
      expect(await refreshes(refreshToken)).to.equal(false);
      await signIn(email);
      expect(await auditOf(id, 'account.sessions_ended')).to.include({ client_id: caller.id });
    });

    it('reset-factors removes the second factor of somebody who lost it', async () => {
      const { id, email, totpSecret } = server.guarded;
      const { browser } = await signIn(email, { code: totpCode(totpSecret) });
      const { status, body } = await call('POST', `/accounts/${id}/reset-factors`);
      expect(status).to.equal(200);
      expect(body).to.include({ id, secondFactor: false });
      expect(await signedIn(browser)).to.equal(false);
      expect((await server.postJson({ email, password: PASSWORD })).status).to.equal(200);
      expect(await auditOf(id, 'account.factors_reset')).to.include({ client_id: caller.id });
      await eventually(async () => expect(messagesTo(email)).not.to.be.empty);
    });

    it('takes no field, no query and no other type', async () => {
      const id = await newAccount('untouched@india.example');
      const path = `/accounts/${id}/disable`;
      const field = await call('POST', path, { force: true });
      expectProblem(field, { status: 400, code: 'unknown_parameter' });
      expect(faults(field)).to.deep.equal([['force', 'unknown_parameter']]);
      expectProblem(await call('POST', `${path}?force=1`), { code: 'unknown_parameter' });
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expectProblem(await call('POST', path, 'a=b', form), { status: 415 });
      expect((await call('GET', `/accounts/${id}`)).body.disabled).to.equal(false);
    });
  });

  describe('PUT /admin/v1/accounts/{id}/permissions', () => {
    const put = (id: string, permissions: unknown, as = call) =>
      as('PUT', `/accounts/${id}/permissions`, { permissions });
    const fullClient = async () =>
      adminClient(server, await adminToken(server, await newCaller(server, [MANAGE, FULL])));

    it('gives more and leaves the sessions; takes away and ends them at once', async () => {
      const email = 'promoted@india.example';
      const id = await newAccount(email);
      const full = await fullClient();
      const { browser, refreshToken } = await signIn(email);
      const more = await put(id, [FULL, VIEW], full);
      expect(more.status).to.equal(200);
      expect(more.body.permissions).to.deep.equal([VIEW, FULL]);
      expect(await signedIn(browser)).to.equal(true);
      const less = await put(id, [VIEW]);
      expect(less.body.permissions).to.deep.equal([VIEW]);
      expect(await signedIn(browser)).to.equal(false);
      expect(await refreshes(refreshToken)).to.equal(false);
      const body = { email, password: PASSWORD };
      const headers = { accept: 'application/json' };
      const token = await (await server.postJson(body, headers)).json();
      expect(token).to.include({ scope: `${server.config.scopeBase}/auth/${VIEW}` });
      // Events are written a moment later, in batches.
      await eventually(async () =>
        expect(await auditOf(id, 'account.permissions_changed')).to.include({
          ...{ client_id: caller.id, about: VIEW },
        }),
      );
    });

    it('gives nothing that the caller was not granted, and lets stay what is there', async () => {
      const id = await newAccount('kept@india.example');
      const refused = await put(id, [VIEW, FULL]);
      expectProblem(refused, { status: 400, code: 'invalid_parameter' });
      expect(faults(refused)).to.deep.equal([['permissions', 'invalid_parameter']]);
      await put(id, [VIEW, FULL], await fullClient());
      expect((await put(id, [FULL])).body.permissions).to.deep.equal([FULL]);
      expectProblem(await put(id, [VIEW, MANAGE]), { status: 400 });
      expect((await call('GET', `/accounts/${id}`)).body.permissions).to.deep.equal([FULL]);
    });

    it('neither gives nor takes away the integrations of the customer, unless it is left out', async () => {
      const id = await newAccount('integrator@india.example');
      const both = [VIEW, INTEGRATIONS_PERMISSION] as const;
      expectProblem(await put(id, both, await fullClient()), { status: 400 });
      await sqlAccounts(server.database).replacePermissions(id, both, both);
      expect((await put(id, both)).body.permissions).to.deep.equal(both);
      const reset = await call('POST', `/accounts/${id}/reset-factors`);
      expectProblem(reset, { status: 403, code: 'account_beyond_caller' });
      expect((await put(id, [VIEW])).body.permissions).to.deep.equal([VIEW]);
    });

    it('names every fault of the body, and knows no account of another customer', async () => {
      const id = await newAccount('faulty@india.example');
      const answer = await call('PUT', `/accounts/${id}/permissions`, { note: '' });
      expect(faults(answer).map(([name]: [string]) => name)).to.deep.equal(['note', 'permissions']);
      expectProblem(await put(stranger, [VIEW]), { status: 404, code: 'account_not_found' });
      const post = await call('POST', `/accounts/${id}/permissions`);
      expectProblem(post, { status: 405 });
      expect(post.headers.get('allow')).to.equal('PUT');
    });
  });

  describe('an account that may do what the caller may not give', () => {
    const newSenior = async (email: string) => {
      const id = await newAccount(email);
      await sqlAccounts(server.database).replacePermissions(id, [VIEW, FULL], [FULL]);
      return id;
    };

    it('is not made easier to get into: its factors and its being disabled stay', async () => {
      const id = await newSenior('senior@india.example');
      const full = adminClient(
        server,
        await adminToken(server, await newCaller(server, [MANAGE, FULL])),
      );
      for (const act of ['reset-factors', 'enable']) {
        const refused = await call('POST', `/accounts/${id}/${act}`);
        expectProblem(refused, { status: 403, code: 'account_beyond_caller' });
        expect((await full('POST', `/accounts/${id}/${act}`)).status).to.equal(200);
      }
      for (const act of ['end-sessions', 'disable']) {
        expect((await call('POST', `/accounts/${id}/${act}`)).status).to.equal(200);
      }
      const refused = await call('POST', `/accounts/${id}/enable`);
      expectProblem(refused, { status: 403, code: 'account_beyond_caller' });
      expect((await call('GET', `/accounts/${id}`)).body).to.include({ disabled: true });
    });

    it('gets nothing back by a request that was begun before it was taken away', async () => {
      const id = await newSenior('former@india.example');
      const body = Buffer.from(JSON.stringify({ permissions: [VIEW, FULL] }));
      const token = await adminToken(server, caller);
      const takenAwayAfter = async (ms: number) => {
        await sqlAccounts(server.database).replacePermissions(id, [VIEW, FULL], [FULL]);
        const slow = request(`${server.issuer}/admin/v1/accounts/${id}/permissions`, {
          method: 'PUT',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'content-length': body.length,
          },
        });
        const status = new Promise<number | undefined>((resolve, reject) => {
          slow.once('response', (answer) => resolve(answer.resume().statusCode));
          slow.once('error', reject);
        });
        slow.write(body.subarray(0, 1));
        await new Promise((resolve) => setTimeout(resolve, ms));
        await sqlAccounts(server.database).replacePermissions(id, [VIEW], []);
        slow.end(body.subarray(1));
        return status;
      };
      // 400: it was taken away before the service had looked. Then it gets more time for that.
      let status = await takenAwayAfter(100);
      for (let ms = 200; status === 400; ms *= 2) status = await takenAwayAfter(ms);
      expect(status).to.equal(403);
      expect((await call('GET', `/accounts/${id}`)).body.permissions).to.deep.equal([VIEW]);
    });
  });

  describe('GET /admin/v1/accounts/{id}/events', () => {
    it('lists what happened, the newest first, in pages: sign-ins, refusals, and who acted', async () => {
      const email = 'watched@india.example';
      const id = await newAccount(email);
      await signIn(email);
      await server.postJson({ email, password: 'wrong' });
      await call('POST', `/accounts/${id}/end-sessions`);
      const latest = ['account.sessions_ended', 'token.refused'];
      const all = await eventually(async () => {
        const { status, body } = await call('GET', `/accounts/${id}/events`);
        expect(status).to.equal(200);
        expect(body.data.map(({ type }: { type: string }) => type)).to.include.members(latest);
        return body.data;
      });
      const ofType = (type: string) => all.find((event: { type: string }) => event.type === type);
      expect(ofType('sign_in.succeeded')).to.include({ object: 'event', clientId: portal.id });
      expect(ofType('account.sessions_ended')).to.include({ clientId: caller.id, reason: null });
      expect(ofType('token.refused')).to.include({ reason: 'wrong_password' });
      const times = all.map(({ at }: { at: string }) => Date.parse(at));
      expect(times).to.deep.equal([...times].sort((a: number, b: number) => b - a));

      const paged = [];
      let cursor = '';
      do {
        const { body } = await call('GET', `/accounts/${id}/events?limit=1${cursor}`);
        paged.push(...body.data);
        cursor = body.page.nextCursor === null ? '' : `&cursor=${body.page.nextCursor}`;
      } while (cursor !== '');
      expect(paged).to.deep.equal(all);
      expect(JSON.stringify(all)).not.to.include(PASSWORD);
    });

    it('refuses a bad page', async () => {
      const path = `/accounts/${await idOf(server.person.email)}/events`;
      const answer = await call('GET', `${path}?limit=x&cursor=acc_1&type=token.issued`);
      expectProblem(answer, { status: 400, code: 'invalid_parameter' });
      expect(faults(answer)).to.have.length(3);
    });
  });

  it('answers another method with 405 and Allow, and another path with 404, as problems', async () => {
    for (const [method, path, allow, says] of [
      ['DELETE', '/accounts', 'GET, HEAD, POST', 'GET and HEAD and POST are'],
      ['PATCH', `/accounts/${NOBODY}`, 'GET, HEAD', 'GET and HEAD are'],
      ['GET', `/accounts/${NOBODY}/disable`, 'POST', 'POST is'],
      ['POST', `/accounts/${NOBODY}/events`, 'GET, HEAD', 'GET and HEAD are'],
    ] as const) {
      const answer = await call(method, path);
      const detail = `Only ${says} allowed here.`;
      expectProblem(answer, { status: 405, code: 'method_not_allowed', detail });
      expect(answer.headers.get('allow')).to.equal(allow);
    }
    for (const path of [
      '',
      '/',
      '/accounts/',
      `/accounts/${NOBODY}/delete`,
      '/../v1',
      '/Accounts',
    ]) {
      expectProblem(await call('GET', path), { status: 404, code: 'not_found' });
    }
  });

  it('is there below the path of an issuer that has one', async () => {
    const port = await freePort();
    const issuer = `http://localhost:${port}/loans`;
    const other = await startTestAuthServer(engine, { ISSUER: issuer, AUTH_PORT: `${port}` });
    try {
      const own = adminClient(other, await adminToken(other, await newCaller(other)));
      const invited = await own('POST', '/accounts', { email: 'a@b.example', permissions: [VIEW] });
      expect(invited.headers.get('location')).to.match(
        /^http:\/\/localhost:\d+\/loans\/admin\/v1\//,
      );
      const there = await own(
        'GET',
        new URL(invited.headers.get('location') ?? '').pathname.slice(15),
      );
      expect(there.body).to.deep.equal(invited.body.account);
    } finally {
      await other.stop();
    }
  });
});

import { anyEngine, describeOnDatabase, requireServer } from '@cls/testing/engines';
import { type RedisServer, startRedis } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlAccountLinks } from '../src/accounts/sql-account-links.ts';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

describeOnDatabase('a form that is none of ours', (engine) => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(engine);
    portal = await relyingParty(server, { name: 'Portal' });
  });
  after(() => server?.stop());

  for (const field of ['email', 'password', 'invented', 'in\0vented']) {
    it(`with a NUL character in ${JSON.stringify(field)} is refused with 400 and a page`, async () => {
      const browser = new Browser();
      const page = await browser.follow((await authorizationUrl(portal)).url);
      const { email } = server.person;
      const fields = { email, password: PASSWORD, [field]: `${email}\0` };
      const { response } = await browser.submit(page, fields);
      expect(response.status).to.equal(400);
      expect(await response.text()).to.include('We could not read this form');
    });
  }

  for (const [what, type, body] of [
    ['is too large', 'application/x-www-form-urlencoded', `a=${'x'.repeat(60_000)}`],
    ['is JSON', 'application/json', '{}'],
  ] as const) {
    it(`and ${what} is told so, and nothing of cookies`, async () => {
      const browser = new Browser();
      const signIn = await browser.follow((await authorizationUrl(portal)).url);
      const member = new Browser();
      await member.submit(await member.follow((await authorizationUrl(portal)).url), server.person);
      await member.open(`${server.issuer}/oauth/logout`);
      for (const [who, path] of [
        [browser, `${signIn.url.pathname}/sign-in`],
        [browser, '/password/reset'],
        [browser, '/invitation'],
        [browser, '/device'],
        [member, '/account/password'],
        [member, '/oauth/logout/confirm'],
      ] as const) {
        const init = { method: 'POST', body, headers: { 'content-type': type } };
        const response = await who.open(`${server.issuer}${path}`, init);
        expect(response.status, path).to.equal(400);
        expect(await response.text(), path)
          .to.include('We could not read this form')
          .and.not.include('ookies');
      }
    });
  }

  it('leads from a form that there is not to where the person stands', async () => {
    const browser = new Browser();
    const page = await browser.follow((await authorizationUrl(portal)).url);
    const form = `${page.url.href}/no-such-form`;
    const body = new URLSearchParams({ email: server.person.email });
    const { url, response } = await browser.follow(form, { method: 'POST', body });
    expect([url.href, response.status]).to.deep.equal([page.url.href, 200]);
    const stranger = await new Browser().follow(form, { method: 'POST', body });
    expect(stranger.response.status).to.equal(410);
    expect(stranger.response.headers.get('content-type')).to.match(/^text\/html/);
  });
});

describe('pages while a store does not answer', () => {
  let server: TestAuthServer;
  let redis: RedisServer;
  before(async function () {
    const started = await startRedis();
    requireServer(this, 'Redis', started);
    redis = started;
    server = await startTestAuthServer(anyEngine, { REDIS_URL: redis.url });
  });
  after(async () => {
    redis?.process.kill('SIGKILL');
    await server?.stop();
  });

  it('say so with 503, a time to wait and a reference, and to a program in JSON', async () => {
    const browser = new Browser();
    const { url } = await browser.follow((await authorizationUrl(await relyingParty(server))).url);
    const records = sqlAccounts(server.database);
    const { id } = (await records.findByEmail(server.person.email)) ?? { id: '' };
    const clock = { now: () => new Date() };
    const links = sqlAccountLinks(server.database, clock);
    const { token } = await links.create(id, 'password_reset', 600);
    const link = `${server.issuer}/password/new?token=${token}`;
    const reset = await browser.follow(link);
    const ended = new Promise((resolve) => redis.process.once('exit', resolve));
    redis.process.kill('SIGKILL');
    await ended;
    const resume = url.href.replace('/interaction/', '/oauth/authorize/');
    for (const href of [url.href, resume]) {
      const response = await browser.open(href);
      expect(response.status, href).to.equal(503);
      expect(response.headers.get('retry-after'), href).to.match(/^[1-9]/);
      expect(response.headers.get('cache-control'), href).to.equal('no-store');
      expect(await response.text())
        .to.include('We cannot do this just now')
        .and.include(response.headers.get('x-request-id') as string);
    }
    const new_password = 'seven lakes behind the glacier';
    expect((await browser.submit(reset, { new_password })).response.status).to.equal(503);
    expect((await browser.open(link)).status, 'the link is still good').to.equal(200);
    const program = await browser.open(url, { headers: { accept: 'application/json' } });
    expect(program.status).to.equal(503);
    expect(program.headers.get('retry-after')).to.match(/^[1-9]/);
    expect(await program.json()).to.include({ error: 'temporarily_unavailable' });
  });

  it('let no page of another origin read that answer, JSON or page', async () => {
    for (const accept of ['text/html', 'application/json']) {
      const headers = { accept, origin: 'https://elsewhere.example', authorization: 'Bearer x' };
      const response = await fetch(`${server.issuer}/oauth/userinfo`, { headers });
      expect(response.status).to.equal(503);
      expect(response.headers.get('access-control-allow-origin')).to.equal(null);
      expect(response.headers.get('vary')).to.match(/\bOrigin\b/);
    }
  });
});

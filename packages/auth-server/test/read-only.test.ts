import { postgres, requireServer } from '@cls/testing/engines';
import { readOnly } from '@cls/testing/read-only';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { newClientSecret } from '../src/clients/client-secret.ts';
import {
  basic,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
  VIEW,
} from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { runTool } from './support/tool.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('auth-server on a database that became read-only [PostgreSQL]', function () {
  this.timeout(120_000);
  let server: TestAuthServer;
  let newcomer: Awaited<ReturnType<ReturnType<typeof serviceAccountRecords>['create']>>;
  let party: RelyingParty;
  let browser: Browser;
  /** On the sign-in page. */
  let visitor: Browser;
  let tokens: { access_token: string; refresh_token?: string };
  let signInPage: Awaited<ReturnType<Browser['follow']>> & { text: string };
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
    server = await startTestAuthServer(postgres, { ACCOUNT_TOKEN_TTL: '3600' });
    party = await relyingParty(server, { confidential: false, device: true });
    const flow = await authorizationUrl(party);
    browser = new Browser();
    const { url } = await browser.submit(await browser.follow(flow.url), {
      ...{ email: server.person.email, password: PASSWORD },
    });
    tokens = await exchange(party, flow, url);
    visitor = new Browser();
    const page = await visitor.follow((await authorizationUrl(party)).url);
    signInPage = { ...page, text: await page.response.text() };
    const { id, secret } = server.client;
    await server.post('grant_type=client_credentials', basic(id, secret));
    newcomer = await serviceAccountRecords(server.database).create({
      ...{ name: 'Newcomer', customer: 'india', permissions: [VIEW] },
    });
    await readOnly(server.config.database, true);
    await eventually(async () => expect(await readiness()).to.equal(503));
  });
  after(async () => {
    await server?.stop();
  });
  const readiness = async () => (await fetch(`${server.issuer}/readyz`)).status;

  it('is not ready, and says that the database is what is missing', async () => {
    const response = await fetch(`${server.issuer}/readyz`);
    expect(await response.json()).to.deep.include({ status: 'unavailable' });
    expect((await fetch(`${server.issuer}/livez`)).status).to.equal(200);
  });

  it('gives a service account that had a token a moment ago another: nothing needs to be written', async () => {
    const { id, secret } = server.client;
    const response = await server.post('grant_type=client_credentials', basic(id, secret));
    expect(response.status).to.equal(200);
  });

  it('answers 503 with Retry-After wherever it must write, and never 500', async () => {
    const post = (path: string, form: Record<string, string>) =>
      fetch(`${server.issuer}${path}`, {
        method: 'POST',
        headers: FORM,
        body: new URLSearchParams(form),
      });
    const asked = {
      client_id: party.id,
      scope: 'openid',
      response_type: 'code',
      redirect_uri: 'https://portal.example/callback',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    };
    const { email, password, totpSecret } = server.guarded;
    const answers: Record<string, Promise<Response>> = {
      'a first token, which must be revocable': server.post(
        'grant_type=client_credentials',
        basic(newcomer.id, newcomer.secret.expose()),
      ),
      'a person’s token': server.postJson({ ...server.person }),
      'a token with a code': server.postJson({ email, password, otp: totpCode(totpSecret) }),
      'a second step': server.postJson({ email, password }),
      'a wrong secret': server.post(
        'grant_type=client_credentials',
        basic(server.client.id, newClientSecret().expose()),
      ),
      'a refresh': post('/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token ?? '',
        client_id: party.id,
      }),
      'a pushed request': post('/oauth/par', asked),
      'a device': post('/oauth/device', { client_id: party.id, scope: 'openid' }),
      'a revocation': post('/oauth/revoke', {
        token: tokens.refresh_token ?? '',
        client_id: party.id,
      }),
    };
    for (const [what, answer] of Object.entries(answers)) {
      const response = await answer;
      const body = await response.text();
      expect(
        [response.status, response.headers.get('retry-after')],
        `${what}: ${body}`,
      ).to.deep.equal([503, '2']);
      expect(JSON.parse(body), what).to.have.property('error', 'temporarily_unavailable');
    }
  });

  it('shows people a page that says so, and never 500', async () => {
    const pages: Record<string, () => Promise<{ response: Response }>> = {
      authorize: async () => new Browser().follow((await authorizationUrl(party)).url),
      'signed in': async () => browser.follow((await authorizationUrl(party)).url),
      'a sign-in': () =>
        visitor.submit(signInPage, { email: server.person.email, password: PASSWORD }),
      'a forgotten password': async () => {
        const somebody = new Browser();
        const page = await somebody.follow(`${server.issuer}/password/reset`);
        return page.response.status === 200
          ? somebody.submit(page, { email: server.person.email })
          : page;
      },
      'the account pages': () => browser.follow(`${server.issuer}/account`),
      'signing out': () => browser.follow(`${server.issuer}/oauth/logout`),
      'a device’s code': () => browser.follow(`${server.issuer}/device`),
    };
    for (const [what, open] of Object.entries(pages)) {
      const { response } = await open();
      const text = await response.text();
      expect(response.status, `${what}: ${text.slice(0, 300)}`).to.be.oneOf([200, 503]);
      if (response.status !== 503) continue;
      expect(response.headers.get('retry-after'), what).to.equal('2');
      expect(text).to.match(/<html/);
    }
  });

  it('answers what only reads', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json']) {
      expect((await fetch(`${server.issuer}${path}`)).status, path).to.equal(200);
    }
  });

  it('says so in its tools, in one sentence', async () => {
    const location = server.config.database;
    if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
    const env = {
      ISSUER: server.issuer,
      AUTH_DATABASE_URL: location.url.expose(),
      CLS_DATA_DIR: server.config.dataDir,
    };
    const refused = await runTool(['customers', 'create', 'x', '--name', 'X'], env);
    expect(refused.code).to.equal(1);
    expect(refused.stderr)
      .to.include('the database is read-only, so nothing was written')
      .and.not.match(/\n\s+at /);
    expect((await runTool(['customers', 'list'], env)).code).to.equal(0);
  });

  it('is ready again by itself once the database takes writes', async () => {
    await readOnly(server.config.database, false);
    await eventually(async () => expect(await readiness()).to.equal(200));
    const response = await server.postJson({ ...server.person });
    expect(response.status).to.equal(200);
  });
});

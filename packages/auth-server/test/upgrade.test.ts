import { silentLog } from '@cls/shared/log';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { migrationStatus, readMigrations } from '@cls/shared/sql/migrate';
import { describeOnEngines } from '@cls/testing/engines';
import { freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import { type AuthServer, startAuthServer } from '../src/compose.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { basic, claimsOf, testConfig, totpCode, VIEW } from './support/auth-server.ts';
import { applicationRecords, clientSecrets } from './support/client-records.ts';
import { releasedFacts, releasedStore } from './support/release.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnEngines('a store of the release before', (engine) => {
  const facts = releasedFacts();
  let server: AuthServer;
  let database: Database;
  let baseUrl: string;
  before(async () => {
    const location = await releasedStore(engine, facts);
    const port = await freePort();
    const env = { ISSUER: facts.issuer, AUTH_PORT: `${port}` };
    server = await startAuthServer(await testConfig(location, env), silentLog);
    database = await openDatabaseAsOperator(location, 'test', silentLog);
    baseUrl = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    await database?.close();
    await server?.stop();
  });

  const post = async (body: string, headers: Record<string, string>) => {
    const response = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const signIn = (person: Record<string, string>) =>
    post(JSON.stringify(person), {
      'content-type': 'application/json',
      accept: 'application/json',
    });
  const permissionOf = (token: string) => claimsOf(token)['scope'];

  it('has every migration of this build', async () => {
    const { pending } = await migrationStatus(database, readMigrations(MIGRATIONS));
    expect(pending).to.deep.equal([]);
  });

  it('signs with the key that it signed with', async () => {
    const response = await fetch(`${baseUrl}/.well-known/jwks.json`);
    const { keys } = (await response.json()) as Json;
    expect(keys.map(({ kid }: Json) => kid)).to.include(facts.kid);
  });

  it('gives a service account its token, by the secret before its replacement too', async () => {
    for (const { id, secret } of [facts.client, facts.replaced]) {
      const { status, body } = await post('grant_type=client_credentials', basic(id, secret));
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(permissionOf(body.access_token)).to.equal(`${facts.issuer}/auth/${VIEW}`);
    }
  });

  it('signs people in by their passwords, and by their second factors', async () => {
    const { email, password } = facts.person;
    expect((await signIn({ email, password })).status).to.equal(200);
    const { totpSecret, ...guarded } = facts.guarded;
    const person = { email: guarded.email, password: guarded.password };
    expect((await signIn(person)).body.error).to.equal('mfa_required');
    const { status, body } = await signIn({ ...person, otp: totpCode(totpSecret) });
    expect(status, JSON.stringify(body)).to.equal(200);
  });

  it('goes on refusing people of a customer that was disabled', async () => {
    expect((await signIn({ ...facts.gone })).body.error).to.equal('invalid_grant');
  });

  it('lets the release register an application meanwhile, which may ask for openid alone', async () => {
    await database.query(
      `INSERT INTO application (id, name, first_party, redirect_uris,
         post_logout_redirect_uris, backchannel_logout_uri, device)
       VALUES ($1, 'Registered meanwhile', false, '{https://app.example/cb}', '{}', NULL, false)`,
      ['app_0000000000000000MEANWHILE0'],
    );
    const application = await applicationRecords(database).find('app_0000000000000000MEANWHILE0');
    expect(application?.scopes).to.deep.equal(['openid']);
    expect(application?.withoutPkce).to.equal(false);
  });

  for (const { confidential, id, refreshToken } of facts.sessions) {
    it(`refreshes tokens of a ${confidential ? 'confidential' : 'public'} application`, async () => {
      const secret = confidential
        ? (await clientSecrets(database).replace({ clientId: id }, 0, {})).secret
        : undefined;
      const form = 'application/x-www-form-urlencoded';
      const headers = secret === undefined ? { 'content-type': form } : basic(id, secret.expose());
      const client = secret === undefined ? `&client_id=${id}` : '';
      let token = refreshToken;
      for (let n = 0; n < 2; n += 1) {
        const request = `grant_type=refresh_token&refresh_token=${token}${client}`;
        const { status, body } = await post(request, headers);
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(body.refresh_token).to.be.a('string').and.not.equal(token);
        token = body.refresh_token;
      }
    });
  }
});

import { silentLog } from '@cls/shared/log';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { backupOf, describeOnDatabase, requireServer } from '@cls/testing/engines';
import { startRedis } from '@cls/testing/servers';
import { expect } from 'chai';
import { type AuthServer, startAuthServer } from '../src/compose.ts';
import { sqlAfterRestore } from '../src/installation/sql-after-restore.ts';
import { sqlConsents } from '../src/sessions/sql-consents.ts';
import { openStateStore } from '../src/state/open-state-store.ts';
import {
  basic,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  testConfig,
  totpCode,
} from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  type Flow,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

interface Person {
  readonly browser: Browser;
  readonly party: RelyingParty;
  readonly refreshToken: string;
}

for (const state of ['SQL', 'Redis'] as const) {
  describeOnDatabase(`a backup that was restored, with protocol state in ${state}`, (engine) => {
    // One engine is enough for records beside Redis.
    if (state === 'Redis' && engine.name === 'PGlite') return;
    let first: TestAuthServer;
    let server: AuthServer | undefined;
    let env: Record<string, string>;
    let restored: DatabaseLocation;
    let asha: Person;
    let otp: string;

    const start = async (location: DatabaseLocation) => {
      server = await startAuthServer(await testConfig(location, env), silentLog);
    };
    const stop = async () => {
      await server?.stop();
      server = undefined;
    };
    const form = (fields: Record<string, string>) =>
      fetch(`${first.issuer}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
    const refresh = (token: string) =>
      form({ grant_type: 'refresh_token', refresh_token: token, client_id: asha.party.id });
    const withOtp = () =>
      first.postJson(
        { email: first.guarded.email, password: PASSWORD, otp },
        { accept: 'application/json' },
      );
    const asksToSignIn = async (browser: Browser) => {
      const { url } = await browser.follow((await authorizationUrl(asha.party)).url);
      return !url.href.startsWith(REDIRECT_URI);
    };
    const forget = async (location: DatabaseLocation) => {
      const config = await testConfig(location, env);
      const database = await openDatabaseAsOperator(location, 'test', silentLog);
      const store = await openStateStore(config, database, silentLog);
      try {
        return await sqlAfterRestore(database, async () => store).forget({
          keepRecoveryCodes: false,
        });
      } finally {
        await store.close();
        await database.close();
      }
    };

    before(async function () {
      const redis = state === 'Redis' ? await startRedis() : undefined;
      if (state === 'Redis') requireServer(this, 'Redis', redis);
      first = await startTestAuthServer(
        engine,
        redis === undefined ? {} : { REDIS_URL: redis.url },
      );
      env = {
        ISSUER: first.issuer,
        AUTH_PORT: new URL(first.issuer).port,
        ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
      };
      const party = await relyingParty(first, { confidential: false });
      const browser = new Browser();
      const flow = await authorizationUrl(party);
      const done = await browser.submit(await browser.follow(flow.url), {
        email: first.person.email,
        password: PASSWORD,
      });
      asha = { browser, party, refreshToken: await tokenOf(form, party, flow, done.url) };
      await first.database.query(
        `INSERT INTO recovery_code (account_id, code_hash) VALUES ($1, 'unused')`,
        [first.guarded.id],
      );
      await sqlConsents(first.database).allow(first.guarded.id, party.id, ['openid']);
      await first.stop();
      const { database } = first.config;
      restored = await backupOf(database);
      // After the backup: a refresh token and a one-time code are spent.
      await start(database);
      const answer = await refresh(asha.refreshToken);
      expect(answer.status, await answer.clone().text()).to.equal(200);
      otp = totpCode(first.guarded.totpSecret);
      expect((await withOtp()).status).to.equal(200);
      await stop();
    });
    after(stop);

    // Redis was not restored: it knows what was spent there.
    if (state === 'SQL') {
      it('would spend again what was spent: this is what the command is for', async () => {
        const untouched = await backupOf(restored);
        await start(untouched);
        expect((await refresh(asha.refreshToken)).status).to.equal(200);
        expect(await asksToSignIn(asha.browser)).to.equal(false);
        await stop();
      });
    }

    it('signs nobody in by what is from before, and accepts no code that was used', async () => {
      const next = totpCode(first.guarded.totpSecret, 30);
      const forgotten = await forget(restored);
      expect(forgotten).to.include({ recoveryCodes: 1, authenticatorApps: 1, consents: 1 });
      expect(forgotten.sessions).to.be.greaterThan(0);
      expect(forgotten.applicationGrants).to.be.greaterThan(0);
      await start(restored);
      const refused = await refresh(asha.refreshToken);
      expect(refused.status).to.equal(400);
      expect(await refused.json()).to.include({ error: 'invalid_grant' });
      expect(await asksToSignIn(asha.browser)).to.equal(true);
      const again = await withOtp();
      expect(again.status, await again.clone().text()).to.be.within(400, 403);
      otp = next;
      expect((await withOtp()).status, 'the next code').to.be.within(400, 403);
    });

    it('still gives callers their tokens, and people new sessions', async () => {
      const { id, secret } = first.client;
      expect(
        (await first.post('grant_type=client_credentials', basic(id, secret))).status,
      ).to.equal(200);
      const browser = new Browser();
      const page = await browser.follow((await authorizationUrl(asha.party)).url);
      const { email } = first.person;
      const done = await browser.submit(page, { email, password: PASSWORD });
      expect(done.url.href).to.include(REDIRECT_URI);
    });

    it('finds nothing more to forget the second time', async () => {
      await stop();
      await forget(restored);
      const { authenticatorApps: _, ...rest } = await forget(restored);
      expect(Object.values(rest).every((count) => count === 0)).to.equal(true);
    });

    it('refuses also what was given out after an earlier restore of the same backup', async () => {
      const { id, secret } = first.client;
      const [once, again] = [await backupOf(restored), await backupOf(restored)];
      await forget(once);
      await start(once);
      const answer = await first.post('grant_type=client_credentials', basic(id, secret));
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const introspect = async () => {
        const body = new URLSearchParams({ token });
        const asked = { method: 'POST', body, headers: basic(id, secret) };
        const told = await fetch(`${first.issuer}/oauth/introspect`, asked);
        return ((await told.json()) as { active: boolean }).active;
      };
      expect(await introspect()).to.equal(true);
      await stop();
      await forget(again);
      await start(again);
      expect(await introspect()).to.equal(false);
      await stop();
    });
  });
}

async function tokenOf(
  form: (fields: Record<string, string>) => Promise<Response>,
  party: RelyingParty,
  { verifier }: Flow,
  url: URL,
): Promise<string> {
  const answer = await form({
    grant_type: 'authorization_code',
    code: url.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    client_id: party.id,
    code_verifier: verifier,
  });
  const { refresh_token: token } = (await answer.json()) as { refresh_token?: string };
  if (token === undefined) throw new Error('no refresh token');
  return token;
}

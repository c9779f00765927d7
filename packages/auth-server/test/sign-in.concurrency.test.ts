import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';
import { requireServer } from '@cls/testing/engines';
import {
  endWithTests,
  eventually,
  freePort,
  postgresServer,
  redisServer,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { createCallers, KEY, PASSWORD, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  REDIRECT_URI,
  relyingParty,
} from './support/relying-party.ts';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const AT_ONCE = 20;

for (const graceS of [0, 10]) {
  describe(`two auth-server processes on one PostgreSQL and one Redis, with ${graceS} s of grace`, () => {
    const processes: ChildProcess[] = [];
    const urls: string[] = [];
    let server: TestAuthServer;

    before(async function () {
      const postgres = await postgresServer();
      requireServer(this, 'PostgreSQL', postgres);
      const redis = await redisServer();
      requireServer(this, 'Redis', redis);
      const databaseUrl = await postgres.createDatabase();
      const ports = [await freePort(), await freePort()];
      const issuer = `http://localhost:${ports[0]}`;
      for (const port of ports) {
        const env = {
          ...process.env,
          ISSUER: issuer,
          AUTH_PORT: `${port}`,
          AUTH_DATABASE_URL: databaseUrl,
          REDIS_URL: redis.url,
          REDIS_TIMEOUT_MS: '10000',
          KEY_ENCRYPTION_KEY: KEY,
          COOKIE_KEY: KEY,
          REFRESH_GRACE_S: `${graceS}`,
          CLS_DATA_DIR: join(temporaryDirectory('cls-two-'), 'data'),
        };
        processes.push(endWithTests(spawn(process.execPath, [MAIN], { env, stdio: 'ignore' })));
        urls.push(`http://localhost:${port}`);
        await eventually(async () => {
          if (!(await fetch(`http://localhost:${port}/readyz`)).ok) throw new Error('not ready');
        });
      }
      const database = await openDatabaseAsOperator(
        { kind: 'postgres', url: new Secret(databaseUrl), poolSize: 4 },
        'test',
        silentLog,
      );
      const callers = await createCallers(database);
      server = { issuer, database, ...callers } as unknown as TestAuthServer;
    });
    after(async () => {
      await server?.database.close();
      for (const child of processes) child.kill('SIGKILL');
    });

    const signedIn = async () => {
      const party = await relyingParty(server, { confidential: false });
      const flow = await authorizationUrl(party);
      const browser = new Browser();
      const { url } = await browser.submit(await browser.follow(flow.url), {
        email: server.person.email,
        password: PASSWORD,
      });
      return { party, flow, url };
    };
    /** On a busy machine Redis may answer too late: the 503 says when to send the same again. */
    const post = async (to: string, form: Record<string, string>): Promise<Response> => {
      const response = await fetch(to, { method: 'POST', body: new URLSearchParams(form) });
      if (response.status !== 503) return response;
      await sleep(1_000 * Number(response.headers.get('retry-after')));
      return post(to, form);
    };
    /** The same request to both processes, all at once. */
    const atOnce = async (form: Record<string, string>) =>
      Promise.all(
        Array.from({ length: AT_ONCE }, async (_, n) => {
          const response = await post(`${urls[n % 2]}/oauth/token`, form);
          return {
            status: response.status,
            body: (await response.json()) as Record<string, string>,
          };
        }),
      );

    it(`gives tokens for one of ${AT_ONCE} exchanges of a code, and ends them, for it was stolen`, async () => {
      const { party, flow, url } = await signedIn();
      const answers = await atOnce({
        grant_type: 'authorization_code',
        code: url.searchParams.get('code') ?? '',
        redirect_uri: REDIRECT_URI,
        code_verifier: flow.verifier,
        client_id: party.id,
      });
      const won = answers.filter(({ status }) => status === 200);
      expect(won).to.have.length(1);
      for (const { status, body } of answers) {
        if (status !== 200) expect([status, body['error']]).to.deep.equal([400, 'invalid_grant']);
      }
      const spent = await client
        .refreshTokenGrant(party.config, won[0]?.body['refresh_token'] ?? '')
        .catch((error: client.ResponseBodyError) => error.error);
      expect(spent).to.equal('invalid_grant');
    });

    it(`gives one successor for ${AT_ONCE} uses of a refresh token${graceS === 0 ? ', and ends it, for it was stolen' : ''}`, async () => {
      const { party, flow, url } = await signedIn();
      const tokens = await exchange(party, flow, url);
      const answers = await atOnce({
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token ?? '',
        client_id: party.id,
      });
      const won = answers.filter(({ status }) => status === 200);
      const successors = new Set(won.map(({ body }) => body['refresh_token'] ?? ''));
      expect(successors.size).to.equal(1);
      const [successor = ''] = successors;
      const next = client.refreshTokenGrant(party.config, successor);
      if (graceS > 0) {
        expect(won).to.have.length(AT_ONCE);
        expect((await next).refresh_token)
          .to.be.a('string')
          .and.not.equal(successor);
      } else {
        expect(won).to.have.length(1);
        const spent = await next.catch((error: client.ResponseBodyError) => error.error);
        expect(spent).to.equal('invalid_grant');
      }
    });

    if (graceS === 0) return;
    it('gives the answer of a refresh again to the same request alone', async () => {
      const { party, flow, url } = await signedIn();
      const { refresh_token: token = '' } = await exchange(party, flow, url);
      const first = await client.refreshTokenGrant(party.config, token);
      const narrower = await client
        .refreshTokenGrant(party.config, token, { scope: 'openid' })
        .catch((error: client.ResponseBodyError) => error.error);
      expect(narrower).to.equal('invalid_grant');
      const again = await client.refreshTokenGrant(party.config, token);
      expect(again.refresh_token).to.equal(first.refresh_token);
    });

    it('gives the answer of a refresh again to the same client alone', async () => {
      const { party, flow, url } = await signedIn();
      const tokens = await exchange(party, flow, url);
      const first = await client.refreshTokenGrant(party.config, tokens.refresh_token ?? '');
      const stranger = await relyingParty(server, { confidential: false });
      const refused = await client
        .refreshTokenGrant(stranger.config, tokens.refresh_token ?? '')
        .catch((error: client.ResponseBodyError) => error.error);
      expect(refused).to.equal('invalid_grant');
      const again = await client.refreshTokenGrant(party.config, tokens.refresh_token ?? '');
      expect(again.refresh_token).to.equal(first.refresh_token);
      expect(decodeJwt(again.id_token ?? '')['sub']).to.equal(
        decodeJwt(first.id_token ?? '')['sub'],
      );
    });
  });
}

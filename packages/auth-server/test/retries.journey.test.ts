import { systemClock } from '@cls/shared/clock';
import { anyEngine, requireServer } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { type Fault, type FaultProxy, faultProxy } from '@cls/testing/fault-proxy';
import { eventually, postgresServer, redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { sqlAccountLinks } from '../src/accounts/sql-account-links.ts';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { behind } from './support/behind.ts';
import { Browser, exchange, REDIRECT_URI, relyingParty } from './support/relying-party.ts';
import type { Send } from './support/send.ts';
import { useCasesBeside } from './support/use-cases.ts';

/** Of some hundred places where a store may fail; each time others. */
const SAMPLE = EXHAUSTIVE ? Number.POSITIVE_INFINITY : 5;

type UseCases = Awaited<ReturnType<typeof useCasesBeside>>;

function suite(
  open: () => Promise<{ server: TestAuthServer; proxy: FaultProxy }>,
  faults: readonly Fault[],
): void {
  let server: TestAuthServer;
  let proxy: FaultProxy;
  let people: UseCases;
  let failures = 0;
  before(async () => {
    ({ server, proxy } = await open());
    people = await useCasesBeside(server);
  });
  after(async () => {
    proxy?.heal();
    await people?.close();
    await server?.stop();
    await proxy?.close();
  });
  /** As people do who read that it can be done again in a moment, and applications. */
  const again: Send = async (url, init) => {
    for (;;) {
      const response = await fetch(url, init);
      if (response.status !== 503) return response;
      failures += 1;
      proxy.heal();
      await eventually(async () => {
        if (!(await fetch(`${server.issuer}/readyz`)).ok) throw new Error('not ready');
      });
    }
  };
  /** A pushed request, a password, a recovery code, and the tokens; then the code once more. */
  const journey = async (fault: Fault, place: number) => {
    const account = await people.records.findByEmail(server.guarded.email);
    if (account === undefined) throw new Error('no such account');
    const [code = ''] = await people.recoveryCodes.replace(account, {});
    const party = await relyingParty(server, {}, again);
    const browser = new Browser(again);
    proxy.arm(place, fault);
    const verifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const url = await client.buildAuthorizationUrlWithPAR(party.config, {
      ...{ redirect_uri: REDIRECT_URI, scope: 'openid', state, nonce },
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const asked = await browser.submit(await browser.follow(url), {
      email: account.email,
      password: PASSWORD,
    });
    const page = await browser.follow(`${asked.url.href}?method=recovery_code`);
    const done = await browser.submit(page, { recovery_code: code });
    expect(done.url.searchParams.get('code'), `back at ${done.url.href}`).to.be.a('string');
    const flow = { url, verifier, state, nonce };
    const tokens = await exchange(party, flow, done.url);
    expect(tokens.access_token).to.be.a('string');
    const seen = proxy.seen;
    proxy.heal();
    const left = (await people.recoveryCodes.count(account)).left;
    expect(left, 'recovery codes that are left').to.equal(9);
    return seen;
  };

  /** Does it while the store fails at some of its messages, with each fault. */
  const atSomePlaces = async (work: (fault: Fault, place: number) => Promise<number>) => {
    const count = await work('cut before', Number.POSITIVE_INFINITY);
    for (const fault of faults) {
      const places = Array.from({ length: count }, (_, n) => n).sort(() => Math.random() - 0.5);
      for (const place of places.slice(0, SAMPLE)) {
        await work(fault, place).catch((error: Error) => {
          error.message = `${fault} at message ${place} of ${count}: ${error.message}`;
          throw error;
        });
      }
    }
  };

  it('ends with tokens when each page that failed is asked for again', async () => {
    await atSomePlaces(journey);
    expect(failures).to.be.above(0);
  });

  it('sets a new password when the form that failed is sent again', async () => {
    const account = await people.records.findByEmail(server.person.email);
    const links = sqlAccountLinks(server.database, systemClock);
    await atSomePlaces(async (fault, place) => {
      const { token } = await links.create(account?.id ?? '', 'password_reset', 600);
      const browser = new Browser(again);
      const page = await browser.follow(`${server.issuer}/password/new?token=${token}`);
      const text = await page.response.text();
      proxy.arm(place, fault);
      const { response } = await browser.submit(
        { ...page, text },
        { new_password: `another ${fault} horse ${place}` },
      );
      const { seen } = proxy;
      proxy.heal();
      const answer = await response.text();
      expect(answer).to.include('password');
      expect([response.status, answer.includes('name="new_password"')]).to.deep.equal([200, false]);
      return seen;
    });
  });
}

describe('signing in on a Redis that fails between any two commands', function () {
  this.timeout(240_000);
  before(async function () {
    requireServer(this, 'Redis', await redisServer());
  });
  suite(async () => {
    const redis = await redisServer();
    const proxy = await faultProxy(Number(new URL(redis?.url ?? '').port));
    const env = { REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
    return { server: await startTestAuthServer(anyEngine, env), proxy };
  }, ['cut before', 'cut after', 'late']);
});

describe('signing in on a PostgreSQL that fails between any two statements', function () {
  this.timeout(240_000);
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
  });
  suite(async () => {
    const url = new URL((await (await postgresServer())?.createDatabase()) ?? '');
    const proxy = await faultProxy(Number(url.port));
    return { server: await startTestAuthServer(behind(proxy)), proxy };
  }, ['cut before', 'cut after']);
});

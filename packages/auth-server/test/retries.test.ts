import { anyEngine, requireServer } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import type { FailingStore } from '@cls/testing/failing-database';
import { type Fault, faultProxy } from '@cls/testing/fault-proxy';
import { eventually, postgresServer, redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import {
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';
import { behind, failingPglite } from './support/behind.ts';
import {
  authorizationUrl,
  Browser,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

interface Case {
  readonly fault: Fault;
  readonly how: 'once' | 'from then on';
}

const CUTS: readonly Case[] = [
  { fault: 'cut before', how: 'from then on' },
  { fault: 'cut after', how: 'from then on' },
  { fault: 'cut after', how: 'once' },
];
/** A store that freezes: each costs the time after which a command is given up. */
const FREEZES: readonly Case[] = [
  { fault: 'no answer', how: 'from then on' },
  { fault: 'late', how: 'from then on' },
];

interface World {
  readonly server: TestAuthServer;
  readonly proxy: FailingStore;
  readonly graceS: number;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
}

type Form = Readonly<Record<string, string>>;

const tokenRequest = async ({ server }: World, request: Form): Promise<Answer> => {
  const json = !('grant_type' in request);
  const response = json
    ? await server.postJson(request, { accept: 'application/json' })
    : await server.post(new URLSearchParams({ ...request }).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

/** As a client that knows what 503 with `Retry-After` means, on a store that is well again. */
async function retried(world: World, request: Form): Promise<Answer> {
  for (;;) {
    const answer = await tokenRequest(world, request);
    if (answer.status !== 503) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Every place where a store may fail takes minutes: as a rule some of them, others each time. */
const SAMPLE = 3;

function placesOf(count: number, all: boolean): readonly number[] {
  const places = Array.from({ length: count }, (_, n) => n);
  if (all || EXHAUSTIVE) return places;
  return places.sort(() => Math.random() - 0.5).slice(0, SAMPLE);
}

/** The request that is ready to be sent, the answer that it got, and whether that took two tries. */
interface Attempt {
  readonly request: Form;
  readonly answer: Answer;
  readonly failed: boolean;
}

/**
 * Sends a request that spends something while the store fails at each of its messages in turn, and
 * again when it has failed.
 */
async function atEachPlace(
  world: World,
  cases: readonly Case[],
  prepare: () => Promise<Form>,
  { allCuts = false, beforeRetry = async () => undefined as unknown } = {},
  replayed: (attempt: Attempt) => Promise<void>,
): Promise<void> {
  let failures = 0;
  await well(world);
  // The service asks its stores by itself now and then: the lower count has nothing of that.
  const counts = [await messagesOf(world, await prepare(), replayed)];
  counts.push(await messagesOf(world, await prepare(), replayed));
  const count = Math.min(...counts);
  for (const { fault, how } of cases) {
    for (const place of placesOf(count, allCuts && fault.startsWith('cut'))) {
      await well(world);
      const request = await prepare();
      const at = `${fault} (${how}) at message ${place} of ${count}`;
      world.proxy.arm(place, fault, how);
      const first = await tokenRequest(world, request);
      world.proxy.heal();
      const failed = first.status === 503;
      if (failed) {
        failures += 1;
        await well(world);
        await beforeRetry();
      }
      const answer = failed ? await retried(world, request) : first;
      expect([answer.status, answer.body['error_description']], at).to.deep.equal([200, undefined]);
      await replayed({ request, answer, failed }).catch((error: Error) => {
        error.message = `${at}: ${error.message}`;
        throw error;
      });
    }
  }
  if (count > 0) expect(failures, 'requests that failed').to.be.above(0);
}

/** How many messages such a request sends to the store. */
async function messagesOf(
  world: World,
  request: Form,
  replayed: (attempt: Attempt) => Promise<void>,
): Promise<number> {
  world.proxy.arm(Number.POSITIVE_INFINITY, 'cut before');
  const answer = await tokenRequest(world, request);
  const count = world.proxy.seen;
  world.proxy.heal();
  expect(answer.status).to.equal(200);
  await replayed({ request, answer, failed: true });
  return count;
}

async function well({ server }: World): Promise<void> {
  await eventually(async () => {
    if (!(await fetch(`${server.issuer}/readyz`)).ok) throw new Error('not ready');
  });
}

function suite(
  open: (graceS: number) => Promise<World>,
  cases: readonly Case[],
  graces: readonly number[] = [10, 0],
): void {
  for (const graceS of graces) {
    describe(`with ${graceS} s of grace for refresh tokens`, () => {
      let world: World;
      let party: RelyingParty;
      let tool: RelyingParty;
      before(async () => {
        world = await open(graceS);
        party = await relyingParty(world.server, { confidential: false });
        const ofDevice = { name: 'Tool', redirectUris: [], device: true, confidential: false };
        tool = await relyingParty(world.server, ofDevice);
      });
      after(async () => {
        world?.proxy.heal();
        await world?.server.stop();
        await world?.proxy.close();
      });
      const signIn = async (): Promise<Form> => {
        const flow = await authorizationUrl(party);
        const browser = new Browser();
        const { url } = await browser.submit(await browser.follow(flow.url), {
          ...{ email: world.server.person.email, password: PASSWORD },
        });
        return {
          grant_type: 'authorization_code',
          code: url.searchParams.get('code') ?? '',
          redirect_uri: REDIRECT_URI,
          code_verifier: flow.verifier,
          client_id: party.id,
        };
      };
      const connectDevice = async (answer: Form = { confirm: 'yes' }): Promise<Form> => {
        const begun = await client.initiateDeviceAuthorization(tool.config, {
          scope: 'openid offline_access',
        });
        const browser = new Browser();
        const form = await browser.follow(begun.verification_uri_complete ?? '');
        const next = await browser.submit(form, answer);
        if (answer['confirm'] === 'yes') {
          const person = { email: world.server.person.email, password: PASSWORD };
          expect((await browser.submit(next, person)).response.status).to.equal(200);
        }
        return {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: begun.device_code,
          client_id: tool.id,
        };
      };
      const refresh = (token: string | undefined): Form => ({
        grant_type: 'refresh_token',
        refresh_token: token ?? '',
        client_id: party.id,
      });

      it('a refresh whose answer failed is answered when it is sent again, with one successor', async () => {
        let token = (await tokenRequest(world, await signIn())).body['refresh_token'];
        await atEachPlace(
          world,
          cases,
          async () => refresh(token),
          { allCuts: graceS > 0 },
          async ({ request, answer }) => {
            const next = answer.body['refresh_token'];
            expect(next).to.be.a('string').and.not.equal(token);
            token = next;
            if (graceS === 0) return;
            const again = await retried(world, request);
            expect(again.body['refresh_token'], 'the same successor').to.equal(next);
          },
        );
      });

      // The grace is for refresh tokens alone.
      if (graceS === 0) return;
      it('an exchange whose answer failed is answered when it is sent again, and a replay ends the grant', async () => {
        await atEachPlace(world, cases, signIn, {}, async ({ request, answer, failed }) => {
          // What follows a first answer may have failed with it: it is written a little later.
          if (!failed) return;
          const replay = await retried(world, request);
          expect([replay.status, replay.body['error']]).to.deep.equal([400, 'invalid_grant']);
          const spent = await retried(world, refresh(answer.body['refresh_token']));
          expect(spent.body['error'], 'all that came of it').to.equal('invalid_grant');
        });
      });

      it('a device’s exchange whose answer failed is answered when it polls again, and a replay ends the grant', async () => {
        await atEachPlace(world, cases, connectDevice, {}, async ({ request, answer, failed }) => {
          expect(answer.body['refresh_token']).to.be.a('string');
          if (!failed) return;
          const replay = await retried(world, request);
          expect([replay.status, replay.body['error']]).to.deep.equal([400, 'invalid_grant']);
          const token = answer.body['refresh_token'] ?? '';
          const spent = await retried(world, { ...refresh(token), client_id: tool.id });
          expect(spent.body['error'], 'all that came of it').to.equal('invalid_grant');
        });
      });

      it('a device that was denied gets access_denied at each poll, also when an answer failed', async () => {
        for (const { fault, how } of cases) {
          const request = await connectDevice({ abort: 'yes' });
          for (let place = 0; ; place += 1) {
            await well(world);
            world.proxy.arm(place, fault, how);
            await tokenRequest(world, request);
            const reached = world.proxy.seen > place;
            world.proxy.heal();
            const { body } = await retried(world, request);
            expect(body['error'], `${fault} (${how}) at message ${place}`).to.equal(
              'access_denied',
            );
            if (!reached) break;
          }
        }
      });

      const fresh = () =>
        world.server.database.query('UPDATE totp_factor SET last_step = 0, claimed_by = NULL');

      /** As `Retry-After` says. */
      const afterTwoSeconds = () =>
        world.server.database.query(
          `UPDATE totp_factor SET claimed_at = claimed_at - interval '2 seconds'`,
        );

      it('a one-time code whose answer failed is accepted when it is sent again, and then never', async () => {
        const { email, password, totpSecret } = world.server.guarded;
        for (const twoSteps of [true, false]) {
          const prepare = async () => {
            await fresh();
            const otp = totpCode(totpSecret);
            if (!twoSteps) return { email, password, otp };
            const { body } = await tokenRequest(world, { email, password });
            return { mfa_token: body['mfa_token'] ?? '', otp };
          };
          await atEachPlace(
            world,
            cases,
            prepare,
            { beforeRetry: afterTwoSeconds },
            async ({ request, failed }) => {
              if (!failed) return;
              const replay = await retried(world, request);
              expect([replay.status, replay.body['error']]).to.deep.equal([400, 'invalid_grant']);
            },
          );
        }
      });
    });
  }
}

describe('a token request on a Redis that fails between any two commands', function () {
  this.timeout(240_000);
  before(async function () {
    requireServer(this, 'Redis', await redisServer());
  });
  suite(
    async (graceS) => {
      const redis = await redisServer();
      const proxy = await faultProxy(Number(new URL(redis?.url ?? '').port));
      const env = {
        REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
        REFRESH_GRACE_S: `${graceS}`,
      };
      return { server: await startTestAuthServer(anyEngine, env), proxy, graceS };
    },
    [...CUTS, ...FREEZES],
  );
});

describe('a token request on a PostgreSQL that fails between any two statements', function () {
  this.timeout(240_000);
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
  });
  suite(async (graceS) => {
    const url = new URL((await (await postgresServer())?.createDatabase()) ?? '');
    const proxy = await faultProxy(Number(url.port));
    const server = await startTestAuthServer(behind(proxy), { REFRESH_GRACE_S: `${graceS}` });
    return { server, proxy, graceS };
  }, CUTS);
});

describe('a token request on an embedded database that fails between any two statements', function () {
  this.timeout(240_000);
  suite(
    async (graceS) => {
      const { server, store } = await failingPglite({ REFRESH_GRACE_S: `${graceS}` });
      return { server, proxy: store, graceS };
    },
    [...CUTS, { fault: 'late', how: 'from then on' }],
    [10],
  );
});

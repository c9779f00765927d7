// How soon a leaked secret's tokens are refused by two replicas of the API, and whether callers notice
// rotations of the signing key, while hundreds of requests a second go through nginx and two of each
// service. Aims: five seconds (one with Redis), no failed mint and no refused good token in ten planned
// rotations, a minute for tokens of a key that was dropped.
//   node bench/revocation.mjs [rounds, 10] [rotations, 10]
import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { eventually } from '../packages/testing/dist/src/servers.js';
import { startWorld } from '../scripts/drills/world.mjs';

const ROUNDS = Number(process.argv[2] ?? 10);
const ROTATIONS = Number(process.argv[3] ?? 10);
const APIS = ['8082', '8182'];
// The services and servers of a world do not keep this process: between two worlds nothing else would.
setInterval(() => {}, 60_000);

for (const [name, env] of [
  ['with Redis', {}],
  ['by polling', { API_REDIS: 'none' }],
]) {
  const world = await start(env);
  const load = steadyLoad(world);
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await leak(world, round));
  const { requests, failed } = await load.end();
  times.sort((a, b) => a - b);
  console.log(
    `${name}: the last token of ${ROUNDS} leaked secrets refused after ${ms(times[0])} to ${ms(times.at(-1))}, ` +
      `median ${ms(times[ROUNDS >> 1])}, counted from the end of the command; ${requests} other requests, ${failed} failed`,
  );
  if (env.API_REDIS === undefined) await rotations(world);
  await world.close();
}
process.exit(0);

async function start({ API_REDIS: redis }) {
  const world = await startWorld({ start: false });
  await world.migrate();
  await world.createCallers();
  await world.startMissing(['auth-1', 'auth-2']);
  for (const api of ['api-1', 'api-2']) {
    await world.start(api, { env: redis === 'none' ? { REDIS_URL: undefined } : {} });
  }
  return world;
}

/** @returns milliseconds from the end of the command until both replicas refuse the token. */
async function leak(world, round) {
  const words = ['--customer', 'drill', '--permission', 'external-api.fullcontrol'];
  const account = ['service-accounts', 'create', '--name', `Leaky ${round}`, ...words];
  const caller = await world.tool('cls-auth', account);
  const token = await newToken(world, caller);
  await Promise.all(
    APIS.map((api) => eventually(() => expectAnswer(world, api, token, 200), 30_000)),
  );
  await world.tool('cls-auth', ['service-accounts', 'compromised', caller.clientId]);
  const began = performance.now();
  const refusedAt = async (api) => {
    for (;;) {
      if ((await ask(world, api, token)) === 403) return performance.now() - began;
      await sleep(5);
    }
  };
  return Math.max(...(await Promise.all(APIS.map(refusedAt))));
}

/** Planned ones whose times have come, and one that drops the key. */
async function rotations(world) {
  const database = postgresDatabase({
    url: new Secret(world.postgres.ownerUrl('cls_auth')),
    ...{
      poolSize: 1,
      statementTimeoutMs: 60_000,
      applicationName: 'bench',
      onError: console.error,
    },
  });
  const load = steadyLoad(world);
  for (let done = 0; done < ROTATIONS; done += 1) {
    for (let step = 0; step < 3; step += 1) {
      await database.query(
        `UPDATE signing_key SET created_at = created_at - interval '200 days',
           retired_at = retired_at - interval '3 days'`,
      );
      await world.tool('cls-auth', ['keys', 'rotate']);
      await sleep(2_500); // Longer than JWKS_REFRESH_S of this world.
    }
  }
  const { requests, failed, perS } = await load.end();
  console.log(
    `${ROTATIONS} planned rotations: ${requests} requests, ${perS} a second, ${failed} failed or refused`,
  );
  await database.close();
  const token = await newToken(world, world.callers.reader);
  await world.tool('cls-auth', ['keys', 'rotate', '--emergency']);
  const began = performance.now();
  const times = await Promise.all(
    APIS.map(async (api) => {
      while ((await ask(world, api, token)) !== 403) await sleep(20);
      return performance.now() - began;
    }),
  );
  const fresh = await newToken(world, world.callers.reader);
  await Promise.all(
    APIS.map((api) => eventually(() => expectAnswer(world, api, fresh, 200), 30_000)),
  );
  console.log(
    `a key that was dropped: its tokens refused after ${ms(Math.max(...times))}, new ones accepted`,
  );
}

/** Tokens and reads of a caller that has nothing to do with it, as fast as 16 at once are answered. */
function steadyLoad(world) {
  let going = true;
  let requests = 0;
  let failed = 0;
  const began = performance.now();
  let token;
  const count = async (work) => {
    requests += 1;
    try {
      await work();
    } catch (error) {
      failed += 1;
      if (failed < 5) console.log(`failed: ${error.message}`);
    }
  };
  const worker = async (n) => {
    while (going) {
      await count(async () => {
        if (n % 4 === 0 || token === undefined) {
          const fresh = await newToken(world, world.callers.reader);
          if (fresh === undefined) throw new Error('no token');
          token = fresh;
          return;
        }
        const answer = await world.send('/api/v1/cls/balances?limit=1', {
          headers: { authorization: `Bearer ${token}` },
        });
        if (answer.status !== 200) throw new Error(`read: ${answer.status} ${await answer.text()}`);
      });
    }
  };
  const workers = Array.from({ length: 16 }, (_, n) => worker(n));
  return {
    async end() {
      going = false;
      await Promise.all(workers);
      const perS = Math.round((requests / (performance.now() - began)) * 1_000);
      return { requests, failed, perS };
    },
  };
}

async function newToken(world, { clientId, clientSecret }) {
  const pair = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const answer = await world.send('/oauth/token', {
    method: 'POST',
    headers: { authorization: `Basic ${pair}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return (await answer.json()).access_token;
}

/** The status that one replica answers. */
async function ask(world, api, token) {
  const answer = await fetch(`http://127.0.0.1:${world.ports[api]}/api/v1/cls/balances?limit=1`, {
    headers: {
      ...{ authorization: `Bearer ${token}`, host: new URL(world.issuer).host },
      ...{ 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' },
    },
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function expectAnswer(world, api, token, status) {
  const found = await ask(world, api, token);
  if (found !== status) throw new Error(`expected ${status}, got ${found}`);
}

function ms(value) {
  return `${Math.round(value)} ms`;
}

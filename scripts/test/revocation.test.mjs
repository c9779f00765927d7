// A leaked secret is answered while two of each service run behind nginx, as they are shipped.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import {
  eventually,
  postgresServer,
  redisServer,
} from '../../packages/testing/dist/src/servers.js';
import { NGINX } from '../drills/nginx.mjs';
import { startWorld } from '../drills/world.mjs';

const REPLICAS = ['auth-1', 'auth-2', 'api-1', 'api-2'];
const APIS = { 'api-1': '8082', 'api-2': '8182' };

describe('a secret that leaked, through nginx', function () {
  this.timeout(600_000);
  let world;
  let leaked;
  let other;

  before(async function () {
    requireServer(this, 'nginx', NGINX);
    requireServer(this, 'PostgreSQL', await postgresServer());
    requireServer(this, 'Redis', await redisServer());
    world = await startWorld({ start: false, hosted: true });
    await world.migrate();
    await world.createCallers();
    await world.startMissing(REPLICAS);
    other = world.callers.reader;
  });
  beforeEach(async () => {
    const words = ['--customer', 'drill', '--permission', 'external-api.fullcontrol'];
    const name = `Leaky ${Math.random()}`;
    leaked = await world.tool('cls-auth', ['service-accounts', 'create', '--name', name, ...words]);
  });
  after(() => world?.close());

  const newToken = async ({ clientId, clientSecret }) => {
    const pair = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const answer = await world.send('/oauth/token', {
      method: 'POST',
      headers: { authorization: `Basic ${pair}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token, error } = await answer.json();
    return token ?? error;
  };
  /** What each replica of the API says of it. */
  const answers = (token) =>
    Promise.all(
      Object.values(APIS).map(async (named) => {
        const url = `http://127.0.0.1:${world.ports[named]}/api/v1/cls/balances?limit=1`;
        const headers = {
          ...{ authorization: `Bearer ${token}`, host: new URL(world.issuer).host },
          ...{ 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' },
        };
        const answer = await fetch(url, { headers });
        return answer.ok ? 'good' : (await answer.json()).code;
      }),
    );
  /** As an operator who has the token; a refused one ends with 1. */
  const explain = async (tool, token) => {
    const folder = tool === 'cls-auth' ? 'auth-server' : 'resource-api';
    const path = new URL(`../../packages/${folder}/bin/${tool}.mjs`, import.meta.url).pathname;
    const child = spawn(process.execPath, [path, 'token', 'explain', '--json'], {
      env: { ...world.environment, CLS_DATA_DIR: `${world.folder}/explain` },
    });
    child.stdin.end(token);
    return JSON.parse(await text(child.stdout));
  };
  const compromise = () =>
    world.tool('cls-auth', ['service-accounts', 'compromised', leaked.clientId]);
  const refused = (token) =>
    eventually(async () => {
      expect(await answers(token)).to.deep.equal(['token_revoked', 'token_revoked']);
    }, 60_000);

  it('is refused by every replica with all its tokens, and nobody else notices', async () => {
    const [stolen, mine] = [await newToken(leaked), await newToken(other)];
    expect(await answers(stolen)).to.deep.equal(['good', 'good']);
    expect(await answers(mine)).to.deep.equal(['good', 'good']);
    const { clientSecret } = await compromise();
    await refused(stolen);
    expect(await newToken(leaked)).to.equal('invalid_client');
    expect(await answers(await newToken({ ...leaked, clientSecret }))).to.deep.equal([
      'good',
      'good',
    ]);
    expect(await answers(mine)).to.deep.equal(['good', 'good']);
    for (const [tool, why] of [
      ['cls-auth', /It is revoked: .* because of compromised/],
      ['cls-api', /The access token was revoked/],
    ]) {
      const explained = await explain(tool, stolen);
      expect(explained, tool).to.include({ accepted: false, code: 'token_revoked' });
      expect(explained.why, tool).to.match(why);
    }
    const list = await world.send('/status-lists/0');
    expect(list.headers.get('content-type')).to.equal('application/statuslist+jwt');
  });

  it('is refused once an auth-server is back, where each was killed while it was answered', async () => {
    const [stolen, mine] = [await newToken(leaked), await newToken(other)];
    expect(await answers(stolen)).to.deep.equal(['good', 'good']);
    const answering = compromise();
    await Promise.all(['auth-1', 'auth-2'].map((name) => world.stop(name, 'SIGKILL')));
    await answering;
    expect(await answers(mine)).to.deep.equal(['good', 'good']);
    await world.start('auth-2');
    await refused(stolen);
    expect(await answers(mine)).to.deep.equal(['good', 'good']);
    await world.start('auth-1');
  });

  it('stays refused when everything starts again and Redis is empty', async () => {
    const stolen = await newToken(leaked);
    await compromise();
    await refused(stolen);
    await Promise.all(REPLICAS.map((name) => world.stop(name, 'SIGKILL')));
    await world.redis.command('flushall');
    for (const name of ['api-1', 'api-2']) world.forget(name);
    await world.startMissing(REPLICAS);
    expect(await answers(stolen)).to.deep.equal(['token_revoked', 'token_revoked']);
    expect(await newToken(leaked)).to.equal('invalid_client');
    expect(await answers(await newToken(other))).to.deep.equal(['good', 'good']);
  });
});

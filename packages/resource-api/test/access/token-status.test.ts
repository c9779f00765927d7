import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { STATUS_LIST_LENGTH, setRevoked } from '@cls/shared/access/status-list';
import type { VerificationKeys } from '@cls/shared/access/verification-keys';
import { epochSeconds, systemClock } from '@cls/shared/clock';
import type { Refusal } from '@cls/shared/http/refusal';
import { silentLog } from '@cls/shared/log';
import { Secret } from '@cls/shared/secret';
import { anyEngine, requireServer } from '@cls/testing/engines';
import {
  eventually,
  startRedis,
  startRedisCluster,
  startRedisSentinels,
  temporaryDirectory,
} from '@cls/testing/servers';
import { expect } from 'chai';
import { documentFile } from '../../src/access/kept-document.ts';
import type { DocumentFile } from '../../src/access/key-source.ts';
import { connectRedis } from '../../src/access/redis-connection.ts';
import {
  remoteTokenStatus,
  type TokenStatus,
  type TokenStatusOptions,
} from '../../src/access/token-status.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  type Claims,
  ISSUER,
  type JwksServer,
  newKey,
  signBytes,
  startJwksServer,
  type TestKey,
} from '../support/issuer.ts';

const uriOf = (list: number) => `${ISSUER}/status-lists/${list}`;

/** A list as an issuer signs it. */
function signList(
  key: TestKey,
  revoked: readonly number[],
  changes: Claims = {},
  header: Claims = {},
) {
  const bits = new Uint8Array(STATUS_LIST_LENGTH / 8);
  for (const idx of revoked) setRevoked(bits, idx, idx);
  const status_list = { bits: 1, lst: deflateSync(bits).toString('base64url') };
  const claims = { sub: uriOf(0), iat: 1, ttl: 5, status_list, ...changes };
  return signBytes(key, Buffer.from(JSON.stringify(claims)), { typ: 'statuslist+jwt', ...header });
}

/** Serves lists by their paths; counts what it was asked for. */
function serveLists(server: JwksServer, keys: readonly TestKey[], lists: Record<string, string>) {
  const asked: string[] = [];
  server.serveWith((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    asked.push(path);
    const list = lists[path];
    if (path.endsWith('jwks.json')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
    } else if (list === undefined) {
      response.writeHead(404).end();
    } else {
      const etag = `"${list.length}-${list.slice(-20)}"`;
      if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
      else response.writeHead(200, { etag }).end(list);
    }
  });
  return asked;
}

describe('what is revoked, as the API knows it', () => {
  let key: TestKey;
  let server: JwksServer;
  let lists: Record<string, string>;
  let asked: string[];
  let status: TokenStatus;
  let failures: string[];
  const keys: VerificationKeys = {
    find: async (kid) => (kid === 'issuer' ? (key.publicKey as never) : undefined),
  };
  before(async () => {
    key = await newKey('issuer');
  });
  beforeEach(async () => {
    server = await startJwksServer([key.jwk]);
    lists = { '/status-lists/0': await signList(key, [7]) };
    asked = serveLists(server, [key], lists);
    failures = [];
  });
  afterEach(async () => {
    status?.stop();
    await server.stop();
  });

  const open = (options: Partial<TokenStatusOptions> = {}) => {
    status = remoteTokenStatus({
      issuer: ISSUER,
      url: server.url.replace('/.well-known/jwks.json', '/status-lists'),
      keys,
      ...{ failOpenS: 600, everyMs: 50, clock: systemClock },
      onFailure: ({ message }) => failures.push(message),
      ...options,
    });
    return status;
  };
  const codeOf = async (idx: number, list = 0) => {
    const token = { idx, uri: uriOf(list) };
    try {
      await status.assertGood(token);
      return 'good';
    } catch (error) {
      expect(status.isGood(token)).to.equal(false);
      return (error as Refusal).details.code;
    }
  };

  it('reads a list once for five hundred tokens that come at once, and again by its ETag', async () => {
    open({ everyMs: 60_000 });
    const all = Array.from({ length: 500 }, (_, idx) => codeOf(idx));
    const codes = await Promise.all(all);
    expect(codes.filter((code) => code === 'token_revoked')).to.have.length(1);
    expect(asked).to.deep.equal(['/status-lists/0']);
    expect(status.isGood({ idx: 6, uri: uriOf(0) })).to.equal(true);
    expect(status.isGood({ idx: 7, uri: uriOf(0) })).to.equal(false);
    expect(status.isGood(undefined), 'a token from before there were lists').to.equal(true);
    status.readNow();
    await eventually(async () => expect(asked).to.have.length(2));
    expect(await codeOf(7)).to.equal('token_revoked');
  });

  it('refuses a token within a reading of its revocation, and every list for itself', async () => {
    lists['/status-lists/1'] = await signList(key, [], { sub: uriOf(1) });
    open();
    expect([await codeOf(3), await codeOf(3, 1)]).to.deep.equal(['good', 'good']);
    lists['/status-lists/0'] = await signList(key, [3, 7]);
    await eventually(async () => expect(await codeOf(3)).to.equal('token_revoked'));
    expect(await codeOf(3, 1)).to.equal('good');
  });

  it('goes on with what it knew while the issuer is down, and no longer than is configured', async () => {
    open({ failOpenS: 2 });
    expect([await codeOf(3), await codeOf(7)]).to.deep.equal(['good', 'token_revoked']);
    await server.stop();
    expect([await codeOf(3), await codeOf(7)]).to.deep.equal(['good', 'token_revoked']);
    expect(await codeOf(3, 1), 'a list that is new').to.equal('good');
    await eventually(
      async () => expect(await codeOf(3)).to.equal('revocations_unavailable'),
      5_000,
    );
    expect(await codeOf(3, 1)).to.equal('revocations_unavailable');
    expect(await codeOf(7), 'is known to be revoked').to.equal('token_revoked');
    expect(failures.length).to.be.greaterThan(0);
    await server.start();
    await eventually(async () => expect(await codeOf(3)).to.equal('good'));
  });

  it('accepts nothing where the issuer was never reached', async () => {
    await server.stop();
    open();
    expect(await codeOf(3)).to.equal('revocations_unavailable');
    await server.start();
    await eventually(async () => expect(await codeOf(3)).to.equal('good'));
  });

  it('knows after a restart what it knew, though the issuer is down', async () => {
    const path = join(temporaryDirectory('cls-status-'), 'token-status.json');
    const file = (): DocumentFile =>
      documentFile(path, 'lists', ({ message }) => failures.push(message));
    open({ file: file() });
    expect(await codeOf(7)).to.equal('token_revoked');
    await eventually(async () => expect(file().load()?.document).to.have.property(uriOf(0)));
    status.stop();
    await server.stop();
    open({ file: file() });
    expect([await codeOf(3), await codeOf(7)]).to.deep.equal(['good', 'token_revoked']);
    await server.start();
  });

  it('does not grow younger by a restart while the issuer is down', async () => {
    const path = join(temporaryDirectory('cls-status-'), 'token-status.json');
    const file = (): DocumentFile =>
      documentFile(path, 'lists', ({ message }) => failures.push(message));
    open({ file: file() });
    expect(await codeOf(3)).to.equal('good');
    await eventually(async () => expect(file().load()?.document).to.have.property(uriOf(0)));
    await server.stop();
    status.stop();
    for (let restarts = 0; restarts < 3; restarts += 1) {
      open({ file: file(), failOpenS: 60 });
      expect(await codeOf(3)).to.equal('good');
      const before = failures.length;
      await eventually(async () => expect(failures.length).to.be.greaterThan(before + 1));
      await sleep(400);
      status.stop();
    }
    open({ file: file(), failOpenS: 1 });
    expect(await codeOf(3)).to.equal('revocations_unavailable');
    await server.start();
  });

  it('accepts tokens of a list that cannot be read no longer, though others can', async () => {
    open({ failOpenS: 1 });
    expect(await codeOf(3)).to.equal('good');
    expect(await codeOf(3, 1)).to.equal('good');
    await eventually(async () => {
      expect(await codeOf(3, 1)).to.equal('revocations_unavailable');
    }, 4_000);
    expect(await codeOf(3)).to.equal('good');
  });

  it('does not go back to a list whose time is over', async () => {
    open();
    expect(await codeOf(7)).to.equal('token_revoked');
    const nowS = epochSeconds(systemClock);
    lists['/status-lists/0'] = await signList(key, [], { exp: nowS - 1 });
    await eventually(async () => expect(failures.join()).to.include('has expired'));
    expect(await codeOf(7)).to.equal('token_revoked');
    lists['/status-lists/0'] = await signList(key, [], { exp: nowS + 2 });
    await eventually(async () => expect(await codeOf(7)).to.equal('good'));
    const before = failures.length;
    // From now on the answer is 304: whoever answers so kept an old list.
    await eventually(async () => expect(failures.length).to.be.greaterThan(before), 4_000);
  });

  it('keeps the good list whatever else it gets', async () => {
    open();
    expect(await codeOf(7)).to.equal('token_revoked');
    const foreign = await newKey('foreign');
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024)).toString('base64url');
    const wrong = [
      await signList(foreign, []),
      await signList({ ...foreign, kid: 'issuer' }, []),
      await signList(key, [], {}, { typ: 'at+jwt' }),
      await signList(key, [], { sub: uriOf(1) }),
      await signList(key, [], { status_list: { bits: 2, lst: 'eNoDAAAAAAE' } }),
      await signList(key, [], { status_list: { bits: 1, lst: 'eNoDAAAAAAE' } }),
      await signList(key, [], { status_list: { bits: 1, lst: bomb } }),
      await signList(key, [], { status_list: null }),
      'no list',
      'x'.repeat(600 * 1024),
    ];
    for (const list of wrong) {
      lists['/status-lists/0'] = list;
      const before = failures.length;
      await eventually(async () => expect(failures.length).to.be.greaterThan(before));
      expect(await codeOf(7), list.slice(0, 40)).to.equal('token_revoked');
      expect(await codeOf(3)).to.equal('good');
    }
  });
});

describe('a revoked token at the API', () => {
  let api: TestApi;
  let lists: Record<string, string>;
  before(async () => {
    api = await startTestApi(anyEngine);
    lists = { '/status-lists/0': await signList(api.key, [1]) };
    serveLists(api.jwks, [api.key], lists);
  });
  after(() => api?.stop());

  const claims = (idx: number) => ({ status: { status_list: { idx, uri: uriOf(0) } } });

  it('is 403 token_revoked, also after it was good, and where the answer was cached', async () => {
    const token = await api.token(claims(2));
    for (let n = 0; n < 3; n += 1) {
      expect((await api.getWith('/api/v1/cls/balances?limit=1', token)).status).to.equal(200);
    }
    lists['/status-lists/0'] = await signList(api.key, [1, 2]);
    await eventually(async () => {
      const answer = await api.getWith('/api/v1/cls/balances?limit=1', token);
      expect(answer.status).to.equal(403);
      expect(answer.headers.get('www-authenticate')).to.include('error="invalid_token"');
      expect(await answer.json()).to.include({ code: 'token_revoked' });
    }, 6_000);
    expect((await api.get('/api/v1/cls/balances?limit=1', claims(1))).status).to.equal(403);
    expect((await api.get('/api/v1/cls/balances?limit=1', claims(3))).status).to.equal(200);
  });

  it('must name a list of the issuer, and a place in it', async () => {
    const uri = uriOf(0);
    for (const status of [
      null,
      'good',
      {},
      { status_list: null },
      { status_list: { idx: 3 } },
      { status_list: { uri } },
      { status_list: { idx: '3', uri } },
      { status_list: { idx: -1, uri } },
      { status_list: { idx: 2 ** 20, uri } },
      { status_list: { idx: 3, uri: 'https://evil.example/status-lists/0' } },
      { status_list: { idx: 3, uri: `${ISSUER}/status-lists/../keys` } },
      { status_list: { idx: 3, uri: `${ISSUER}/status-lists/00` } },
    ]) {
      const answer = await api.get('/api/v1/cls/balances?limit=1', { status });
      expect(answer.status, JSON.stringify(status)).to.equal(403);
      expect(await answer.json()).to.include({ code: 'token_invalid' });
    }
  });
});

const REDIS = {
  'one server': async () => (await startRedis())?.url,
  'behind Sentinels': async () => (await startRedisSentinels())?.url,
  'as a Cluster': async () => (await startRedisCluster())?.url,
};

for (const [name, start] of Object.entries(REDIS)) {
  describe(`a signal of a revocation by Redis, ${name}`, function () {
    this.timeout(60_000);

    it('is heard by every API that listens', async function () {
      const url = await start();
      requireServer(this, 'Redis', url);
      const connections = [0, 1].map(() => connectRedis(new Secret(url ?? ''), silentLog));
      const heard = [0, 0];
      connections.forEach((redis, n) => {
        redis.subscribe('cls:auth:revocations', () => {
          heard[n] = (heard[n] ?? 0) + 1;
        });
      });
      const [first] = connections;
      await first?.ready();
      await eventually(async () => {
        await first?.run(
          "return redis.call('PUBLISH', ARGV[1], '')",
          ['{x}'],
          ['cls:auth:revocations'],
        );
        expect(heard[0]).to.be.greaterThan(0);
        expect(heard[1]).to.be.greaterThan(0);
      }, 20_000);
      await Promise.all(connections.map((redis) => redis.stop()));
    });
  });
}

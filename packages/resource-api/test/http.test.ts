import { request } from 'node:http';
import { connect } from 'node:net';
import { silentLog } from '@cls/shared/log';
import { anyEngine, requireServer } from '@cls/testing/engines';
import { eventually, freePort, startRedis } from '@cls/testing/servers';
import { expect } from 'chai';
import { startResourceApi } from '../src/compose.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { apiConfig, startTestApi, type TestApi } from './support/api.ts';
import { goodClaims, newKey, signToken, startJwksServer } from './support/issuer.ts';

const PATH = '/api/v1/cls/balances';

describe('the API over HTTP', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(anyEngine);
  });
  after(() => api?.stop());

  /** A path exactly as given: fetch would tidy it up. */
  const rawGet = (path: string, token: string) =>
    new Promise<number>((done, failed) => {
      const headers = { authorization: `Bearer ${token}` };
      request(`${api.baseUrl}`, { path, headers }, (response) => {
        response.resume();
        done(response.statusCode ?? 0);
      })
        .once('error', failed)
        .end();
    });

  it('lists its versions with support status and retirement', async () => {
    const response = await fetch(`${api.baseUrl}/api`);
    expect(await response.json()).to.deep.equal({
      object: 'list',
      data: [
        { versionId: 'latest', support: 'Supported', retirement: 'Never' },
        { versionId: 'v1', support: 'Supported', retirement: 'N/A' },
      ],
    });
  });

  it('answers latest with the bytes of the newest version, and names it', async () => {
    for (const resource of ['/cls/balances', '/cls/balances/principal']) {
      const token = await api.token();
      const v1 = await api.getWith(`/api/v1${resource}?limit=5`, token);
      const latest = await api.getWith(`/api/latest${resource}?limit=5`, token);
      expect(await latest.text()).to.equal(await v1.text());
      for (const response of [v1, latest]) {
        expect(response.status).to.equal(200);
        expect(response.headers.get('api-version')).to.equal('v1');
      }
      expect(latest.headers.get('content-location')).to.equal(`/api/v1${resource}?limit=5`);
      expect(latest.headers.get('etag')).to.equal(v1.headers.get('etag'));
    }
  });

  it('answers an unknown version with 404 and those there are, token or not', async () => {
    for (const version of ['v2', 'v01', 'V1', 'vlatest', 'v1.0', '1', 'LATEST']) {
      const response = await api.getWith(`/api/${version}/cls/balances`, undefined);
      expect(response.status, version).to.equal(404);
      expect(await response.json()).to.deep.include({
        code: 'unknown_version',
        supportedVersions: ['v1', 'latest'],
      });
    }
  });

  it('has one spelling of each path', async () => {
    const token = await api.token();
    for (const path of [
      '/api/v1/cls/balances/',
      '/api/v1//cls/balances',
      '/API/v1/cls/balances',
      '/api/v1/CLS/balances',
      '/api/v1/cls/%62alances',
      '/api/v1/cls/balances;x=1',
      '/api/v1/cls/../cls/balances',
      '/api/v1/cls/balances%2f',
      '/api/v1/cls',
      '/',
    ]) {
      expect(await rawGet(path, token), path).to.be.oneOf([400, 404]);
    }
  });

  it('answers another method with 405 and Allow', async () => {
    const headers = {
      authorization: `Bearer ${await api.token()}`,
      'x-http-method-override': 'GET',
    };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(`${api.baseUrl}${PATH}`, { method, headers });
      expect(response.status, method).to.equal(405);
      expect(response.headers.get('allow')).to.equal('GET, HEAD');
      expect(await response.json()).to.include({ code: 'method_not_allowed' });
    }
  });

  it('answers HEAD as GET without a body', async () => {
    const headers = { authorization: `Bearer ${await api.token()}` };
    const response = await fetch(`${api.baseUrl}${PATH}`, { method: 'HEAD', headers });
    expect(response.status).to.equal(200);
    expect(Number(response.headers.get('content-length'))).to.be.greaterThan(0);
    expect(await response.text()).to.equal('');
  });

  it('tells a browser to store nothing, and answers its ETag all the same', async () => {
    const token = await api.token();
    for (const headers of [
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://pages.example' },
      { origin: 'https://pages.example' },
    ] as Record<string, string>[]) {
      // Before it an answer of another client, and after it the answer that is kept.
      await api.getWith(PATH, token);
      for (let time = 0; time < 2; time += 1) {
        const response = await api.getWith(PATH, token, headers);
        expect(response.headers.get('cache-control')).to.equal('no-store');
        expect(response.headers.get('etag')).to.match(/^"[\w-]{43}"$/);
      }
    }
  });

  it('answers 304 to a client that has the bytes, Node’s fetch included', async () => {
    const token = await api.token();
    const first = await api.getWith(PATH, token);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).to.match(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).to.equal('private, no-cache');
    expect(first.headers.get('vary')).to.equal('Authorization, Accept, Accept-Encoding');
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await api.getWith(PATH, token, { 'if-none-match': condition });
      expect(again.status, condition).to.equal(304);
      expect(again.headers.get('etag')).to.equal(etag);
    }
    const other = await api.getWith(PATH, token, { 'if-none-match': '"other"' });
    expect(other.status).to.equal(200);
  });

  it('never answers 304 to a token that it would refuse', async () => {
    const etag = (await api.get(PATH)).headers.get('etag') ?? '';
    const response = await api.getWith(PATH, 'a.b.c', { 'if-none-match': etag });
    expect(response.status).to.equal(403);
  });

  it('names all bad parameters at once, and never ignores one', async () => {
    const response = await api.get(
      `${PATH}?asOf=2023-02-30&limit=0&currency=usd&includezero=true&dealId=x`,
    );
    expect(response.status).to.equal(400);
    const problem = (await response.json()) as { code: string; errors: { parameter: string }[] };
    expect(problem.code).to.equal('invalid_parameter');
    expect(problem.errors.map(({ parameter }) => parameter).sort()).to.deep.equal([
      'asOf',
      'currency',
      'dealId',
      'includezero',
      'limit',
    ]);
  });

  for (const { query, code } of [
    { query: 'asof=2025-01-01', code: 'unknown_parameter' },
    { query: '__proto__=1', code: 'unknown_parameter' },
    { query: 'asOf=2999-01-01', code: 'as_of_in_future' },
    { query: 'asOf=31/03/2025', code: 'invalid_parameter' },
    { query: 'asOf=2025-03-31&asOf=2025-03-30', code: 'invalid_parameter' },
    { query: 'limit=1001', code: 'invalid_parameter' },
    { query: 'limit=1e2', code: 'invalid_parameter' },
    { query: 'includeZero=yes', code: 'invalid_parameter' },
    { query: 'currency=XXX', code: 'invalid_parameter' },
    { query: 'country=India', code: 'invalid_parameter' },
    { query: 'cursor=abc', code: 'invalid_cursor' },
    { query: 'cursor=%00', code: 'invalid_cursor' },
    {
      query: `dealId=${`deal_${'0'.repeat(26)},`.repeat(101)}deal_${'1'.repeat(26)}`,
      code: 'invalid_parameter',
    },
  ]) {
    it(`refuses ?${query.slice(0, 40)}: 400 ${code}`, async () => {
      const response = await api.get(`${PATH}?${query}`);
      expect(response.status).to.equal(400);
      expect(response.headers.get('content-type')).to.equal('application/problem+json');
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(await response.json()).to.include({ code });
    });
  }

  const faultsOf = async (query: string) => {
    const problem = (await (await api.get(`${PATH}?${query}`)).json()) as {
      errors: { parameter: string; code: string; message: string }[];
    };
    return problem.errors;
  };
  for (const [query, suggestion] of [
    ['asof=2025-01-01', 'did you mean asOf?'],
    ['contry=IN', 'did you mean country?'],
    ['limt=1', 'did you mean limit?'],
  ]) {
    it(`names the parameter that was probably meant by ${query}`, async () => {
      const [fault] = await faultsOf(query as string);
      expect(fault?.message)
        .to.include('expected one of')
        .and.include(suggestion as string);
    });
  }

  it('says once that there is no such part to expand', async () => {
    const faults = await faultsOf('expand=foo');
    expect(faults.map(({ code }) => code)).to.deep.equal(['invalid_parameter']);
  });

  it('suggests nothing for a parameter that is like none', async () => {
    const [fault] = await faultsOf('colour=red');
    expect(fault?.message).not.to.include('did you mean');
  });

  it('names the fields that there are, and the one that was probably meant', async () => {
    const [fault] = await faultsOf('fields=deal.nam');
    expect(fault).to.include({ parameter: 'fields', code: 'unknown_field' });
    expect(fault?.message).to.include('did you mean deal.name?').and.include('deal.dealNumber');
    expect(fault?.message.match(/\bwarnings\b/g)).to.have.length(1);
  });

  it('gives every answer a request id, the caller’s own where it is harmless', async () => {
    const own = await api.getWith(PATH, undefined, { 'x-request-id': 'my-request-0001' });
    expect(own.headers.get('x-request-id')).to.equal('my-request-0001');
    expect(await own.json()).to.include({ requestId: 'my-request-0001', instance: PATH });
    for (const id of ['7', 'Root=1-67891233-abcdef012345;Parent=53995c3f', 'x'.repeat(128)]) {
      const answer = await api.getWith(PATH, undefined, { 'x-request-id': id });
      expect(answer.headers.get('x-request-id')).to.equal(id);
    }
    for (const id of ['x'.repeat(129), 'caf\u00e9', 'a\tb', '']) {
      const odd = await api.getWith(PATH, undefined, { 'x-request-id': id });
      expect(odd.headers.get('x-request-id')).to.match(/^req_/);
    }
  });

  it('asks for https from then on where the issuer is https, on every answer', async () => {
    for (const path of [PATH, '/api', '/nothing', '/livez']) {
      const { headers } = await api.get(path);
      expect(headers.get('strict-transport-security'), path).to.equal('max-age=31536000');
    }
  });

  it('lets nobody store what has no validator', async () => {
    const exported = await api.getWith(PATH, await api.token(), { accept: 'text/csv' });
    await exported.text();
    expect(exported.headers.get('etag')).to.equal(null);
    expect(exported.headers.get('cache-control')).to.equal('no-store');
  });

  it('answers a target that is no URL with a problem, not with a fault', async () => {
    const { port } = new URL(api.baseUrl);
    const answer = await new Promise<string>((done, failed) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write('GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      );
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.once('end', () => done(text));
      socket.once('error', failed);
    });
    expect(answer)
      .to.match(/^HTTP\/1\.1 404 /)
      .and.include('application/problem+json');
  });

  it('refuses two Authorization headers', async () => {
    const good = `Bearer ${await api.token()}`;
    const status = await new Promise<number>((done, failed) => {
      const headers = ['Authorization', good, 'Authorization', 'Bearer other', 'Host', 'x'];
      request(`${api.baseUrl}${PATH}`, { headers: headers as never }, (response) => {
        response.resume();
        done(response.statusCode ?? 0);
      })
        .once('error', failed)
        .end();
    });
    expect(status).to.equal(403);
  });

  it('keeps its refusal small, however many parameters are wrong', async () => {
    const query = Array.from({ length: 3_000 }, (_, n) => `x${n}=1`).join('&');
    const response = await api.get(`${PATH}?${query}`);
    expect(response.status).to.equal(400);
    expect((await response.text()).length).to.be.lessThan(50_000);
  });

  it('tells that it lives and that it is ready', async () => {
    expect((await fetch(`${api.baseUrl}/livez`)).status).to.equal(200);
    expect(await (await fetch(`${api.baseUrl}/readyz`)).json()).to.deep.equal({
      status: 'ok',
      checks: { database: 'ok', keys: 'ok', clock: 'ok' },
    });
  });
});

describe('the API without its issuer', () => {
  it('answers 503 keys_unavailable from a cold start, never 403, and recovers by itself', async () => {
    const key = await newKey('late');
    const jwks = await startJwksServer([key.jwk]);
    await jwks.stop();
    const api = await startResourceApi(
      apiConfig(await anyEngine.createLocation(MIGRATIONS), jwks.url),
      silentLog,
    );
    const ask = async () =>
      fetch(`http://127.0.0.1:${api.port}${PATH}`, {
        headers: { authorization: `Bearer ${await signToken(key, goodClaims())}` },
      });
    const response = await ask();
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('2');
    expect(response.headers.get('api-version')).to.equal('v1');
    expect(await response.json()).to.include({ code: 'keys_unavailable' });
    expect((await fetch(`http://127.0.0.1:${api.port}/readyz`)).status).to.equal(503);
    await jwks.start();
    await eventually(async () => expect((await ask()).status).to.equal(200));
    await jwks.stop();
    expect((await ask()).status, 'the issuer is down again').to.equal(200);
    const headersOf = async (token: Promise<string>) => ({
      authorization: `Bearer ${await token}`,
    });
    const get = async (token: Promise<string>) =>
      (await fetch(`http://127.0.0.1:${api.port}${PATH}`, { headers: await headersOf(token) }))
        .status;
    const rotated = await newKey('rotated');
    expect(await get(signToken(rotated, goodClaims())), 'perhaps a new key').to.equal(503);
    const foreign = goodClaims({ iss: 'https://evil.example' });
    expect(await get(signToken(rotated, foreign)), 'says itself that it is foreign').to.equal(403);
    await api.stop();
  });
});

describe('the rate limit', () => {
  it('answers 429 with Retry-After beyond the limit, per caller', async () => {
    const api = await startTestApi(anyEngine, { RATE_LIMIT_PER_MINUTE: '5' });
    const statuses: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      const response = await api.get(PATH);
      statuses.push(response.status);
      expect(response.headers.get('ratelimit-policy')).to.equal('"minute";q=5;w=60');
      if (response.status === 429) {
        expect(Number(response.headers.get('retry-after'))).to.be.within(1, 60);
        expect(response.headers.get('api-version')).to.equal('v1');
        expect(await response.json()).to.include({ code: 'rate_limited' });
      }
    }
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429, 429]);
    const other = {
      sub: 'svc_00000000000000000000000002',
      client_id: 'svc_00000000000000000000000002',
    };
    expect((await api.get(PATH, other)).status).to.equal(200);
    await api.stop();
  });

  it('admits as many at once as the limit says, and no more', async () => {
    const api = await startTestApi(anyEngine, { RATE_LIMIT_PER_MINUTE: '60' });
    const token = await api.token();
    const answers = await Promise.all(Array.from({ length: 100 }, () => api.getWith(PATH, token)));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(60);
    await api.stop();
  });

  it('is one for two replicas on a Redis, and serves on when Redis is gone', async function () {
    const redis = await startRedis();
    requireServer(this, 'Redis', redis);
    const env = { RATE_LIMIT_PER_MINUTE: '40', REDIS_URL: redis.url };
    const [one, two] = await Promise.all([
      startTestApi(anyEngine, env),
      startTestApi(anyEngine, env),
    ]);
    await eventually(async () => {
      const headers = (await one.get(PATH, { sub: `svc_${'9'.repeat(26)}` })).headers;
      expect(headers.get('ratelimit')).to.include('r=39');
    });
    const statuses: number[] = [];
    for (let n = 0; n < 30; n += 1) {
      statuses.push((await one.get(PATH)).status, (await two.get(PATH)).status);
    }
    const served = statuses.filter((status) => status === 200).length;
    expect(served).to.equal(40);
    redis.process.kill('SIGKILL');
    await eventually(async () => {
      const fresh = { sub: `svc_${'8'.repeat(26)}`, client_id: `svc_${'8'.repeat(26)}` };
      expect((await one.get(PATH, fresh)).status).to.equal(200);
    });
    await Promise.all([one.stop(), two.stop()]);
  });

  it('does not keep the API from starting when Redis is down', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '5', REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const api = await startTestApi(anyEngine, env);
    expect((await api.get(PATH)).status).to.equal(200);
    await api.stop();
  });
});

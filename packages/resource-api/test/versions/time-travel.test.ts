import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlVersionUsage } from '../../src/usage/sql-version-usage.ts';
import { RELEASES } from '../../src/versions/releases.ts';
import { ISSUER } from '../support/issuer.ts';
import { startVersionedApi, testClock, timesOf, type VersionedApi } from './support.ts';
import { ENDING, withV2 } from './v2/index.ts';

const BALANCES = '/cls/balances?level=facility';

/** Headers, and whether a good token is sent. */
type Asked = { token?: boolean; method?: string; authorization?: string; accept?: string };

/** Every step is seen by two replicas with one clock. */
describe('the life of a version', () => {
  const clock = testClock('2026-12-01T00:00:00Z');
  let replicas: readonly VersionedApi[];
  before(async () => {
    replicas = await Promise.all([
      startVersionedApi(anyEngine, clock, withV2([RELEASES[0], { ...ENDING[1] }] as typeof ENDING)),
      startVersionedApi(anyEngine, clock, withV2([RELEASES[0], { ...ENDING[1] }] as typeof ENDING)),
    ]);
  });
  after(() => Promise.all((replicas ?? []).map((replica) => replica.stop())));

  /** One answer, which both replicas give. */
  const ask = async (path: string, { token = true, method = 'GET', ...headers }: Asked = {}) => {
    const answers = await Promise.all(
      replicas.map(async (replica) => {
        const bearer = await replica.token(timesOf(clock));
        const authorization = token ? { authorization: `Bearer ${bearer}` } : undefined;
        const response = await fetch(`${replica.baseUrl}${path}`, {
          method,
          headers: { 'x-request-id': 'same', ...authorization, ...headers },
        });
        const { status } = response;
        const named = ['api-version', 'deprecation', 'sunset', 'link', 'cache-control'];
        const shown = named.map((name) => [name, response.headers.get(name)]);
        const text = await response.text();
        return { status, ...Object.fromEntries(shown), text };
      }),
    );
    expect(answers[1]).to.deep.equal(answers[0]);
    const [answer] = answers;
    if (answer === undefined) throw new Error('there is no replica');
    return answer;
  };
  const table = async () => JSON.parse((await ask('/api')).text).data;
  const relations = ({ link }: { link: string }) =>
    [...link.matchAll(/<([^>]+)>; rel="([^"]+)"/g)].map(([, target, name]) => `${name} ${target}`);

  it('is not known before its release', async () => {
    expect((await ask(`/api/v2${BALANCES}`)).status).to.equal(404);
    expect(await table()).to.deep.equal([
      { versionId: 'latest', support: 'Supported', retirement: 'Never' },
      { versionId: 'v1', support: 'Supported', retirement: 'N/A' },
    ]);
  });

  it('is served from its release on, and latest stays what it was and announces the successor', async () => {
    clock.set('2027-01-14T23:59:59.999Z');
    expect((await ask(`/api/v2${BALANCES}`)).status).to.equal(404);
    clock.set('2027-01-15T00:00:00Z');
    const v2 = await ask(`/api/v2${BALANCES}`);
    expect([v2.status, v2['api-version']]).to.deep.equal([200, 'v2']);
    const latest = await ask('/api/latest/cls/balances');
    expect([latest.status, latest['api-version']]).to.deep.equal([200, 'v1']);
    expect(relations(latest as never)).to.deep.equal([
      'successor-version /api/v2/cls/balances',
      'service-desc /api/v1/openapi.json',
    ]);
    expect(latest['deprecation'] ?? latest['sunset']).to.equal(null);
  });

  it('becomes latest at the instant of its promotion, on every replica', async () => {
    clock.set('2027-02-28T23:59:59.999Z');
    expect((await ask('/api/latest/cls/balances'))['api-version']).to.equal('v1');
    clock.set('2027-03-01T00:00:00Z');
    const latest = await ask(`/api/latest${BALANCES}`);
    expect([latest.status, latest['api-version']]).to.deep.equal([200, 'v2']);
    expect(JSON.parse(latest.text).meta.apiVersion).to.equal('v2');
    expect((await ask('/api/v1/cls/balances')).status).to.equal(200);
  });

  it('says in every answer when it is deprecated and retires, once that is announced', async () => {
    const before = await ask('/api/v1/cls/balances');
    expect(before['deprecation'] ?? before['sunset']).to.equal(null);
    for (const replica of replicas) replica.serve(withV2());
    for (const [path, options, status] of [
      ['/cls/balances', {}, 200],
      ['/cls/balances', { method: 'HEAD' }, 200],
      ['/cls/balances?limit=0', {}, 400],
      ['/cls/balances', { token: false }, 401],
      ['/cls/balances', { authorization: 'Bearer x.y.z' }, 403],
      ['/cls/nothing', {}, 404],
      ['/cls/balances', { method: 'POST' }, 405],
      ['/cls/balances', { method: 'OPTIONS' }, 405],
      ['/cls/balances', { accept: 'text/html' }, 406],
      ['/openapi.json', { token: false }, 200],
    ] as const) {
      const answer = await ask(`/api/v1${path}`, options);
      expect(answer.status, path).to.equal(status);
      expect(answer['api-version'], path).to.equal('v1');
      expect(answer['deprecation'], path).to.equal(`@${Date.UTC(2027, 5, 1) / 1000}`);
      expect(answer['sunset'], path).to.equal('Fri, 01 Dec 2028 00:00:00 GMT');
    }
    expect(relations((await ask('/api/v1/cls/balances')) as never)).to.deep.equal([
      'successor-version /api/v2/cls/balances',
      'latest-version /api/latest/cls/balances',
      'deprecation /docs/versioning',
      'sunset /docs/versioning',
      'service-desc /api/v1/openapi.json',
    ]);
    const latest = await ask(`/api/latest${BALANCES}`);
    expect(latest['deprecation'] ?? latest['sunset']).to.equal(null);
  });

  it('links to another version only where the same path exists there', async () => {
    const answer = await ask('/api/v1/cls/balances/principal/movements');
    expect(answer.status).to.equal(200);
    expect(answer['link']).not.to.include('/movements>; rel="successor-version"');
    expect((await ask('/api/v2/cls/balances/principal/movements')).status).to.equal(404);
  });

  it('is Deprecated in the table and in its description from that day on', async () => {
    const marks = async () => {
      const document = JSON.parse((await ask('/api/v1/openapi.json')).text);
      const { get } = document.paths['/cls/balances'];
      return [get.deprecated, get['x-sunset']];
    };
    expect(await marks()).to.deep.equal([undefined, '2028-12-01']);
    clock.set('2027-06-01T00:00:00Z');
    expect(await table()).to.deep.equal([
      { versionId: 'latest', support: 'Supported', retirement: 'Never' },
      { versionId: 'v1', support: 'Deprecated', retirement: '2028-12-01T00:00:00Z' },
      { versionId: 'v2', support: 'Supported', retirement: 'N/A' },
    ]);
    expect(await marks()).to.deep.equal([true, '2028-12-01']);
    expect((await ask('/api/v1/cls/balances')).status).to.equal(200);
  });

  it('answers 410 within a brownout, says until when, and answers again afterwards', async () => {
    clock.set('2028-10-03T08:59:59Z');
    expect((await ask('/api/v1/cls/balances')).status).to.equal(200);
    for (const instant of ['2028-10-03T09:00:00Z', '2028-10-03T12:59:59Z']) {
      clock.set(instant);
      const answer = await ask('/api/v1/cls/balances');
      expect([answer.status, answer['cache-control']]).to.deep.equal([410, 'no-store']);
      expect(answer['sunset']).to.equal('Fri, 01 Dec 2028 00:00:00 GMT');
      expect(JSON.parse(answer.text)).to.deep.include({
        type: `${ISSUER}/docs/errors/version_brownout`,
        code: 'version_brownout',
        version: 'v1',
        successor: 'v2',
        until: '2028-10-03T13:00:00Z',
        retiresAt: '2028-12-01T00:00:00Z',
      });
    }
    clock.set('2028-10-03T13:00:00Z');
    expect((await ask('/api/v1/cls/balances')).status).to.equal(200);
  });

  it('answers 410 from its retirement on, with a token or without, and names the successor', async () => {
    clock.set('2028-11-30T23:59:59.999Z');
    expect((await ask('/api/v1/cls/balances')).status).to.equal(200);
    clock.set('2028-12-01T00:00:00Z');
    for (const path of ['/cls/balances', '/cls/balances?limit=0', '/openapi.json', '/x']) {
      for (const token of [true, false]) {
        const answer = await ask(`/api/v1${path}`, { token });
        expect([answer.status, answer['cache-control']], path).to.deep.equal([410, 'no-store']);
        expect(answer['api-version']).to.equal('v1');
        const problem = JSON.parse(answer.text);
        expect(problem).to.deep.include({ code: 'version_retired', successor: 'v2' });
        expect(problem.supportedVersions).to.deep.equal(['v2', 'latest']);
      }
    }
    expect((await table())[1]).to.deep.equal({
      versionId: 'v1',
      support: 'Retired',
      retirement: '2028-12-01T00:00:00Z',
    });
    expect((await ask(`/api/latest${BALANCES}`)).status).to.equal(200);
  });

  it('is counted as used while it ends, where the token is valid', async () => {
    clock.set('2028-12-02T00:00:00Z');
    for (const token of [true, false]) await ask('/api/v1/cls/balances', { token });
    await eventually(async () => {
      for (const { database } of replicas) {
        const [count] = (await sqlVersionUsage(database).since('2028-12-02')).filter(
          ({ day, served }) => day === '2028-12-02' && served === 'v1',
        );
        if (count === undefined) throw new Error('nothing was sent yet');
        expect([count.requested, count.operation, count.requests]).to.deep.equal([
          ...['v1', 'GET /cls/balances', 1],
        ]);
      }
    });
  });

  it('has one spelling', async () => {
    for (const name of [
      'V1',
      'v01',
      'v1.0',
      'vlatest',
      'Latest',
      'v3',
      'v',
      'v0',
      'v-1',
      'v1%20',
    ]) {
      expect((await ask(`/api/${name}/cls/balances`)).status, name).to.equal(404);
    }
  });
});

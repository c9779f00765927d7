import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { parseConfig } from '../src/config.ts';
import { startTestApi, type TestApi } from './support/api.ts';

const APP = 'https://app.example';
const PATH = '/api/v1/cls/balances';

describe('the API for pages of other origins', () => {
  let api: TestApi;
  let closed: TestApi;
  before(async () => {
    api = await startTestApi(anyEngine, { CORS_ORIGINS: `${APP}, http://localhost:5173` });
    closed = await startTestApi(anyEngine);
  });
  after(async () => {
    await api?.stop();
    await closed?.stop();
  });

  const preflight = ({ baseUrl }: TestApi, origin: string) =>
    fetch(`${baseUrl}${PATH}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    });
  const readableBy = (response: Response) => response.headers.get('access-control-allow-origin');

  it('answers a preflight of a configured origin without a token, and credentials to none', async () => {
    for (const origin of [APP, 'http://localhost:5173']) {
      const answer = await preflight(api, origin);
      expect([answer.status, readableBy(answer)]).to.deep.equal([204, origin]);
      expect(answer.headers.get('access-control-allow-headers')).to.match(/authorization/i);
      expect(answer.headers.get('access-control-allow-headers')).to.include('traceparent');
      expect(answer.headers.get('access-control-allow-credentials')).to.equal(null);
      expect(answer.headers.get('vary')).to.include('Origin');
      expect(answer.headers.get('api-version')).to.equal('v1');
    }
  });

  it('lets such a page read answers, errors and the headers that it needs', async () => {
    const good = await api.getWith(`${PATH}?limit=1`, await api.token(), { origin: APP });
    expect([good.status, readableBy(good)]).to.deep.equal([200, APP]);
    expect(good.headers.get('vary')).to.include('Origin').and.include('Authorization');
    for (const name of ['ETag', 'API-Version', 'Deprecation', 'Sunset', 'Link']) {
      expect(good.headers.get('access-control-expose-headers')).to.include(name);
    }
    for (const [path, token, status] of [
      [PATH, undefined, 401],
      [PATH, 'x.y.z', 403],
      ['/api/v9/cls/balances', undefined, 404],
    ] as const) {
      const bad = await api.getWith(path, token, { origin: APP });
      expect([bad.status, readableBy(bad)], path).to.deep.equal([status, APP]);
    }
  });

  it('lets no other page read anything, and says to caches that it matters who asks', async () => {
    for (const origin of ['https://evil.example', 'null', `${APP}.evil.example`]) {
      const asked = await preflight(api, origin);
      expect([asked.status, readableBy(asked)], origin).to.deep.equal([405, null]);
      const answer = await api.getWith(PATH, await api.token(), { origin });
      expect(readableBy(answer)).to.equal(null);
      expect(answer.headers.get('vary')).to.include('Origin');
    }
  });

  it('lets none where no origin is configured', async () => {
    expect((await preflight(closed, APP)).status).to.equal(405);
    const answer = await closed.getWith(PATH, await closed.token(), { origin: APP });
    expect([readableBy(answer), answer.headers.get('vary')?.includes('Origin')]).to.deep.equal([
      ...[null, false],
    ]);
  });

  it('takes origins alone, over https save on this machine', () => {
    const env = { ISSUER: 'https://cls.example', AUDIENCE: 'https://cls.example/api' };
    for (const bad of ['*', 'https://app.example/', 'http://app.example', 'app.example', 'null']) {
      expect(() => parseConfig({ ...env, CORS_ORIGINS: bad }), bad).to.throw('CORS_ORIGINS');
    }
  });
});

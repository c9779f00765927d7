import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { startTestApi, type TestApi } from './support/api.ts';
import { ISSUER } from './support/issuer.ts';
import { crawl } from './support/site.ts';
import { testClock } from './versions/support.ts';
import { V2_CHANGES } from './versions/v2/changes.ts';
import { withV2 } from './versions/v2/index.ts';

describe('/docs, as versions come and go', () => {
  const clock = testClock('2026-12-01T00:00:00Z');
  let api: TestApi;
  before(async () => {
    api = await startTestApi(anyEngine, {}, clock, withV2());
  });
  after(() => api?.stop());

  const get = (path: string) => fetch(`${api.baseUrl}${path}`);
  const textOf = async (path: string) => (await get(path)).text();
  const rowOf = (version: string, text: string) =>
    new RegExp(`<code>${version}</code>.*`).exec(text)?.[0].replaceAll(/<[^>]+>/g, ' ') ?? '';

  it('says nothing of a version that is not released', async () => {
    clock.set('2026-12-01T00:00:00Z');
    expect((await get('/docs/v2')).status).to.equal(404);
    expect(await textOf('/docs')).not.to.include('v2');
    expect(await textOf('/docs/errors/fx_rate_missing')).not.to.include('/api/v2');
    expect(await textOf('/docs/search?q=v2')).not.to.include('href="/docs/v2');
  });

  it('has the new version from its release on, and leads to the old one until latest changes', async () => {
    clock.set('2027-02-01T00:00:00Z');
    expect((await get('/docs/v2')).status).to.equal(200);
    expect(await textOf('/docs/search?q=v2')).to.include('href="/docs/v2');
    expect((await get('/docs/latest')).headers.get('content-location')).to.equal('/docs/v1');
    expect(await textOf('/docs')).to.include('today v1');
    clock.set('2027-03-01T00:00:00Z');
    expect((await get('/docs/latest')).headers.get('content-location')).to.equal('/docs/v2');
    expect(await textOf('/docs'))
      .to.include('today v2')
      .and.include('href="/docs/v2"');
  });

  it('lists the changes of a version with what each touches', async () => {
    const text = await textOf('/docs/v2/changes');
    for (const { name, summary, covers } of V2_CHANGES) {
      expect(text, name).to.include(`<h2 id="${name}">`);
      expect(text.replaceAll(/<\/?code>/g, ''), name).to.include(summary.replaceAll('`', ''));
      for (const { operation, rule } of covers) {
        expect(text, `${name} ${rule}`).to.include(`<code>${operation}</code>`);
      }
    }
    expect((await get('/docs/v2/operations/listPrincipalMovements')).status).to.equal(404);
    expect((await get('/docs/v1/operations/listPrincipalMovements')).status).to.equal(200);
    expect(await textOf('/docs/errors/fx_rate_missing')).to.include('GET /api/v2/cls/balances');
  });

  it('shows deprecation and retirement on their days, without a restart, by another validator', async () => {
    clock.set('2027-05-01T00:00:00Z');
    const before = await get('/docs/versioning');
    expect(rowOf('v1', await before.text()))
      .to.include('Supported')
      .and.include('2028-12-01');
    clock.set('2027-06-01T00:00:00Z');
    const after = await get('/docs/versioning');
    expect(rowOf('v1', await after.text()))
      .to.include('Deprecated')
      .and.include('2028-12-01');
    expect(after.headers.get('etag')).not.to.equal(before.headers.get('etag'));
    expect(await textOf('/docs/v1')).to.include('It retires at 2028-12-01T00:00:00Z');
    clock.set('2028-12-01T00:00:00Z');
    expect(rowOf('v1', await textOf('/docs/versioning'))).to.include('Retired');
    expect(await textOf('/docs/v1')).to.include('Status: Retired');
  });

  it('leads from every page of a version that ends to the next one', async () => {
    for (const [day, says] of [
      ['2027-07-01', 'v1 is deprecated.'],
      ['2028-12-02', 'v1 has ended.'],
    ] as const) {
      clock.set(`${day}T00:00:00Z`);
      for (const path of ['/docs/v1', '/docs/v1/operations/listBalances']) {
        expect(await textOf(path))
          .to.include(says)
          .and.include('href="/docs/v2/changes"');
      }
      expect(await textOf('/docs/v2')).not.to.include('class="notice"');
    }
  });

  for (const day of ['2027-07-01', '2028-12-02']) {
    it(`has no dead link or anchor with two versions, on ${day}`, async () => {
      clock.set(`${day}T00:00:00Z`);
      const site = await crawl(api.baseUrl, ISSUER);
      const dead = [...site].flatMap(([path, { links }]) =>
        links
          .filter(({ path: to, anchor }) => {
            const target = site.get(to);
            return target?.status !== 200 || (anchor !== '' && !target.ids.has(anchor));
          })
          .map((link) => `${path} → ${link.path}#${link.anchor}`),
      );
      expect(dead).to.deep.equal([]);
    });
  }
});

describe('/docs below a path of the host', () => {
  it('links and loads below that path alone', async () => {
    const api = await startTestApi(anyEngine, { ISSUER: 'https://cls.test/loans' });
    try {
      for (const path of ['/docs', '/docs/v1/operations/listBalances', '/docs/tokens']) {
        const text = await (await fetch(`${api.baseUrl}${path}`)).text();
        const targets = [...text.matchAll(/ (?:href|src)="(\/[^"]*)"/g)].map(([, to]) => to);
        expect(targets.filter((to) => !to?.startsWith('/loans/'))).to.deep.equal([]);
        expect(targets.length, path).to.be.greaterThan(5);
      }
    } finally {
      await api.stop();
    }
  });
});

import { type Exposition, readExposition } from '@cls/testing/exposition';
import { statusOfRaw, UNREADABLE } from '@cls/testing/raw-request';
import { postgresServer, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Explorer } from '../src/compose.ts';
import { type Services, sharedServices } from './support/services.ts';

describe('Metrics of the explorer', () => {
  let services: Services;
  let explorer: Explorer;
  let url: string;
  let database: string | undefined;
  const read = (): Promise<Exposition> => readExposition(explorer.metricsPort);
  before(async () => {
    services = await sharedServices();
    database = await (await postgresServer())?.createDatabase();
    explorer = await services.startAnother({
      ...{ EXPLORER_PORT: '0', METRICS_PORT: '0' },
      ...(database === undefined ? {} : { EXPLORER_DATABASE_URL: database }),
      CLS_DATA_DIR: temporaryDirectory('cls-explorer-'),
    });
    url = `http://127.0.0.1:${explorer.port}`;
  });
  after(() => explorer?.stop());

  it('have requests by route, the build, and the statements of its sessions', async () => {
    const answer = await fetch(`${url}/portfolio`, { redirect: 'manual' });
    expect(answer.status).to.equal(302);
    const { value, names } = await read();
    const asked = { route: '/portfolio', method: 'GET', status: '302' };
    expect(value('cls_http_requests_total', asked)).to.equal(1);
    expect(value('cls_http_request_duration_seconds_count', { route: '/portfolio' })).to.equal(1);
    expect(value('cls_build_info', { service: 'explorer' })).to.equal(1);
    // In memory there are none.
    if (database !== undefined) {
      expect(value('cls_database_statement_duration_seconds_count')).to.be.above(0);
    }
    expect(value('cls_shed_total')).to.equal(0);
    expect(value('cls_ready', { need: 'sessions' })).to.equal(1);
    expect(value('cls_ready', { need: 'issuer' })).to.equal(1);
    expect(names).to.include('nodejs_eventloop_lag_p99_seconds');
  });

  it('stay as many, whatever paths, queries, methods and hosts thousands of requests have', async () => {
    const methods = ['GET', 'POST', 'DELETE', 'PROPFIND', 'PUT'];
    const odd = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        const paths = [
          `/${n}`,
          `/deals/deal_${n}?sort=${n}`,
          `/facilities/${n}/../${n}`,
          `/portfolio?limit=${n}`,
          `/callback?code=${n}&state=${n}`,
          `/%00${n}%ff`,
        ];
        const asked = paths.map(async (path) => {
          const headers = { cookie: `session=${n}`, 'x-request-id': `r${n}`, accept: `text/x${n}` };
          const method = methods[n % methods.length] ?? 'GET';
          const answer = await fetch(`${url}${path}`, { method, headers, redirect: 'manual' });
          await answer.text();
        });
        await Promise.all(asked);
      }
    };
    await odd(0, 20);
    const before = await read();
    await odd(20, 360);
    const { series, value } = await read();
    expect(series).to.have.members(before.series);
    expect(value('cls_http_requests_total', { method: 'other' })).to.be.above(100);
    expect(value('cls_http_requests_total', { route: 'other' })).to.be.above(100);
    expect(value('cls_http_requests_total')).to.be.above(2_000);
  });

  it('count requests that were refused before they could be read', async () => {
    for (const [text, status] of UNREADABLE) {
      expect(await statusOfRaw(explorer.port, text)).to.equal(status);
    }
    const { value } = await read();
    const unreadable = (status: string) => value('cls_unreadable_requests_total', { status });
    expect(['400', '431', '413'].map(unreadable)).to.deep.equal([2, 1, 0]);
  });

  it('are not to be had on the public port', async () => {
    expect((await fetch(`${url}/metrics`)).status).to.equal(404);
  });
});

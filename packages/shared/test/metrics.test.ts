import type { ServerResponse } from 'node:http';
import { readExposition } from '@cls/testing/exposition';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { measureReadiness } from '../src/http/health.ts';
import { startHttpService } from '../src/http/http-service.ts';
import { answerRecorder } from '../src/http/request-log.ts';
import { silentLog } from '../src/log.ts';
import { oneValue } from '../src/metrics/metrics.ts';
import { openMetrics, type ServedMetrics } from '../src/service/open-metrics.ts';

const MANIFEST = new URL('../../package.json', import.meta.url);
const open = () => openMetrics({ host: '127.0.0.1', port: 0 }, 'test', MANIFEST, silentLog);

describe('Metrics', () => {
  let metrics: ServedMetrics;
  const read = () => readExposition(metrics.port);
  beforeEach(async () => {
    metrics = await open();
  });
  afterEach(() => metrics.stop());

  it('name the build and the process, and how late the event loop is', async () => {
    const { names, value } = await read();
    expect(value('cls_build_info', { service: 'test', node: process.version })).to.equal(1);
    expect(names).to.include('nodejs_eventloop_lag_p99_seconds');
    expect(names).to.include('process_resident_memory_bytes');
  });

  it('serve nothing but /metrics, and only reads', async () => {
    const at = (path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${metrics.port}${path}`, { method }).then(({ status }) => status);
    expect(await at('/')).to.equal(404);
    expect(await at('/metrics/')).to.equal(404);
    expect(await at('/metrics', 'POST')).to.equal(404);
    expect(await at('/metrics', 'HEAD')).to.equal(200);
  });

  it('show a counter at 0 before its first event', async () => {
    metrics.counter({ name: 'cls_a_total', help: 'a', labels: { reason: ['one', 'two'] } });
    expect((await read()).value('cls_a_total', { reason: 'two' })).to.equal(0);
  });

  it('count a value that is not in the list of its label as other', async () => {
    const count = metrics.counter({ name: 'cls_a_total', help: 'a', labels: { reason: ['one'] } });
    for (const reason of ['one', 'ONE', 'other', '', 'one\nx', '__proto__', '"} 5']) {
      count({ reason });
    }
    const { value, series } = await read();
    expect(value('cls_a_total', { reason: 'one' })).to.equal(1);
    expect(value('cls_a_total', { reason: 'other' })).to.equal(6);
    expect(series.filter((one) => one.startsWith('cls_a_total'))).to.have.length(2);
  });

  it('stay as many, whatever paths, methods and statuses are asked for', async () => {
    const record = answerRecorder(silentLog, metrics, ['/a/{id}']);
    const send = (n: number) => {
      const odd = `${n} "\\ \n{}`;
      record({ method: odd, path: `/${odd}`, route: `/a/${odd}`, status: 200 }, 0);
      record({ method: 'GET', path: `/${n}`, route: '/a/{id}', status: 200 + (n % 600) }, 0);
      record({ method: odd, path: odd, status: n }, 0);
    };
    for (let n = 0; n < 2_000; n += 1) send(n);
    const before = (await read()).series.length;
    for (let n = 2_000; n < 6_000; n += 1) send(n);
    const { series, value } = await read();
    expect(series).to.have.length(before);
    expect(value('cls_http_requests_total')).to.equal(18_000);
    expect(value('cls_http_requests_total', { route: '/a/{id}', method: 'GET' })).to.equal(6_000);
  });

  it('leave out what cannot be read, and answer all the same', async () => {
    const gauge = (name: string, read: () => Promise<never>) =>
      metrics.gauge({ name, help: 'x', labels: {} }, read);
    gauge('cls_broken', async () => {
      throw new Error('no database');
    });
    gauge('cls_slow', () => new Promise<never>(() => undefined));
    metrics.gauge({ name: 'cls_good', help: 'x', labels: {} }, () => oneValue(5));
    const { names, value } = await read();
    expect([names.has('cls_broken'), names.has('cls_slow')]).to.deep.equal([false, false]);
    expect(value('cls_good')).to.equal(5);
  });

  it('count what is refused because as many requests as are allowed are under way', async () => {
    const held: ServerResponse[] = [];
    const service = await startHttpService(
      {
        ...{ host: '127.0.0.1', port: 0, drainDelayMs: 0, drainTimeoutMs: 1_000 },
        ...{ trustedProxyHops: 0, baseUrl: 'http://x', log: silentLog, metrics },
        limits: { requestsAtOnce: 1 },
      },
      () => (_, response) => void held.push(response),
    );
    const url = `http://127.0.0.1:${service.port}/`;
    const first = fetch(url);
    await eventually(async () => expect(held).to.have.length(1));
    expect((await fetch(url)).status).to.equal(503);
    const { value } = await read();
    expect([value('cls_requests_under_way'), value('cls_requests_limit')]).to.deep.equal([1, 1]);
    expect(value('cls_shed_total', { what: 'request' })).to.equal(1);
    expect(value('cls_shed_total', { what: 'connection' })).to.equal(0);
    held[0]?.end();
    await first;
    await eventually(async () =>
      expect((await read()).value('cls_requests_under_way')).to.equal(0),
    );
    await service.stop();
  });

  it('drop a value of a gauge that is gone', async () => {
    let states = ['staged', 'active'];
    metrics.gauge({ name: 'cls_keys', help: 'x', labels: { state: ['staged', 'active'] } }, () =>
      states.map((state) => ({ labels: { state }, value: 1 })),
    );
    expect((await read()).value('cls_keys')).to.equal(2);
    states = ['active'];
    expect((await read()).value('cls_keys', { state: 'staged' })).to.equal(undefined);
  });

  it('refuse a port that is taken, and say so', async () => {
    const again = openMetrics(
      { host: '127.0.0.1', port: metrics.port ?? 0 },
      'b',
      MANIFEST,
      silentLog,
    );
    expect(await again.catch((error: Error) => error.message)).to.match(/already in use/);
  });

  it('say what a service needs and does not have, also while it waits for an answer', async () => {
    const never = new Promise<void>(() => undefined);
    measureReadiness(metrics, [
      { name: 'database', check: async () => undefined },
      { name: 'sessions', check: () => Promise.reject(new Error('refused')) },
      { name: 'issuer', check: () => never },
    ]);
    const { value } = await read();
    const needs = ['database', 'sessions', 'issuer'].map((need) => value('cls_ready', { need }));
    expect(needs).to.deep.equal([1, 0, 0]);
  });

  it('are not served, and not counted, without a port', async () => {
    const none = await openMetrics(undefined, 'test', MANIFEST, silentLog);
    expect(none.port).to.equal(undefined);
    none.counter({ name: 'cls_a_total', help: 'a', labels: {} })({});
    await none.stop();
  });
});

// The three services as processes, with traces sent to a receiver of OTLP over HTTP.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { runTool } from '../../packages/auth-server/dist/test/support/tool.js';
import { makeStore } from '../../packages/testing/dist/src/embedded-template.js';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import {
  endWithTests,
  eventually,
  freePort,
  startRedis,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';

const root = resolve(import.meta.dirname, '..', '..');
const SERVER = 2;
const CLIENT = 3;

/** A promise that only `reject` settles; who does not wait for it any more is not told. */
function rejectable() {
  let reject;
  const promise = new Promise((_, rejectIt) => {
    reject = rejectIt;
  });
  promise.catch(() => undefined);
  return { promise, reject };
}

describe('the traces of the services', () => {
  const spans = [];
  const children = [];
  const logs = { 'auth-server': '', 'resource-api': '', explorer: '' };
  let receiver;
  let issuer;
  let api;
  let explorer;
  let token;
  /** Another trace for each request: 32 and 16 digits, and the mark that it is recorded. */
  const traceOf = (n) => ({
    id: `${n}`.padStart(32, 'a'),
    header: `00-${`${n}`.padStart(32, 'a')}-${`${n}`.padStart(16, 'b')}-01`,
  });
  const attribute = (span, key) => {
    const { value } = span.attributes.find((one) => one.key === key) ?? {};
    return value?.stringValue ?? value?.intValue;
  };
  const inTrace = (id, service) =>
    spans.filter((one) => one.traceId === id && one.service === service);

  before(async function () {
    const redis = await startRedis();
    requireServer(this, 'redis-server', redis);
    receiver = createServer(async (request, response) => {
      const { resourceSpans } = await json(request);
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name').value;
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({ ...span, service: service.stringValue });
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
    const ports = [await freePort(), await freePort(), await freePort()];
    [issuer, api, explorer] = ports.map((port) => `http://localhost:${port}`);
    const env = {
      ...process.env,
      CLS_DATA_DIR: join(temporaryDirectory('cls-traces-'), 'data'),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.address().port}`,
      OTEL_BSP_SCHEDULE_DELAY: '200',
      ...{ ISSUER: issuer, AUTH_PORT: ports[0], API_PORT: ports[1], EXPLORER_PORT: ports[2] },
      ...{ EXPLORER_URL: explorer, EXPLORER_CLIENT_ID: 'app_1', EXPLORER_CLIENT_SECRET: 'x' },
    };
    for (const name of ['auth-server', 'resource-api']) {
      const migrations = pathToFileURL(join(root, 'packages', name, 'migrations/'));
      await makeStore(join(env.CLS_DATA_DIR, name, 'database'), migrations);
    }
    const { promise: ended, reject: onEnd } = rejectable();
    const start = (name, more = {}) => {
      const main = join(root, 'packages', name, 'dist', 'src', 'main.js');
      const child = spawn(process.execPath, [main], { env: { ...env, ...more } });
      child.stdout.on('data', (text) => {
        logs[name] += text;
      });
      let complaint = '';
      child.stderr.on('data', (text) => {
        complaint += text;
      });
      child.once('exit', () => onEnd(new Error(`${name} ended: ${logs[name]}${complaint}`)));
      children.push(endWithTests(child));
    };
    start('auth-server', { REDIS_URL: redis.url });
    const answers = (url) => {
      const ready = eventually(async () => {
        if (!(await fetch(`${url}/readyz`)).ok) throw new Error('not ready');
      });
      return Promise.race([ready, ended]);
    };
    start('resource-api');
    await answers(issuer);
    start('explorer', { REDIS_URL: redis.url }); // Then it makes no store.
    const operator = { CLS_DATA_DIR: env.CLS_DATA_DIR, ISSUER: issuer };
    await runTool(['customers', 'create', 'bank', '--name', 'Bank'], operator);
    const words = ['--name', 'x', '--customer', 'bank', '--permission', 'cls-deal.view', '--json'];
    const made = await runTool(['service-accounts', 'create', ...words], operator);
    const { clientId, clientSecret } = JSON.parse(made.stdout);
    await Promise.all([answers(api), answers(explorer)]);
    token = async (headers, type = 'application/x-www-form-urlencoded') => {
      const form = { grant_type: 'client_credentials' };
      const secret = { client_id: clientId, client_secret: clientSecret };
      const body = type.endsWith('json')
        ? JSON.stringify(secret)
        : new URLSearchParams({ ...form, ...secret });
      const answer = await fetch(`${issuer}/oauth/token`, {
        ...{ method: 'POST', body, headers: { 'content-type': type, ...headers } },
      });
      return (await answer.json()).access_token;
    };
  });
  after(async () => {
    await Promise.all(
      children.map(
        (child) =>
          new Promise((done) => {
            child.once('exit', done);
            if (!child.kill('SIGTERM')) done();
          }),
      ),
    );
    receiver?.closeAllConnections();
    receiver?.close();
  });

  for (const [n, way, type] of [
    [1, 'short', 'application/x-www-form-urlencoded'],
    [2, 'long', 'application/json'],
  ]) {
    it(`have the request for a token and the token in it, the ${way} way`, async () => {
      const trace = traceOf(n);
      expect(await token({ traceparent: trace.header }, type)).to.be.a('string');
      await eventually(async () => {
        const found = inTrace(trace.id, 'auth-server');
        const request = found.find(({ kind }) => kind === SERVER);
        expect(request.name).to.equal('POST /oauth/token');
        expect(request.parentSpanId).to.equal(trace.header.split('-')[2]);
        expect(attribute(request, 'http.response.status_code')).to.equal(200);
        const [issued] = found.filter(({ name }) => name === 'token');
        expect(issued.parentSpanId).to.equal(request.spanId);
      }, 60_000);
    });
  }

  it('have the statements of a question, its log line and its problem the trace id', async () => {
    const authorization = `Bearer ${await token({})}`;
    const [good, bad] = [traceOf(3), traceOf(4)];
    const ask = (path, { header }) =>
      fetch(`${api}${path}`, { headers: { authorization, traceparent: header } });
    expect((await ask('/api/v1/cls/balances?limit=1', good)).status).to.equal(200);
    const problem = await (await ask('/api/v1/cls/balances?secret-query=1', bad)).json();
    expect(problem.traceId).to.equal(bad.id);
    await eventually(async () => {
      const found = inTrace(good.id, 'resource-api');
      const request = found.find(({ kind }) => kind === SERVER);
      expect(request?.name).to.equal('GET /api/v1/cls/balances');
      const statements = found.filter((one) => attribute(one, 'db.system.name') === 'postgresql');
      expect(statements.map(({ name }) => name)).to.include('SELECT');
      expect(statements.every(({ traceId }) => traceId === request.traceId)).to.equal(true);
      const line = logs['resource-api'].split('\n').find((one) => one.includes(good.id));
      expect(JSON.parse(line)).to.include({ 'trace.id': good.id, 'span.id': request.spanId });
      expect(inTrace(bad.id, 'resource-api').length).to.be.above(0);
    }, 60_000);
  });

  it('go on in another service: from the API to the key set', async () => {
    await eventually(async () => {
      // The first reads find nobody: the issuer starts at the same time.
      const reads = spans.filter(
        (one) =>
          one.service === 'resource-api' &&
          one.kind === CLIENT &&
          attribute(one, 'url.full')?.endsWith('/jwks.json'),
      );
      const answered = reads.flatMap(({ traceId, spanId }) =>
        inTrace(traceId, 'auth-server').filter(({ parentSpanId }) => parentSpanId === spanId),
      );
      expect(answered.map(({ name }) => name)).to.include('GET /.well-known/jwks.json');
    }, 60_000);
  });

  it('go on in another service: from a person’s request at the explorer to the issuer', async () => {
    const trace = traceOf(5);
    await fetch(`${explorer}/sign-in`, {
      ...{ redirect: 'manual', headers: { traceparent: trace.header } },
    });
    await eventually(async () => {
      const [request] = inTrace(trace.id, 'explorer').filter(({ kind }) => kind === SERVER);
      expect(request?.name).to.equal('GET /sign-in');
      const [onward] = inTrace(trace.id, 'explorer').filter(({ kind }) => kind === CLIENT);
      expect(onward?.name).to.be.a('string');
      const there = inTrace(trace.id, 'auth-server').filter(({ kind }) => kind === SERVER);
      expect(there.length).to.be.above(0);
    }, 60_000);
  });

  it('have the commands to Redis', async () => {
    await fetch(`${issuer}/oauth/authorize?client_id=x`);
    await eventually(async () => {
      await fetch(`${issuer}/oauth/device/auth`, { method: 'POST' }).catch(() => undefined);
      await fetch(`${issuer}/readyz`);
      const found = spans.find((one) => attribute(one, 'db.system.name') === 'redis');
      expect(found?.kind).to.equal(CLIENT);
    }, 60_000);
  });

  it('have no statement that no request caused', () => {
    const statements = spans.filter((one) => attribute(one, 'db.system.name') === 'postgresql');
    expect(statements.length).to.be.above(0);
    expect(statements.filter(({ parentSpanId }) => !parentSpanId)).to.deep.equal([]);
  });

  it('hold no query, no token and no secret, and leave out probes', () => {
    const text = JSON.stringify(spans);
    expect(text).not.to.match(/secret-query|eyJ|client_secret=|Bearer /);
    expect(spans.some((one) => attribute(one, 'url.path') === '/readyz')).to.equal(false);
  });
});

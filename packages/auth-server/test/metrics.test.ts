import { get } from 'node:http';
import { anyEngine, describeOnDatabase, requireServer } from '@cls/testing/engines';
import { readExposition } from '@cls/testing/exposition';
import { statusOfRaw, UNREADABLE } from '@cls/testing/raw-request';
import { eventually, type RedisServer, startRedis } from '@cls/testing/servers';
import { expect } from 'chai';
import { newClientSecret } from '../src/clients/client-secret.ts';
import { basic, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { authorizationUrl, Browser, exchange, relyingParty } from './support/relying-party.ts';

/** Sent as it is: a path that no URL class would let through. */
function send(port: string, path: string, method: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get({ port, path, method, host: 'localhost' }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject);
  });
}

describeOnDatabase('Metrics of auth-server', (engine) => {
  let server: TestAuthServer;
  const read = () => readExposition(server.metricsPort);
  const form = 'grant_type=client_credentials';
  before(async () => {
    server = await startTestAuthServer(engine, { METRICS_PORT: '0' });
  });
  after(() => server.stop());

  it('count a token to a service account, the short way and the long way', async () => {
    const { id, secret } = server.client;
    await server.post(form, basic(id, secret));
    await server.postJson({ client_id: id, client_secret: secret });
    const { value } = await read();
    expect(value('cls_tokens_issued_total', { to: 'service_account' })).to.equal(2);
    const asked = { route: '/oauth/token', method: 'POST', status: '200' };
    expect(value('cls_http_requests_total', asked)).to.equal(2);
    expect(value('cls_http_request_duration_seconds_count', { route: '/oauth/token' })).to.equal(2);
  });

  it('count requests that were refused before they could be read', async () => {
    for (const [text, status] of UNREADABLE) {
      expect(await statusOfRaw(Number(new URL(server.issuer).port), text)).to.equal(status);
    }
    const { value } = await read();
    const unreadable = (status: string) => value('cls_unreadable_requests_total', { status });
    expect(['400', '431', '413'].map(unreadable)).to.deep.equal([2, 1, 0]);
    expect(value('cls_slow_readers_total')).to.equal(0);
  });

  it('count a token to a person', async () => {
    await server.postJson(server.person);
    expect((await read()).value('cls_tokens_issued_total', { to: 'account' })).to.equal(1);
    const portal = await relyingParty(server);
    const flow = await authorizationUrl(portal);
    const browser = new Browser();
    const page = await browser.follow(flow.url);
    const { url } = await browser.submit(page, server.person);
    await exchange(portal, flow, url);
    const { value } = await read();
    expect(value('cls_tokens_issued_total', { to: 'account' }), 'by an application').to.equal(2);
    expect(value('cls_tokens_issued_total', { to: 'service_account' })).to.equal(2);
  });

  it('count what is refused, by a reason of a closed list', async () => {
    await server.post(form, basic(server.client.id, newClientSecret().expose()));
    await server.postJson({ ...server.person, password: 'wrong' });
    await server.postJson({ ...server.person, email: 'nobody@india.example' });
    await server.post('grant_type=urn:x:1', basic(server.client.id, server.client.secret));
    const { value } = await read();
    const refused = (reason: string) => value('cls_tokens_refused_total', { reason });
    expect(refused('invalid_client')).to.equal(1);
    expect(refused('wrong_password')).to.equal(1);
    expect(refused('unknown_email')).to.equal(1);
    expect(refused('unsupported_grant_type')).to.equal(1);
    for (let n = 0; n < 2; n += 1) await server.post(form, basic(server.client.id, 'cls_cut'));
    const { value: then } = await read();
    expect(then('cls_tokens_refused_total', { reason: 'invalid_client' })).to.equal(3);
    expect(then('cls_tokens_refused_total', { reason: 'server_error' })).to.equal(0);
  });

  it('show the age of the signing key, the queues and the time of statements', async () => {
    const { value, names } = await read();
    expect(value('cls_signing_key_age_seconds', { state: 'active' })).to.be.at.least(0);
    expect(value('cls_signing_key_age_seconds', { state: 'retiring' })).to.equal(undefined);
    expect(value('cls_mail_waiting')).to.equal(0);
    expect(value('cls_mail_lost_total')).to.equal(0);
    expect(value('cls_logout_notices_waiting')).to.equal(0);
    expect(value('cls_customer_notices_waiting')).to.equal(0);
    expect(value('cls_password_checks_waiting')).to.equal(0);
    expect(value('cls_audit_waiting_bytes')).to.be.at.least(0);
    expect(value('cls_database_statement_duration_seconds_count', { outcome: 'done' })).to.be.above(
      0,
    );
    expect(names.has('cls_database_connections')).to.equal(engine.name === 'PostgreSQL');
  });

  it('stay as many, whatever paths, methods and clients are asked for', async () => {
    const { port } = new URL(server.issuer);
    const methods = ['GET', 'POST', 'PUT', 'PROPFIND', 'M-SEARCH', 'QUERY'];
    const paths = (n: number) => [
      `/${n}`,
      `/interaction/uid-${n}-uid-${n}/form-${'x'.repeat(n % 20)}`,
      `/upstream/d${n}.example`,
      `/account/${n}`,
      `/admin/${n}`,
      `/assets/${n}.css`,
      `/device/${n}`,
      `/%${n}"}\\`,
    ];
    const odd = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        const method = methods[n % methods.length] ?? '';
        await Promise.all(paths(n).map((path) => send(port, path, method)));
        if (n % 10 === 0) await server.post(`grant_type=g${n}`, basic(`client-${n}`, `${n}`));
      }
    };
    await odd(0, 24);
    const before = await read();
    await odd(24, 100);
    const { series, value } = await read();
    expect(series).to.deep.equal(before.series);
    expect(value('cls_http_requests_total', { route: 'other' })).to.be.above(100);
  });

  it('are not to be had on the public port', async () => {
    const answer = await fetch(`${server.issuer}/metrics`);
    expect(answer.status).to.equal(404);
  });
});

describe('Metrics of auth-server with Redis', () => {
  let redis: RedisServer;
  let server: TestAuthServer;
  before(async function () {
    const started = await startRedis();
    requireServer(this, 'redis-server', started);
    redis = started;
    server = await startTestAuthServer(anyEngine, { METRICS_PORT: '0', REDIS_URL: redis.url });
  });
  after(() => server?.stop());
  const guarded = () => {
    const { email, password } = server.guarded;
    return { email, password };
  };

  it('measure its commands, and count those that fail', async () => {
    const read = async (outcome: string) =>
      (await readExposition(server.metricsPort)).value('cls_redis_command_duration_seconds_count', {
        outcome,
      }) ?? 0;
    const before = await read('done');
    await server.postJson(guarded());
    expect(await read('done')).to.be.above(before);
    redis.process.kill('SIGKILL');
    await eventually(async () => {
      await server.postJson(guarded());
      expect(await read('failed')).to.be.above(0);
    });
  });
});

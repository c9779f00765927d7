// deploy/nginx.conf and nginx.explorer.conf with a real nginx, where the replicas have as many requests
// as they take. The replicas are servers that answer when the test lets them.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import {
  eventually,
  freePort,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { sendThrough } from '../drills/http.mjs';
import { NGINX, startNginxOfBoth } from '../drills/nginx.mjs';

const REPLICAS = ['8081', '8181', '8082', '8182', '8083', '8183'];
/** In the copy of the files that is tested, of each replica. */
const LIMIT = 2;
const OF_BOTH = 2 * LIMIT;
/** A page of 1,000 items. */
const LARGE = Buffer.alloc(2_400_000, 'x');
/** Longer than any address that nginx takes. */
const LONG_ADDRESS = `/oauth/authorize?${'x'.repeat(20_000)}`;

describe('nginx in front of replicas that have as many requests as they take', () => {
  const agent = new Agent({ keepAlive: true });
  /** From another address of this machine. */
  const elsewhere = new Agent({ keepAlive: true, localAddress: '127.0.0.2' });
  const servers = [];
  const ports = {};
  /** Answers that wait, by the port that the files give a replica. */
  const held = new Map(REPLICAS.map((named) => [named, []]));
  let folder;
  let issuer;
  let explorer;
  let nginx;
  let send;
  let sendElsewhere;

  before(async function () {
    requireServer(this, 'nginx', NGINX);
    folder = temporaryDirectory('cls-nginx-limits-');
    for (const named of ['80', '443', ...REPLICAS]) ports[named] = await freePort();
    for (const named of REPLICAS) {
      const server = createServer((request, response) => {
        if (request.url.includes('slow')) held.get(named).push(response);
        else if (request.url.includes('large')) response.end(LARGE);
        else if (request.url.includes('redirect')) {
          response.writeHead(302, { location: LONG_ADDRESS }).end();
        } else response.end('answered');
      });
      server.listen(ports[named], '127.0.0.1');
      await once(server, 'listening');
      servers.push(server);
    }
    let certificate;
    ({
      child: nginx,
      certificate,
      issuer,
      explorer,
    } = startNginxOfBoth(folder, ports, (text) =>
      text
        // Else the machine takes some megabytes of an answer whose caller reads nothing.
        .replace('http2 default_server;', 'http2 default_server sndbuf=64k;')
        .replaceAll(/ max_conns=\d+/g, ` max_conns=${LIMIT}`)
        .replaceAll(/limit_conn (cls_\w+) \d+;/g, 'limit_conn $1 1;'),
    ));
    const ca = readFileSync(certificate);
    send = sendThrough({ agent, ca, base: issuer });
    sendElsewhere = sendThrough({ agent: elsewhere, ca, base: issuer });
    await eventually(async () => expect((await send('/api')).status).to.equal(200));
  });
  after(() => {
    agent.destroy();
    elsewhere.destroy();
    nginx?.kill('SIGTERM');
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  const heldAt = (...named) => named.map((each) => held.get(each).length);
  /** Fills both replicas of a service with requests for `address`, and frees them after `test`. */
  async function whileFull([first, second], address, test) {
    const full = Array.from({ length: OF_BOTH }, () => send(address));
    await eventually(() => expect(heldAt(first, second)).to.deep.equal([LIMIT, LIMIT]));
    await test();
    for (const each of [first, second]) {
      for (const response of held.get(each).splice(0)) response.end('answered');
    }
    expect((await Promise.all(full)).map(({ status }) => status)).to.deep.equal(
      Array(OF_BOTH).fill(200),
    );
    expect((await send(new URL('/', address.startsWith('/') ? issuer : address))).status).to.equal(
      200,
    );
  }

  it('refuses a caller of the API with a problem document, and answers other services’ callers', async () => {
    await whileFull(['8082', '8182'], '/api/slow', async () => {
      const refused = await send('/api/v1/cls/balances', { headers: { 'x-request-id': 'mine' } });
      expect(refused.status).to.equal(503);
      expect(Object.fromEntries(refused.headers)).to.include({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'retry-after': '2',
        'strict-transport-security': 'max-age=31536000',
        'x-request-id': 'mine',
      });
      expect(await refused.json()).to.deep.equal({
        type: `${new URL('/docs/errors/unavailable', 'https://cls.example')}`,
        title: 'Service unavailable',
        status: 503,
        detail: 'Too many requests are under way. Try again later.',
        code: 'unavailable',
        requestId: 'mine',
      });
      const posted = await send('/api/v1/cls/balances', { method: 'POST', body: '{}' });
      expect(posted.status).to.equal(503);
      for (const path of ['/oauth/token', '/account', '/.well-known/jwks.json', explorer]) {
        expect((await send(path)).status, path).to.equal(200);
      }
    });
  });

  it('refuses a caller of the token endpoint in the shape of OAuth', async () => {
    await whileFull(['8081', '8181'], '/oauth/slow', async () => {
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      const refused = await send('/oauth/token', { method: 'POST', body });
      expect(refused.status).to.equal(503);
      expect(Object.fromEntries(refused.headers)).to.include({
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'retry-after': '2',
      });
      expect(await refused.json()).to.deep.equal({
        error: 'temporarily_unavailable',
        error_description: 'too many requests are under way; try again',
      });
      expect((await (await send('/admin/accounts')).json()).code).to.equal('unavailable');
      expect((await send('/api')).status).to.equal(200);
    });
  });

  it('shows a person a page that says so, at the issuer and in the explorer', async () => {
    const page = async (address, language) => {
      const headers = { accept: 'text/html', 'accept-language': language };
      const refused = await send(address, { headers });
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect(refused.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      return refused.text();
    };
    for (const [replicas, origin] of [
      [['8081', '8181'], issuer],
      [['8083', '8183'], explorer],
    ]) {
      await whileFull(replicas, `${origin}/account/slow`, async () => {
        expect(await page(`${origin}/account`, 'en')).to.include(
          '<h1>The service is very busy just now</h1>',
        );
        expect(await page(`${origin}/account`, 'de')).to.include(
          '<h1>Der Dienst ist gerade stark ausgelastet</h1>',
        );
      });
    }
  });

  it('passes long redirects on, and refuses addresses that are longer than 16 KiB', async () => {
    for (const address of ['/oauth/redirect', `${explorer}/redirect`]) {
      const { status, headers } = await send(address);
      expect([status, headers.get('location')], address).to.deep.equal([302, LONG_ADDRESS]);
    }
    expect((await send(`/api?${'x'.repeat(16_000)}`)).status).to.equal(200);
    const refused = await send(LONG_ADDRESS);
    expect([refused.status, (await refused.json()).code]).to.deep.equal([414, 'too_long']);
  });

  it('counts each request of an HTTP/2 connection', async () => {
    const session = connectHttp2(issuer, { rejectUnauthorized: false });
    const ask = async (path) => {
      const stream = session.request({ ':path': path }).resume();
      const [headers] = await once(stream, 'response');
      return headers[':status'];
    };
    await whileFull(['8082', '8182'], '/api/slow', async () => {
      expect(await ask('/api')).to.equal(503);
      expect(await ask('/account')).to.equal(200);
    });
    expect(await ask('/api')).to.equal(200);
    session.close();
  });

  it('answers callers while others send their requests slowly', async () => {
    const slow = Array.from({ length: OF_BOTH + 1 }, () =>
      connectTls({ port: ports['443'], host: '127.0.0.1', rejectUnauthorized: false }),
    );
    for (const socket of slow) {
      await once(socket, 'secureConnect');
      socket.write('POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\ngr');
    }
    expect((await send('/oauth/token', { method: 'POST', body: '{}' })).status).to.equal(200);
    for (const socket of slow) socket.destroy();
  });

  it('lets an address have few exports and downloads at once, and answers its other questions', async () => {
    const csv = { headers: { accept: 'text/csv' } };
    for (const [address, small, options, replicas] of [
      ['/api/slow', '/api/v1/cls/balances', csv, ['8082', '8182']],
      [`${explorer}/slow.csv`, `${explorer}/deals`, {}, ['8083', '8183']],
    ]) {
      const first = send(address, options);
      await eventually(() => expect(heldAt(...replicas).sort()).to.deep.equal([0, 1]));
      const refused = await send(address, options);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
      if (address === '/api/slow') {
        expect((await refused.json()).detail).to.equal(
          'Too many requests are under way. Try again later.',
        );
      }
      expect((await send(small)).status).to.equal(200);
      // Another address has its own.
      const other = sendElsewhere(address, options);
      await eventually(async () => expect(heldAt(...replicas).join()).to.match(/^(1,1|0,2|2,0)$/));
      for (const each of replicas) {
        for (const response of held.get(each).splice(0)) response.end('answered');
      }
      expect([(await first).status, (await other).status]).to.deep.equal([200, 200]);
    }
  });

  it('takes large pages at once, so that callers who do not read them keep no places', async () => {
    const idle = Array.from({ length: OF_BOTH + 1 }, () =>
      connectTls({ port: ports['443'], host: '127.0.0.1', rejectUnauthorized: false }),
    );
    for (const socket of idle) {
      await once(socket, 'secureConnect');
      socket.pause();
      socket.write('GET /api/large HTTP/1.1\r\nHost: localhost\r\n\r\n');
    }
    await eventually(async () => expect((await send('/api/small')).status).to.equal(200));
    for (const socket of idle) expect(socket.destroyed).to.equal(false);
    for (const socket of idle) socket.destroy();
  });

  it('logs which refusals are its own', () => {
    const lines = readFileSync(join(folder, 'log', 'access.log'), 'utf8').split('\n');
    const refused = lines.filter((line) => / HTTP\/[\d.]+" 503 /.test(line));
    expect(refused).to.have.length.above(6);
    for (const line of refused) {
      // By limit_conn it asks nobody.
      expect(line).to.match(/ ((auth_server|resource_api|explorer) 502|- -) \S+$/);
    }
    expect(readFileSync(join(folder, 'log', 'error.log'), 'utf8')).to.include('no live upstreams');
  });
});

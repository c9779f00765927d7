import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pglite } from '@cls/testing/engines';
import { eventually, freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import { basic, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';

const LIMIT = 3;

describe('auth-server with more requests under way than it takes', () => {
  let server: TestAuthServer;
  let healthPort: number;
  const slow: Socket[] = [];

  before(async () => {
    healthPort = await freePort();
    server = await startTestAuthServer(pglite, {
      MAX_REQUESTS_AT_ONCE: `${LIMIT}`,
      HEALTH_PORT: `${healthPort}`,
    });
    // Requests whose bodies never end.
    const { hostname, port, host } = new URL(server.issuer);
    for (let n = 0; n < LIMIT; n += 1) {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(
        `POST /oauth/token HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 99\r\n` +
          'Content-Type: application/x-www-form-urlencoded\r\n\r\ngrant',
      );
      slow.push(socket);
    }
    await eventually(async () => expect((await token()).status).to.equal(503), 60_000);
  });
  after(async () => {
    for (const socket of slow) socket.destroy();
    await server?.stop();
  });

  const token = () =>
    server.post('grant_type=client_credentials', basic(server.client.id, server.client.secret));
  const get = (path: string, accept: string) =>
    fetch(`${server.issuer}${path}`, { headers: { accept }, redirect: 'manual' });

  it('refuses a caller at the token endpoint in the shape of OAuth, before it looks at the secret', async () => {
    for (const answer of [
      await token(),
      await server.post('nonsense'),
      await server.postJson({}),
    ]) {
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('retry-after')).to.equal('2');
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      expect(await answer.json()).to.deep.equal({
        error: 'temporarily_unavailable',
        error_description: 'too many requests are under way; try again',
      });
    }
  });

  it('shows a person a page', async () => {
    const answer = await get('/account', 'text/html');
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.equal('2');
    expect(await answer.text()).to.contain('<!doctype html>');
  });

  it('answers probes, on its port and on the port for them alone', async () => {
    for (const base of [server.issuer, `http://127.0.0.1:${healthPort}`]) {
      for (const probe of ['/livez', '/readyz']) {
        expect((await fetch(`${base}${probe}`)).status, `${base}${probe}`).to.equal(200);
      }
    }
  });

  it('answers again when others have ended', async () => {
    for (const socket of slow.splice(0)) socket.destroy();
    await eventually(async () => expect((await token()).status).to.equal(200));
  });
});

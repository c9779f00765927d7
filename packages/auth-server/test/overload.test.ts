import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { anyEngine } from '@cls/testing/engines';
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
    server = await startTestAuthServer(anyEngine, {
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

  const page = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.issuer}${path}`, {
      headers: { accept: 'text/html', ...headers },
      redirect: 'manual',
    });

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

  it('shows a person a page with its reference, the headers of every page, and no cookie', async () => {
    const answer = await page('/account', { 'x-request-id': 'from <nginx>' });
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.equal('2');
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).to.contain("style-src 'self'");
    expect(answer.headers.get('x-frame-options')).to.equal('DENY');
    expect(answer.headers.get('x-request-id')).to.equal('from <nginx>');
    expect(answer.headers.getSetCookie()).to.deep.equal([]);
    expect(await answer.text())
      .to.contain('<!doctype html>')
      .and.contain('The service is very busy just now')
      .and.contain('<code>from &lt;nginx&gt;</code>');
    const other = await page('/account');
    expect(await other.text()).to.contain(`<code>${other.headers.get('x-request-id')}</code>`);
    const head = await fetch(`${server.issuer}/account`, {
      method: 'HEAD',
      headers: { accept: 'text/html' },
    });
    expect([head.status, await head.text()]).to.deep.equal([503, '']);
  });

  it('shows it in the language that was chosen, asked for by the application, or the browser’s', async () => {
    const german = { 'accept-language': 'de-AT' };
    for (const [path, headers, locale] of [
      ['/account', {}, 'en'],
      ['/account', german, 'de'],
      ['/account', { ...german, cookie: 'cls_language=en' }, 'en'],
      ['/account?lang=de', { cookie: 'cls_language=en' }, 'de'],
      ['/oauth/authorize?client_id=a&ui_locales=fr+de', {}, 'de'],
    ] as const) {
      const answer = await page(path, headers);
      expect(answer.headers.get('content-language'), path).to.equal(locale);
      expect(await answer.text()).to.contain(`<html lang="${locale}">`);
    }
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

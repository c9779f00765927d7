import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Explorer } from '../src/compose.ts';
import { type Services, sharedServices } from './support/services.ts';

const LIMIT = 2;
const TITLES = {
  en: 'The service is very busy just now',
  de: 'Der Dienst ist gerade stark ausgelastet',
};
/** An address and a header that must show nothing of themselves in a page as they are. */
const ADDRESS = '/deals?asOf=2025-03-31&q=%22%3E%3Cb%3E';

describe('the explorer with more requests under way than it takes', () => {
  let services: Services;
  let explorer: Explorer;
  let url: string;
  const slow: Socket[] = [];

  before(async () => {
    services = await sharedServices();
    explorer = await services.startAnother({
      ...{ EXPLORER_PORT: '0', MAX_REQUESTS_AT_ONCE: `${LIMIT}` },
      CLS_DATA_DIR: temporaryDirectory('cls-explorer-'),
    });
    url = `http://127.0.0.1:${explorer.port}`;
    // Requests whose bodies never end.
    for (let n = 0; n < LIMIT; n += 1) {
      const socket = connect(explorer.port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(
        'POST /backchannel-logout HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n' +
          'Content-Type: application/x-www-form-urlencoded\r\n\r\nlogout',
      );
      slow.push(socket);
    }
    await eventually(async () => expect((await ask('/portfolio')).status).to.equal(503), 60_000);
  });
  after(async () => {
    for (const socket of slow) socket.destroy();
    await explorer?.stop();
  });

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    fetch(`${url}${path}`, {
      method,
      headers: { accept: 'text/html', ...headers },
      redirect: 'manual',
    });

  it('shows a page that leads back to the same address, and touches no cookie', async () => {
    const page = await ask(ADDRESS, { cookie: 'cls_explorer=session' });
    expect(page.status).to.equal(503);
    expect(page.headers.get('retry-after')).to.equal('2');
    expect(page.headers.get('cache-control')).to.equal('no-store');
    expect(page.headers.getSetCookie()).to.deep.equal([]);
    const text = await page.text();
    expect(text).to.contain('<a class="button primary" href="">').and.contain(TITLES.en);
    expect(text).not.to.contain('<b>');
  });

  it('has the headers of every other page', async () => {
    const page = await ask('/portfolio');
    const other = await fetch(`${services.url}/nothing-here`, { headers: { accept: 'text/html' } });
    for (const name of [
      'content-security-policy',
      'x-frame-options',
      'x-content-type-options',
      'referrer-policy',
      'cross-origin-opener-policy',
      'content-type',
      'strict-transport-security',
    ]) {
      expect(page.headers.get(name), name).to.equal(other.headers.get(name));
    }
  });

  it('speaks the language that was chosen, then the browser’s', async () => {
    const german = { 'accept-language': 'de-AT,de;q=0.9' };
    const chosen = { cookie: 'a=b; cls_explorer_language=de' };
    for (const [path, headers, locale] of [
      ['/portfolio', {}, 'en'],
      ['/portfolio', german, 'de'],
      ['/portfolio', chosen, 'de'],
      ['/portfolio', { ...german, cookie: 'cls_explorer_language=en' }, 'en'],
      ['/portfolio?lang=en', { ...german, ...chosen }, 'en'],
      ['/portfolio?asOf=2025-03-31&lang=de', {}, 'de'],
      ['/portfolio?lang=xx', german, 'de'],
    ] as const) {
      const page = await ask(path, headers);
      expect(page.headers.get('content-language'), path).to.equal(locale);
      expect(await page.text())
        .to.contain(`<html lang="${locale}">`)
        .and.contain(TITLES[locale]);
    }
  });

  it('shows the request id of its header, a proxy’s too', async () => {
    const own = await ask('/portfolio');
    expect(own.headers.get('x-request-id')).to.match(/^req_/);
    expect(await own.text()).to.contain(`<code>${own.headers.get('x-request-id')}</code>`);
    const proxied = await ask('/portfolio', { 'x-request-id': 'from <b>nginx</b>' });
    expect(proxied.headers.get('x-request-id')).to.equal('from <b>nginx</b>');
    expect(await proxied.text()).to.contain('<code>from &lt;b&gt;nginx&lt;/b&gt;</code>');
  });

  it('answers HEAD without a body, and a form without a link that would open its address', async () => {
    const head = await ask('/portfolio', {}, 'HEAD');
    expect([head.status, await head.text()]).to.deep.equal([503, '']);
    const form = await ask('/sign-out', {}, 'POST');
    expect(form.status).to.equal(503);
    expect(await form.text())
      .to.contain(TITLES.en)
      .and.not.contain('href=""');
  });

  it('gives a program a problem document', async () => {
    const answer = await ask('/portfolio', { accept: 'application/json' });
    expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect(await answer.json()).to.include({ code: 'unavailable' });
  });

  it('answers probes, and pages again when others have ended', async () => {
    for (const probe of ['/livez', '/readyz']) expect((await ask(probe)).status).to.equal(200);
    for (const socket of slow.splice(0)) socket.destroy();
    await eventually(async () => expect((await ask('/portfolio')).status).to.equal(302));
  });
});

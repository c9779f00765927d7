import { createServer } from 'node:http';
import { expect } from 'chai';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS } from '../../packages/testing/dist/src/browser.js';
import { requireServer } from '../../packages/testing/dist/src/engines.js';
import { chromiumBinary } from '../../packages/testing/dist/src/servers.js';
import { demoTokenRoutes } from '../demo-token.mjs';
import { startGateway } from '../gateway.mjs';
import { freePorts } from './platform.mjs';

const CALLER = { clientId: 'svc_1', clientSecret: 'cls_2' };
const FORM = `<!doctype html><html lang="en"><title>Try it</title>
<pre id="try-command"><code></code></pre>
<form id="try-form" hidden data-path="/up" data-method="GET" data-url="http://localhost/up">
<label for="try-token">Access token</label> <input id="try-token"><div id="try-answer"></div></form>
<script type="module" src="/docs/assets/try-it.js"></script></html>`;

describe('the token of a demo caller', () => {
  let port;
  let upstream;
  let stop;
  before(async () => {
    port = await freePorts();
    upstream = createServer((incoming, outgoing) => {
      if (incoming.url !== '/oauth/token') {
        outgoing.setHeader('Content-Type', 'text/html');
        return outgoing.end(FORM);
      }
      outgoing.end(JSON.stringify({ access_token: incoming.headers.authorization }));
    });
    await new Promise((done) => upstream.listen(port + 1, '127.0.0.1', done));
    const baseUrl = `http://localhost:${port}`;
    stop = await startGateway({
      ...{ port, baseUrl, pages: port + 1, upstreamOf: () => port + 1 },
      own: demoTokenRoutes({ baseUrl, caller: CALLER }),
    });
  });
  after(async () => {
    await stop();
    upstream.close();
  });

  it('comes by one click on a page of the gateway’s own', async function () {
    requireServer(this, 'Chromium', chromiumBinary());
    this.timeout(60_000);
    const browser = await chromium.launch({
      executablePath: chromiumBinary(),
      args: [...CHROMIUM_FLAGS],
    });
    try {
      const page = await browser.newPage();
      await page.goto(`http://localhost:${port}/docs/v1/operations/listBalances`);
      await page.getByRole('button', { name: 'Use a token of a demo caller' }).click();
      await page.getByText('The field has a token.').waitFor();
      const value = await page.getByLabel('Access token').inputValue();
      expect(value).to.equal(`Basic ${btoa('svc_1:cls_2')}`);
    } finally {
      await browser.close();
    }
  });

  it('is refused to programs, to other sites, and under another name of this machine', async () => {
    const send = (url, headers, method = 'POST') => fetch(url, { method, headers });
    const here = `http://localhost:${port}/demo/token`;
    const own = { 'sec-fetch-site': 'same-origin' };
    const answers = await Promise.all([
      send(here, {}),
      send(here, { 'sec-fetch-site': 'cross-site' }),
      send(here, own, 'GET'),
      send(`http://127.0.0.1:${port}/demo/token`, own),
    ]);
    for (const answer of answers) {
      expect(answer.status).to.equal(403);
      expect(await answer.text()).not.to.include('Basic');
    }
    expect((await send(here, own)).status).to.equal(200);
  });

  it('is not there where callers reach the gateway from elsewhere', () => {
    const routes = demoTokenRoutes({ baseUrl: 'https://cls.example', caller: CALLER });
    expect(routes).to.deep.equal({});
  });
});

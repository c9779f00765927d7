import { NARROW, objections, objectionsToBoth, widthOf } from '@cls/testing/accessibility';
import { sharedBrowser } from '@cls/testing/browser';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startTestApi, type TestApi } from './support/api.ts';

/** One address of each kind of page. */
const KINDS = [
  '/docs',
  '/docs/concepts',
  '/docs/quickstarts',
  '/docs/quickstarts/python',
  '/docs/v1',
  '/docs/v1/fields',
  '/docs/v1/changes',
  '/docs/v1/operations/listBalances',
  '/docs/errors',
  '/docs/errors/rate_limited',
  '/docs/versioning',
  '/docs/glossary',
  '/docs/nothing',
  '/docs/search?q=limit',
];

describe('the documentation, with Chromium', function () {
  this.timeout(120_000);
  let api: TestApi;
  let browser: Browser;
  before(async function () {
    browser = await sharedBrowser(this);
    api = await startTestApi(anyEngine);
  });
  after(() => api?.stop());

  const withPage = async (options: BrowserContextOptions, use: (page: Page) => Promise<void>) => {
    const context = await browser.newContext({ baseURL: api.baseUrl, ...options });
    try {
      await use(await context.newPage());
    } finally {
      await context.close();
    }
  };

  it('axe objects to no kind of page, light or dark; none scrolls sideways at 320 px', async () => {
    await withPage({ viewport: NARROW }, async (page) => {
      const found: string[] = [];
      for (const path of KINDS) {
        await page.goto(path);
        found.push(...(await objectionsToBoth(page)).map((objection) => `${path}: ${objection}`));
        const width = await widthOf(page);
        if (width !== NARROW.width) found.push(`${path}: ${width} px wide`);
      }
      expect(found).to.deep.equal([]);
    });
  });

  it('a reader tries an operation with a token, which goes to this host alone and is kept nowhere', async () => {
    await withPage({}, async (page) => {
      const sent: { url: string; authorization: string | undefined }[] = [];
      page.on('request', (request) => {
        sent.push({ url: request.url(), authorization: request.headers()['authorization'] });
      });
      const refused: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') refused.push(message.text());
      });
      const token = await api.token();
      await page.goto('/docs/v1/operations/listBalances');
      await page.getByLabel('Access token').fill(token);
      await page.locator('#try-form summary').click();
      await page.getByLabel('level', { exact: true }).selectOption('deal');
      expect(await page.locator('#try-command').textContent())
        .to.include('level=deal')
        .and.include('$TOKEN')
        .and.not.include(token);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Status 200').waitFor();
      expect(await page.locator('#try-answer').textContent()).to.include('"object": "list"');
      expect(await objections(page)).to.deep.equal([]);
      expect(sent.every(({ url }) => url.startsWith(api.baseUrl))).to.equal(true);
      const withToken = sent.filter(({ authorization }) => authorization !== undefined);
      expect(withToken.map(({ url }) => new URL(url).pathname)).to.deep.equal([
        '/api/v1/cls/balances',
      ]);
      expect(refused).to.deep.equal([]);
      const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
      expect(await page.evaluate(kept)).to.equal('[{},{},""]');
      await page.reload();
      expect(await page.getByLabel('Access token').inputValue()).to.equal('');
    });
  });

  it('a reader copies a block of code with a button, which says so', async () => {
    await withPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.goto('/docs/quickstarts/curl');
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.getByRole('status').textContent()).to.equal('Copied');
      const copied = await page.evaluate('navigator.clipboard.readText()');
      expect(copied).to.equal('sh balances.sh');
      expect(await objections(page)).to.deep.equal([]);
    });
  });

  it('a reader searches, also without scripts, from every page', async () => {
    for (const javaScriptEnabled of [true, false]) {
      await withPage({ javaScriptEnabled }, async (page) => {
        await page.goto('/docs/glossary');
        await page.getByLabel('Search the documentation').fill('token_revoked');
        await page.getByRole('button', { name: 'Search' }).click();
        await page.locator('.results a').first().click();
        expect(new URL(page.url()).pathname).to.equal('/docs/errors/token_revoked');
      });
    }
  });

  it('a reader without scripts has the command, and no form that does nothing', async () => {
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/docs/v1/operations/listBalances');
      expect(await page.locator('#try-command').textContent()).to.match(/^curl -H .*limit=2'/s);
      expect(await page.locator('#try-form').isVisible()).to.equal(false);
      await page.locator('summary', { hasText: 'The answer' }).first().click();
      expect(await page.getByText('"object": "list"').first().isVisible()).to.equal(true);
    });
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from '@cls/shared/sql/database';
import { NARROW, objections, widthOf } from '@cls/testing/accessibility';
import { sharedBrowser } from '@cls/testing/browser';
import { anyEngine } from '@cls/testing/engines';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { reportHtml } from '../../src/import/report/report-html.ts';
import { APRIL, importTape, MARCH } from '../support/lenders-statement.ts';

const HOSTILE = '<img src=https://evil.example/x onerror=alert(1)><b>';

describe('the report as a page, with Chromium', function () {
  this.timeout(120_000);
  let database: Database;
  let browser: Browser;
  const pages: Record<string, string> = {};
  before(async function () {
    browser = await sharedBrowser(this);
    database = await anyEngine.open(MIGRATIONS);
    const write = (name: string, html: string) => {
      const path = join(temporaryDirectory('cls-report-'), `${name}.html`);
      writeFileSync(path, html);
      pages[name] = pathToFileURL(path).href;
    };
    write('first', reportHtml(await importTape(database, MARCH, '2025-03-31')));
    write('later', reportHtml(await importTape(database, APRIL, '2025-04-30', { apply: false })));
    const bad = APRIL.replaceAll('EUR;500000.00', `EUR;${HOSTILE}`);
    write('refused', reportHtml(await importTape(database, bad, '2025-04-30')));
  });
  after(() => database?.close());

  const open = async (
    name: string,
    options: object,
    use: (page: Page, seen: { readonly told: string[]; readonly asked: string[] }) => Promise<void>,
  ) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const seen = { told: [] as string[], asked: [] as string[] };
    page.on('console', (message) => seen.told.push(message.text()));
    page.on('pageerror', (error) => seen.told.push(error.message));
    page.on('request', (request) => seen.asked.push(request.url()));
    try {
      await page.goto(pages[name] ?? '');
      await use(page, seen);
    } finally {
      await context.close();
    }
  };

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible and as wide as the screen, and loads nothing, ${colorScheme}`, async () => {
      for (const name of Object.keys(pages)) {
        await open(name, { colorScheme, viewport: NARROW }, async (page, { told, asked }) => {
          expect(await widthOf(page), name).to.equal(NARROW.width);
          const ground = await page.evaluate<string>(
            'getComputedStyle(document.body).backgroundColor',
          );
          expect(ground, 'the style of the page counts').to.equal(
            colorScheme === 'light' ? 'rgb(243, 245, 248)' : 'rgb(15, 20, 27)',
          );
          expect([told, asked], name).to.deep.equal([[], [pages[name]]]);
          expect(await objections(page), name).to.deep.equal([]);
        });
      }
    });
  }

  it('shows what a statement does, with captions and headers', async () => {
    await open('later', {}, async (page) => {
      const table = page.getByRole('table', { name: 'Outstanding principal', exact: true });
      const row = table.getByRole('row', { name: /EUR Drawn/ });
      expect(await row.getByRole('cell').allTextContents()).to.deep.equal([
        'Drawn',
        '1',
        '50,000.00',
      ]);
      expect(await table.getByRole('columnheader').allTextContents()).to.deep.equal([
        'Currency',
        'Step',
        'Loans',
        'Amount',
      ]);
    });
  });

  it('shows text of the file as text', async () => {
    await open('refused', {}, async (page, { told, asked }) => {
      expect(await page.getByRole('cell', { name: /^row 2/ }).textContent()).to.include(HOSTILE);
      expect(await page.locator('img').count()).to.equal(0);
      expect([told.length, asked.length]).to.deep.equal([0, 1]);
    });
  });

  it('prints on paper in black on white', async () => {
    await open('later', { colorScheme: 'dark' }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      const colour = await page.evaluate<string>('getComputedStyle(document.body).color');
      expect(colour).to.equal('rgb(23, 32, 44)');
    });
  });
});

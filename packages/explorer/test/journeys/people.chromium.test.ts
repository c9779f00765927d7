import { readFileSync } from 'node:fs';
import { CHROMIUM_FLAGS } from '@cls/testing/browser';
import { requireServer } from '@cls/testing/engines';
import { chromiumBinary } from '@cls/testing/servers';
import { expect } from 'chai';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import type { BalanceItem, List } from '../../src/balances/shapes.ts';
import {
  aBook,
  aLoan,
  aParty,
  FULL,
  type Loan,
  type Party,
  posting,
  type Services,
  sharedServices,
  VIEW,
} from '../support/services.ts';

/** What the cells of a row show, numbers as the API writes them. */
const cellsOf = async (row: Locator) =>
  (await row.locator('td').allTextContents()).map((text) => text.replaceAll(',', '').trim());

const PASSWORD = 'correct horse battery staple';

describe('people in a browser', () => {
  let services: Services;
  let browser: Browser;
  let loan: Loan;
  let anna: Party;
  before(async function () {
    const executablePath = chromiumBinary();
    requireServer(this, 'Chromium', executablePath);
    services = await sharedServices();
    await services.post(aBook({ contracts: 12, seed: 3 }).records);
    const borrower = aParty('Ortolan Metals & Sons');
    anna = aParty('Anna Bank');
    loan = aLoan(borrower, [anna]);
    await services.post([
      ...[borrower, anna, ...loan.all],
      posting(loan, '2025-01-31', [
        [undefined, '1234567.89'],
        [anna, '1234567.89'],
      ]),
    ]);
    browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
  });
  after(() => browser?.close());

  const signedIn = async (
    email: string,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(240_000);
    await page.goto(`${services.url}/`);
    await page.fill('[name=email]', email);
    await page.fill('[name=password]', PASSWORD);
    await page.press('[name=password]', 'Enter');
    await page.waitForURL(`${services.url}/portfolio?*`);
    return { context, page };
  };

  /** The first that the API answers with. */
  const theItem = async (question: string): Promise<BalanceItem> => {
    const { data } = await services.ask<List<BalanceItem>>(`/balances?${question}&limit=1`);
    const [item] = data;
    if (item === undefined) throw new Error(`no item of ${question}`);
    return item;
  };

  for (const javaScriptEnabled of [true, false]) {
    const way = javaScriptEnabled ? 'with scripts' : 'without scripts';

    it(`find a deal, read it, follow its postings, and download them, ${way}`, async () => {
      const { email } = await services.person(FULL);
      const { context, page } = await signedIn(email, { javaScriptEnabled });
      await page.click('nav >> text=Deals');
      await page.click('summary:has-text("Filter")');
      await page.fill('.menu [name=least]', '1,234,567.00');
      await page.fill('.menu [name=most]', '1,234,568');
      await page.fill('.menu [name=currency]', 'USD');
      await page.click('.menu [name=currency] >> xpath=ancestor::form >> button');
      await page.click(`text=${loan.deal.dealNumber}`);
      expect(await page.textContent('#content')).to.include('Ortolan Metals & Sons');
      expect(await page.textContent('#content')).to.include('1,234,567.89');
      await page.click('.tabs >> text=Postings');
      expect(await page.textContent('tbody')).to.include('Advance');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.click('.downloads >> text=CSV'),
      ]);
      expect(file.suggestedFilename()).to.match(/^cls-postings_asof-.*\.csv$/);
      expect(readFileSync(await file.path(), 'utf8')).to.include('1234567.89');
      await context.close();
    });

    it(`look at another date, and back, ${way}`, async () => {
      const { email } = await services.person(FULL);
      const { context, page } = await signedIn(email, { javaScriptEnabled });
      await page.goto(`${services.url}/deals/${loan.deal.id}`);
      await page.click('.when summary');
      await page.fill('.times [name=asOf]', '2025-01-30');
      await page.click('.times button >> nth=0');
      expect(page.url()).to.include('asOf=2025-01-30');
      expect(await page.textContent('#content')).not.to.include('1,234,567.89');
      await page.click('.when summary');
      await page.click('text=Last date');
      expect(await page.textContent('#content')).to.include('1,234,567.89');
      await page.goBack();
      expect(page.url()).to.include('asOf=2025-01-30');
      await context.close();
    });

    it(`sign out, and see nothing afterwards, ${way}`, async () => {
      const { email } = await services.person(FULL);
      const { context, page } = await signedIn(email, { javaScriptEnabled });
      const address = page.url();
      await page.click('header button');
      await page.waitForURL(/signed-out/);
      expect(await page.textContent('h1')).to.equal('You are signed out');
      await page.goto(address);
      expect(new URL(page.url()).origin).to.equal(services.auth.issuer);
      await context.close();
    });

    it(`go back after signing in, and are in the explorer still, ${way}`, async () => {
      const { email } = await services.person(FULL);
      const { context, page } = await signedIn(email, { javaScriptEnabled });
      await page.goBack();
      await page.waitForURL(`${services.url}/portfolio?*`);
      expect(await page.textContent('h1')).to.equal('Portfolio');
      await context.close();
    });

    it(`find a borrower by name, and what its deal has past due, ${way}`, async () => {
      const late = await theItem('pastDue=true&level=deal');
      const { email } = await services.person(FULL);
      const { context, page } = await signedIn(email, { javaScriptEnabled });
      await page.fill('header [name=q]', late.borrower.name);
      await page.press('header [name=q]', 'Enter');
      await page.waitForURL(`${services.url}/deals?*`);
      const row = page.locator('tbody tr', { hasText: late.deal.dealNumber }).first();
      expect(await cellsOf(row)).to.include(late.global.total.pastDue);
      await page.click('nav >> text=Portfolio');
      await page.click('text=Deals that are past due');
      const again = page.locator('tbody tr', { hasText: late.deal.dealNumber }).first();
      expect(await cellsOf(again)).to.include(late.global.total.pastDue);
      await context.close();
    });

    it(`follow accrued interest to its periods, and compare it with the month before, ${way}`, async () => {
      const item = await theItem('level=facility&expand=accrual&sort=-interestAccrued');
      const [accrual] = item.accrual ?? [];
      const { email } = await services.person(FULL);
      const { context, page } = await signedIn(email, { javaScriptEnabled });
      await page.fill('header [name=q]', item.deal.dealNumber);
      await page.press('header [name=q]', 'Enter');
      await page.click(`tbody >> text=${item.deal.dealNumber}`);
      await page.click(`tbody >> text=${item.facility?.name}`);
      const table = page.locator('table', { has: page.locator('#accrual-0') });
      const periods = await table.locator('tbody tr').all();
      expect(periods).to.have.length(accrual?.periods.length ?? 0);
      for (const [at, row] of periods.entries()) {
        expect(await cellsOf(row)).to.include(accrual?.periods[at]?.amount);
      }
      expect(await cellsOf(table.locator('tfoot'))).to.include(accrual?.amount);
      await page.click('.when summary');
      await page.click('.when h2 + .presets >> text=End of last month');
      expect(await page.textContent('#content')).to.include('Compared with');
      await page.click('text=Stop comparing');
      expect(await page.textContent('#content')).not.to.include('Compared with');
      await context.close();
    });

    it(`find what changed since they looked, and read both values beside each other, ${way}`, async () => {
      const { email } = await services.person(FULL);
      const { context, page } = await signedIn(email, { javaScriptEnabled });
      const known = new URL(page.url()).searchParams.get('knownAt') ?? '';
      const repay = (amount: string) =>
        services.post([
          posting(loan, '2025-01-31', [
            [undefined, amount],
            [anna, amount],
          ]),
        ]);
      await repay('-100000.00');
      await page.goto(`${services.url}/changes?${new URLSearchParams({ since: known })}`);
      await page.click('form:has([name=sinceDay]) button');
      await page.click(`tbody >> text=${loan.deal.dealNumber}`);
      expect(await page.textContent('#content')).to.include('Compared with');
      const row = page.locator('tbody tr', { hasText: 'Outstanding principal' }).first();
      const text = await row.textContent();
      expect(text)
        .to.include('1,134,567.89')
        .and.include('1,234,567.89')
        .and.include('−100,000.00');
      await repay('100000.00');
      await context.close();
    });
  }

  it('come to the same address again when their session ended meanwhile', async () => {
    const { email } = await services.person(FULL);
    const { context, page } = await signedIn(email);
    await page.goto(`${services.url}/deals?currency=USD`);
    await context.clearCookies();
    await page.goto(`${services.url}/deals?currency=USD&sort=borrower`);
    await page.fill('[name=email]', email);
    await page.fill('[name=password]', PASSWORD);
    await page.press('[name=password]', 'Enter');
    await page.waitForURL(`${services.url}/deals?*`);
    expect(page.url()).to.include('sort=borrower');
    await context.close();
  });

  it('see nothing of the person before, in a tab that stayed open', async () => {
    const { email } = await services.person(FULL);
    const nobody = await services.person(VIEW);
    const { context, page: first } = await signedIn(email);
    await first.goto(`${services.url}/deals/${loan.deal.id}`);
    const second = await context.newPage();
    await second.goto(`${services.url}/`);
    await second.click('header form[action="/sign-out"] button');
    await second.waitForURL(/signed-out/);
    await second.goto(`${services.url}/`);
    await second.fill('[name=email]', nobody.email);
    await second.fill('[name=password]', PASSWORD);
    await second.press('[name=password]', 'Enter');
    await second.waitForURL(`${services.url}/portfolio?*`);
    await first.reload();
    expect(await first.textContent('h1')).to.include(`signed in as ${nobody.email}`);
    for (const again of [() => first.reload(), () => first.goto(`${services.url}/deals`)]) {
      await again();
      const text = (await first.textContent('body')) ?? '';
      expect(text).not.to.include('Ortolan').and.not.include('1,234,567.89');
      expect(await first.title()).not.to.include(loan.deal.dealNumber);
      expect(text).not.to.include(email);
    }
    expect(await first.textContent('header')).to.include(nobody.email);
    await context.close();
  });

  it('reach everything with the keyboard, in the order in which it is read', async () => {
    const { email } = await services.person(FULL);
    const { context, page } = await signedIn(email);
    await page.goto(`${services.url}/deals/${loan.deal.id}`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).to.equal('skip');
    const seen: [number, number][] = [];
    for (let n = 0; n < 200; n += 1) {
      const at = await page.evaluate<[number, number] | null>(`(() => {
        const { top, left, width, height } = document.activeElement.getBoundingClientRect();
        const hidden = document.activeElement === document.body;
        return hidden ? null : [Math.round(top + scrollY + height / 2), Math.round(left + scrollX + width / 2)];
      })()`);
      if (at === null) break;
      seen.push(at);
      await page.keyboard.press('Tab');
    }
    const all = await page.evaluate<number>(
      `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
        .filter((one) => one.checkVisibility()).length`,
    );
    // A field for a date is more than one stop.
    expect(seen.length).to.be.at.least(all);
    // From line to line downwards; within a line from left to right.
    const LINE = 40;
    for (const [at, [top]] of seen.slice(1).entries()) {
      expect(top, `stop ${at + 1}`).to.be.at.least((seen[at]?.[0] ?? 0) - LINE);
    }
    await context.close();
  });

  it('lose no column of a page on paper', async () => {
    const { email } = await services.person(FULL);
    const wide = aLoan(anna, [anna]);
    const name = `${wide.deal.name}_${'Betriebsmittelkreditrahmenvertrag'.repeat(2)}`;
    await services.post([
      ...wide.all.map((one) => (one === wide.deal ? { ...wide.deal, name } : one)),
      posting(wide, '2025-01-31', [
        [undefined, '-912345678901.23'],
        [anna, '-912345678901.23'],
      ]),
    ]);
    // A4 with margins of 10 mm, at 96 px an inch.
    const width = 718;
    const { context, page } = await signedIn(email, { viewport: { width, height: 1000 } });
    await page.emulateMedia({ media: 'print' });
    for (const address of [
      ...['/portfolio', '/deals', '/deals?cmpAsOf=2024-12-31', '/changes'],
      // Its last value stands alone in the picture.
      `/deals/${wide.deal.id}/roll-forward?asOf=2025-06-30`,
      '/portfolio?cmpAsOf=2024-12-31',
      ...[loan, wide].flatMap(({ deal, facility }) => [
        `/deals/${deal.id}`,
        `/facilities/${facility.id}`,
        `/deals/${deal.id}/roll-forward`,
        `/deals/${deal.id}/movements?lenders=yes`,
      ]),
    ]) {
      await page.goto(`${services.url}${address}`);
      expect(await page.isVisible('.foot .printed'), address).to.equal(true);
      const widest = await page.evaluate<number>(
        `Math.max(...[...document.querySelectorAll('main *')].map((one) => one.getBoundingClientRect().right))`,
      );
      expect(Math.floor(widest), address).to.be.at.most(width);
    }
    await context.close();
  });

  it('write a search into a field that has room for its words, however wide the window is', async () => {
    const { email } = await services.person(FULL);
    const { context, page } = await signedIn(email, { locale: 'en-GB' });
    for (let width = 320; width <= 1440; width += 40) {
      await page.setViewportSize({ width, height: 800 });
      const box = await page.locator('header [name=q]').boundingBox();
      expect(box?.width, `${width}`).to.be.at.least(140);
    }
    await context.close();
  });

  it('read on a phone what accrued, and what it comes to', async () => {
    const { facility } = await theItem('level=facility&expand=accrual&sort=-interestAccrued');
    const { email } = await services.person(FULL);
    const { context, page } = await signedIn(email, { viewport: { width: 390, height: 800 } });
    await page.goto(`${services.url}/facilities/${facility?.id}`);
    const table = page.locator('table', { has: page.locator('#accrual-0') });
    const box = await table.locator('tfoot td').first().boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 390)).to.be.at.most(390);
    await context.close();
  });

  it('print a deal on paper without the controls', async () => {
    const { email } = await services.person(FULL);
    const { context, page } = await signedIn(email);
    await page.goto(`${services.url}/deals/${loan.deal.id}`);
    await page.emulateMedia({ media: 'print' });
    expect(await page.isVisible('.head')).to.equal(false);
    expect(await page.isVisible('.times form')).to.equal(false);
    expect(await page.isVisible('.printed')).to.equal(true);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).to.be.within(1, 3);
    await context.close();
  });
});

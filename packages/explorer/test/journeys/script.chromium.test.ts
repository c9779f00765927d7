import { objections, widthOf } from '@cls/testing/accessibility';
import { CHROMIUM_FLAGS } from '@cls/testing/browser';
import { requireServer } from '@cls/testing/engines';
import { chromiumBinary } from '@cls/testing/servers';
import { expect } from 'chai';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import {
  aLoan,
  aParty,
  FULL,
  type Loan,
  posting,
  type Services,
  sharedServices,
} from '../support/services.ts';

const PASSWORD = 'correct horse battery staple';

describe('the script of a page', () => {
  let services: Services;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let loan: Loan;
  const complaints: string[] = [];
  before(async function () {
    const executablePath = chromiumBinary();
    requireServer(this, 'Chromium', executablePath);
    services = await sharedServices();
    const borrower = aParty('Borrower of the script');
    loan = aLoan(borrower, []);
    await services.post([borrower, ...loan.all, draw('5.00')]);
    browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    page.setDefaultTimeout(240_000);
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.clock.install();
    const { email } = await services.person(FULL);
    await page.goto(`${services.url}/deals/${loan.deal.id}`);
    await page.fill('[name=email]', email);
    await page.fill('[name=password]', PASSWORD);
    await page.press('[name=password]', 'Enter');
    await page.waitForURL(`${services.url}/deals/*`);
  });
  after(() => browser?.close());
  const draw = (amount: string) => posting(loan, '2025-01-31', [[undefined, amount]]);
  const nextNews = async () => {
    const answered = page.waitForResponse((response) => response.url().includes('/news'));
    await page.clock.runFor(60_000);
    return (await answered).status();
  };

  it('announces newer postings once, changes no number, and shows them when asked', async () => {
    expect(await nextNews()).to.equal(200);
    expect(await nextNews()).to.equal(304);
    expect(await page.textContent('.times')).not.to.include('Newer postings');
    await services.post([draw('2.50')]);
    expect(await nextNews()).to.equal(200);
    const notice = page.locator('.times [role=status] .notice');
    await notice.waitFor();
    expect(await notice.textContent()).to.include('Newer postings are known.');
    expect(await page.textContent('#content')).not.to.include('7.50');
    // Said once: nothing is asked any more.
    await page.clock.runFor(600_000);
    expect(await notice.count()).to.equal(1);
    await notice.locator('a').click();
    expect(await page.textContent('#content')).to.include('7.50');
    expect(await page.textContent('.times')).not.to.include('Newer postings');
  });

  it('shows when something was posted in the reader’s own time, and in UTC where that is pointed at', async () => {
    const storageState = await context.storageState();
    const shownIn = async (javaScriptEnabled: boolean) => {
      const timezoneId = 'Asia/Kolkata';
      const other = await browser.newContext({ timezoneId, storageState, javaScriptEnabled });
      const there = await other.newPage();
      await there.goto(`${services.url}/deals/${loan.deal.id}/movements`);
      const time = there.locator('time').first();
      const shown = [await time.textContent(), await time.getAttribute('title')];
      await other.close();
      return shown;
    };
    const [plain] = await shownIn(false);
    expect(plain).to.match(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC$/);
    const [local, title] = await shownIn(true);
    expect(title).to.equal(plain);
    expect(local).to.match(/ GMT\+5:30$/);
    const minutes = (shown: string | null | undefined) => {
      const [, hour = '', minute = ''] = /(\d\d):(\d\d):/.exec(shown ?? '') ?? [];
      return Number(hour) * 60 + Number(minute);
    };
    expect((minutes(local) - minutes(plain) + 1_440) % 1_440).to.equal(330);
  });

  it('leads the keyboard to the search, from every page, and leaves fields alone', async () => {
    for (const address of ['/portfolio', '/deals', `/deals/${loan.deal.id}`]) {
      await page.goto(`${services.url}${address}`);
      for (const key of ['/', 'Control+k', 'Meta+k']) {
        await page.locator('h1').click();
        await page.keyboard.press(key);
        const field = page.locator('[type=search]:focus');
        expect(await field.count(), `${address} ${key}`).to.equal(1);
        expect(await field.inputValue()).to.equal('');
        await page.evaluate('document.activeElement.blur()');
      }
    }
    await page.keyboard.press('/');
    await page.keyboard.type('a/b');
    expect(await page.inputValue('[type=search]')).to.equal('a/b');
    await page.fill('[type=search]', loan.deal.dealNumber);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${services.url}/deals?*`);
    expect(await page.textContent('#content')).to.include('Borrower of the script');
  });

  it('lets a person switch the single key off, on all pages, and on again', async () => {
    await page.click('.foot button');
    await page.goto(`${services.url}/portfolio`);
    await page.keyboard.press('/');
    expect(await page.locator('[type=search]:focus').count()).to.equal(0);
    await page.keyboard.press('Control+k');
    expect(await page.locator('[type=search]:focus').count()).to.equal(1);
    await page.click('.foot button >> text=on');
    await page.keyboard.press('/');
    expect(await page.locator('[type=search]:focus').count()).to.equal(1);
  });

  it('stands in nobody’s way: compared, narrowed and with its forms open, in both languages', async () => {
    const known = new URL(page.url()).searchParams.get('knownAt') ?? '';
    await services.post([draw('-4.00')]);
    for (const { width, locale, colorScheme } of [
      { width: 320, locale: 'de', colorScheme: 'dark' },
      { width: 1280, locale: 'en', colorScheme: 'light' },
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      for (const address of [
        // Where a difference is negative, a word for readers alone says so.
        `/portfolio?cmpKnownAt=${encodeURIComponent(known)}`,
        '/portfolio?cmpAsOf=2025-01-30',
        '/deals?choices=yes&cmpAsOf=2025-01-30&column=unfunded&column=posted&pastDue=false',
        `/facilities/${loan.facility.id}?cmpAsOf=2025-01-30`,
      ]) {
        const mark = address.includes('?') ? '&' : '?';
        await page.goto(`${services.url}${address}${mark}lang=${locale}`);
        await page.evaluate(
          'for (const one of document.querySelectorAll("details")) one.open = true',
        );
        expect(await objections(page), address).to.deep.equal([]);
        expect(await widthOf(page), address).to.be.at.most(width);
        expect(await page.getAttribute('html', 'lang')).to.equal(locale);
      }
    }
    await page.goto(`${services.url}/portfolio?lang=en`);
  });

  it('asks no more once the person has signed out elsewhere', async () => {
    const { url } = services;
    await context.addCookies([{ name: 'cls_explorer', value: 'x'.repeat(43), url }]);
    expect(await nextNews()).to.equal(401);
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/news')) asked += 1;
    });
    await page.clock.runFor(3_600_000);
    await page.evaluate('0');
    expect(asked).to.equal(0);
    // The browser names the 401 in its console; nothing else went wrong on the way.
    expect(complaints.filter((text) => !text.includes('401'))).to.deep.equal([]);
  });
});

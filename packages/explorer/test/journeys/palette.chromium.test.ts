import { objections } from '@cls/testing/accessibility';
import { sharedBrowser } from '@cls/testing/browser';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { textIn } from '../../src/web/text.ts';
import { problem } from '../support/between.ts';
import {
  aLoan,
  aParty,
  FULL,
  type Loan,
  type Party,
  posting,
  type Services,
  sharedServices,
} from '../support/services.ts';

const PASSWORD = 'correct horse battery staple';
const FIELD = '[type=search]';
const OPTIONS = '[role=option]';

describe('the search and the wait for a page, with the script', () => {
  let services: Services;
  let context: BrowserContext;
  let page: Page;
  let borrower: Party;
  let loan: Loan;
  const complaints: string[] = [];
  /** Questions of the script. */
  const asked: string[] = [];
  before(async function () {
    const browser = await sharedBrowser(this);
    services = await sharedServices();
    const lender = aParty('Palladium Trust');
    borrower = aParty('Palladium <b>Refining</b>');
    loan = aLoan(borrower, [lender]);
    const drawn = posting(loan, '2025-01-31', [
      [undefined, '5.00'],
      [lender, '5.00'],
    ]);
    await services.post([borrower, lender, ...loan.all, drawn]);
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(240_000);
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (request.url().includes('/matches')) asked.push(request.url());
    });
    const { email } = await services.person(FULL);
    await page.goto(`${services.url}/portfolio`);
    await page.fill('[name=email]', email);
    await page.fill('[name=password]', PASSWORD);
    await page.press('[name=password]', 'Enter');
    await page.waitForURL(`${services.url}/portfolio?*`);
  });
  after(() => context?.close());
  beforeEach(async () => {
    Object.assign(services.between, { fault: undefined, hold: undefined });
    await page.goto(`${services.url}/portfolio`);
    asked.length = 0;
  });
  afterEach(() => {
    Object.assign(services.between, { fault: undefined, hold: undefined });
  });

  const type = async (words: string) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
  };
  const listed = async (words: string) => {
    await type(words);
    await page.locator(OPTIONS).first().waitFor();
  };
  const attribute = (name: string) => page.getAttribute(FIELD, name);
  const chosen = async () => {
    const id = await attribute('aria-activedescendant');
    return id === '' ? undefined : await page.textContent(`#${id}[aria-selected=true]`);
  };
  /** Holds the API's answers until the returned function is called. */
  const hold = () => {
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    services.between.hold = () => held;
    return () => {
      services.between.hold = undefined;
      release();
    };
  };

  it('lists what is typed, chosen with arrows and opened with Enter', async () => {
    expect(await attribute('role')).to.equal('combobox');
    expect(await attribute('aria-expanded')).to.equal('false');
    await listed('palladium');
    expect(await attribute('aria-expanded')).to.equal('true');
    expect(await page.getAttribute(`#${await attribute('aria-controls')}`, 'role')).to.equal(
      'listbox',
    );
    const names = await page.locator(OPTIONS).allTextContents();
    expect(names).to.have.length(3);
    expect(names[1]).to.match(/^Palladium <b>Refining<\/b>\s+Borrower$/);
    expect(await page.textContent('.matches [role=status]')).to.include('Matches: 3');
    expect(await chosen()).to.equal(undefined);
    await page.keyboard.press('ArrowDown');
    expect(await chosen()).to.equal(names[0]);
    await page.keyboard.press('ArrowUp');
    expect(await chosen()).to.equal(names[2]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await chosen()).to.equal(names[1]);
    expect(await page.locator(`${FIELD}:focus`).count()).to.equal(1);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${services.url}/borrowers/${borrower.id}?*`);
    expect(await page.textContent('h1')).to.include('Palladium');
  });

  it('is closed by Escape, which keeps the words, and opened again by an arrow', async () => {
    await listed('palladium');
    await page.keyboard.press('Escape');
    expect(await page.locator(OPTIONS).count()).to.equal(0);
    expect(await attribute('aria-expanded')).to.equal('false');
    expect(await page.inputValue(FIELD)).to.equal('palladium');
    await page.keyboard.press('ArrowDown');
    await page.locator(OPTIONS).first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(OPTIONS).count()).to.equal(0);
  });

  it('searches as without it where nothing is chosen, and opens what is clicked', async () => {
    await listed('palladium');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${services.url}/deals?*q=palladium*`);
    await page.goto(`${services.url}/portfolio`);
    await listed('palladium');
    await page.locator(OPTIONS).first().click();
    await page.waitForURL(`${services.url}/deals/${loan.deal.id}?*`);
  });

  it('asks for two letters at least, once for what is typed in one go', async () => {
    await type('p');
    await page.waitForTimeout(600);
    expect(asked).to.deep.equal([]);
    await page.keyboard.type('alladium');
    await page.locator(OPTIONS).first().waitFor();
    expect(asked).to.have.length(1);
  });

  it('has one question under way; then it asks for what is in the field by now', async () => {
    const release = hold();
    await type('palla');
    await eventually(async () => {
      if (asked.length === 0) throw new Error('nothing was asked');
    });
    await page.keyboard.type('dium refi');
    await page.waitForTimeout(600);
    expect(asked).to.have.length(1);
    expect(await page.locator(OPTIONS).count()).to.equal(0);
    release();
    await page.locator(OPTIONS).first().waitFor();
    expect(asked).to.have.length(2);
    expect(asked[1]).to.include('q=palladium+refi');
  });

  it('leaves the form as it is where the answer is slow, or fails', async () => {
    services.between.fault = problem(503, 'unavailable');
    const failed = page.waitForResponse((response) => response.url().includes('/matches'));
    await type('palladium');
    expect((await failed).status()).to.equal(503);
    await page.keyboard.type(' ');
    await page.keyboard.type('refining');
    await page.waitForTimeout(600);
    // It rests for a while.
    expect(asked).to.have.length(1);
    services.between.fault = undefined;
    await page.keyboard.press('Enter');
    await page.waitForURL(`${services.url}/deals?*`);
    expect(await page.textContent('#content')).to.include('Palladium');
    await page.goto(`${services.url}/portfolio`);
    const release = hold();
    await type('palladium');
    await page.waitForTimeout(600);
    await page.keyboard.press('Enter');
    release();
    await page.waitForURL(`${services.url}/deals?*`);
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !/ 503 /.test(text)));
  });

  it('says after two seconds that a page takes long, above what is shown until then', async () => {
    const { between } = services;
    expect(await objections(page)).to.deep.equal([]);
    between.asked.length = 0;
    const release = hold();
    // Chromium tells tools nothing of a page that another one replaces: the page looks at itself.
    await page.evaluate(`setTimeout(async () => {
      document.querySelector('nav a[href^="/borrowers"]').click();
      const said = () => document.querySelector('.wait[role=status]').textContent;
      const seen = { atOnce: said(), title: document.querySelector('h1').textContent };
      while (said() === '') await new Promise((done) => setTimeout(done, 50));
      const { violations } = await axe.run(document);
      seen.objections = violations.map(({ id }) => id);
      sessionStorage.setItem('seen', JSON.stringify({ ...seen, later: said() }));
      await fetch('/news');
    })`);
    await eventually(async () => {
      // That of the page that is held, and that of the news.
      const asked = between.asked.filter((path) => path.endsWith('/me'));
      if (asked.length < 2) throw new Error('it has not looked yet');
    });
    release();
    await page.waitForURL(`${services.url}/borrowers?*`);
    const seen: unknown = JSON.parse(await page.evaluate<string>('sessionStorage.seen'));
    expect(seen).to.deep.equal({
      ...{ atOnce: '', title: 'Portfolio', objections: [] },
      later: textIn('en').t('page.slow'),
    });
    expect(await page.locator('.wait').count()).to.equal(0);
  });

  it('does not wait where a file is loaded or the place on the page changes', async () => {
    await page.goto(`${services.url}/deals`);
    await page.evaluate('document.querySelector("details.downloads").open = true');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('.downloads >> text=NDJSON'),
    ]);
    await download.path();
    await page.evaluate('location.hash = "content"');
    expect(await page.locator('.wait').count()).to.equal(0);
  });

  it('complains of nothing on the way, also not to the policy of the page', () => {
    expect(complaints).to.deep.equal([]);
  });
});

describe('the height of rows, with Chromium', () => {
  it('is 40 px, or 28 px by choice, and a phone shows the same cards', async function () {
    const browser = await sharedBrowser(this);
    const services = await sharedServices();
    const borrower = aParty('Rhodium');
    const loan = aLoan(borrower, []);
    await services.post([
      ...[borrower, ...loan.all],
      posting(loan, '2025-01-31', [[undefined, '5.00']]),
    ]);
    const { email } = await services.person(FULL);
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(240_000);
    const page = await context.newPage();
    // A column of one line.
    const address = `${services.url}/deals?q=rhodium&column=posted`;
    await page.goto(address);
    await page.fill('[name=email]', email);
    await page.fill('[name=password]', PASSWORD);
    await page.press('[name=password]', 'Enter');
    await page.waitForURL(`${services.url}/deals?*`);
    const height = async (width: number) => {
      await page.setViewportSize({ width, height: 900 });
      return page.evaluate<number>(
        'Math.round(document.querySelector(".list tbody tr").getBoundingClientRect().height)',
      );
    };
    const roomy = [await height(1440), await height(320)];
    expect(roomy[0]).to.equal(40);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.click('.foot >> text=compact');
    expect(await page.getAttribute('html', 'class')).to.equal('compact');
    expect(page.url()).not.to.include('density');
    expect(await height(1440)).to.equal(28);
    expect(await height(320)).to.equal(roomy[1]);
    await context.close();
  });
});

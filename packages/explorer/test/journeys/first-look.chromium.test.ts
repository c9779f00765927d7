import { readFileSync } from 'node:fs';
import { CHROMIUM_FLAGS } from '@cls/testing/browser';
import { requireServer } from '@cls/testing/engines';
import { chromiumBinary } from '@cls/testing/servers';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import {
  aJournal,
  aLoan,
  aParty,
  businessDate,
  entry,
  FULL,
  type Loan,
  type Party,
  posting,
  type Services,
  startServices,
} from '../support/services.ts';

const PASSWORD = 'correct horse battery staple';
type Holders = readonly (readonly [Party | undefined, string])[];

describe('the first look of a loan officer', () => {
  let services: Services;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const [here, there] = [aParty('Ministry of Finance'), aParty('Ministry of Finance')];
  const lenders = ['Anna Bank', 'Bert Bank', 'Carl Bank'].map(aParty);
  const big = aLoan(here, lenders, { maturityDate: businessDate('2025-04-20') });
  const other = aLoan(there, [], { maturityDate: businessDate('2031-06-30') });
  before(async function () {
    const executablePath = chromiumBinary();
    requireServer(this, 'Chromium', executablePath);
    services = await startServices();
    Object.assign(big.deal, {
      dealNumber: 'IBRD70000',
      name: 'Urban Roads and Transport',
      country: 'UA',
    });
    Object.assign(other.deal, { dealNumber: 'IBRD80000', name: 'Rural Water', country: 'ID' });
    const thirds = (whole: string, ...parts: string[]): Holders => [
      [undefined, whole],
      ...parts.map((part, at) => [lenders[at], part] as const),
    ];
    await services.post([
      ...[here, there, ...lenders, ...big.all, ...other.all],
      committed(
        big,
        thirds('300000000000.00', '100000000000.00', '99999999999.99', '100000000000.01'),
      ),
      moved(
        big,
        'advance',
        '2024-02-01',
        thirds('300000000000.00', '100000000000.00', '99999999999.99', '100000000000.01'),
      ),
      moved(
        big,
        'scheduled_repayment',
        '2024-12-01',
        thirds('-30000000000.00', '-10000000000.00', '-9999999999.99', '-10000000000.01'),
      ),
      bill(
        big,
        '2025-01-15',
        thirds('1500000000.00', '500000000.00', '499999999.99', '500000000.01'),
      ),
      committed(other, [[undefined, '5000.00']]),
      posting(other, '2025-03-31', [[undefined, '5000.00']]),
    ]);
    browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${services.url}/`);
    await page.fill('[name=email]', (await services.person(FULL)).email);
    await page.fill('[name=password]', PASSWORD);
    await page.press('[name=password]', 'Enter');
    await page.waitForURL(`${services.url}/portfolio?*`);
  });
  after(async () => {
    await browser?.close();
    await services?.stop();
  });
  const open = (address: string) => page.goto(`${services.url}${address}`);
  const deal = `/deals/${big.deal.id}`;
  const textOf = async (selector: string) =>
    (await page.locator(selector).first().textContent())?.trim() ?? '';

  it('has every column of every table at 1440 px', async () => {
    const paths = ['/portfolio', '/deals', `${deal}?view=all`, `/facilities/${big.facility.id}`];
    for (const path of [
      ...paths,
      `/borrowers/${here.id}`,
      `${deal}/movements`,
      `${deal}/roll-forward`,
    ]) {
      await open(path);
      const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('.scroll')]
        .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
        .map((one) => one.getAttribute('aria-labelledby'))`);
      expect(cut, path).to.deep.equal([]);
    }
  });

  it('rounds shares, which a reader adds up to a hundred', async () => {
    await open(`${deal}?view=lenders`);
    const shares = await page.locator('tbody tr td:nth-child(2)').allTextContents();
    expect(shares).to.deep.equal(['33.3333%', '33.3333%', '33.3333%']);
  });

  it('says what a term loan repaid between its original and its current commitment', async () => {
    await open(`/facilities/${big.facility.id}`);
    const rows = await page.locator('table:has(#commitment) tbody tr').allInnerTexts();
    expect(rows.slice(0, 4).map((row) => row.split('\t'))).to.deep.equal([
      ['Original', '300,000,000,000.00'],
      ['Cancelled', '0.00'],
      ['Repaid, not to be drawn again', '30,000,000,000.00'],
      ['Current', '270,000,000,000.00'],
    ]);
  });

  it('tells borrowers of one name apart by their countries', async () => {
    await open('/portfolio');
    const names = await page.locator('table:has(#groups) tbody th').allInnerTexts();
    expect(names.map((name) => name.replaceAll('\n', ' ').trim())).to.include.members([
      'Ministry of Finance Ukraine',
      'Ministry of Finance Indonesia',
    ]);
  });

  it('finds a borrower and a lender, with what is theirs', async () => {
    for (const [place, name, figure] of [
      ['Borrowers', 'Ministry of Finance', '270bn'],
      ['Lenders', 'Carl Bank', '90bn'],
    ] as const) {
      await page.click(`header nav >> text=${place}`);
      await page.click(`table:has(#groups) tbody >> text=${name} >> nth=0`);
      expect(await textOf('h1')).to.equal(name);
      expect(await textOf('.figures')).to.include(figure);
      expect(await textOf('table:has(#deals) tbody')).to.include('IBRD70000');
    }
  });

  for (const words of ['70000', 'IBRD 70000', 'ibrd70000', 'Ukraine', 'urban roads']) {
    it(`finds the deal by “${words}”`, async () => {
      await page.fill('header [name=q]', words);
      await page.press('header [name=q]', 'Enter');
      await page.waitForURL(`${services.url}/deals?*`);
      expect(await page.locator('table:has(#deals) tbody th a').allTextContents()).to.deep.equal([
        'IBRD70000',
      ]);
    });
  }

  for (const words of ['Ukrane', 'urban raods', 'Minstry of finance', 'IBRD7000x']) {
    it(`asks whether somebody who writes “${words}” meant another word`, async () => {
      await page.fill('header [name=q]', words);
      await page.press('header [name=q]', 'Enter');
      await page.click('.empty a[href*="q="] >> nth=0');
      await page.locator('table:has(#deals) tbody th a', { hasText: 'IBRD70000' }).waitFor();
    });
  }

  it('searches names for the word of a country where the reader wants it', async () => {
    await open('/deals?q=Ukraine');
    await page.click('text=Search the names for “Ukraine”');
    expect(await textOf('.empty')).to.include('No deal passes these filters');
  });

  it('says that it is interest that is past due, and not principal', async () => {
    await open(deal);
    expect(await textOf('.alarm'))
      .to.include('interest 1.5bn')
      .and.not.include('principal');
    const rows = await page.locator('table:has(#amounts-USD) tbody tr').allInnerTexts();
    const named = Object.fromEntries(rows.map((row) => row.split('\t')));
    expect(named).to.include({
      'Principal past due': '0.00',
      'Interest past due': '1,500,000,000.00',
      'Total past due': '1,500,000,000.00',
    });
  });

  it('shows the figures that matter, each with its exact amount on focus, and leads to what is behind it', async () => {
    await open('/portfolio');
    const figure = page.locator('.figures div', { hasText: 'Outstanding principal' });
    expect(await figure.locator('[aria-hidden]').textContent()).to.equal('270bn');
    await figure.locator('a').focus();
    expect(await figure.locator('.exact').boundingBox())
      .to.have.property('width')
      .above(20);
    expect(await figure.locator('.exact').textContent()).to.equal('270,000,005,000.00');
    const soon = page.locator('.figures div', { hasText: 'Matures in 30 days' });
    expect(await soon.textContent())
      .to.include('270bn')
      .and.include('facilities: 1');
    await soon.locator('a').click();
    expect(await page.locator('table:has(#deals) tbody th a').allTextContents()).to.deep.equal([
      'IBRD70000',
    ]);
  });

  it('draws pictures whose values show on focus and lead on, without scripts', async () => {
    const bare = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await context.storageState(),
    });
    const plain = await bare.newPage();
    await plain.goto(`${services.url}/portfolio`);
    const column = plain.getByRole('link', { name: '2031: 5,000.00', exact: true });
    const value = () =>
      plain.evaluate(
        'getComputedStyle(document.querySelector(\'a.mark[href*="2031-01-01"] text\')).opacity',
      );
    expect(await value()).to.equal('0');
    await column.focus();
    expect(await value()).to.equal('1');
    await column.press('Enter');
    await plain.waitForURL(`${services.url}/deals?*maturityFrom=2031-01-01*`);
    expect(await plain.locator('table:has(#deals) tbody th a').allTextContents()).to.deep.equal([
      'IBRD80000',
    ]);
    await bare.close();
  });

  it('gives a workbook whose sheet says of when it is, and whose amounts are numbers, or texts with every digit', async () => {
    await open('/deals');
    await page.click('summary:has-text("Download")');
    const sheetOf = async (link: string) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`.menu >> text="${link}"`),
      ]);
      expect(file.suggestedFilename()).to.match(/^cls-deals_asof-.*\.xlsx$/);
      const parts = unzipSync(readFileSync(await file.path()));
      const part = (name: string) => strFromU8(parts[`xl/${name}.xml`] ?? new Uint8Array());
      const asOf = /asof-([\d-]+)_/.exec(file.suggestedFilename())?.[1];
      expect(part('workbook')).to.include(`<sheet name="${asOf} Deals"`);
      return part('worksheets/sheet1');
    };
    const numbers = await sheetOf('Excel');
    expect(numbers).to.include('<v>270000000000.00</v>').and.include('>IBRD70000<');
    expect(numbers.match(/<row>/g)).to.have.length(3);
    const texts = await sheetOf('Excel, amounts as text with every digit');
    expect(texts).to.include('>270000000000.00</t>').and.not.include('<v>');
  });

  it('prints a deal on one page of A4', async () => {
    await open(`${deal}?view=all`);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.toString('latin1')).to.match(/\/Count 1\b/);
  });
});

function committed({ deal, facility }: Loan, holders: Holders) {
  const postings = (['ORIGINAL_COMMITMENT', 'UNFUNDED'] as const).flatMap((account) =>
    entry({ facility }, [account, 'MEMO'], holders),
  );
  return aJournal(deal, 'original_commitment', '2024-01-02', postings);
}

/** What is drawn is taken from what was undrawn; what a term loan repays is not given back to it. */
function moved(
  loan: Loan,
  movement: 'advance' | 'scheduled_repayment',
  day: string,
  holders: Holders,
) {
  const principal = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], holders, { movement });
  const drawn = entry({ facility: loan.facility }, ['MEMO', 'UNFUNDED'], holders);
  return aJournal(loan.deal, movement === 'advance' ? 'advance' : 'scheduled_repayment', day, [
    ...principal,
    ...(movement === 'advance' ? drawn : []),
  ]);
}

/** Interest that is due, and never paid. */
function bill(loan: Loan, day: string, holders: Holders) {
  const due = { dueDate: businessDate(day) };
  return aJournal(
    loan.deal,
    'interest_billing',
    day,
    entry(loan, ['INTEREST_DUE', 'INTEREST_INCOME'], holders, due),
  );
}

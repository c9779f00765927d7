import { NARROW, objections, type Rules } from '@cls/testing/accessibility';
import { sharedBrowser } from '@cls/testing/browser';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { expect } from 'chai';
import type { Browser, Page, Response } from 'playwright-core';
import { type BalanceRoutesDeps, balanceRoutes } from '../../src/pages/routes.ts';
import { type SignInRoutesDeps, signInRoutes } from '../../src/sign-in/routes.ts';
import {
  addressIn,
  EVERY_PAGE,
  NO_PAGES,
  routeOf,
  type Shown,
  type Viewer,
} from '../support/every-page.ts';
import { type Services, sharedServices } from '../support/services.ts';
import { makeShownBook, type ShownBook } from '../support/shown-book.ts';
import { tooHeavy } from '../support/weight.ts';

const PASSWORD = 'correct horse battery staple';
const LANGUAGES = ['en', 'de'] as const;
type Language = (typeof LANGUAGES)[number];
const LONGER: Language = 'de';
const WIDTHS = [NARROW.width, 768, 1440];
const LOOKS = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  'forced light colours': { colorScheme: 'light', forcedColors: 'active' },
  'forced dark colours': { colorScheme: 'dark', forcedColors: 'active' },
} as const;
const ALL_LOOKS = Object.keys(LOOKS) as (keyof typeof LOOKS)[];
/** Forced colours are those of the system: the page decides where they go, and axe asks less of them. */
const LOOKS_OF_TURN = [
  ['light', 'dark'],
  ['dark', 'light'],
  ['light', 'forced light colours'],
  ['dark', 'forced dark colours'],
] as const;
const ROUTES = EVERY_PAGE.map(routeOf);
const TRIES = 5;
const WATCHED = ['pageerror', 'console', 'response'] as const;

interface Check {
  readonly width: number;
  readonly look: keyof typeof LOOKS;
  /** Of axe; without them only whether the page scrolls sideways. */
  readonly rules?: Rules;
}

const EVERY: readonly Check[] = WIDTHS.flatMap((width) =>
  ALL_LOOKS.map((look, at): Check => ({ width, look, rules: at === 0 ? 'all' : 'colours' })),
);

/**
 * All rules at one width, what a look or a width decides at the next in another look, and at the third whether the
 * page scrolls sideways; over all pages each width has each look. In German, whose words are longer. The languages
 * share their mark-up: the first page of each route is looked at in English too.
 */
function someOf(turn: number, language: Language): Check[] {
  const [first = 'light', second = 'dark'] = LOOKS_OF_TURN[turn % LOOKS_OF_TURN.length] ?? [];
  const checks: Omit<Check, 'width'>[] = [{ look: first, rules: 'all' }];
  if (language === LONGER) checks.push({ look: second, rules: 'colours and sizes' });
  else if (ROUTES.indexOf(ROUTES[turn] ?? '') !== turn) return [];
  return WIDTHS.map((width, at) => ({
    width,
    look: first,
    ...checks[(turn + at) % WIDTHS.length],
  }));
}

describe('every page and state, for everybody', () => {
  let services: Services;
  let browser: Browser;
  let book: ShownBook;
  let people: Awaited<ReturnType<typeof makeShownBook>>['people'];
  const pages = new Map<string, Promise<Page>>();
  const enough = Object.fromEntries(ALL_LOOKS.map((look) => [look, new Set<string>()]));
  before(async function () {
    browser = await sharedBrowser(this);
    services = await sharedServices();
    ({ book, people } = await makeShownBook(services));
  });
  afterEach(() => {
    services.between.fault = undefined;
    services.between.change = undefined;
  });
  after(async () => {
    for (const page of pages.values()) await (await page).context().close();
  });

  /** The tab of the person, who is signed in. Each new one would be a process with nothing compiled. */
  const tabOf = (as: Viewer, language: Language): Promise<Page> => {
    const name = `${as} ${language}`;
    const known = pages.get(name) ?? signIn(as, language);
    pages.set(name, known);
    return known;
  };
  const signIn = async (as: Viewer, language: Language): Promise<Page> => {
    const context = await browser.newContext({ locale: language });
    context.setDefaultTimeout(240_000);
    const page = await context.newPage();
    if (as === 'stranger') return page;
    const first = as === 'administrator' ? '/usage' : '/portfolio';
    await page.goto(`${services.url}${first}`);
    await page.fill('[name=email]', people[as].email);
    await page.fill('[name=password]', PASSWORD);
    await page.press('[name=password]', 'Enter');
    const code = await people[as].nextCode();
    if (code !== undefined) {
      await page.fill('[name=code]', code);
      await page.press('[name=code]', 'Enter');
    }
    await page.waitForURL((url) => url.href.startsWith(`${services.url}${first}`));
    return page;
  };

  /** What is wrong with a page in a language. */
  const problemsOf = async (
    shown: Shown,
    language: Language,
    checks: readonly Check[],
  ): Promise<string[]> => {
    const page = await tabOf(shown.as, language);
    const found: string[] = [];
    const status = shown.status ?? 200;
    page.on('pageerror', ({ message }) => found.push(message));
    page.on('console', (message) => {
      // The browser reports an answer with an error status; that one is meant.
      const isMeant = message.text().includes(`status of ${status} `);
      if (message.type() === 'error' && !isMeant) found.push(message.text());
    });
    const answers: Response[] = [];
    page.on('response', (response) => {
      if (response.request().isNavigationRequest()) answers.push(response);
    });
    for (let tries = 1; tries <= TRIES; tries += 1) {
      found.length = 0;
      await reach(page, shown);
      if (answers.at(-1)?.status() !== 503 || status === 503) break;
      // The API refuses for a moment where the machine is busy with other work.
      await page.waitForTimeout(2_000);
    }
    const answer = answers.at(-1);
    if (answer?.status() !== status) found.push(`answered ${answer?.status()}`);
    const weight = tooHeavy((await answer?.body()) ?? '');
    if (weight !== undefined) found.push(weight);
    if ((await page.locator(shown.has ?? 'main').count()) === 0) found.push(`no ${shown.has}`);
    const lang = await page.getAttribute('html', 'lang');
    if (lang !== language) found.push(`is in ${lang}`);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    const set = await page.evaluate<string[]>(CELLS_SET_OTHERWISE);
    found.push(...set.map((cell) => `not set as its column: ${cell}`));
    for (const { width, look, rules } of checks) {
      // At once: the page is laid out anew for each.
      await Promise.all([
        page.setViewportSize({ width, height: 900 }),
        page.emulateMedia(LOOKS[look]),
      ]);
      const all = rules === undefined ? [] : await objections(page, rules, enough[look]);
      found.push(...all.map((one) => `${width} px, ${look}: ${one}`));
      if (await page.evaluate<boolean>(IS_WIDER)) found.push(`${width} px, ${look}: too wide`);
      if (width !== NARROW.width) continue;
      const names = await page.evaluate<string[][]>(NAMES_OF_CELLS);
      const wrong = names.filter(([shown, column]) => shown !== column);
      found.push(...wrong.map(([shown, column]) => `${shown} beside a cell of ${column}`));
    }
    for (const event of WATCHED) page.removeAllListeners(event);
    return found.map((one) => `${language}: ${one}`);
  };
  const reach = async (page: Page, shown: Shown): Promise<void> => {
    const url = `${services.url}${addressIn(book, shown)}`;
    if (shown.reach === undefined) await page.goto(url);
    else await shown.reach(page, url);
  };

  for (const [turn, shown] of EVERY_PAGE.entries()) {
    it(`axe objects to nothing, nothing scrolls sideways or weighs too much, nothing is reported: ${shown.what}`, async () => {
      services.between.change = shown.change;
      const checks = LANGUAGES.map(
        (language) => [language, EXHAUSTIVE ? EVERY : someOf(turn, language)] as const,
      ).filter(([, some]) => some.length > 0);
      // Signed in before the API fails; one after the other, for a code is accepted once.
      for (const [language] of checks) await tabOf(shown.as, language);
      services.between.fault = shown.fault;
      const found = await Promise.all(
        checks.map(([language, some]) => problemsOf(shown, language, some)),
      );
      expect(found.flat()).to.deep.equal([]);
    });
  }

  it('is listed for each route', () => {
    const routes = {
      ...balanceRoutes({} as BalanceRoutesDeps),
      ...signInRoutes({} as SignInRoutesDeps),
    };
    const listed = [...ROUTES, ...NO_PAGES];
    const paths = Object.keys(routes).map((name) => name.split(' ')[1]);
    expect(paths.filter((path) => !listed.includes(path ?? ''))).to.deep.equal([]);
  });
});

const IS_WIDER = 'document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth';
/** Cells of numbers that begin the line, and of words that end it, as their columns' names do not. */
const CELLS_SET_OTHERWISE = `[...document.querySelectorAll('tbody td')].filter((cell) => {
  const head = cell.closest('table').rows[0].cells[cell.cellIndex];
  return (getComputedStyle(cell).textAlign === 'end') !== head.classList.contains('n');
}).map((cell) => cell.outerHTML)`;
/** Of each cell of a list with something in it: what stands beside it, and the name of its column. */
const NAMES_OF_CELLS = `[...document.querySelectorAll('.list td:not(:empty)')].map((cell) => {
  const head = cell.closest('table').rows[0].cells[cell.cellIndex].cloneNode(true);
  for (const sign of head.querySelectorAll('[aria-hidden]')) sign.remove();
  const beside = getComputedStyle(cell, '::before').content;
  return [beside, JSON.stringify(head.textContent.trim())];
})`;

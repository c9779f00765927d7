import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { eventually } from './servers.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A tab keeps it: to send half a megabyte to each page takes longer than most of the rules. */
const LOAD_AXE = `window.loadAxe = () => {${AXE}};`;
const tabsWithAxe = new WeakSet<Page>();
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const COLOURS = ['color-contrast', 'link-in-text-block'];
const SIZES = ['target-size', 'scrollable-region-focusable'];
const RULES = {
  all: { type: 'tag', values: TAGS },
  /** What colours alone decide. */
  colours: { type: 'rule', values: COLOURS },
  /** And what the width alone decides. */
  'colours and sizes': { type: 'rule', values: [...COLOURS, ...SIZES] },
} as const;
/** A longer list has nothing but more such rows. */
const ROWS_BEYOND = '.list tbody tr:nth-child(n + 13)';

/** Larger than a small phone's, smaller than no real one. */
export const NARROW = { width: 320, height: 640 };

export type Rules = keyof typeof RULES;

/** What axe objects to on a page: rule and elements. */
export async function objections(page: Page, rules: Rules = 'all'): Promise<string[]> {
  if (!tabsWithAxe.has(page)) {
    tabsWithAxe.add(page);
    await page.addInitScript(LOAD_AXE);
    await page.evaluate(LOAD_AXE);
  }
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: RULES[rules] });
  return page.evaluate<string[]>(`(async () => {
    if (!('axe' in window)) loadAxe();
    const { violations } = await axe.run({ exclude: ['${ROWS_BEYOND}'] }, ${options});
    return violations.map(
      ({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' '),
    );
  })()`);
}

/** What axe objects to in dark colours, and in light ones. */
export async function objectionsToBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await objections(page, 'colours');
  await page.emulateMedia({ colorScheme: 'light' });
  return [...dark.map((one) => `dark: ${one}`), ...(await objections(page))];
}

/** What has the focus: a field's name, a link's target, or the class or text of anything else. */
export function focusOf(page: Page): Promise<string> {
  return page.evaluate<string>(
    'document.activeElement.name || document.activeElement.getAttribute("href") || document.activeElement.className || document.activeElement.textContent',
  );
}

/**
 * Waits until this has the focus: a browser gives a new page's focus with the first frame that it
 * draws, which on a busy machine comes after everything else that tells of the page.
 */
export async function focusReaches(page: Page, wanted: string): Promise<void> {
  await eventually(async () => {
    const found = await focusOf(page);
    if (found !== wanted) throw new Error(`the focus is on ${found}, not on ${wanted}`);
  });
}

/** How far a page reaches to the side, in px. */
export function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

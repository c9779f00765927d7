import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { eventually } from './servers.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/**
 * What decides the contrast of an element's text: colours, size and weight, and what is behind it up to the page.
 * Undefined where it has no text that is shown.
 */
const COLOURS_OF = `(() => {
  const behind = new Map([[null, '']]);
  const behindOf = (one) => {
    if (!behind.has(one)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(one);
      behind.set(one, [backgroundColor, backgroundImage, opacity, behindOf(one.parentElement)].join());
    }
    return behind.get(one);
  };
  const isText = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== '';
  return (one) => {
    if (!one.matches('input, select, textarea') && ![...one.childNodes].some(isText)) return undefined;
    if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return undefined;
    const { clipPath, color, fontSize, fontWeight, textShadow } = getComputedStyle(one);
    return clipPath === 'none' ? [color, fontSize, fontWeight, textShadow, behindOf(one)].join() : undefined;
  };
})()`;
/** A tab keeps it: to send half a megabyte to each page takes longer than most of the rules. */
const LOAD_AXE = `window.loadAxe = () => {${AXE};
  axe.configure({ rules: [{ id: 'color-contrast', selector: '[data-colours]' }] });
};`;
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
/** So many elements of the same colours are measured on a page: some lie below others, where axe cannot tell. */
const ALIKE_MAX = 3;
/** A longer list has nothing but more such rows. */
const ROWS_BEYOND = '.list tbody tr:nth-child(n + 13)';

/** Larger than a small phone's, smaller than no real one. */
export const NARROW = { width: 320, height: 640 };

export type Rules = keyof typeof RULES;

interface Found {
  readonly objections: string[];
  readonly enough: readonly string[];
}

/**
 * What axe objects to on a page: rule and elements. Of text whose colours are alike it measures the contrast of
 * some: that takes longer than all other rules.
 *
 * @param enough colours that have contrast enough, of pages before; those of this one are added.
 */
export async function objections(
  page: Page,
  rules: Rules = 'all',
  enough: Set<string> = new Set(),
): Promise<string[]> {
  if (!tabsWithAxe.has(page)) {
    tabsWithAxe.add(page);
    await page.addInitScript(LOAD_AXE);
    await page.evaluate(LOAD_AXE);
  }
  const options = JSON.stringify({
    runOnly: RULES[rules],
    resultTypes: ['violations', 'passes'],
    selectors: false,
    elementRef: true,
  });
  const found = await page.evaluate<Found>(`(async () => {
    if (!('axe' in window)) loadAxe();
    const enough = ${JSON.stringify([...enough])};
    const coloursOf = ${COLOURS_OF};
    const times = new Map(enough.map((colours) => [colours, ${ALIKE_MAX}]));
    for (const one of document.querySelectorAll('body *')) {
      const colours = one.closest('${ROWS_BEYOND}') === null ? coloursOf(one) : undefined;
      const before = times.get(colours) ?? 0;
      one.toggleAttribute('data-colours', colours !== undefined && before < ${ALIKE_MAX});
      times.set(colours, before + 1);
    }
    const { violations, passes } = await axe.run({ exclude: ['${ROWS_BEYOND}'] }, ${options});
    const passed = passes.find(({ id }) => id === 'color-contrast')?.nodes ?? [];
    return {
      objections: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')),
      enough: passed.map(({ element }) => coloursOf(element)),
    };
  })()`);
  for (const colours of found.enough) enough.add(colours);
  return found.objections;
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

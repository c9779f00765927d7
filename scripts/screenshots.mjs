// Pictures of every page people see, in every state, light and dark, wide and narrow, and
// without scripts:
//   node scripts/screenshots.mjs <folder> [--locale de] [--only sign-in]
// Build first (`npm run build`). Needs a Chromium on this machine.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS } from '../packages/testing/dist/src/browser.js';
import { chromiumBinary } from '../packages/testing/dist/src/servers.js';

const root = resolve(import.meta.dirname, '..');
const support = join(root, 'packages', 'auth-server', 'dist', 'test', 'support');
const { GALLERY } = await import(join(support, 'gallery.js'));
const { startGallery } = await import(join(support, 'gallery-server.js'));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { locale: { type: 'string', default: 'en' }, only: { type: 'string', default: '' } },
});
const [folder] = positionals;
const binary = chromiumBinary();
if (folder === undefined || binary === undefined) {
  process.stderr.write(
    folder === undefined
      ? 'usage: node scripts/screenshots.mjs <folder> [--locale de] [--only <name>]\n'
      : 'Chromium is not installed on this machine\n',
  );
  process.exit(folder === undefined ? 2 : 1);
}

const SIZES = { desktop: { width: 1100, height: 800 }, narrow: { width: 320, height: 640 } };
const gallery = await startGallery();
const browser = await chromium.launch({ executablePath: binary, args: CHROMIUM_FLAGS });
mkdirSync(folder, { recursive: true });
let count = 0;
const WITHOUT_SCRIPTS = { colorScheme: 'light', size: 'desktop', javaScriptEnabled: false };
const LOOKS = [
  ...['light', 'dark'].flatMap((colorScheme) =>
    Object.keys(SIZES).map((size) => ({ colorScheme, size, javaScriptEnabled: true })),
  ),
  WITHOUT_SCRIPTS,
];
for (const look of LOOKS) {
  const { size, ...options } = look;
  const context = await browser.newContext({ viewport: SIZES[size], ...options });
  const page = await context.newPage();
  const suffix = look === WITHOUT_SCRIPTS ? 'without-scripts' : `${look.colorScheme}.${size}`;
  for (const { name } of GALLERY.filter((each) => each.name.startsWith(values.only))) {
    await page.goto(gallery.href(name, values.locale), { waitUntil: 'load' });
    const path = join(folder, `${name}.${suffix}.png`);
    await page.screenshot({ path, fullPage: true });
    count += 1;
  }
  await context.close();
}
await browser.close();
await gallery.stop();
process.stdout.write(`${count} pictures in ${folder}\n`);

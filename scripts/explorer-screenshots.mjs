// Pictures of the explorer as each demo person sees it, from the book of a running `npm start`:
//   node scripts/explorer-screenshots.mjs <data directory> <folder> [--look dark,german] [--who lena] [--only deal]
// Looks: light (default), dark, compact (rows), tablet (768 px), narrow (320 px), paper (a PDF of each page),
// german, or several; and readme, the tops of the pages in docs/images:
// `--look readme --who ben --only deal`. Needs Chromium.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS } from '../packages/testing/dist/src/browser.js';
import { chromiumBinary } from '../packages/testing/dist/src/servers.js';
import { DEMO } from './demo-book.mjs';

const LOOKS = {
  light: {},
  dark: { colorScheme: 'dark' },
  compact: {},
  tablet: { viewport: { width: 768, height: 1024 } },
  narrow: { viewport: { width: 320, height: 640 } },
  paper: {},
  german: { locale: 'de' },
  readme: { viewport: { width: 1440, height: 1340 }, deviceScaleFactor: 0.75 },
};
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    look: { type: 'string', default: 'light' },
    who: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
  },
});
const [dataDir, folder] = positionals;
const looks = values.look.split(',');
const executablePath = chromiumBinary();
if (folder === undefined || !looks.every((look) => look in LOOKS) || executablePath === undefined) {
  process.stderr.write(
    executablePath === undefined
      ? 'Chromium is not installed on this machine\n'
      : `usage: node scripts/explorer-screenshots.mjs <data directory> <folder> [--look ${Object.keys(LOOKS).join('|')}, or several with commas] [--who <name>] [--only <page>]\n`,
  );
  process.exit(2);
}

const { accounts, explorer } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
// Each but Asha, who needs a code of an authenticator app.
const people = accounts.filter(
  ({ email, totpSecret }) => totpSecret === undefined && email.startsWith(values.who),
);
/** By name: an address, or the text of a link on the page before it. */
const PAGES = [
  ['portfolio', '/portfolio'],
  ['by-type', '/portfolio?by=facilityType'],
  ['borrowers', '/borrowers'],
  ['lenders', '/lenders'],
  ['deals', '/deals?limit=50'],
  ['deals-compared', '/deals?cmpAsOf=2024-12-31'],
  ['past-due', '/deals?pastDue=true'],
  ['search', '/deals?q=meridian'],
  ['deal', `/deals/${DEMO.deal}`],
  ['deal-lenders', `/deals/${DEMO.deal}?view=lenders`],
  ['one-page', `/deals/${DEMO.deal}?view=all`],
  ['compared', `/deals/${DEMO.deal}?cmpAsOf=2024-12-31`],
  ['facility', `/facilities/${DEMO.facility}`],
  ['roll-forward', `/deals/${DEMO.deal}/roll-forward`],
  ['roll-forward-by-facility', `/deals/${DEMO.deal}/roll-forward?by=facility`],
  ['postings', `/deals/${DEMO.deal}/movements?lenders=yes`],
  ['changes', '/changes'],
  ['nothing-found', '/deals?country=XX'],
  ['no-such-deal', `/deals/deal_${'0'.repeat(26)}`],
  ['date-outside', '/deals?asOf=2150-01-01'],
];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
let count = 0;
for (const { email, password } of people) {
  const context = await browser.newContext({
    ...{ viewport: { width: 1440, height: 900 }, locale: 'en-GB' },
    ...Object.assign({}, ...looks.map((look) => LOOKS[look])),
  });
  const page = await context.newPage();
  await page.goto(`${explorer.url}/`);
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.press('[name=password]', 'Enter');
  await page.waitForURL(`${explorer.url}/portfolio?*`);
  if (looks.includes('compact')) await page.goto(`${explorer.url}/portfolio?density=compact`);
  for (const [name, address] of PAGES.filter(([each]) => each.startsWith(values.only))) {
    await page.goto(`${explorer.url}${address}`);
    const path = join(folder, `${email.split('@')[0]}.${name}.${looks.join('-')}`);
    if (looks.includes('paper')) await page.pdf({ path: `${path}.pdf`, format: 'A4' });
    else await page.screenshot({ path: `${path}.png`, fullPage: !looks.includes('readme') });
    count += 1;
  }
  await context.close();
}
await browser.close();
process.stdout.write(`${count} pictures in ${folder}\n`);

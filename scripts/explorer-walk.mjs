// Compares every number of the explorer's pages with the API's answers, on the book of a running
// `npm start`: each breakdown, the whole list with its totals and choices, the changes, and of each
// deal its page, its facilities with their accruals, its roll-forward and its postings.
//   node scripts/explorer-walk.mjs <data directory> [one deal in so many, 1]
// Build the tests first: node node_modules/typescript/bin/tsc -b packages/explorer/test
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [dataDir, every = '1'] = process.argv.slice(2);
const each = Number(every);
const AT_ONCE = 4;
const SAID_EVERY = 500;
if (dataDir === undefined) {
  process.stderr.write(
    'usage: node scripts/explorer-walk.mjs <data directory> [one deal in so many]\n',
  );
  process.exit(2);
}
const support = resolve(import.meta.dirname, '..', 'packages', 'explorer', 'dist/test/support');
const { Person } = await import(join(support, 'person.js'));
const { linkNamed } = await import(join(support, 'reading.js'));
const walk = await import(join(support, 'walk.js'));

const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
const { clientId, clientSecret } = demo.serviceAccounts[0];
const TOKEN_MS = 120_000;
let token = { value: '', until: 0 };

async function ask(path) {
  if (Date.now() > token.until) {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const response = await fetch(`${demo.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    token = { value: (await response.json()).access_token, until: Date.now() + TOKEN_MS };
  }
  const headers = { authorization: `Bearer ${token.value}` };
  const response = await fetch(`${demo.baseUrl}/api/v1/cls${path}`, { headers });
  if (response.status === 429) return again(response, () => ask(path));
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

async function open(address) {
  const { html, response } = await person.open(address);
  if (response.status === 429) return again(response, () => open(address));
  if (response.status !== 200) throw new Error(`${address}: ${response.status}`);
  pages += 1;
  return html;
}

async function again(response, action) {
  const seconds = Number(response.headers.get('retry-after') ?? 1);
  await new Promise((done) => setTimeout(done, seconds * 1_000));
  return action();
}

const olga = demo.accounts.find(({ email }) => email.startsWith('olga'));
const person = new Person(demo.explorer.url, olga.email, olga.password);
const first = await person.signIn('/deals?includeZero=true&limit=250');
const { searchParams } = first.url;
const times = `asOf=${searchParams.get('asOf')}&knownAt=${searchParams.get('knownAt')}`;
const book = { times, ask, open };
const differences = [];
const counts = {
  ...{ breakdowns: 0, list: 0, totals: 0, choices: 0, changes: 0 },
  ...{ deals: 0, facilities: 0, 'roll-forwards': 0, postings: 0 },
};
let pages = 0;
const note = (what, found) => {
  counts[what] += 1;
  differences.push(...found);
};

for (const by of ['borrower', 'country', 'facilityType', 'status', 'lender']) {
  note('breakdowns', await walk.portfolioDiffers(book, by));
}
const items = [];
let { html } = first;
for (let cursor = ''; cursor !== undefined; ) {
  const asked = `${times}&level=deal&includeZero=true&include=none&limit=250${cursor}`;
  const { data, page } = await ask(`/balances?${asked}`);
  items.push(...data);
  note('list', walk.listDiffers(html, data));
  const next = linkNamed(html, 'Next page');
  if (page.hasMore && next === undefined) throw new Error('the list ends too early');
  if (next !== undefined) html = await open(next);
  cursor = page.hasMore ? `&cursor=${page.nextCursor}` : undefined;
}
const { totals } = await ask(
  `/balances?${times}&level=deal&includeZero=true&include=totals&limit=1`,
);
note('totals', walk.totalsDiffer(first.html, 'totals', totals));
const yesterday = walk.daysBefore(searchParams.get('knownAt'), 1);
const restated = items.flatMap(({ provenance }) => provenance.restatedFrom?.knownAt ?? []);
for (const since of [yesterday, ...new Set(restated)]) {
  note('changes', await walk.changesDiffer(book, since));
}

const ids = [...new Set(items.map(({ deal }) => deal.id))].filter((_, at) => at % each === 0);
const waiting = ids.values();
const started = Date.now();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const id of waiting) {
      await walkDeal(id);
      if (counts.deals % SAID_EVERY === 0) say(`${counts.deals} of ${ids.length} deals`);
    }
  }),
);

async function walkDeal(id) {
  note('deals', await walk.dealDiffers(book, id));
  const question = `${times}&level=facility&dealId=${id}&includeZero=true&expand=accrual`;
  for (const facility of (await ask(`/balances?${question}`)).data) {
    note('facilities', await walk.facilityDiffers(book, facility));
  }
  note('roll-forwards', await walk.rollForwardDiffers(book, id));
  note('postings', await walk.postingsDiffer(book, id));
}

function say(what) {
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  process.stderr.write(`${what}, ${minutes} minutes, ${differences.length} differences\n`);
}

note('choices', await walk.choicesDiffer(book));
for (const line of differences) process.stdout.write(`${line}\n`);
const { numbers } = walk.compared;
const result = { ...counts, pages, numbers, differences: differences.length };
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(differences.length === 0 ? 0 : 1);

// Compares every number of the explorer's pages with the API's answers, on the book of a running
// `npm start`: each breakdown, the whole list, each deal, and of every tenth deal its facilities,
// roll-forward and postings too.
//   node scripts/explorer-walk.mjs <data directory> [one deal in so many, 1]
// Build the tests first: node node_modules/typescript/bin/tsc -b packages/explorer/test
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [dataDir, each = '1'] = process.argv.slice(2);
if (dataDir === undefined) {
  process.stderr.write('usage: node scripts/explorer-walk.mjs <data directory> [each]\n');
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
const counts = { breakdowns: 0, list: 0, deals: 0, facilities: 0, 'roll-forwards': 0, postings: 0 };
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
const ids = [...new Set(items.map(({ deal }) => deal.id))];
for (const [at, id] of ids.entries()) {
  if (at % Number(each) !== 0) continue;
  note('deals', await walk.dealDiffers(book, id));
  if (at % (Number(each) * 10) !== 0) continue;
  const question = `${times}&level=facility&dealId=${id}&includeZero=true&expand=accrual`;
  for (const facility of (await ask(`/balances?${question}`)).data) {
    note('facilities', await walk.facilityDiffers(book, facility));
  }
  note('roll-forwards', await walk.rollForwardDiffers(book, id));
  note('postings', await walk.postingsDiffer(book, id));
}
for (const line of differences) process.stdout.write(`${line}\n`);
process.stdout.write(`${JSON.stringify({ ...counts, differences: differences.length })}\n`);
process.exit(differences.length === 0 ? 0 : 1);

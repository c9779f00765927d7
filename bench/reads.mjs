// Pages of balances to callers with a token, each question asked for the first time: as of another
// date, so that no kept answer fits. Beside it the best SQL by hand for the rows of the first page, on
// a connection of its own, in the same run. Aims: at most 3 times the SQL by hand, at most 3 ms of
// processor time in Node for a page of 10.
//   node bench/reads.mjs [postgres|embedded] [questions, 150] [profile|facilities]
// With `profile` it asks for pages of full control alone, and prints where Node's time went. With a
// number it makes a book of that many facilities instead of the World Bank's; BOOK_URL names a
// PostgreSQL database on this machine that has one already.
//
// "node" and "database" are milliseconds of processor time a page of the service and of PostgreSQL.
import { performance } from 'node:perf_hooks';
import pg from '../packages/shared/node_modules/pg/lib/index.js';
import { postgresServer, temporaryDirectory } from '../packages/testing/dist/src/servers.js';
import { profileByGroup } from './cpu-profile.mjs';
import { familyTime, parentOf, processTime } from './process-time.mjs';
import { accessToken, startResourceApi } from './resource-api.mjs';

const engine = process.argv[2] ?? ((await postgresServer()) ? 'postgres' : 'embedded');
const questions = Number(process.argv[3] ?? 150);
/** The parts of a page, before the groups of every profile. */
const PAGE_GROUPS = [
  [/^node:(internal\/)?crypto/, 'validators'],
  [/^node:(internal\/)?async_hooks/, 'async hooks'],
  [/node_modules\/(pg|pg-[\w-]+|postgres-[\w-]+)\//, 'reading rows'],
  [/\/dist\/src\/(store|sql)\//, 'reading rows'],
  [/\/dist\/src\/(versions|csv)\//, 'presenting'],
  [/\/dist\/src\/(ledger|balances)\//, 'amounts and snapshots'],
];
const WARM_UP = 12;
const FIRST_DAY = Date.UTC(2025, 3, 1);
const DAY_MS = 86_400_000;

const profile = process.argv[4] === 'profile' ? temporaryDirectory('cls-profile-') : undefined;
const made = /^\d+$/.test(process.argv[4] ?? '') ? Number(process.argv[4]) : undefined;
const bookUrl = process.env.BOOK_URL;
const ofWorldBank = made === undefined && bookUrl === undefined;
const [lenderName, country] = ofWorldBank ? ['Third parties that bought', 'BR'] : ['Party 1', 'XA'];

const { url, pid, databaseUrl, stop } = await startResourceApi({
  engine,
  facilities: made,
  bookUrl,
  nodeArguments: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  prepare: async (command) => {
    const grant = (customer, ...words) =>
      command('entitlements', 'grant', '--new-customer', '--customer', customer, ...words);
    const parties = await command('parties', 'list', '--search', lenderName);
    await grant('agent', '--role', 'agent', '--all');
    await grant('lender', '--role', 'lender', '--lender', parties[0].id, '--all');
    await grant('brazil', '--role', 'borrower', '--country', country);
  },
});
const postmaster = bookUrl === undefined ? undefined : await postmasterOf(bookUrl);
const tokens = {
  'full control': await accessToken(),
  agent: await accessToken('agent'),
  lender: await accessToken('lender'),
  'borrower of a country': await accessToken('brazil'),
};
const everybody = Object.keys(tokens);

const pages = [
  ['page of 10', 'limit=10&include=none', everybody],
  ['page of 10 with totals', 'limit=10', everybody],
  ['page of 100', 'limit=100&include=none', everybody],
  ['level=deal', 'limit=10&include=none&level=deal', everybody],
  ['level=position', 'limit=10&include=none&level=position', ['full control']],
  ['sort=-outstanding', 'limit=10&include=none&sort=-outstanding', everybody],
  ['sort=borrower', 'limit=10&include=none&sort=borrower', ['full control']],
  ['one country', `limit=10&include=none&country=${country}`, ['full control', 'agent']],
  ['principal', 'limit=10&include=none', ['full control'], '/principal'],
  ['movements', 'limit=10', ['full control'], '/principal/movements'],
];

if (profile !== undefined) {
  console.table(await pageProfiled(profile));
  process.exit(0);
}
const byHand = databaseUrl === undefined ? undefined : await handWritten(databaseUrl);
const rows = [];
for (const [name, query, callers, path = ''] of pages) {
  for (const caller of callers) {
    const question = { query, path, token: tokens[caller] };
    rows.push({ question: name, caller, ...(await measured((day) => ask(day, question))) });
  }
}
const walk = await walked();
console.log(`store: ${engine}, Node ${process.versions.node}, ${questions} questions each`);
console.table(rows);
console.table([walk]);
if (byHand) {
  console.log('the rows of a page of 10 and of 100, in SQL by hand');
  console.table([
    { rows: 10, ...(await measured((day) => byHand(day, 10))) },
    { rows: 100, ...(await measured((day) => byHand(day, 100))) },
  ]);
}
process.exit(0);

async function ask(day, { query, path = '', token }) {
  const response = await fetch(`${url}/api/v1/cls/balances${path}?${query}&asOf=${day}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
}

/** Where Node's time of a page of 10 goes, by group. */
async function pageProfiled(directory) {
  const question = { query: 'limit=10&include=none', token: tokens['full control'] };
  // The first pages compile what the later ones run.
  await measured((day) => ask(day, question));
  const days = questions + WARM_UP;
  const sinceUs = Number(process.hrtime.bigint() / 1_000n);
  const { node } = await measured((day) => ask(day, question), FIRST_DAY + days * DAY_MS);
  await stop();
  return profileByGroup(directory, PAGE_GROUPS, sinceUs).map(({ group, share }) => ({
    group,
    share: `${(100 * share).toFixed(1)} %`,
    'ms a page': Math.round(100 * share * node) / 100,
  }));
}

async function measured(ask, firstDay = FIRST_DAY) {
  const days = Array.from({ length: questions + WARM_UP }, (_, index) =>
    new Date(firstDay + index * DAY_MS).toISOString().slice(0, 10),
  );
  for (const day of days.splice(0, WARM_UP)) await ask(day);
  const [own, all] = [nodeTime(), databaseTime()];
  const times = [];
  for (const day of days) {
    const startedMs = performance.now();
    await ask(day);
    times.push(performance.now() - startedMs);
  }
  const each = (ms) => Math.round((ms / days.length) * 10) / 10;
  const node = nodeTime() - own;
  times.sort((a, b) => a - b);
  const at = (part) => Math.round(times[Math.floor(times.length * part)] * 100) / 100;
  return {
    'median ms': at(0.5),
    'p99 ms': at(0.99),
    node: each(node),
    database: engine === 'postgres' ? each(databaseTime() - all) : undefined,
  };
}

/** Of PostgreSQL, a child of this process or a server that was there before. */
function databaseTime() {
  return postmaster === undefined ? familyTime() - nodeTime() : familyTime(postmaster);
}

async function postmasterOf(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const pid = parentOf(rows[0].pid);
  await client.end();
  return pid;
}

function nodeTime() {
  const { main, others } = processTime(pid) ?? { main: 0, others: 0 };
  return main + others;
}

/** Every page of the book, one after the other: each begins where the one before ended. */
async function walked() {
  const headers = { authorization: `Bearer ${tokens['full control']}` };
  let next = '/api/v1/cls/balances?limit=100&include=none';
  const times = [];
  while (next !== undefined) {
    const startedMs = performance.now();
    const response = await fetch(`${url}${next}`, { headers });
    await response.text();
    times.push(performance.now() - startedMs);
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  times.sort((a, b) => a - b);
  const at = (part) => Math.round(times[Math.floor(times.length * part)] * 100) / 100;
  return {
    question: 'all pages of 100',
    pages: times.length,
    'median ms': at(0.5),
    'p99 ms': at(0.99),
  };
}

/** The newest balance of each line of the first facilities that owe something, and nothing else. */
async function handWritten(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    'SET plan_cache_mode = force_generic_plan; SET jit = off; SET enable_seqscan = off;' +
      'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_sort = off',
  );
  const newest = `SELECT * FROM balance WHERE line_key = l.key AND effective_date <= $1
    ORDER BY effective_date DESC, known_seq DESC LIMIT 1`;
  const text = `
    WITH page AS MATERIALIZED (
      SELECT f.key, f.id, f.name, f.type, f.currency, f.maturity_date, d.id AS deal, d.name AS deal_name,
        d.deal_number, d.country, y.id AS borrower, y.name AS borrower_name
      FROM facility f JOIN deal d ON d.key = f.deal_key JOIN party y ON y.key = d.borrower_key
      WHERE EXISTS (SELECT FROM item_life l WHERE l.level = 'facility' AND l.item_key = f.key)
        AND EXISTS (SELECT FROM balance_line l CROSS JOIN LATERAL (${newest}) b
          WHERE l.facility_key = f.key AND l.lender_key = 0
            AND (b.principal_cash <> 0 OR b.unfunded <> 0) OFFSET 0)
      ORDER BY f.key LIMIT $2
    )
    SELECT page.*, l.lender_key, sum(b.original_commitment)::text AS commitment,
      sum(b.cancelled_commitment)::text AS cancelled, sum(b.unfunded)::text AS unfunded,
      sum(b.principal_cash + b.principal_pik)::text AS principal,
      sum(b.interest_accrued + b.interest_due)::text AS interest,
      sum(b.fees_accrued + b.fees_due)::text AS fees, sum(b.fx_revaluation)::text AS fx
    FROM page JOIN balance_line l ON l.facility_key = page.key CROSS JOIN LATERAL (${newest}) b
    GROUP BY page.key, page.id, page.name, page.type, page.currency, page.maturity_date, page.deal,
      page.deal_name, page.deal_number, page.country, page.borrower, page.borrower_name, l.lender_key`;
  return (day, count) => client.query({ name: `page ${count}`, text, values: [day, count] });
}

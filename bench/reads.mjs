// Pages of balances to callers with a token, each question asked for the first time: as of another
// date, so that no cached answer fits. Beside it, in turns with it, the best SQL by hand for the rows of the
// page that the caller sees: as a statement alone, prepared, on a connection of its own; and through a
// bare HTTP server, which verifies nothing and sends the rows as JSON. Aims: at most 3 times the SQL by
// hand, at most 3 ms of processor time in Node for a page of 10. Last, what totals cost beside a page of
// 11: at most as much as the page.
//   node bench/reads.mjs [postgres|embedded] [questions, 60] [profile|facilities]
// With `profile` it asks for pages of full control alone, and prints where Node's time went. With a
// number it makes a book of that many facilities instead of the World Bank's; BOOK_URL names a
// PostgreSQL database on this machine that has one already.
//
// Before anything is measured, every server answers 5,000 pages: Node compiles while it answers these.
// "new dates" says whether nobody had asked for the dates of a line before: where somebody had, the
// service knows what it looks up once for a date.
// "node" and "database" are milliseconds of processor time a page of the service and of PostgreSQL.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { COMPONENTS } from '../packages/resource-api/dist/src/ledger/balance.js';
import { openEmbeddedDatabase } from '../packages/shared/dist/src/embedded/embedded-database.js';
import pg from '../packages/shared/node_modules/pg/lib/index.js';
import {
  freePort,
  postgresServer,
  temporaryDirectory,
} from '../packages/testing/dist/src/servers.js';
import { profileByGroup } from './cpu-profile.mjs';
import { familyTime, parentOf, wholeTime } from './process-time.mjs';
import { accessToken, startResourceApi } from './resource-api.mjs';

const engine = process.argv[2] ?? ((await postgresServer()) ? 'postgres' : 'embedded');
const questions = Number(process.argv[3] ?? 60);
/** The parts of a page, before the groups of every profile. */
const PAGE_GROUPS = [
  [/^node:(internal\/)?crypto/, 'validators'],
  [/^node:(internal\/)?async_hooks/, 'async hooks'],
  [/node_modules\/(pg|pg-[\w-]+|postgres-[\w-]+)\//, 'reading rows'],
  [/\/dist\/src\/(.*\/sql|sql|database)\//, 'reading rows'],
  [/\/dist\/src\/(versions|csv)\//, 'presenting'],
  [/\/dist\/src\/(ledger|questions)\//, 'amounts and snapshots'],
];
const WARM_UP = 5_000;
const WARM_UP_DATES = 50;
/** Servers that are compared answer so many questions in turns. */
const TURN = 10;
const FIRST_DAY = Date.UTC(2025, 3, 1);
const DAY_MS = 86_400_000;
const DATES = Math.floor((Date.now() - FIRST_DAY) / DAY_MS) - WARM_UP_DATES;
/** In the book, and before each date that is asked for. */
const SINCE = 'fromDate=2025-04-15';
/** Orders of a question's parameters: the same question, for which no cached answer fits. */
const ORDERS = [(parts) => parts, (parts) => parts.toReversed()];

const LIMITS = { 'page of 10': 10, 'page of 100': 100 };

const profile = process.argv[4] === 'profile' ? temporaryDirectory('cls-profile-') : undefined;
const made = /^\d+$/.test(process.argv[4] ?? '') ? Number(process.argv[4]) : undefined;
const bookUrl = process.env.BOOK_URL;
const ofWorldBank = made === undefined && bookUrl === undefined;
const [lenderName, country, countries, borrowers] = ofWorldBank
  ? ['Third parties that bought', 'BR', ['BR', 'CN', 'ID', 'IN', 'TR'], []]
  : ['Party 1', 'XA', ['XA', 'XB', 'XC', 'XD', 'XE'], ['Party 201', 'Party 202', 'Party 203']];

let lenderId;
const { url, pid, databaseUrl, storeCopy, stop } = await startResourceApi({
  engine,
  facilities: made,
  bookUrl,
  nodeArguments: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  prepare: async (command) => {
    const grant = (customer, ...words) =>
      command('entitlements', 'grant', '--new-customer', '--customer', customer, ...words);
    const parties = await command('parties', 'list', '--search', lenderName);
    lenderId = parties[0].id;
    await grant('agent', '--role', 'agent', '--all');
    await grant('lender', '--role', 'lender', '--lender', lenderId, '--all');
    await grant('brazil', '--role', 'borrower', '--country', country);
    for (const each of countries) await grant('several', '--role', 'borrower', '--country', each);
    for (const name of borrowers) {
      const [party] = await command('parties', 'list', '--search', name);
      await grant('borrowers', '--role', 'borrower', '--borrower', party.id);
    }
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
const beyond = {
  'borrower of five countries': await accessToken('several'),
  ...(borrowers.length === 0 ? {} : { 'three borrowers': await accessToken('borrowers') }),
};

const pages = [
  ['page of 10', 'limit=10&include=none', everybody],
  ['page of 100', 'limit=100&include=none', everybody],
  ['level=deal', 'limit=10&include=none&level=deal', everybody],
  ['level=position', 'limit=10&include=none&level=position', ['full control']],
  ['sort=-outstanding', 'limit=10&include=none&sort=-outstanding', everybody],
  ['sort=borrower', 'limit=10&include=none&sort=borrower', ['full control']],
  ['one country', `limit=10&include=none&country=${country}`, ['full control', 'agent']],
  ['principal', 'limit=10&include=none', ['full control'], '/principal'],
  ['principal since a date', `limit=10&include=none&${SINCE}`, everybody, '/principal'],
  ['100 since a date', `limit=100&include=none&${SINCE}`, ['full control'], '/principal'],
  ['movements', 'limit=10', ['full control'], '/principal/movements'],
];

const agent = new Agent({ keepAlive: true });
/** Processes of bare servers. */
const bare = [];
let asked = 0;
const SETTINGS =
  'SET plan_cache_mode = force_generic_plan; SET jit = off; SET enable_seqscan = off;' +
  'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_sort = off';
const LIVES = `EXISTS (SELECT FROM item_life i WHERE i.level = 'facility' AND i.item_key = f.key
  AND i.currency = '' AND i.lives_until > $1 OFFSET 0)`;
const LENDER_KEY = 'SELECT key FROM party WHERE id = $1';
const byHand = storeCopy === undefined ? await onPostgres(databaseUrl) : await embedded(storeCopy);
await warmUp();
if (profile !== undefined) {
  console.table(await pageProfiled(profile));
  process.exit(0);
}
const rows = [];
const ratios = [];
for (const [name, query, callers, path = ''] of pages) {
  for (const caller of callers) {
    const question = { query, path, token: tokens[caller] };
    const ours = { pid, ask: (number) => ask(number, question) };
    const limit = LIMITS[name];
    const others = limit === undefined ? {} : byHand(limit, caller);
    const newDates = asked + questions <= DATES ? 'yes' : 'no';
    const { service, ...hand } = await measured({ service: ours, ...others });
    rows.push({ question: name, caller, 'new dates': newDates, ...service });
    for (const [server, times] of Object.entries(hand)) rows.push({ question: server, ...times });
    if (hand.statement) ratios.push({ question: name, caller, ...compared(service, hand) });
  }
}
const totals = [];
const filtered = ['status=active', `country=${country}`, 'currency=USD&minOutstanding=1000000'];
for (const [caller, token] of Object.entries({ ...tokens, ...beyond })) {
  for (const filter of ['', ...(caller === 'full control' ? filtered : [])]) {
    totals.push({ caller, filter, ...(await totalsBesidePage(token, filter)) });
  }
}
const walk = await walked();
console.log(`store: ${engine}, Node ${process.versions.node}, ${questions} questions each`);
console.table(rows);
console.table([walk]);
console.log('times the SQL by hand: the median, and processor time');
console.table(ratios);
console.log('totals beside a page of 11: the median, and processor time');
console.table(totals);
process.exit(0);

/** @param number of the question: its date, and once the dates are used up, its spelling */
async function ask(number, { query, path = '', token }) {
  const parts = [...query.split('&'), `asOf=${dateOf(number)}`];
  const order = ORDERS[Math.floor(number / DATES) % ORDERS.length];
  return read(`${url}/api/v1/cls/balances${path}?${order(parts).join('&')}`, token);
}

/** The same questions with totals and without, in turns; of 11 items: no cached answer of a line above fits. */
async function totalsBesidePage(token, filter) {
  const asks = (query) => ({
    pid,
    ask: (number) => ask(number, { query: [query, filter].filter(Boolean).join('&'), token }),
  });
  const { body } = await asks('limit=1').ask(0);
  const { page, both } = await measured({
    page: asks('limit=11&include=none'),
    both: asks('limit=11'),
  });
  const cost = ({ node, database = 0 }) => node + database;
  const beside = (all, alone) => Math.round((100 * (all - alone)) / alone) / 100;
  return {
    'totals come': JSON.parse(textOf(body)).totals === undefined ? 'no' : 'yes',
    'page ms': page['median ms'],
    'with totals ms': both['median ms'],
    'totals, of the page': beside(both['median ms'], page['median ms']),
    'its processor time': beside(cost(both), cost(page)),
    node: both.node,
    database: both.database,
  };
}

/**
 * Until the last byte is here, on a connection that is kept. It asks for gzip and takes it off only where
 * something went wrong: what a caller does with the bytes is not the server's time. fetch, which takes it
 * off and makes streams of the body, needs about 1 ms for a page of 10.
 */
async function read(address, token) {
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
  const [response] = await once(request(address, { agent, headers }).end(), 'response');
  const body = await buffer(response);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${textOf(body)}`);
  return { headers: response.headers, body };
}

function textOf(body) {
  return body[0] === 0x1f ? gunzipSync(body).toString() : body.toString();
}

function dateOf(number, dates = DATES, first = WARM_UP_DATES) {
  return new Date(FIRST_DAY + (first + (number % dates)) * DAY_MS).toISOString().slice(0, 10);
}

/** Pages that differ in their lengths, of dates that nothing else asks for. */
async function warmUp() {
  for (let number = 0; number < WARM_UP; number += 1) {
    const limit = 5 + Math.floor(number / WARM_UP_DATES);
    const asOf = dateOf(number, WARM_UP_DATES, 0);
    const token = tokens[everybody[number % everybody.length]];
    await read(`${url}/api/v1/cls/balances?limit=${limit}&include=none&asOf=${asOf}`, token);
  }
}

/** Where Node's time of a page of 10 goes, by group. */
async function pageProfiled(directory) {
  const question = { query: 'limit=10&include=none', token: tokens['full control'] };
  const sinceUs = Number(process.hrtime.bigint() / 1_000n);
  const { service } = await measured({ service: { pid, ask: (day) => ask(day, question) } });
  await stop();
  return profileByGroup(directory, PAGE_GROUPS, sinceUs).map(({ group, share }) => ({
    group,
    share: `${(100 * share).toFixed(1)} %`,
    'ms a page': Math.round(100 * share * service.node) / 100,
  }));
}

/** The same questions to each server, in turns. A server without a process is this one's own client. */
async function measured(servers) {
  const results = Object.entries(servers).map(([name, server]) => {
    return { name, ...server, times: [], node: 0, database: 0 };
  });
  const end = asked + questions;
  for (; asked < end; asked += TURN) {
    const turn = Math.min(TURN, end - asked);
    for (const result of results) {
      const [node, database] = [wholeTime(result.pid), databaseTime()];
      for (let number = asked; number < asked + turn; number += 1) {
        const startedMs = performance.now();
        await result.ask(number);
        result.times.push(performance.now() - startedMs);
      }
      result.node += wholeTime(result.pid) - node;
      result.database += databaseTime() - database;
    }
    results.reverse();
  }
  asked = end;
  return Object.fromEntries(
    results.map(({ name, times, node, database, pid: server }) => {
      const each = (ms) => Math.round((ms / times.length) * 10) / 10;
      const at = quantilesOf(times);
      return [
        name,
        {
          'median ms': at(0.5),
          'p99 ms': at(0.99),
          node: server === undefined ? undefined : each(node),
          database: engine === 'postgres' ? each(database) : undefined,
        },
      ];
    }),
  );
}

function quantilesOf(times) {
  times.sort((a, b) => a - b);
  return (part) => Math.round(times[Math.floor(times.length * part)] * 100) / 100;
}

function compared(ours, { statement, server }) {
  const ratio = (a, b) => Math.round((10 * a) / b) / 10;
  const all = ({ node, database }) => node + database;
  if (server === undefined)
    return { 'of the statement': ratio(ours['median ms'], statement['median ms']) };
  return {
    'of the bare server': ratio(ours['median ms'], server['median ms']),
    'its processor time': ratio(all(ours), all(server)),
    'of the statement': ratio(ours['median ms'], statement['median ms']),
    'its time in the database': ratio(ours.database, statement.database),
  };
}

/** Of PostgreSQL, a child of this process or a server that was there before. */
function databaseTime() {
  if (postmaster !== undefined) return familyTime(postmaster);
  return [pid, ...bare].reduce((sum, server) => sum - wholeTime(server), familyTime());
}

async function postmasterOf(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const pid = parentOf(rows[0].pid);
  await client.end();
  return pid;
}

/** Every page of the book, one after the other: each begins where the one before ended. */
async function walked() {
  let next = '/api/v1/cls/balances?limit=100&include=none';
  const times = [];
  while (next !== undefined) {
    const startedMs = performance.now();
    const { headers } = await read(`${url}${next}`, tokens['full control']);
    const { link = '' } = headers;
    times.push(performance.now() - startedMs);
    next = /<([^>]+)>; rel="next"/.exec(link)?.[1];
  }
  const at = quantilesOf(times);
  return {
    question: 'all pages of 100',
    pages: times.length,
    'median ms': at(0.5),
    'p99 ms': at(0.99),
  };
}

/**
 * By caller: what a page tells of the first facilities that owe something, as known now, in the lines that
 * the caller sees. What it was granted is written into its statement.
 */
function handWritten(lenderKey) {
  const ownLines = `AND l.lender_key IN (0, ${lenderKey})`;
  const ofAll = { items: 'SELECT key FROM facility ORDER BY key' };
  return Object.fromEntries(
    Object.entries({
      'full control': ofAll,
      agent: ofAll,
      lender: {
        items: `SELECT facility_key AS key FROM lender_position WHERE lender_key = ${lenderKey}
          ORDER BY facility_key`,
        lines: ownLines,
      },
      'borrower of a country': {
        items: `SELECT f.key FROM (SELECT key FROM deal WHERE country = '${country}' OFFSET 0) d
          CROSS JOIN LATERAL (SELECT key FROM facility WHERE deal_key = d.key OFFSET 0) f
          WHERE ${LIVES} ORDER BY f.key`,
        lines: 'AND l.lender_key = 0',
      },
    }).map(([caller, { items, lines = '' }]) => [caller, rowsOf(items, lines)]),
  );
}

function rowsOf(items, lines) {
  const newest = `SELECT * FROM balance WHERE line_key = l.key AND effective_date <= $1
    ORDER BY effective_date DESC, known_seq DESC LIMIT 1`;
  const dated = (record, what, alias, key) => `
    LEFT JOIN LATERAL (SELECT * FROM ${record}_${what} WHERE ${record}_key = ${key} AND effective_date <= $1
      ORDER BY effective_date DESC, known_seq DESC LIMIT 1) ${alias} ON true`;
  return `
    WITH page AS MATERIALIZED (
      SELECT f.* FROM (${items} OFFSET 0) item
        CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = item.key OFFSET 0) f
      WHERE ${LIVES} AND EXISTS (SELECT FROM balance_line l CROSS JOIN LATERAL (${newest}) b
        WHERE l.facility_key = f.key AND l.lender_key = 0
          AND (b.principal_cash <> 0 OR b.unfunded <> 0) OFFSET 0)
      LIMIT $2
    )
    SELECT f.id, coalesce(fd.name, f.name) AS name, f.type, f.currency,
      (SELECT id FROM facility g WHERE g.key = f.sublimit_of_key) AS sublimit_of,
      coalesce(ft.maturity_date, f.maturity_date) AS maturity,
      coalesce(ft.availability_end_date, f.availability_end_date) AS availability_end,
      coalesce(ft.status, f.status) AS status, d.id AS deal, coalesce(dd.name, d.name) AS deal_name,
      d.deal_number, coalesce(dt.status, d.status) AS deal_status,
      coalesce(dd.country, d.country) AS country, y.id AS borrower, coalesce(yd.name, y.name) AS borrower_name,
      lender.id AS lender, lender.name AS lender_name, s.*
    FROM page f JOIN deal d ON d.key = f.deal_key
      ${dated('deal', 'terms', 'dt', 'd.key')}
      ${dated('deal', 'details', 'dd', 'd.key')}
      ${dated('facility', 'terms', 'ft', 'f.key')}
      ${dated('facility', 'details', 'fd', 'f.key')}
      JOIN party y ON y.key = coalesce(dd.borrower_key, d.borrower_key)
      ${dated('party', 'details', 'yd', 'y.key')}
      CROSS JOIN LATERAL (
        SELECT l.lender_key, max(b.effective_date) AS last_effective_date, max(b.known_seq) AS last_seq,
          ${COMPONENTS.map((name) => `sum_minor(b.${name}) AS ${name}`).join(', ')},
          sum_minor(CASE WHEN l.contract_key = 0 THEN greatest(b.unfunded - b.unavailable, 0) ELSE 0 END)
            AS available
        FROM balance_line l CROSS JOIN LATERAL (${newest}) b
        WHERE l.facility_key = f.key ${lines} GROUP BY l.lender_key OFFSET 0) s
      LEFT JOIN party lender ON lender.key = s.lender_key`;
}

/** As a statement of this process, and through a bare server. */
async function onPostgres(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(SETTINGS);
  // So that the database does not do so by itself meanwhile.
  await client.query('VACUUM (ANALYZE)');
  const { rows: found } = await client.query(LENDER_KEY, [lenderId]);
  const texts = handWritten(found[0].key);
  const port = await freePort();
  const child = fork(join(import.meta.dirname, 'bare-rows.mjs'));
  process.once('exit', () => child.kill('SIGKILL'));
  const listening = new Promise((done) => child.once('message', done));
  child.send({ connectionString, settings: SETTINGS, texts, port });
  await listening;
  bare.push(child.pid);
  const statement = (limit, caller) => (number) =>
    client.query({ name: caller, text: texts[caller], values: [dateOf(number), limit] });
  const server = (limit, caller) => (number) => {
    const asked = new URLSearchParams({ asOf: dateOf(number), limit, caller });
    return read(`http://127.0.0.1:${port}/?${asked}`, '');
  };
  for (let number = 0; number < WARM_UP; number += 1) {
    const caller = everybody[number % everybody.length];
    await statement(10, caller)(number);
    await server(10, caller)(number);
  }
  return (limit, caller) => ({
    statement: { pid: undefined, ask: statement(limit, caller) },
    server: { pid: child.pid, ask: server(limit, caller) },
  });
}

/** As a statement in a copy of the store, in a worker thread of this process. */
async function embedded(folder) {
  const database = await openEmbeddedDatabase(join(folder, 'resource-api', 'database'));
  await database.execute(SETTINGS);
  await database.execute('VACUUM (ANALYZE)');
  const [{ key }] = await database.query(LENDER_KEY, [lenderId]);
  const texts = handWritten(key);
  const statement = (limit, caller) => (number) =>
    database.transaction((inside) => inside.query(texts[caller], [dateOf(number), `${limit}`]), {
      prepared: true,
      readOnly: true,
    });
  for (let number = 0; number < WARM_UP; number += 1) {
    await statement(10, everybody[number % everybody.length])(number);
  }
  return (limit, caller) => ({ statement: { pid: undefined, ask: statement(limit, caller) } });
}

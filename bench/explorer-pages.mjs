// What the explorer's pages weigh (English / German), how many questions they ask the API, and what
// they take beside them, on the book of `npm start`:
//   node bench/explorer-pages.mjs [data directory] [times, 30]
// It starts the platform on a data directory (a new one takes minutes), with a proxy between the
// explorer and the API. "Own" is the time in which a page is waited for and no question is under way;
// "processor" is the explorer's, main thread. Each page is asked for again and again by one person,
// one request at a time: middle values. The budgets: docs/guides/explorer.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { DEMO } from '../scripts/demo-book.mjs';
import { processTime } from './process-time.mjs';

const root = resolve(import.meta.dirname, '..');
const { Person } = await import(join(root, 'packages/explorer/dist/test/support/person.js'));
const { freePort, temporaryDirectory } = await import(
  join(root, 'packages/testing/dist/src/servers.js')
);
const dataDir = resolve(process.argv[2] ?? temporaryDirectory('cls-explorer-pages-'));
const rounds = Number(process.argv[3] ?? 30);
const PORT = await freePort();

/** Notes when questions are under way. */
let spans = [];
const proxy = createServer((incoming, outgoing) => {
  const span = { from: performance.now(), to: Number.NaN };
  spans.push(span);
  const upstream = request({
    ...{ host: '127.0.0.1', port: PORT + 2, path: incoming.url, method: incoming.method },
    headers: incoming.headers,
  });
  upstream.on('response', (response) => {
    outgoing.writeHead(response.statusCode, response.headers);
    response.pipe(outgoing);
    response.once('end', () => {
      span.to = performance.now();
    });
  });
  upstream.on('error', () => outgoing.destroy());
  incoming.pipe(upstream);
});
proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');

const platform = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
  env: {
    ...process.env,
    PORT: `${PORT}`,
    CLS_DATA_DIR: dataDir,
    EXPLORER_API_URL: `http://127.0.0.1:${proxy.address().port}/api`,
    RATE_LIMIT_PER_MINUTE: '0',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let explorer;
for await (const line of createInterface(platform.stdout)) {
  explorer = /explorer (\d+)/.exec(line)?.[1];
  if (explorer !== undefined) break;
}
platform.stdout.resume();

const { accounts, explorer: at } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
const signIn = async (name) => {
  const { email, password } = accounts.find((one) => one.email.startsWith(name));
  const person = new Person(at.url, email, password);
  return { person, url: (await person.signIn('/deals')).url };
};
const { person: ben, url } = await signIn('ben');
// Changes are told since the access to deals changed: nobody granted hers.
const { person: olga } = await signIn('olga');
const times = ['asOf', 'knownAt'].map((name) => `${name}=${url.searchParams.get(name)}`).join('&');
const deal = `/deals/${DEMO.deal}`;
const COMPARED = 'cmpAsOf=2024-12-31&';
const PAGES = [
  ['portfolio', '/portfolio?'],
  ['portfolio, compared', `/portfolio?${COMPARED}`],
  ['deals, 50 rows', '/deals?'],
  ['deals, 100 rows', '/deals?limit=100&'],
  ['deals, compared, 40 rows', `/deals?${COMPARED}`],
  ['deals, a search', '/deals?q=education&'],
  ['borrowers, 100 rows', '/borrowers?'],
  ['borrowers, compared, 50 rows', `/borrowers?${COMPARED}`],
  ['a deal', `${deal}?`],
  ['a deal, compared', `${deal}?${COMPARED}`],
  ['a facility', `/facilities/${DEMO.facility}?`],
  ['a roll-forward', `${deal}/roll-forward?`],
  ['postings', `${deal}/movements?`],
  ['changes, 50 rows', '/changes?since=1990-01-01T00:00:00Z&', olga],
];
const rows = {};
for (const [name, path, person = ben] of PAGES) {
  rows[name] = await measure(person, `${path}${times}`);
}
process.stdout.write(`${JSON.stringify({ node: process.version, rounds })}\n`);
console.table(rows);
platform.kill('SIGTERM');
await once(platform, 'exit');
proxy.close();
proxy.closeAllConnections();

async function measure(person, address) {
  const took = [];
  for (let n = 0; n < rounds + 3; n += 1) {
    spans = [];
    const cpu = processTime(explorer)?.main ?? 0;
    const from = performance.now();
    const response = await person.send(address, { headers: { 'accept-encoding': 'gzip' } });
    const html = await response.text();
    const whole = performance.now() - from;
    if (response.status !== 200) throw new Error(`${address}: ${response.status} ${html}`);
    const asked = covered(spans);
    took.push({ whole, asked, own: whole - asked, calls: spans.length, html, cpu });
  }
  const cpuMs = (processTime(explorer)?.main ?? 0) - took[3].cpu;
  const warm = took.slice(3);
  const [{ html, calls }] = warm;
  const german = await person.send(address, { headers: { 'accept-language': 'de' } });
  const pages = [html, await german.text()];
  const sizes = (of) => pages.map((page) => (of(page) / 1_000).toFixed(1)).join(' / ');
  return {
    'HTML, kB': sizes((page) => Buffer.byteLength(page)),
    'gzip, kB': sizes((page) => gzipSync(page).length),
    questions: calls,
    'page, ms': middle(warm.map(({ whole }) => whole)),
    'API, ms': middle(warm.map(({ asked }) => asked)),
    'own, ms': middle(warm.map(({ own }) => own)),
    'own, least': Math.min(...warm.map(({ own }) => own)).toFixed(1),
    'processor, ms': (cpuMs / warm.length).toFixed(1),
  };
}

/** The time in which at least one is under way. */
function covered(all) {
  let [sum, until] = [0, 0];
  for (const { from, to } of [...all].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

function middle(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1].toFixed(1);
}

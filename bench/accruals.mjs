// What reads cost in a book whose loans accrue: a generated one, with lenders, fees and sublimits. Each
// question is as of another date, so that no cached answer fits, or of one date with other amounts; pages
// are of 11 and 101 items for the same reason.
// Aims: totals at most as long as the page; no export that slows down with the size of its batch.
//   node bench/accruals.mjs [postgres|embedded] [contracts, 226] [years, 3] [questions, 50]
//
// "node" and "database" are processor time (on the embedded store "node" has both): on a machine that
// is busy with other work, read those.
import { performance } from 'node:perf_hooks';
import { postgresServer } from '../packages/testing/dist/src/servers.js';
import { generatedBook } from './generated-book.mjs';
import { familyTime, wholeTime } from './process-time.mjs';
import { accessToken, startResourceApi } from './resource-api.mjs';

const engine = process.argv[2] ?? ((await postgresServer()) ? 'postgres' : 'embedded');
const contracts = Number(process.argv[3] ?? 226);
const years = Number(process.argv[4] ?? 3);
const questions = Number(process.argv[5] ?? 50);
const AT_ONCE = 4;
const AT_ONCE_MS = 10_000;
const PAGES = [
  ['page of 11, without totals', '?limit=11&include=none'],
  ['page of 11, with totals', '?limit=11&include=totals'],
  ['page of 101, without totals', '?limit=101&include=none'],
  ['page of 101, with totals', '?limit=101&include=totals'],
  ['contracts, page of 11, without totals', '?level=contract&limit=11&include=none'],
  ['contracts, page of 11, with totals', '?level=contract&limit=11&include=totals'],
  ['totals by country', '/totals?groupBy=country'],
  ['page of 11, without totals, one date', '?limit=11&include=none', ofOneDate],
  ['page of 11, with totals, one date', '?limit=11&include=totals', ofOneDate],
];
const EXPORTS = [
  ['facilities', '?includeZero=true'],
  ['contracts', '?includeZero=true&level=contract'],
  ['positions', '?includeZero=true&level=position'],
];

const { url, pid } = await startResourceApi({ engine, write });
const authorization = `Bearer ${await accessToken()}`;
let asked = 0;

console.log(`store: ${engine}, Node ${process.versions.node}`);
const pages = [];
for (const round of ['warm', 'measured']) {
  for (const [name, path, another] of PAGES) {
    const row = await measured(questions, () => ask(path, 'application/json', another));
    if (round === 'measured') pages.push({ question: name, ...perQuestion(row) });
  }
}
console.table(pages);
console.log(`${await perSecond('?limit=11')} pages of 11 a second, ${AT_ONCE} at once`);
const exported = [];
for (const [name, path] of EXPORTS) {
  const rows = [];
  const row = await measured(5, async () => rows.push(await ask(path, 'application/x-ndjson')));
  exported.push({ export: name, ...perRow(row, Math.min(...rows)) });
}
console.table(exported);
process.exit(0);

async function write(database) {
  const { postings } = await generatedBook(database, { contracts, years });
  await database.execute('ANALYZE');
  console.log(`${postings} postings, ${contracts} contracts`);
}

/** As of a date within the second and third year of the book, another each time. */
function ofNextDate() {
  asked += 1;
  const date = new Date(Date.UTC(2016, 0, 16) + ((asked * 7_919) % 730) * 86_400_000);
  return `asOf=${date.toISOString().slice(0, 10)}`;
}

/** As of one date, another amount each time. */
function ofOneDate() {
  asked += 1;
  return `asOf=2017-06-14&currency=USD&minOutstanding=${asked}.00`;
}

/** How many lines the answer has. */
async function ask(path, accept = 'application/json', anotherQuestion = ofNextDate) {
  const response = await fetch(
    `${url}/api/v1/cls/balances${path}${path.includes('?') ? '&' : '?'}${anotherQuestion()}`,
    { headers: { authorization, accept } },
  );
  const body = await response.text();
  if (response.status !== 200) throw new Error(body);
  return body.split('\n').length - 1;
}

async function measured(times, work) {
  const waits = [];
  const [node, all] = [wholeTime(pid), familyTime()];
  for (let time = 0; time < times; time += 1) {
    const started = performance.now();
    await work();
    waits.push(performance.now() - started);
  }
  const own = wholeTime(pid) - node;
  waits.sort((a, b) => a - b);
  return {
    wait: waits[Math.floor(times / 2)],
    node: own / times,
    database: (familyTime() - all - own) / times,
  };
}

function perQuestion({ wait, node, database }) {
  const rounded = (ms) => Math.round(ms * 10) / 10;
  return { ms: rounded(wait), node: rounded(node), database: rounded(database) };
}

function perRow({ wait, node, database }, rows) {
  const micros = (ms) => Math.round((ms / rows) * 1_000);
  const rate = Math.round((rows / wait) * 1_000);
  return { rows, 'rows/s': rate, 'node µs': micros(node), 'database µs': micros(database) };
}

async function perSecond(path) {
  const started = performance.now();
  const until = started + AT_ONCE_MS;
  let done = 0;
  const caller = async () => {
    while (performance.now() < until) {
      await ask(path);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return (done / ((performance.now() - started) / 1_000)).toFixed(1);
}

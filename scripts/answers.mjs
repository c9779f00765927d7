// Proves that resource-api still gives the same bytes: records its answers to random questions, and asks
// another build the same questions of the same books.
//   node scripts/answers.mjs books --books DIR
//   node scripts/answers.mjs record --out FILE.ndjson.gz [--count 10000] [--seed 1] [--books DIR]
//   node scripts/answers.mjs compare --with FILE.ndjson.gz [--show 10] [--only NUMBER] [--books DIR]
// Without --books, the books are in the folder `pg` beside the file. `compare` exits with 1 where an answer
// differs; with --only it asks the question of that number alone.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import { Random } from '../packages/book-generator/dist/src/random.js';
import { BOOK_NAMES, makeBooks, openBooks } from './answers/books.mjs';
import { firstDifference } from './answers/difference.mjs';
import { questions, valuesOf } from './answers/questions.mjs';

/** What a caller gets beside the body. */
const HEADERS = ['etag', 'link', 'content-type', 'content-disposition', 'content-location'];
const PROGRESS_EVERY = 250;
const SHOWN_CHARS = 400;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    books: { type: 'string' },
    out: { type: 'string' },
    with: { type: 'string' },
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '10' },
    only: { type: 'string' },
  },
});
const file = options.out ?? options.with;
const folder = resolve(options.books ?? join(dirname(file ?? '.'), 'pg'));
const startedMs = Date.now();
const COMMANDS = { books: () => makeBooks(folder), record, compare };
const NEEDS = { record: 'out', compare: 'with' };
const [name] = positionals;
if (!(name in COMMANDS)) fail(`expected one of ${Object.keys(COMMANDS).join(', ')}`);
if (name in NEEDS && options[NEEDS[name]] === undefined)
  fail(`${name} needs --${NEEDS[name]} FILE`);
// At the exit of this process its PostgreSQL ends, and the copy of the books goes.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
await COMMANDS[name]();
process.exit();

async function record() {
  const count = Number(options.count);
  const { id, serve } = await openBooks(folder);
  const gzip = createGzip({ level: 4 });
  const written = pipeline(gzip, createWriteStream(options.out));
  const write = async (value) => {
    if (!gzip.write(`${JSON.stringify(value)}\n`)) await once(gzip, 'drain');
  };
  const git = (...words) =>
    execFileSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' });
  const [commit, changes] = [git('rev-parse', 'HEAD').trim(), git('status', '--porcelain') !== ''];
  await write({ commit, changes, books: id, count, seed: Number(options.seed) });
  const sums = new Map();
  let number = 0;
  for (const [index, book] of BOOK_NAMES.entries()) {
    const { ask, database, stop } = await serve(book);
    const asked = questions(
      new Random(Number(options.seed) * 100 + index),
      await valuesOf(database),
    );
    const until = Math.round((count * (index + 1)) / BOOK_NAMES.length);
    let answer;
    for (; number < until; number += 1) {
      const { value: question } = asked.next(answer);
      answer = await ask(question);
      await write({ book, ...question, ...recorded(answer) });
      addTo(sums, question.operation, answer);
      if (number % PROGRESS_EVERY === 0) showProgress(number, count, book);
    }
    await stop();
  }
  gzip.end();
  await written;
  console.table(Object.fromEntries(sums));
  console.log(`${seconds()} s`);
}

async function compare() {
  const { id, serve } = await openBooks(folder);
  const lines = createInterface({ input: createReadStream(options.with).pipe(createGunzip()) });
  let header;
  let service;
  let number = 0;
  const differing = new Map();
  for await (const line of lines) {
    const value = JSON.parse(line);
    if (header === undefined) {
      header = value;
      if (header.books !== id) fail(`${folder} has other books than the recording`);
      console.log(header);
      continue;
    }
    number += 1;
    if (options.only !== undefined && number !== Number(options.only)) continue;
    const { book, operation, caller, path, headers, ...expected } = value;
    if (service?.book !== book) {
      await service?.stop();
      service = { book, ...(await serve(book)) };
    }
    const actual = recorded(await service.ask({ caller, path, headers }));
    const found = differenceOf(expected, actual);
    if (found !== undefined) {
      differing.set(operation, (differing.get(operation) ?? 0) + 1);
      if (sumOf(differing) <= Number(options.show)) show(number, value, found);
    }
    if (number % PROGRESS_EVERY === 0) showProgress(number, header.count, book);
  }
  await service?.stop();
  const missing = header.count - number;
  if (missing > 0) console.log(`the recording lacks its last ${missing} questions`);
  if (differing.size > 0) console.table(Object.fromEntries(differing));
  console.log(
    `${sumOf(differing)} of ${number} answers differ from ${header.commit}; ${seconds()} s`,
  );
  process.exitCode = differing.size > 0 || missing > 0 ? 1 : 0;
}

function recorded({ status, headers, body }) {
  const kept = HEADERS.flatMap((name) => (name in headers ? [[name, headers[name]]] : []));
  return { status, answered: Object.fromEntries(kept), body };
}

/** The body says most: where it differs, so does its ETag. */
function differenceOf(expected, actual) {
  const body = firstDifference(expected.body, actual.body);
  if (body !== undefined && expected.status === actual.status) return body;
  const [before, after] = [expected, actual].map(({ status, answered }) =>
    JSON.stringify({ status, ...answered }),
  );
  return firstDifference(before, after) ?? body;
}

function show(number, { book, caller, path, headers }, { path: place, expected, actual }) {
  const shown = (value) => JSON.stringify(value)?.slice(0, SHOWN_CHARS);
  const lines = [
    `question ${number} of ${book}, as ${caller}: ${path} ${JSON.stringify(headers)}`,
    `  ${place}`,
    `  - ${shown(expected)}`,
    `  + ${shown(actual)}`,
  ];
  console.log(lines.join('\n'));
}

function addTo(sums, operation, answer) {
  const sum = sums.get(operation) ?? { questions: 0, 'with something': 0, KiB: 0 };
  sum.questions += 1;
  sum['with something'] += hasSomething(answer) ? 1 : 0;
  sum.KiB += Math.round(Buffer.byteLength(answer.body) / 1_024);
  sum[answer.status] = (sum[answer.status] ?? 0) + 1;
  sums.set(operation, sum);
}

function hasSomething({ status, headers, body }) {
  if (status !== 200) return false;
  // A header line, or a summary, stands alone in an empty export.
  if (!headers['content-type'].startsWith('application/json')) return body.split('\n').length > 2;
  const { data, removed = [], totals = [] } = JSON.parse(body);
  if (!Array.isArray(data)) return true;
  const items = data.filter(({ values }) => values === undefined || values.length > 0);
  return items.length + removed.length + totals.length > 0;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

function sumOf(counts) {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function showProgress(number, count, book) {
  console.log(`${number} of ${count}, ${book}, ${seconds()} s`);
}

function seconds() {
  return Math.round((Date.now() - startedMs) / 1_000);
}

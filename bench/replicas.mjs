// What read replicas add: new pages of balances with none, one, two and three streaming replicas. On one
// machine all of them share its processors, so each PostgreSQL runs for the same short part of the
// time alone, as on a small machine of its own; the ratios are what to read.
//   node bench/replicas.mjs [seconds of each, 15] [milliseconds of 200 in which a PostgreSQL runs, 40]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const CYCLE_MS = 200;
const AT_ONCE = 24;

if (isMainThread) await measure();
else shareTime(workerData);

async function measure() {
  const { dealsFile } = await import('../scripts/drills/book.mjs');
  const { startPostgresInstance } = await import(
    '../packages/testing/dist/src/postgres-instance.js'
  );
  const { temporaryDirectory } = await import('../packages/testing/dist/src/servers.js');
  const { accessToken, startResourceApi } = await import('./resource-api.mjs');
  const seconds = Number(process.argv[2] ?? 15);
  const runMs = Number(process.argv[3] ?? 40);

  const primary = await startPostgresInstance();
  await primary.createDatabase('api');
  const file = join(temporaryDirectory('cls-bench-'), 'book.ndjson');
  writeFileSync(file, dealsFile(1, 300).text);
  process.env.API_DATABASE_POOL_SIZE = '4';
  const prepare = (command) => command('journals', 'import', file, '--apply');
  const first = await startResourceApi({
    engine: 'postgres',
    bookUrl: primary.url('api'),
    prepare,
  });
  await first.stop();
  const replicas = [];
  while (replicas.length < 3) replicas.push(await primary.startStandby());
  const authorization = `Bearer ${await accessToken()}`;

  let alone;
  for (const count of [0, 1, 2, 3]) {
    const used = replicas.slice(0, count);
    process.env.API_READ_DATABASE_URLS = used.map((one) => one.url('api')).join(' ');
    const { url, stop } = await startResourceApi({
      ...{ engine: 'postgres', bookUrl: primary.url('api') },
    });
    const throttle = new Worker(new URL(import.meta.url), {
      workerData: { pids: [primary, ...used].map(({ pid }) => pid), runMs },
    });
    await pages(url, authorization, 5);
    const rate = await pages(url, authorization, seconds);
    await throttle.postMessage('end');
    await new Promise((done) => throttle.once('exit', done));
    alone ??= rate;
    console.log(
      `${count} replicas: ${rate.toFixed(0)} pages a second, ${(rate / alone).toFixed(2)}`,
    );
    await stop();
  }
  process.exit(0);
}

/** New pages of ten, as many at once as fit. @returns how many a second */
async function pages(url, authorization, seconds) {
  const endMs = performance.now() + seconds * 1_000;
  let answered = 0;
  const ask = async () => {
    while (performance.now() < endMs) {
      const day = new Date(Date.UTC(2024, 1, 1) + Math.random() * 900 * 86_400_000);
      const question = `asOf=${day.toISOString().slice(0, 10)}&include=none&limit=10&minOutstanding=${Math.floor(Math.random() * 1e5)}&currency=GBP`;
      const answer = await fetch(`${url}/api/v1/cls/balances?${question}`, {
        headers: { authorization },
      });
      const { data } = await answer.json();
      if (data?.length !== 10) throw new Error(`${answer.status} with ${data?.length} items`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return answered / seconds;
}

/** In turns, one PostgreSQL at a time. */
function shareTime({ pids, runMs }) {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const sleep = (ms) => Atomics.wait(clock, 0, 0, ms);
  const signal = (pid, name) => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    for (const one of [pid, ...children.split(' ').filter(Boolean).map(Number)]) {
      try {
        process.kill(one, name);
      } catch {
        // It ended meanwhile.
      }
    }
  };
  let going = true;
  parentPort.once('message', () => {
    going = false;
  });
  const turn = () => {
    for (const pid of pids) {
      signal(pid, 'SIGCONT');
      sleep(runMs);
      if (going) signal(pid, 'SIGSTOP');
    }
    sleep(CYCLE_MS - runMs * pids.length);
    if (going) setImmediate(turn);
    else for (const pid of pids) signal(pid, 'SIGCONT');
  };
  for (const pid of pids) signal(pid, 'SIGSTOP');
  turn();
}

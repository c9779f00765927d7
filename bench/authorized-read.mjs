// The same page of balances again, as a poller asks it, against a bare Koa app that sends the same kept
// bytes to anyone: as they are, in gzip and in brotli. And 304 against the bare app that sends the page.
// Aims: 0.8 of the bare app, 0.9 for 304.
//   node bench/authorized-read.mjs [postgres|embedded] [rounds, 3]
//
// "µs" is processor time an answer, of the process that answers; on a machine that is busy with other
// work, read that.
import { fork } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { freePort, postgresServer } from '../packages/testing/dist/src/servers.js';
import { load } from './load.mjs';
import { processTime } from './process-time.mjs';
import { accessToken, startResourceApi } from './resource-api.mjs';

const engine = process.argv[2] ?? ((await postgresServer()) ? 'postgres' : 'embedded');
const ROUNDS = Number(process.argv[3] ?? 3);
const { url: api, pid } = await startResourceApi({ engine });
const authorization = `Bearer ${await accessToken()}`;
const rows = [];
for (const limit of [10, 100]) {
  const url = `${api}/api/v1/cls/balances?limit=${limit}`;
  for (const coding of ['identity', 'gzip', 'br']) {
    const headers = { authorization, 'accept-encoding': coding };
    const { body, etag } = await get(url, headers);
    const bare = await startBareKoa(body, coding === 'identity' ? undefined : coding);
    rows.push({
      limit,
      answer: coding === 'identity' ? 'plain' : coding,
      'body kB': Math.round(body.length / 100) / 10,
      ...(await compared(bare, { url, headers })),
    });
    if (coding === 'gzip') {
      const known = { ...headers, 'if-none-match': etag };
      const result = await compared(bare, { url, headers: known, status: 304 });
      rows.push({ limit, answer: '304', 'body kB': 0, ...result });
    }
    bare.stop();
  }
}
console.log(
  `store: ${engine}, Node ${process.versions.node}, 16 at once, medians of ${ROUNDS} rounds`,
);
console.table(rows);
process.exit(0);

async function compared(bareApp, question) {
  const ratios = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bare = await timed(bareApp.pid, { url: bareApp.url });
    const ours = await timed(pid, question);
    ratios.push({
      'bare Koa/s': bare.perSecond,
      'resource-api/s': ours.perSecond,
      'p99 ms': ours.p99Ms,
      ratio: Number((ours.perSecond / bare.perSecond).toFixed(2)),
      'bare µs': bare.us,
      'resource-api µs': ours.us,
      'ratio of µs': Number((bare.us / ours.us).toFixed(2)),
    });
  }
  // The first round compiles what the later ones run.
  ratios.shift();
  return ratios.sort((a, b) => a.ratio - b.ratio)[Math.floor(ROUNDS / 2)];
}

async function timed(server, question) {
  const before = timeOf(server);
  const result = await load({ ...question, seconds: 3 });
  return { ...result, us: Math.round((1_000 * (timeOf(server) - before)) / result.answered) };
}

function timeOf(server) {
  const { main, others } = processTime(server) ?? { main: 0, others: 0 };
  return main + others;
}

/** fetch would take the coding off. */
function get(url, headers) {
  return new Promise((done, failed) => {
    const asked = request(url, { headers }, async (response) => {
      done({ body: await buffer(response), etag: response.headers.etag });
    });
    asked.once('error', failed).end();
  });
}

async function startBareKoa(body, coding) {
  const port = await freePort();
  const child = fork(join(import.meta.dirname, 'bare-koa.mjs'));
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  const listening = new Promise((done) => child.once('message', done));
  child.send({ body: body.toString('base64'), coding, port });
  await listening;
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid, stop };
}

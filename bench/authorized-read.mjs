// A page of balances to a caller with a token, against a bare Koa app that returns the same bytes.
// Aim: 0.8 of the bare app. The page is repeated, as a poller's is, so it comes from memory.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { freePort, postgresServer } from '../packages/testing/dist/src/servers.js';
import { load } from './load.mjs';
import { accessToken, startResourceApi } from './resource-api.mjs';

const engine = (await postgresServer()) ? 'postgres' : 'embedded';
console.log(`store: ${engine}`);
const { url: api } = await startResourceApi({ engine });
const headers = { authorization: `Bearer ${await accessToken()}` };
for (const limit of [10, 100]) {
  const url = `${api}/api/v1/cls/balances?limit=${limit}`;
  const body = await (await fetch(url, { headers })).text();
  const bareUrl = await startBareKoa(body);
  const rows = [];
  for (let round = 0; round < 3; round += 1) {
    const bare = await load({ url: bareUrl });
    const ours = await load({ url, headers });
    rows.push({
      limit,
      'body kB': Math.round(body.length / 1000),
      'bare Koa/s': bare.perSecond,
      'resource-api/s': ours.perSecond,
      'p99 ms': ours.p99Ms,
      ratio: Number((ours.perSecond / bare.perSecond).toFixed(2)),
    });
  }
  console.table(rows);
}
process.exit(0);

async function startBareKoa(body) {
  const port = await freePort();
  const child = fork(join(import.meta.dirname, 'bare-koa.mjs'));
  process.once('exit', () => child.kill('SIGKILL'));
  const listening = new Promise((done) => child.once('message', done));
  child.send({ body, port });
  await listening;
  return `http://127.0.0.1:${port}/`;
}

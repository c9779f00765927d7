// Whole books as NDJSON and CSV: rows a second, processor time, and memory while they are streamed.
// Beside it the newest balance of each line, by hand: the least that the database must read.
// Aims: 20,000 rows a second of one core in Node and in PostgreSQL, and memory that stays flat.
//   node bench/exports.mjs [postgres|embedded] [rounds, 7]
//
// "rows/s of node" are rows for each second of processor time of the service, "of database" of
// PostgreSQL: on a machine that is busy with other work, read those.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { performance } from 'node:perf_hooks';
import pg from '../packages/shared/node_modules/pg/lib/index.js';
import { postgresServer } from '../packages/testing/dist/src/servers.js';
import { familyTime, wholeTime } from './process-time.mjs';
import { accessToken, startResourceApi } from './resource-api.mjs';

const engine = process.argv[2] ?? ((await postgresServer()) ? 'postgres' : 'embedded');
const ROUNDS = Number(process.argv[3] ?? 7);
const WARM_ROUNDS = 2;
const WATCH_MS = 20;
const EXPORTS = [
  ['facilities', '?includeZero=true'],
  ['contracts', '?includeZero=true&level=contract'],
  ['positions, principal', '/principal?includeZero=true&level=position'],
  ['movements', '/principal/movements'],
];
const { url, pid, databaseUrl } = await startResourceApi({ engine });
const authorization = `Bearer ${await accessToken()}`;
const rows = [];
for (const [name, path] of EXPORTS) {
  for (const type of ['application/x-ndjson', 'text/csv']) {
    const rounds = [];
    // The first rounds compile what the later ones run.
    for (let round = 0; round < WARM_ROUNDS; round += 1) await exported(path, type);
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await exported(path, type));
    rows.push({ export: name, type, ...mediansOf(rounds) });
  }
}
console.log(`store: ${engine}, Node ${process.versions.node}`);
console.table(rows);
if (databaseUrl !== undefined) console.table([await copied(databaseUrl)]);
process.exit(0);

async function exported(path, accept) {
  const [node, all] = [wholeTime(pid), familyTime()];
  const started = performance.now();
  let lines = 0;
  let bytes = 0;
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, residentMb() ?? 0);
  }, WATCH_MS);
  // Counted with little work, because this process shares the cores with the service.
  for await (const chunk of await answerOf(path, accept)) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  const wall = performance.now() - started;
  clearInterval(watching);
  const own = wholeTime(pid) - node;
  const perSecond = (ms) => Math.round((lines / ms) * 1000);
  return {
    rows: lines,
    MB: Math.round(bytes / 1e5) / 10,
    'rows/s': perSecond(wall),
    'rows/s of node': perSecond(own),
    'rows/s of database': engine === 'postgres' ? perSecond(pgTime(all, own)) : undefined,
    'peak MB': peak,
  };
}

/** The median of each figure. Other work on the machine slows single rounds. */
function mediansOf(rounds) {
  const names = Object.keys(rounds[0]);
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((one) => one[name]))]));
}

async function answerOf(path, accept) {
  const headers = { authorization, accept, 'accept-encoding': 'identity' };
  const request = get(`${url}/api/v1/cls/balances${path}`, { headers });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
  return response;
}

/** What this process has started, less the service: PostgreSQL. */
function pgTime(before, own) {
  return familyTime() - before - own;
}

function residentMb() {
  try {
    const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kb) / 1024);
  } catch {
    return undefined;
  }
}

/** The newest balance of every line, to nowhere: what reading them costs, whatever is made of them. */
async function copied(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const all = familyTime();
  const started = performance.now();
  const { rows: found } = await client.query(`
    SELECT count(*) AS lines, count(newest.text) AS balances
    FROM balance_line l LEFT JOIN LATERAL (
      SELECT b::text AS text FROM balance b WHERE b.line_key = l.key
      ORDER BY effective_date DESC, known_seq DESC LIMIT 1) newest ON true`);
  const wall = performance.now() - started;
  const lines = Number(found[0].lines);
  return {
    'SQL by hand': 'the newest balance of each line as text',
    lines,
    'lines/s': Math.round((lines / wall) * 1000),
    'lines/s of database': Math.round((lines / (familyTime() - all)) * 1000),
  };
}

// Whether anything grows that should not: `node bench/soak.mjs [minutes]`. Two of each service, as
// in the drills, with PostgreSQL, Redis and nginx, under a steady load of tokens, sign-ins, pages,
// reads and imports. What ends by time ends within minutes here, so that each store is full after
// the first third. It ends with 1 where the last third uses more than the second, beyond noise.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from '../scripts/drills/load.mjs';
import { signIn } from '../scripts/drills/person.mjs';
import { SERVICES, startWorld } from '../scripts/drills/world.mjs';

const minutes = Number(process.argv[2] ?? 10);
const SAMPLE_MS = 15_000;
const SIGN_IN_EVERY_MS = 3_000;
/** Of the drills' load: a soak is long, not heavy, and fills what is kept in memory in its first third. */
const PACE = 1.5;
/** Then its people sign in again: their sign-ins last no longer than `REFRESH_ABSOLUTE_S`. */
const ROUND_MS = 480_000;
/** The heap is collected when the engine thinks fit; this much is no growth. */
const NOISE = { memory: 1.15, files: 1.1, connections: 1.1, keys: 1.1 };
/** What is kept for longer than a soak lasts, as docs/guides/capacity.md says: for a day at least. By store. */
const KEPT = {
  cls_auth: /^(audit_event\w*|signed_in_session|application_grant|revoked_grant)$/,
  // The ledger is append-only, and each import brings a deal.
  cls_api: /^(?!schema_migration|version_|caller_)/,
  // A day longer than the sign-in that it is for.
  Redis: /^Grant$/,
};
const ROWS = `
  SELECT relname AS table, (xpath('/row/n/text()', query_to_xml(
    format('SELECT count(*) AS n FROM %I', relname), false, true, '')))[1]::text::int AS n
  FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    AND NOT relispartition`;
const ENDS_SOON = {
  ...{ SESSION_IDLE_S: '60', REMEMBER_DEVICE_S: '120' },
  ...{ REFRESH_TOKEN_TTL: '300', REFRESH_ABSOLUTE_S: '600' },
};

const world = await startWorld({ env: ENDS_SOON });
const counts = {};
const samples = [];
const until = Date.now() + minutes * 60_000;
const signingIn = signInAgainAndAgain();
while (Date.now() < until) await round();
await signingIn;
const faults = report();
faults.push(...world.ends);
await world.close();
if (faults.length > 0) console.log(`faults: ${faults.join(', ')}`);
process.exit(faults.length === 0 ? 0 : 1);

async function round() {
  const load = await startLoad(world, { pace: PACE });
  const ends = Math.min(until, Date.now() + ROUND_MS);
  while (Date.now() < ends) {
    await sleep(SAMPLE_MS);
    samples.push(await sample());
    count(load.history.splice(0));
  }
  await load.stop();
}

async function signInAgainAndAgain() {
  while (Date.now() < until) {
    const outcome = await signIn(world).then(
      () => 'done',
      () => 'failed',
    );
    count([{ kind: 'sign-in', outcome }]);
    await sleep(SIGN_IN_EVERY_MS);
  }
}

function count(answers) {
  for (const { kind, outcome } of answers) {
    const key = outcome === 'done' ? kind : `${kind} ${outcome}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
}

async function sample() {
  const { current } = world.postgres;
  const processes = SERVICES.flatMap((name) => {
    const { pid } = world.childOf(name);
    return [
      [`${name} memory, MB`, memoryOf(pid)],
      [`${name} files`, readdirSync(`/proc/${pid}/fd`).length],
    ];
  });
  const rows = [];
  for (const database of ['cls_auth', 'cls_api']) {
    for (const { table, n } of await current.query(ROWS, database))
      rows.push([`${database} ${table}`, n]);
  }
  const [{ n }] = await current.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename LIKE 'cls_%'`,
  );
  return Object.fromEntries([...processes, ['connections', n], ...keysOfRedis(), ...rows]);
}

/** How many there are of each kind that auth-server keeps, and of all others together. */
function keysOfRedis() {
  const words = ['-u', world.environment.REDIS_URL, '--scan'];
  const counts = new Map();
  for (const key of execFileSync('redis-cli', words, { encoding: 'utf8' }).split('\n')) {
    if (key === '') continue;
    const name = `Redis ${/^cls:auth:([A-Za-z]+):/.exec(key)?.[1] ?? 'others'} keys`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function memoryOf(pid) {
  const [, kb] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(kb) / 1024);
}

/** A line for what changed. @returns what is higher in the last third than in the second */
function report() {
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, 2 * third);
  const last = samples.slice(2 * third);
  const mean = (some, name) => some.reduce((sum, one) => sum + (one[name] ?? 0), 0) / some.length;
  const found = [];
  console.log(`${minutes} minutes:`, JSON.stringify(counts));
  for (const name of new Set(samples.flatMap(Object.keys))) {
    const [first, a, b] = [samples[0][name] ?? 0, mean(middle, name), mean(last, name)];
    if (first === b && a === b) continue;
    const grows = b > a * (NOISE[/memory|files|connections|keys/.exec(name)?.[0]] ?? 1) + 1;
    const [store, table] = name.split(' ');
    const kept = KEPT[store]?.test(table) === true;
    if (grows && !kept) found.push(`${name} grows`);
    const word = grows ? (kept ? 'kept ' : 'GROWS ') : '';
    console.log(`${word}${name}: ${first} at first, ${a.toFixed(1)}, then ${b.toFixed(1)}`);
  }
  return found;
}

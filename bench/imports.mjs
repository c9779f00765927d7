// How many postings a second an import takes, with all that the database checks and keeps, and where
// the time goes: a statement (the World Bank's, what the first `npm start` loads), a generated book,
// and the same book from its journal file. On the embedded store, and on PostgreSQL where it is
// installed. Aims: 20,000 postings a second on PostgreSQL, 10,000 on the embedded store.
//   node bench/imports.mjs [contracts, 500] [years, 3]
//
// "cpu" is the processor time of this process (on the embedded store, the database's too) and of
// PostgreSQL: on a machine that is busy with other work, read that.

import { once } from 'node:events';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readProfile } from '../packages/resource-api/dist/src/cli/read-profile.js';
import { MIGRATIONS } from '../packages/resource-api/dist/src/database/migrations.js';
import { bytesSource } from '../packages/resource-api/dist/src/import/file/bytes-source.js';
import { importStatement } from '../packages/resource-api/dist/src/import/import-statement.js';
import { sqlBook } from '../packages/resource-api/dist/src/import/sql/sql-book.js';
import { exportJournals } from '../packages/resource-api/dist/src/journal-file/export-journals.js';
import { importJournals } from '../packages/resource-api/dist/src/journal-file/import-journals.js';
import { sqlJournals } from '../packages/resource-api/dist/src/journal-file/sql/sql-journals.js';
import { openEmbeddedDatabase } from '../packages/shared/dist/src/embedded/embedded-database.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { postgresServer, temporaryDirectory } from '../packages/testing/dist/src/servers.js';
import { generatedBook } from './generated-book.mjs';
import { processTime } from './process-time.mjs';

const contracts = Number(process.argv[2] ?? 500);
const years = Number(process.argv[3] ?? 3);
const SHOWN = 12;
const file = join(temporaryDirectory('cls-bench-'), 'journals.ndjson');
const statement = readFileSync(
  new URL('../packages/resource-api/data/world-bank-ibrd-2025-03-31.csv.gz', import.meta.url),
);

const imports = {
  'statement of the World Bank': async (database) => {
    const profile = readProfile('world-bank-ibrd');
    const source = bytesSource('statement.csv', statement);
    const request = { source, profile, apply: true, expected: { sums: {} } };
    const withoutTotals = 'a benchmark';
    return (await importStatement(sqlBook(database), { ...request, withoutTotals })).postings;
  },
  'generated book': async (database) =>
    (await generatedBook(database, { contracts, years })).postings,
  'journal file': async (database) => {
    const report = await importJournals(sqlJournals(database), { lines, apply: true });
    return report.summary.postings;
  },
};

const server = await postgresServer();
const engines = [...(server ? [['PostgreSQL', openPostgres]] : []), ['embedded', openEmbedded]];
const rows = [];
const splits = [];
for (const [engine, open] of engines) {
  for (const [name, run] of Object.entries(imports)) {
    const database = await open();
    await migrate(database, readMigrations(MIGRATIONS));
    await measure(engine, name, run, database);
    if (name === 'generated book') await writeFile(database);
    await database.close();
  }
}
console.log(`Node ${process.versions.node}`);
console.table(rows);
for (const { title, parts } of splits) {
  console.log(title);
  console.table(parts);
}
process.exit(0);

async function measure(engine, name, run, database) {
  const watched = watch(database);
  const [{ pid }] = await watched.database.transaction((transaction) =>
    transaction.query('SELECT pg_backend_pid() AS pid'),
  );
  const backend = () => (engine === 'PostgreSQL' ? cpuSeconds(processTime(pid)) : 0);
  const before = { cpu: process.cpuUsage(), backend: backend() };
  watched.statements.clear();
  const started = performance.now();
  const postings = await run(watched.database);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before.cpu);
  rows.push({
    engine,
    import: name,
    postings,
    seconds: seconds.toFixed(1),
    'postings/s': Math.round(postings / seconds),
    'cpu here, s': ((user + system) / 1e6).toFixed(1),
    'cpu of PostgreSQL, s': engine === 'PostgreSQL' ? (backend() - before.backend).toFixed(1) : '',
  });
  const parts = [...watched.statements].map(([part, ms]) => ({ part, ms }));
  splits.push({
    title: `${engine}, ${name}: statements as they were waited for, then functions by themselves`,
    parts: [...largest(parts), ...largest(await functionTimes(database))],
  });
}

function largest(parts) {
  return parts
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SHOWN)
    .map(({ part, ms }) => ({ part, ms: Math.round(ms) }));
}

/** The same database, noting how long each kind of statement was waited for. */
function watch(database) {
  const statements = new Map();
  const timed = async (sql, work) => {
    const started = performance.now();
    try {
      return await work();
    } finally {
      const kind = sql.trim().replaceAll(/\s+/g, ' ').slice(0, 40);
      statements.set(kind, (statements.get(kind) ?? 0) + performance.now() - started);
    }
  };
  const over = (sql) => ({
    ...sql,
    query: (text, params) => timed(text, () => sql.query(text, params)),
    execute: (text) => timed(text, () => sql.execute(text)),
  });
  const transaction = async (work, options) => {
    let ended;
    const result = await database.transaction(async (inside) => {
      const value = await work({ ...over(inside), inTransaction: true });
      ended = performance.now();
      return value;
    }, options);
    const commit = 'COMMIT, with all that waits for the end';
    statements.set(commit, (statements.get(commit) ?? 0) + performance.now() - ended);
    return result;
  };
  return { statements, database: { ...over(database), transaction } };
}

/** Time within each function of the database, without what it called. */
async function functionTimes(database) {
  // A session hands over its counts when it is idle.
  await new Promise((done) => setTimeout(done, 1_500));
  const found = await database.query(
    'SELECT funcname AS part, sum(self_time) AS ms FROM pg_stat_user_functions GROUP BY 1',
  );
  return found.map(({ part, ms }) => ({ part: `${part}()`, ms: Number(ms) }));
}

function cpuSeconds(time) {
  return time === undefined ? 0 : (time.main + time.others) / 1000;
}

/** Opened when it is read: what arrives before anybody asks would be lost. */
async function* lines() {
  yield* createInterface({ input: createReadStream(file) });
}

async function writeFile(database) {
  const out = createWriteStream(file);
  await exportJournals(sqlJournals(database), async (text) => {
    if (!out.write(text)) await once(out, 'drain');
  });
  out.end();
  await once(out, 'finish');
}

async function openPostgres() {
  const url = await server.createDatabase();
  const admin = open(server.adminUrl(), 1);
  const name = new URL(url).pathname.slice(1);
  await admin.execute(`ALTER DATABASE ${name} SET track_functions = 'all'`);
  await admin.close();
  return open(url, 2);
}

function open(url, poolSize) {
  return postgresDatabase({
    url: new Secret(url),
    poolSize,
    statementTimeoutMs: 30 * 60_000,
    applicationName: 'bench',
    onError: (error) => console.error(error),
  });
}

async function openEmbedded() {
  const database = await openEmbeddedDatabase(join(temporaryDirectory('cls-bench-'), 'database'));
  await database.execute("SET track_functions = 'all'");
  return database;
}

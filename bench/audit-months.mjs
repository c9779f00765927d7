// What it costs to remove a month of the audit: as a whole, and as its rows were removed before there
// were months. Meanwhile another session writes events and reads pages of the log. PostgreSQL of its own,
// with fsync.
//   node bench/audit-months.mjs [events of a month, 1000000]

import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readExport } from '../packages/auth-server/dist/src/audit/audit-archive.js';
import { sqlAuditArchive } from '../packages/auth-server/dist/src/audit/sql-audit-archive.js';
import { sweepAudit } from '../packages/auth-server/dist/src/audit/sql-audit-months.js';
import { sqlAuditReader } from '../packages/auth-server/dist/src/audit/sql-audit-reader.js';
import { MIGRATIONS } from '../packages/auth-server/dist/src/server/migrations.js';
import { linesOfFile } from '../packages/shared/dist/src/cli/lines-of-file.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { startPostgresInstance } from '../packages/testing/dist/src/postgres-instance.js';

const EVENTS = Number(process.argv[2] ?? 1_000_000);
/** Of the sweep before there were months. */
const SWEEP_BATCH = 5_000;
const PAUSE_MS = 5;

const open = (url, poolSize) =>
  postgresDatabase({
    url: new Secret(url),
    poolSize,
    statementTimeoutMs: 1_800_000,
    applicationName: 'bench',
    onError: (error) => console.error(error.message),
  });
/** The first of the month that many months from now, in UTC. */
const first = (offset) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
};
const periodOf = (offset) => ({
  name: first(offset).toISOString().slice(0, 7),
  from: first(offset),
  until: first(offset + 1),
});
const insert = (sql, from, count) =>
  sql.query(
    `INSERT INTO audit_event (at, type, subject, client_id, address, request_id, event_id)
     SELECT $1::timestamptz + n * ($2::float8 * interval '1 second'), 'token.issued', subject, subject,
       '192.0.2.' || n % 250, gen_random_uuid()::text, gen_random_uuid()
     FROM generate_series(0, $3::int - 1) n,
       LATERAL (SELECT 'svc_01J9ZQ5W1XG8K7N4T2M6' || lpad((n % 997)::text, 6, '0') AS subject) AS one
     ON CONFLICT DO NOTHING`,
    [from.toISOString(), 2_400_000 / EVENTS, count],
  );

/** How long one waits at most, in milliseconds, for a write and for a page, until the main thread says stop. */
async function others(url) {
  const database = open(url, 2);
  const reader = sqlAuditReader(database);
  const waits = { write: 0, read: 0 };
  let running = true;
  parentPort.once('message', () => {
    running = false;
  });
  const timed = async (kind, act) => {
    while (running) {
      const from = performance.now();
      await act();
      waits[kind] = Math.max(waits[kind], performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await reader.eventsOf(['nobody'], { limit: 1 });
  parentPort.postMessage('ready');
  await Promise.all([
    timed('write', () => insert(database, new Date(), 1)),
    timed('read', () => reader.eventsOf(['svc_01J9ZQ5W1XG8K7N4T2M6000007'], { limit: 50 })),
  ]);
  await database.close();
  parentPort.postMessage(waits);
}

async function measured({ server, database }, name, work) {
  const sizeOfAudit = async () => {
    const [row] = await database.query('SELECT sum(bytes)::float8 AS bytes FROM audit_month');
    return row.bytes;
  };
  await server.query('CHECKPOINT');
  const before = await sizeOfAudit();
  const worker = new Worker(new URL(import.meta.url), { workerData: server.url('audit') });
  await once(worker, 'message');
  const [{ lsn }] = await server.query('SELECT pg_current_wal_lsn()::text AS lsn');
  const from = performance.now();
  await work();
  const seconds = (performance.now() - from) / 1_000;
  const [{ wal }] = await server.query(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '${lsn}')::float8 AS wal`,
  );
  worker.postMessage('stop');
  const [waits] = await once(worker, 'message');
  return {
    what: name,
    seconds: seconds.toFixed(2),
    'WAL MB': (wal / 1e6).toFixed(1),
    'MB given back': Math.max(0, (before - (await sizeOfAudit())) / 1e6).toFixed(0),
    'longest write ms': waits.write.toFixed(0),
    'longest page ms': waits.read.toFixed(0),
  };
}

async function main() {
  const server = await startPostgresInstance({
    settings: ['fsync=on', 'shared_buffers=512MB', 'max_wal_size=8GB', 'autovacuum=off'],
  });
  if (server === undefined) throw new Error('PostgreSQL is not installed on this machine');
  await server.createDatabase('audit');
  const database = open(server.url('audit'), 2);
  const rows = [];
  const measure = async (name, work) => {
    rows.push(await measured({ server, database }, name, work));
  };
  try {
    await migrate(database, readMigrations(MIGRATIONS));
    const months = [-4, -3, -2, -1];
    // A month is made for the first event that it has.
    for (const offset of months) await insert(database, first(offset), 1);
    await sweepAudit(database, { now: () => new Date() }, 0);
    await database.query('DELETE FROM audit_event');
    for (const offset of months) {
      for (let done = 0; done < EVENTS; done += 100_000) {
        const start = new Date(first(offset).getTime() + (done * 2_400_000_000) / EVENTS);
        await insert(database, start, Math.min(100_000, EVENTS - done));
      }
    }
    await server.query('VACUUM ANALYZE', 'audit');
    const archive = sqlAuditArchive(database);
    await measure(
      'nothing, for a second',
      () => new Promise((resolve) => setTimeout(resolve, 1_000)),
    );

    await measure('drop the month', () =>
      archive.drop(periodOf(-4), { file: undefined, apply: true }),
    );

    const chunks = [];
    await measure('export the month', () =>
      archive.export(periodOf(-3), async (text) => void chunks.push(Buffer.from(text))),
    );
    let file;
    await measure('read the file', async () => {
      file = await readExport(linesOfFile(chunks));
    });
    await measure('compare with the file, and drop', async () => {
      const { outcome } = await archive.drop(periodOf(-3), { file, apply: true });
      if (outcome !== 'dropped') throw new Error(outcome);
    });

    const { until } = periodOf(-2);
    await measure('delete its rows, 5,000 at once', async () => {
      let total = 0;
      let deleted;
      do {
        deleted = await database.query(
          `DELETE FROM audit_event WHERE id IN (SELECT id FROM audit_event ORDER BY id LIMIT $2)
         AND at < $1::timestamptz RETURNING 1`,
          [until.toISOString(), SWEEP_BATCH],
        );
        total += deleted.length;
      } while (deleted.length === SWEEP_BATCH);
      if (total !== EVENTS) throw new Error(`deleted ${total} of ${EVENTS} events`);
    });
    await measure('and vacuum', () => server.query('VACUUM audit_event', 'audit'));
    console.log(`${EVENTS} events a month`);
    console.table(rows);
  } finally {
    await database.close();
    await server.remove();
  }
}

if (isMainThread) await main();
else await others(workerData);

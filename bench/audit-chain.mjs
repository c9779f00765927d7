// How long the chain over the audit takes: to seal events, with the lock on their table, and to verify it.
// PostgreSQL of its own.
//   node bench/audit-chain.mjs [events, 1000000] [events of a link, 5000]

import { sqlAuditChain } from '../packages/auth-server/dist/src/audit/sql-audit-chain.js';
import { MIGRATIONS } from '../packages/auth-server/dist/src/server/migrations.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { startPostgresInstance } from '../packages/testing/dist/src/postgres-instance.js';
import { familyTime } from './process-time.mjs';

const EVENTS = Number(process.argv[2] ?? 1_000_000);
/** The default is as many as come in a link's time at some hundred a second. */
const AT_ONCE = Number(process.argv[3] ?? 5_000);

const server = await startPostgresInstance({ settings: ['fsync=on', 'max_wal_size=4GB'] });
if (server === undefined) throw new Error('PostgreSQL is not installed on this machine');
await server.createDatabase('audit');
const database = postgresDatabase({
  url: new Secret(server.url('audit')),
  poolSize: 2,
  statementTimeoutMs: 600_000,
  applicationName: 'bench',
  onError: (error) => console.error(error.message),
});
const since = (start) => Math.round(performance.now() - start);
try {
  await migrate(database, readMigrations(MIGRATIONS));
  const chain = sqlAuditChain(database);
  const seals = [];
  let [insertMs, links, sealCpuMs] = [0, 0, 0];
  for (let n = 0; n < EVENTS; n += AT_ONCE) {
    let start = performance.now();
    await database.query(
      `INSERT INTO audit_event (at, type, subject, client_id, address, request_id, event_id)
       SELECT now(), 'token.issued', subject, subject, '192.0.2.' || n % 250, gen_random_uuid()::text, gen_random_uuid()
       FROM generate_series(1, $1::int) n,
         LATERAL (SELECT 'svc_01J9ZQ5W1XG8K7N4T2M6' || lpad((n % 997)::text, 6, '0') AS subject) AS one`,
      [AT_ONCE],
    );
    insertMs += since(start);
    start = performance.now();
    const cpu = familyTime();
    await chain.seal(0);
    sealCpuMs += familyTime() - cpu;
    seals.push(since(start));
    links += 1;
  }
  seals.sort((one, other) => one - other);
  console.log(`${EVENTS} events in ${links} links`);
  console.log(`insert ${insertMs} ms, seal ${seals.reduce((sum, one) => sum + one, 0)} ms`);
  console.log(`processor time of sealing ${((sealCpuMs * 1_000) / EVENTS).toFixed(1)} µs an event`);
  console.log(`a link: median ${seals[links >> 1]} ms, longest ${seals.at(-1)} ms`);
  const start = performance.now();
  const { events, faultCount } = await chain.verify({ kept: undefined, keptSince: undefined });
  console.log(`verify ${since(start)} ms: ${events} events, ${faultCount} faults`);
  const [size] = await database.query(
    `SELECT pg_total_relation_size('audit_link') / count(*) AS link,
       (SELECT sum(octet_length(blind) + 1) / count(*) FROM audit_event) AS blind FROM audit_link`,
  );
  console.log(`bytes: ${size.link} a link, ${size.blind} more an event`);
} finally {
  await database.close();
  await server.stop();
}

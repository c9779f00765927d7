// Ten million live tokens: what their indices take, and what a lease, a revocation and the making of a
// list cost (ADR 60). PostgreSQL. Tokens of callers that take one now and then, in leases of 8, and of
// busy ones, in leases of 4,096, half of each.
//   node bench/status-list.mjs [tokens, 10000000]

import { MIGRATIONS } from '../packages/auth-server/dist/src/server/migrations.js';
import { sqlTokenStatus } from '../packages/auth-server/dist/src/token-status/sql-token-status.js';
import { statusLists } from '../packages/auth-server/dist/src/token-status/status-lists.js';
import { systemClock } from '../packages/shared/dist/src/clock.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { postgresServer } from '../packages/testing/dist/src/servers.js';

const TOKENS = Number(process.argv[2] ?? 10_000_000);
const FEW = 8;
const MANY = 4_096;
const ROUNDS = 200;

const server = await postgresServer();
if (server === undefined) throw new Error('PostgreSQL is not installed');
const database = postgresDatabase({
  url: new Secret(await server.createDatabase()),
  ...{ poolSize: 4, statementTimeoutMs: 600_000, applicationName: 'bench', onError: console.error },
});
await migrate(database, readMigrations(MIGRATIONS));
await database.query(
  "INSERT INTO customer (id, name) VALUES ('bench', 'Bench'), ('other', 'Other')",
);
await database.query(`INSERT INTO service_account (id, customer_id, name, permissions)
  SELECT 'svc_' || lpad(n::text, 26, '0'), CASE WHEN n <= 1000 THEN 'other' ELSE 'bench' END, n::text,
    '{cls-deal.view}' FROM generate_series(1, 100000) n`);
await fill(FEW, TOKENS / 2, 0);
await fill(MANY, TOKENS / 2, TOKENS / 2);
await database.query('UPDATE token_index SET next = $1', [TOKENS]);
await database.query('ANALYZE token_status');
const [{ rows, size }] = await database.query(
  `SELECT count(*)::float8 AS rows, pg_total_relation_size('token_status')::float8 AS size FROM token_status`,
);
console.log(`${TOKENS} live tokens: ${rows} leases, ${mib(size)} with indexes, ${lists()} lists`);

const records = sqlTokenStatus(database);
const lease = [];
for (let n = 0; n < ROUNDS; n += 1) {
  const subject = `svc_${`${(n % 90_000) + 2_000}`.padStart(26, '0')}`;
  lease.push(await timed(() => records.lease({ subject, clientId: subject }, FEW, 900)));
}
console.log(`a lease of ${FEW}: ${summary(lease)}`);
const one = [];
for (let n = 0; n < ROUNDS; n += 1) {
  const holder = { subject: 'svc_x', clientId: 'svc_x' };
  const index = Math.floor(Math.random() * TOKENS);
  one.push(await timed(() => records.revokeOne(index, holder, Date.now() / 1_000 + 86_400)));
}
console.log(`one token revoked: ${summary(one)}`);
const caller = `svc_${'5000'.padStart(26, '0')}`;
console.log(
  `a caller's tokens revoked: ${ms(await timed(() => records.revoke({ client: caller }, 'compromised')))}`,
);
const customer = await timed(() => records.revoke({ customer: 'other' }, 'customer_disabled'));
console.log(`a customer with a thousand callers disabled: ${ms(customer)}`);

const sign = async (_, { status_list: { lst } }) => `${'x'.repeat(700)}${lst}`;
const list = statusLists(
  'https://cls.example',
  records,
  async () => ({ kid: 'bench', sign }),
  systemClock,
);
const first = [];
const again = [];
const sizes = [];
for (let n = 0; n < lists(); n += 1) {
  first.push(await timed(async () => sizes.push((await list(n)).token.length)));
  again.push(await timed(() => list(n)));
}
sizes.sort((a, b) => a - b);
console.log(
  `a list made: ${summary(first)}; asked again: ${summary(again)}; ${sizes[0]} to ${sizes.at(-1)} bytes`,
);
process.exit(0);

function lists() {
  return Math.ceil(TOKENS / 2 ** 20);
}

async function fill(each, tokens, from) {
  await database.query(
    `INSERT INTO token_status (first, last, subject, client_id, secret_id, expires_at)
     SELECT $3::bigint + n * $1::bigint, $3::bigint + (n + 1) * $1::bigint - 1, s.id, s.id, 'sec_1', now() + interval '1 day'
     FROM generate_series(0, $2::bigint / $1::bigint - 1) n,
       LATERAL (SELECT 'svc_' || lpad((n % 100000 + 1)::text, 26, '0') AS id) s`,
    [each, tokens, from],
  );
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function summary(times) {
  times.sort((a, b) => a - b);
  return `median ${ms(times[times.length >> 1])}, worst ${ms(times.at(-1))}`;
}

function ms(value) {
  return `${value.toFixed(1)} ms`;
}

function mib(bytes) {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

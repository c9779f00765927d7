// What each invariant costs in `cls-api reconcile`, in generated books of rising size, and what a part
// of the book costs: processor time, because other work on the machine moves it least.
//   node bench/reconcile.mjs [contracts, 100,400] [years, 3] [invariants shown, 12]
import { MIGRATIONS } from '../packages/resource-api/dist/src/database/migrations.js';
import { sqlReconciler } from '../packages/resource-api/dist/src/reconcile/sql/sql-reconciler.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { startPostgresInstance } from '../packages/testing/dist/src/postgres-instance.js';
import { generatedBook } from './generated-book.mjs';
import { familyTime, wholeTime } from './process-time.mjs';

const sizes = (process.argv[2] ?? '100,400').split(',').map(Number);
const years = Number(process.argv[3] ?? 3);
const shown = Number(process.argv[4] ?? 12);
const DEALS = 10;

const server = await startPostgresInstance({
  settings: ['shared_buffers=1GB', 'max_wal_size=8GB'],
});
if (server === undefined) throw new Error('PostgreSQL is not installed on this machine');

const costs = new Map();
for (const contracts of sizes) {
  const name = `book_${contracts}`;
  await server.createDatabase(name);
  const database = postgresDatabase({
    url: new Secret(server.url(name)),
    poolSize: 2,
    statementTimeoutMs: 60 * 60_000,
    applicationName: 'bench',
    onError: (error) => console.error(error),
  });
  await migrate(database, readMigrations(MIGRATIONS));
  const { postings } = await generatedBook(database, { contracts, years });
  await database.execute('ANALYZE');
  const deals = await database.query(`SELECT id FROM deal ORDER BY key LIMIT ${DEALS}`);
  await measure(`${postings} postings`, database);
  await measure(`${DEALS} deals of ${postings}`, database, { deals: deals.map(({ id }) => id) });
  await database.close();
}
const columns = [...costs.keys()];
const last = costs.get(`${columns.at(-2)}`);
const names = [...last.keys()].sort((a, b) => last.get(b) - last.get(a)).slice(0, shown);
console.log('seconds of processor time');
console.table(
  names.map((invariant) => ({
    invariant,
    ...Object.fromEntries(
      columns.map((column) => [
        column,
        ((costs.get(column).get(invariant) ?? 0) / 1000).toFixed(1),
      ]),
    ),
  })),
);
await server.remove();
process.exit(0);

async function measure(column, database, part) {
  const cost = new Map();
  const busy = () => familyTime() + wholeTime(process.pid);
  const begun = busy();
  let [invariant, before] = ['', begun];
  const report = await sqlReconciler(database).reconcile(3, [], {
    part,
    onStep: (step) => {
      cost.set(invariant, busy() - before);
      [invariant, before] = [step.invariant, busy()];
    },
  });
  cost.set(invariant, busy() - before);
  cost.delete('');
  cost.set('all', busy() - begun);
  costs.set(column, cost);
  const broken = report.checks.filter(({ breakCount }) => breakCount > 0);
  if (broken.length > 0) throw new Error(`broken: ${broken.map((one) => one.invariant)}`);
}

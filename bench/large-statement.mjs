// What a large statement costs: memory of this process at its peak, and rows a second, when it is
// checked, applied, and checked again as the next month's statement with a tenth of it changed. On
// PostgreSQL. Aim: under 700 MB for 1,000,000 rows.
//   node bench/large-statement.mjs [loans, 100000] [check | apply, apply]
//
// Memory is maxRSS, which includes Node itself (about 60 MB).

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { openStatementFile } from '../packages/resource-api/dist/src/cli/open-statement-file.js';
import { MIGRATIONS } from '../packages/resource-api/dist/src/database/migrations.js';
import { importStatement } from '../packages/resource-api/dist/src/import/import-statement.js';
import { profileSchema } from '../packages/resource-api/dist/src/import/profile/profile.js';
import { sqlBook } from '../packages/resource-api/dist/src/import/sql/sql-book.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { postgresServer, temporaryDirectory } from '../packages/testing/dist/src/servers.js';

const loans = Number(process.argv[2] ?? 100_000);
const applies = process.argv[3] !== 'check';
const BORROWERS = 5;
const profile = profileSchema.parse({
  name: 'large',
  title: 'A large tape',
  source: 'large',
  columns: {
    asOf: ['Date'],
    loanNumber: ['Loan'],
    borrower: ['Borrower'],
    limit: ['Limit'],
    due: ['Balance'],
    rate: ['Rate'],
    maturityDate: ['Maturity'],
  },
  currency: 'EUR',
  country: 'DE',
  lender: { externalId: 'BANK', name: 'Bank' },
  derive: { undisbursed: 'limit - due' },
});

const server = await postgresServer();
const url = await server.createDatabase();
const database = postgresDatabase({
  url: new Secret(url),
  poolSize: 2,
  statementTimeoutMs: 60 * 60_000,
  applicationName: 'bench',
  onError: (error) => console.error(error),
});
await migrate(database, readMigrations(MIGRATIONS));
const folder = temporaryDirectory('cls-bench-');
const rows = [];
await measure('checked', await writeStatement('2025-01-31', 0), false);
if (applies) {
  await measure('applied', await writeStatement('2025-01-31', 0), true);
  await measure('next month, checked', await writeStatement('2025-02-28', 10), false);
}
console.log(`Node ${process.versions.node}`);
console.table(rows);
await database.close();
process.exit(0);

async function measure(what, path, apply) {
  const started = performance.now();
  let told = started;
  const report = await importStatement(sqlBook(database), {
    source: await openStatementFile(path),
    profile,
    apply,
    expected: { sums: {} },
    withoutTotals: 'a measurement',
    onProgress: ({ step, rows: done }) => {
      if (performance.now() - told < 10_000) return;
      told = performance.now();
      console.error(`${what}: ${step} ${done}, ${megabytes()} MB`);
    },
  });
  const seconds = (performance.now() - started) / 1000;
  rows.push({
    statement: what,
    outcome: report.outcome,
    rows: report.rows,
    postings: report.postings,
    seconds: seconds.toFixed(1),
    'rows/s': Math.round(report.rows / seconds),
    'peak so far, MB': megabytes(),
  });
}

function megabytes() {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

/** @param changed every how many loans one has drawn or repaid; none for 0 */
async function writeStatement(asOf, changed) {
  const path = join(folder, `${asOf}.csv`);
  const out = createWriteStream(path);
  out.write('Date,Loan,Borrower,Limit,Balance,Rate,Maturity\n');
  for (let at = 0; at < loans; at += 1) {
    const limit = 1_000 + ((at * 7_919) % 900_000);
    const moved = changed > 0 && at % changed === 0 ? 2 : 1;
    const due = `${Math.floor(limit / (1 + moved))}.${String(at % 100).padStart(2, '0')}`;
    const borrower = `Borrower ${Math.floor(at / BORROWERS)} GmbH`;
    const rate = `${1 + (at % 9)}.25`;
    const line = `${asOf},L${1_000_000 + at},${borrower},${limit}.00,${due},${rate},2030-06-30\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return path;
}

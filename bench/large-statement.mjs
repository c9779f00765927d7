// What a large statement costs: memory of this process at its peak, and rows a second, when it is
// checked, applied, and checked again as the next month's statement with a tenth of it changed. On
// PostgreSQL. Aim: under 700 MB for 1,000,000 rows.
//   node bench/large-statement.mjs [rows, 100000] [check | apply, apply] [together | apart]
//
// `together`: a row is the part of one of three lenders, and the rows of a loan follow each other. `apart`: they
// stand far from each other, so that all rows are held.
//
// Memory is maxRSS, which includes Node itself (about 60 MB).

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { leanHeap } from '../packages/resource-api/dist/src/cli/lean-heap.js';
import { openStatementFile } from '../packages/resource-api/dist/src/cli/open-statement-file.js';
import { MIGRATIONS } from '../packages/resource-api/dist/src/database/migrations.js';
import { importStatement } from '../packages/resource-api/dist/src/import/import-statement.js';
import { profileSchema } from '../packages/resource-api/dist/src/import/profile/profile.js';
import { sqlBook } from '../packages/resource-api/dist/src/import/sql/sql-book.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { postgresServer, temporaryDirectory } from '../packages/testing/dist/src/servers.js';

const [, , rowCount = 100_000, mode = 'apply', order] = process.argv;
const applies = mode !== 'check';
const LENDERS = ['Bank', 'Beta Bank', 'Gamma Bank'];
const lenders = order === undefined ? 1 : LENDERS.length;
const loans = Math.ceil(Number(rowCount) / lenders);
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
    ...(order === undefined ? {} : { lender: ['Lender'] }),
  },
  ...(order === undefined ? {} : { rowIs: 'lender' }),
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
leanHeap();
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
  out.write('Date,Loan,Borrower,Limit,Balance,Rate,Maturity,Lender\n');
  for (let row = 0; row < loans * lenders; row += 1) {
    const at = order === 'together' ? Math.floor(row / lenders) : row % loans;
    const lender = LENDERS[order === 'together' ? row % lenders : Math.floor(row / loans)];
    const limit = 1_000 + ((at * 7_919) % 900_000);
    const moved = changed > 0 && at % changed === 0 ? 2 : 1;
    const due = `${Math.floor(limit / (1 + moved))}.${String(at % 100).padStart(2, '0')}`;
    const borrower = `Borrower ${Math.floor(at / BORROWERS)} GmbH`;
    const rate = `${1 + (at % 9)}.25`;
    const line = `${asOf},L${1_000_000 + at},${borrower},${limit}.00,${due},${rate},2030-06-30,${lender}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return path;
}

// A page of 100 balances as of random dates in the past, on a long history and on a hundredth of
// it: aim, at most twice the time. Prints how fast the history was posted, too: aim, 20,000
// postings a second in under 1 GB.
//   node bench/ledger-growth.mjs [postings, 10000000] [contracts, 100000]
import { randomInt } from 'node:crypto';
import { NO_FILTER } from '../packages/resource-api/dist/src/balances/balance-store.js';
import { currentLedger } from '../packages/resource-api/dist/src/balances/current-ledger.js';
import { cursorCodec } from '../packages/resource-api/dist/src/balances/cursor.js';
import { balancesReader } from '../packages/resource-api/dist/src/balances/read-balances.js';
import { snapshots } from '../packages/resource-api/dist/src/balances/snapshot.js';
import { MIGRATIONS } from '../packages/resource-api/dist/src/store/migrations.js';
import {
  lockJournal,
  postJournals,
} from '../packages/resource-api/dist/src/store/post-journals.js';
import { sqlBalanceStore } from '../packages/resource-api/dist/src/store/sql-balance-store.js';
import { systemClock } from '../packages/shared/dist/src/clock.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { postgresServer } from '../packages/testing/dist/src/servers.js';

const POSTINGS = Number(process.argv[2] ?? 10_000_000);
const CONTRACTS = Number(process.argv[3] ?? 100_000);
const LENDERS = 2;
const PER_JOURNAL = 2 * (1 + LENDERS);
const JOURNALS = Math.floor(POSTINGS / PER_JOURNAL);
const MONTHS = Math.ceil(JOURNALS / CONTRACTS);
const FIRST_YEAR = 2026 - Math.ceil(MONTHS / 12);
const BATCH_CONTRACTS = 3_000;
const PAGES = 200;
const ROUNDS = 6;
const CALLER = { permissions: new Set(['external-api.fullcontrol']) };
const QUESTION = {
  level: 'contract',
  filter: { ...NO_FILTER, includeZero: true },
  limit: 100,
  withTotals: false,
  expand: new Set(),
  canonical: '',
};

const server = await postgresServer();
if (server === undefined) throw new Error('PostgreSQL is not installed on this machine');

const full = await openBook();
const short = await openBook();
await post(short, Math.floor(JOURNALS / 100));
const started = Date.now();
await post(full, JOURNALS);
const seconds = (Date.now() - started) / 1000;
const rows = [];
const readers = { short: await readerOf(short), full: await readerOf(full) };
// The first rounds read what the server has not in memory yet, while it still writes out the load.
for (let round = 0; round < ROUNDS; round += 1) {
  const shortMs = await medianPageMs(readers.short);
  const fullMs = await medianPageMs(readers.full);
  rows.push({
    'hundredth, ms': shortMs.toFixed(2),
    'whole, ms': fullMs.toFixed(2),
    ratio: (fullMs / shortMs).toFixed(2),
  });
}
console.log(`${JOURNALS * PER_JOURNAL} postings over ${CONTRACTS} contracts, ${MONTHS} months`);
console.log(
  `posted in ${seconds.toFixed(0)} s: ${Math.round((JOURNALS * PER_JOURNAL) / seconds)}/s`,
);
console.log(`peak memory of this process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
const [{ size }] = await full.query(
  'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
);
const [{ setting }] = await full.query(`SELECT current_setting('shared_buffers') AS setting`);
console.log(`database of ${size}, shared_buffers ${setting}`);
console.log(`median of ${PAGES} pages of 100 contracts, each as of a random date:`);
console.table(rows);
process.exit(0);

async function openBook() {
  const database = postgresDatabase({
    url: new Secret(await server.createDatabase()),
    poolSize: 4,
    statementTimeoutMs: 30 * 60_000,
    applicationName: 'bench',
    onError: (error) => console.error(error),
  });
  await migrate(database, readMigrations(MIGRATIONS));
  await database.execute(`
    INSERT INTO party (id, name) SELECT 'pty_' || n, 'Party ' || n FROM generate_series(1, 1000) n;
    INSERT INTO deal (id, name, deal_number, borrower_key, agent_key, country, status, booked_on,
      booked_seq)
    SELECT 'deal_' || n, 'Deal ' || n, 'D' || n, 101 + n % 900, 1 + n % 100, 'US', 'active',
      '${FIRST_YEAR}-01-01', 1 FROM generate_series(1, ${CONTRACTS / 2}) n;
    INSERT INTO facility (id, deal_key, name, type, currency, status, booked_on, booked_seq)
    SELECT 'fac_' || key, key, name, 'term_loan', 'USD', 'active', booked_on, 1
    FROM deal ORDER BY key;
    INSERT INTO loan_contract (id, deal_key, facility_key, contract_number, currency, status,
      booked_on, booked_seq)
    SELECT 'ctr_' || key || '_' || n, deal_key, key, n, 'USD', 'active', booked_on, 1
    FROM facility, generate_series(1, 2) n ORDER BY key, n;
    INSERT INTO lender_position (id, deal_key, facility_key, lender_key, kind, booked_on,
      booked_seq)
    SELECT 'pos_' || key || '_' || n, deal_key, key, 1 + (key + n) % 100, 'assignment', booked_on, 1
    FROM facility, generate_series(1, ${LENDERS}) n ORDER BY key, n;
    INSERT INTO balance_line (deal_key, facility_key, contract_key, lender_key, currency)
    SELECT c.deal_key, c.facility_key, c.key, h.key, 'USD'
    FROM loan_contract c CROSS JOIN LATERAL (SELECT 0 AS key UNION ALL
      SELECT lender_key FROM lender_position p WHERE p.facility_key = c.facility_key) h
    ORDER BY c.key, h.key;
    ANALYZE`);
  return database;
}

/** A journal of each contract in its turn, a month after the other, a month a transaction. */
async function post(database, count) {
  let left = count;
  // A hundredth has as many contracts, few of which have a journal.
  const stride = Math.max(1, Math.floor(CONTRACTS / count));
  for (let month = 0; left > 0; month += 1) {
    await database.transaction(async (transaction) => {
      let seq = await lockJournal(transaction);
      for (let from = 1; from <= CONTRACTS && left > 0; from += BATCH_CONTRACTS * stride) {
        const lines = await transaction.query(
          `SELECT key, deal_key, contract_key, lender_key FROM balance_line
           WHERE contract_key >= $1 AND contract_key < $2 AND contract_key % $3 = 0
           ORDER BY contract_key, lender_key`,
          [from, from + BATCH_CONTRACTS * stride, stride],
        );
        const journals = journalsOf(lines, month).slice(0, left);
        await postJournals(transaction, journals, seq, undefined);
        seq += BigInt(journals.length);
        left -= journals.length;
      }
    });
    // As the server's own housekeeping would, whenever it comes round.
    if (month % 6 === 0) await database.execute('ANALYZE');
  }
  await database.execute('VACUUM ANALYZE');
}

function journalsOf(lines, month) {
  const journals = [];
  for (let at = 0; at < lines.length; at += 1 + LENDERS) {
    const [{ deal_key: dealKey, contract_key: contract }] = lines.slice(at);
    const advance = month % 4 === 0;
    const movement = advance ? 'advance' : 'scheduled_repayment';
    const unit = advance ? 40_000n : -10_000n;
    journals.push({
      type: movement,
      effectiveDate: dateOf(month, 1 + Number(contract % 28n)),
      idempotencyKey: `${contract}:${month}`,
      dealKey,
      postings: lines.slice(at, at + 1 + LENDERS).flatMap(({ key: line, lender_key: lender }) => {
        const amountMinor = lender === 0n ? unit * BigInt(LENDERS) : unit;
        return [
          { line, account: 'PRINCIPAL_CASH', movement, amountMinor },
          { line, account: 'CASH_CLEARING', amountMinor: -amountMinor },
        ];
      }),
    });
  }
  return journals;
}

function dateOf(month, day) {
  const year = FIRST_YEAR + Math.floor(month / 12);
  const pad = (number) => `${number}`.padStart(2, '0');
  return `${year}-${pad(1 + (month % 12))}-${pad(day)}`;
}

/** What the API does for a page, short of JSON: the page itself and all that its items need. */
async function readerOf(database) {
  const store = sqlBalanceStore(database);
  const ledger = await currentLedger(store, systemClock);
  const times = snapshots(store, ledger);
  const cursors = cursorCodec(new Secret('0'.repeat(64)));
  const read = balancesReader(store, ledger, times, cursors, systemClock);
  const { seq: ledgerSeq } = await store.ledgerState('9999-12-31');
  return (asOf, key) =>
    read(CALLER, { ...QUESTION, position: { asOf, ledgerSeq, after: { sortValue: null, key } } });
}

async function medianPageMs(read) {
  const times = [];
  for (let page = 0; page < PAGES; page += 1) {
    const asOf = dateOf(randomInt(0, MONTHS), randomInt(1, 29));
    const after = BigInt(randomInt(0, CONTRACTS - 100));
    const began = performance.now();
    const { readings } = await read(asOf, after);
    times.push(performance.now() - began);
    if (readings.length !== 100) throw new Error(`a page of ${readings.length}`);
  }
  return times.sort((a, b) => a - b)[PAGES / 2];
}

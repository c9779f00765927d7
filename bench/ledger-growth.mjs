// A page of 100 contracts of a borrower with accruals, as of random dates in the past, on a large book
// and on one with a hundredth of its contracts, each as old: aim, at most twice the time. Then 16 such
// questions at once: aims, p99 under ten times the median, and less than 400 MB for the service.
// Prints how fast the history was posted, too.
//   node bench/ledger-growth.mjs [postings, 10000000] [contracts, 100000]
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MIGRATIONS } from '../packages/resource-api/dist/src/database/migrations.js';
import {
  lockJournal,
  postJournals,
} from '../packages/resource-api/dist/src/posting/post-journals.js';
import { Secret } from '../packages/shared/dist/src/secret.js';
import { migrate, readMigrations } from '../packages/shared/dist/src/sql/migrate.js';
import { postgresDatabase } from '../packages/shared/dist/src/sql/postgres.js';
import { startPostgresInstance } from '../packages/testing/dist/src/postgres-instance.js';
import { accessToken, startResourceApi } from './resource-api.mjs';

const POSTINGS = Number(process.argv[2] ?? 10_000_000);
const CONTRACTS = Number(process.argv[3] ?? 100_000);
const LENDERS = 2;
const PER_JOURNAL = 2 * (1 + LENDERS);
const MONTHS = Math.ceil(POSTINGS / PER_JOURNAL / CONTRACTS);
const FIRST_YEAR = 2026 - Math.ceil(MONTHS / 12);
const BATCH_CONTRACTS = 3_000;
const PAGES = 100;
const ROUNDS = 3;
/** Each contract accrues, at another rate each year. */
const RATES = `
  INSERT INTO rate_period (facility_key, contract_key, component, start_date, known_seq, deal_key,
    all_in_rate)
  SELECT facility_key, key, 'interest', make_date(y, 1, 1), 1, deal_key, 0.03 + (y % 5) * 0.0025
  FROM loan_contract, generate_series(${FIRST_YEAR}, 2026) y ORDER BY facility_key, key, y`;
/** Contracts of each borrower. */
const OF_BORROWER = 110;
const QUESTION = 'level=contract&limit=100&includeZero=true&include=none';
const AT_ONCE = 16;

const server = await startPostgresInstance({
  settings: ['shared_buffers=1GB', 'max_wal_size=8GB'],
});
if (server === undefined) throw new Error('PostgreSQL is not installed on this machine');

const token = await accessToken();
const short = await bookOf(Math.ceil(CONTRACTS / 100));
const full = await bookOf(CONTRACTS);
const rows = [];
// The first rounds read what the server has not in memory yet, while it still writes out the load.
for (let round = 0; round < ROUNDS; round += 1) {
  const [shortMs, fullMs] = [median(await pages(short, 1)), median(await pages(full, 1))];
  rows.push({
    'hundredth, ms': shortMs.toFixed(2),
    'whole, ms': fullMs.toFixed(2),
    ratio: (fullMs / shortMs).toFixed(2),
  });
}
const together = await pages(full, AT_ONCE);
const postings = MONTHS * CONTRACTS * PER_JOURNAL;
console.log(`${postings} postings over ${CONTRACTS} contracts, ${MONTHS} months, ${full.size}`);
console.log(`posted in ${full.seconds.toFixed(0)} s: ${Math.round(postings / full.seconds)}/s`);
console.log(`median of ${PAGES} pages of 100 contracts, each as of a random date:`);
console.table(rows);
const p99 = together[Math.floor(together.length * 0.99)];
console.log(
  `${AT_ONCE} at once: median ${median(together).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ` +
    `${(p99 / median(together)).toFixed(1)} times; peak memory of the service ${peakMemory(full.pid)}`,
);
process.exit(0);

/** A book with a service of its own. */
async function bookOf(contracts) {
  const borrowers = Math.ceil(contracts / OF_BORROWER);
  const name = `book_${contracts}`;
  await server.createDatabase(name);
  const url = server.url(name);
  const database = await openBook(url, contracts, borrowers);
  const startedMs = Date.now();
  await post(database, contracts);
  const seconds = (Date.now() - startedMs) / 1000;
  const [{ size }] = await database.query(
    'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
  );
  await database.close();
  return {
    ...(await startResourceApi({ engine: 'postgres', bookUrl: url })),
    borrowers,
    dates: shuffledDates(),
    seconds,
    size,
  };
}

async function openBook(url, contracts, borrowers) {
  const database = postgresDatabase({
    url: new Secret(url),
    poolSize: 4,
    statementTimeoutMs: 30 * 60_000,
    applicationName: 'bench',
    onError: (error) => console.error(error),
  });
  await migrate(database, readMigrations(MIGRATIONS));
  await database.execute(`
    INSERT INTO party (id, name) SELECT 'pty_' || lpad(n::text, 26, '0'), 'Party ' || n FROM generate_series(1, ${100 + borrowers}) n;
    INSERT INTO deal (id, name, deal_number, borrower_key, agent_key, country, status, booked_on,
      booked_seq)
    SELECT 'deal_' || n, 'Deal ' || n, 'D' || n, 101 + n % ${borrowers}, 1 + n % 100, 'US', 'active',
      '${FIRST_YEAR}-01-01', 1 FROM generate_series(1, ${contracts / 2}) n;
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
async function post(database, contracts) {
  for (let month = 0; month < MONTHS; month += 1) {
    await database.transaction(async (transaction) => {
      let seq = await lockJournal(transaction);
      for (let from = 1; from <= contracts; from += BATCH_CONTRACTS) {
        const lines = await transaction.query(
          `SELECT key, deal_key, contract_key, lender_key FROM balance_line
           WHERE contract_key >= $1 AND contract_key < $2 ORDER BY contract_key, lender_key`,
          [from, from + BATCH_CONTRACTS],
        );
        const journals = journalsOf(lines, month);
        await postJournals(transaction, journals, seq);
        seq += BigInt(journals.length);
      }
      if (month === 0) await transaction.query(RATES);
    });
    // As the server's own housekeeping would, whenever it comes round.
    if (month % 6 === 0) await database.execute('ANALYZE');
  }
  await database.execute('VACUUM ANALYZE');
}

function journalsOf(lines, month) {
  const journals = [];
  for (let at = 0; at < lines.length; at += 1 + LENDERS) {
    const [{ deal_key: deal, contract_key: contract }] = lines.slice(at);
    const advance = month % 4 === 0;
    const movement = advance ? 'advance' : 'scheduled_repayment';
    const unit = advance ? 40_000n : -10_000n;
    journals.push({
      type: movement,
      effectiveDate: dateOf(month, 1 + Number(contract % 28n)),
      idempotencyKey: `${contract}:${month}`,
      deal,
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

function shuffledDates() {
  const dates = Array.from({ length: MONTHS * 26 }, (_, n) =>
    dateOf(Math.floor(n / 26), 3 + (n % 26)),
  );
  return dates
    .map((date) => ({ date, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ date }) => date);
}

/** How long each of `PAGES` pages took, the shortest first. No date is asked twice: its answer is kept. */
async function pages({ url, borrowers, dates }, atOnce) {
  const times = [];
  const asker = async () => {
    while (times.length < PAGES) {
      const asOf = dates.pop();
      if (asOf === undefined) throw new Error('the history is too short for so many dates');
      const borrower = `pty_${`${101 + randomInt(0, borrowers)}`.padStart(26, '0')}`;
      const startedMs = performance.now();
      const response = await fetch(
        `${url}/api/v1/cls/balances?${QUESTION}&borrowerId=${borrower}&asOf=${asOf}`,
        { headers: { authorization: `Bearer ${token}` } },
      );
      const answer = await response.text();
      if (response.status !== 200) throw new Error(answer);
      times.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, asker));
  return times.sort((a, b) => a - b);
}

function median(times) {
  return times[Math.floor(times.length / 2)];
}

function peakMemory(pid) {
  return /VmHWM:\s+(.*)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1];
}

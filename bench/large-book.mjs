// A book as large as one likes, posted directly: no file is read, and the database keeps and checks
// all that it always does.
import {
  lockJournal,
  postJournals,
} from '../packages/resource-api/dist/src/posting/post-journals.js';

const LENDERS = 100;
const BORROWERS_FROM = LENDERS + 1;
const BORROWERS = 5_000;
/** Facilities whose journals are one transaction. */
const BATCH = 20_000;
const CASH = [
  { type: 'advance', effectiveDate: '2024-03-01', amountMinor: 4_000_000n },
  { type: 'scheduled_repayment', effectiveDate: '2025-06-02', amountMinor: -1_000_000n },
  { type: 'scheduled_repayment', effectiveDate: '2026-06-01', amountMinor: -1_000_000n },
];

/**
 * Deals of one facility with one contract and two of a hundred lenders; `XA` to `ZZ` as countries,
 * three currencies, maturities in thirty years. Each facility gets an advance and a repayment.
 *
 * @param database with the schema, and no deal
 * @param facilities how many
 * @param journals of each facility, at most 3
 * @returns how many postings, and how many seconds they took
 */
export async function largeBook(database, { facilities, journals = 2 }) {
  await database.execute(`
    INSERT INTO party (id, name)
      SELECT 'pty_' || n, 'Party ' || n FROM generate_series(1, ${LENDERS + BORROWERS}) n`);
  const startedMs = Date.now();
  for (let from = 1; from <= facilities; from += BATCH) {
    await postBatch(database, from, Math.min(facilities, from + BATCH - 1), journals);
    // As the server's own housekeeping would, whenever it comes round.
    if (from % (10 * BATCH) === 1) await database.execute('ANALYZE');
  }
  const seconds = (Date.now() - startedMs) / 1000;
  await database.execute('VACUUM ANALYZE');
  return { postings: facilities * journals * 6, seconds };
}

async function postBatch(database, from, to, journals) {
  await database.transaction(async (transaction) => {
    const seq = await lockJournal(transaction);
    await insertDeals(transaction, from, to, seq);
    const lines = await transaction.query(
      `SELECT l.key, l.deal_key, l.lender_key FROM balance_line l JOIN deal d ON d.key = l.deal_key
       WHERE d.id >= $1 AND d.id <= $2 ORDER BY l.deal_key, l.lender_key`,
      [dealId(from), dealId(to)],
    );
    await postJournals(transaction, journalsOf(lines, journals), seq);
  });
}

async function insertDeals(transaction, from, to, seq) {
  const numbers = `generate_series(${from}, ${to}) n`;
  const mine = `d.id >= '${dealId(from)}' AND d.id <= '${dealId(to)}'`;
  await transaction.query(`
    INSERT INTO deal (id, name, deal_number, borrower_key, agent_key, country, status, booked_on,
      booked_seq)
    SELECT 'deal_' || lpad(n::text, 9, '0'), 'Deal ' || n, 'D' || lpad(n::text, 9, '0'),
      ${BORROWERS_FROM} + n % ${BORROWERS}, 1 + n % ${LENDERS},
      chr(88 + n % 3) || chr(65 + n / 3 % 26), 'active', '2024-01-01', ${seq}
    FROM ${numbers}`);
  await transaction.query(`
    INSERT INTO facility (id, deal_key, name, type, currency, maturity_date, status, booked_on,
      booked_seq)
    SELECT 'fac_' || d.key, d.key, d.name,
      (ARRAY['term_loan', 'revolver', 'bridge'])[1 + d.key % 3],
      (ARRAY['USD', 'EUR', 'GBP'])[1 + d.key / 3 % 3], date '2027-01-01' + (d.key % 10957)::int,
      'active', d.booked_on, ${seq}
    FROM deal d WHERE ${mine} ORDER BY d.key`);
  await transaction.query(`
    INSERT INTO loan_contract (id, deal_key, facility_key, contract_number, currency, status,
      booked_on, booked_seq)
    SELECT 'ctr_' || f.key, d.key, f.key, 1, f.currency, 'active', f.booked_on, ${seq}
    FROM facility f JOIN deal d ON d.key = f.deal_key WHERE ${mine} ORDER BY f.key`);
  await transaction.query(`
    INSERT INTO lender_position (id, deal_key, facility_key, lender_key, kind, booked_on,
      booked_seq)
    SELECT 'pos_' || f.key || '_' || n, d.key, f.key, 1 + (f.key + n) % ${LENDERS}, 'assignment',
      f.booked_on, ${seq}
    FROM facility f JOIN deal d ON d.key = f.deal_key, generate_series(1, 2) n
    WHERE ${mine} ORDER BY f.key, n`);
  await transaction.query(`
    INSERT INTO balance_line (deal_key, facility_key, contract_key, lender_key, currency)
    SELECT d.key, c.facility_key, c.key, h.key, c.currency
    FROM loan_contract c JOIN deal d ON d.key = c.deal_key CROSS JOIN LATERAL (
      SELECT 0 AS key UNION ALL
      SELECT lender_key FROM lender_position p WHERE p.facility_key = c.facility_key) h
    WHERE ${mine} ORDER BY c.key, h.key`);
}

function dealId(number) {
  return `deal_${`${number}`.padStart(9, '0')}`;
}

/** Journal by journal over all facilities, as a day's work is; the global line stands first. */
function journalsOf(lines, journals) {
  return CASH.slice(0, journals).flatMap(({ type, effectiveDate, amountMinor }) =>
    Array.from({ length: lines.length / 3 }, (_, index) => {
      const own = lines.slice(3 * index, 3 * index + 3);
      const [{ deal_key: deal }] = own;
      return {
        type,
        effectiveDate,
        idempotencyKey: `${deal}:${effectiveDate}`,
        deal,
        postings: own.flatMap(({ key: line, lender_key: lender }) => {
          const amount = lender === 0n ? 2n * amountMinor : amountMinor;
          return [
            { line, account: 'PRINCIPAL_CASH', movement: type, amountMinor: amount },
            { line, account: 'CASH_CLEARING', amountMinor: -amount },
          ];
        }),
      };
    }),
  );
}

import { setImmediate } from 'node:timers/promises';
import { newId } from '@cls/shared/new-id';
import type { Database, Sql, SqlValue, Transaction } from '@cls/shared/sql/database';
import { volumesOf } from '../../journal-file/sql/sql-journals.ts';
import { SMALL_MINOR } from '../../journal-file/volumes.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { closedThrough } from '../../periods/sql-periods.ts';
import {
  lockJournal,
  type NamedJournal,
  postPrepared,
  prepareJournals,
} from '../../posting/post-journals.ts';
import { writeDatedFacts } from '../../posting/write-dated-facts.ts';
import { BY_LOOKUP, stands } from '../../questions/ask/sql/balance-levels.ts';
import type { Book, BookState, PlannedLoan, StatementFile } from '../book.ts';
import { detailsOf, type KnownLoan, type LoanLine } from '../plan.ts';
import type { ImportProfile } from '../profile.ts';
import { listImports, revertImport } from './revert-import.ts';
import { detailRecords, partyIdOf, statementParties } from './statement-parties.ts';

/** The book of imported loans in SQL: one deal, facility and contract per loan. */
export function sqlBook(database: Database): Book {
  return {
    read: (file) => readState(database, file),
    apply: (file, plan) =>
      database.transaction(async (transaction) => {
        const firstSeq = await lockJournal(transaction);
        const loans = plan(await readState(transaction, file));
        return loans && writeImport(transaction, file, loans, firstSeq);
      }),
    imports: () => listImports(database),
    revert: (importId, apply) => revertImport(database, importId, apply),
  };
}

async function readState(sql: Sql, file: StatementFile): Promise<BookState> {
  const { profile, fileSha256, asOf } = file;
  const [before] = await sql.query<{ id: string }>(
    'SELECT id FROM import_batch WHERE profile = $1 AND file_sha256 = $2 AND reverted_at IS NULL',
    [profile.name, fileSha256],
  );
  const [last] = await sql.query<{ as_of: BusinessDate | null }>(
    'SELECT max(as_of) AS as_of FROM import_batch WHERE source = $1 AND reverted_at IS NULL',
    [profile.source],
  );
  const [reverted] = await sql.query<{ times: number }>(
    `SELECT count(*)::int AS times FROM import_batch
     WHERE profile = $1 AND file_sha256 = $2 AND reverted_at IS NOT NULL`,
    [profile.name, fileSha256],
  );
  const rows = await sql.query<KnownLoan & { loan: string }>(LOAN_STATES, [profile.source, asOf]);
  return {
    appliedBefore: before?.id,
    lastStatement: last?.as_of ?? undefined,
    loans: new Map(rows.map(({ loan, ...state }) => [loan, state])),
    revertedBefore: reverted?.times ?? 0,
    volumeMinor:
      file.grossMinor > SMALL_MINOR ? ((await volumesOf(sql)).get(profile.currency) ?? 0n) : 0n,
    closedThrough: await closedThrough(sql),
  };
}

/** After every sequence: all that is known. */
const NOW = '9223372036854775807';

/** A party by its key: its name at the date, and what statements of the source call it. */
const PARTY = (
  key: string,
) => `(SELECT jsonb_build_object('id', y.id, 'name', party_name(y.key, $2),
    'country', y.country, 'refs', coalesce((SELECT jsonb_agg(r.value)
      FROM (SELECT * FROM external_id WHERE entity_id = y.id ${BY_LOOKUP}) r
      WHERE r.source = $1), '[]'))
  FROM party y WHERE y.key = ${key})`;

/** What is true of a record at the date, as far as it is known. */
const newest = (table: string, which: string) => `LEFT JOIN LATERAL (SELECT * FROM ${table} t
    WHERE ${which} AND t.effective_date <= $2 AND ${stands('t.known_seq', NOW)}
    ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1)`;

/** Sums of the newest balance of each line, by holder: lender of record and participants. */
const LOAN_STATES = `
  SELECT x.value AS loan,
    coalesce(sum(b.original_commitment) FILTER (WHERE NOT global), 0)::int8 AS "originalPrincipal",
    coalesce(sum(b.cancelled_commitment) FILTER (WHERE NOT global), 0)::int8 AS cancelled,
    coalesce(sum(b.unfunded) FILTER (WHERE NOT global), 0)::int8 AS unfunded,
    coalesce(sum(b.advances) FILTER (WHERE NOT global), 0)::int8 AS disbursed,
    coalesce(-sum(b.scheduled_repayments) FILTER (WHERE kind = 'assignment'), 0)::int8 AS repaid,
    coalesce(-sum(b.scheduled_repayments) FILTER (WHERE kind = 'participation'), 0)::int8
      AS "repaidThirdParty",
    coalesce(sum(b.transfers) FILTER (WHERE kind = 'participation'), 0)::int8 AS sold,
    coalesce(sum(b.principal_cash) FILTER (WHERE kind = 'assignment'), 0)::int8 AS due,
    coalesce(sum(b.principal_cash) FILTER (WHERE kind = 'participation'), 0)::int8
      AS "dueThirdParty",
    coalesce(sum(b.fx_revaluation) FILTER (WHERE NOT global), 0)::int8 AS "exchangeAdjustment",
    known_since('deal', d.key, ${NOW}) <= $2 AS present,
    jsonb_build_object('deal', d.id, 'facility', f.id, 'contract', c.id) AS ids,
    jsonb_build_object(
      'statuses', jsonb_build_array(coalesce(dt.status, d.status), coalesce(ft.status, f.status),
        coalesce(ct.status, c.status)),
      'maturityDate', CASE WHEN ct.contract_key IS NULL THEN c.maturity_date
        ELSE ct.maturity_date END,
      'allInRate', (CASE WHEN ct.contract_key IS NULL THEN c.all_in_rate
        ELSE ct.all_in_rate END)::text) AS terms,
    jsonb_build_object('name', coalesce(dd.name, d.name), 'facilityName', coalesce(fd.name, f.name),
      'borrower', ${PARTY('coalesce(dd.borrower_key, d.borrower_key)')},
      'guarantor', ${PARTY('CASE WHEN dd.deal_key IS NULL THEN d.guarantor_key ELSE dd.guarantor_key END')},
      'country', coalesce(dd.country, d.country)) AS details,
    f.type AS "facilityType"
  FROM external_id x
  JOIN deal d ON d.id = x.entity_id
  JOIN facility f ON f.deal_key = d.key
  JOIN loan_contract c ON c.facility_key = f.key
  ${newest('deal_terms', 't.deal_key = d.key')} dt ON true
  ${newest('facility_terms', 't.facility_key = f.key')} ft ON true
  ${newest('contract_terms', 't.contract_key = c.key')} ct ON true
  ${newest('deal_details', 't.deal_key = d.key')} dd ON true
  ${newest('facility_details', 't.facility_key = f.key')} fd ON true
  LEFT JOIN LATERAL (
    SELECT l.key, l.lender_key = 0 AS global, p.kind
    FROM balance_line l
    LEFT JOIN lender_position p ON p.facility_key = l.facility_key AND p.lender_key = l.lender_key
    WHERE l.deal_key = d.key
  ) line ON true
  LEFT JOIN LATERAL (
    SELECT * FROM balance b WHERE b.line_key = line.key AND b.effective_date <= $2
    ORDER BY b.effective_date DESC, b.known_seq DESC LIMIT 1
  ) b ON true
  WHERE x.source = $1 AND x.entity_id LIKE 'deal\\_%'
  GROUP BY x.value, d.key, f.key, c.key, dd.deal_key, dd.name, dd.borrower_key,
    dd.guarantor_key, dd.country, fd.name, dt.status, ft.status,
    ct.status, ct.contract_key, ct.maturity_date, ct.all_in_rate`;

async function writeImport(
  transaction: Transaction,
  file: StatementFile,
  loans: readonly PlannedLoan[],
  firstSeq: bigint,
): Promise<string> {
  const { profile } = file;
  const id = newId('imp');
  const [batch] = await transaction.query<{ key: bigint }>(
    `INSERT INTO import_batch (id, profile, source, file_sha256, as_of, row_count, control_totals)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING key`,
    [
      id,
      profile.name,
      profile.source,
      file.fileSha256,
      file.asOf,
      loans.length,
      JSON.stringify(file.controlTotals),
    ],
  );
  const newLoans = loans.filter(({ booked }) => !booked);
  const parties = await statementParties(transaction, file, loans);
  const inserting = insertLoans(transaction, file, newLoans, parties, firstSeq);
  // Awaited below; until then its failure must not count as unhandled.
  inserting.catch(() => undefined);
  // The journals are prepared meanwhile. The statement has been sent when the event loop has turned.
  await setImmediate();
  const prepared = [...prepareJournals(namedJournals(loans), firstSeq)];
  await inserting;
  const { deals, lines } = await linesOf(transaction, profile, loans);
  const keys = {
    deal(loan: string) {
      const key = deals.get(loan);
      if (key === undefined) throw new Error(`the loan ${loan} has no lines`);
      return key;
    },
    // A statement takes no journal back.
    journal: () => 0n,
    line: (line: LoanLine, loan: string) => lines.get(lineName(line, loan)) ?? 0n,
  };
  await postPrepared(transaction, prepared, keys, batch?.key);
  const planned = loans.flatMap(({ journals }) => journals);
  await writeDatedFacts(
    transaction,
    planned.map(({ effectiveDate, terms, details }, index) => ({
      effectiveDate,
      seq: firstSeq + BigInt(index),
      terms,
      details: details && detailRecords(details, parties),
    })),
  );
  return id;
}

/** Deals by the numbers of their loans. */
function* namedJournals(loans: readonly PlannedLoan[]): Generator<NamedJournal<LoanLine, string>> {
  for (const { row, journals } of loans) {
    for (const journal of journals) yield { ...journal, deal: row.loanNumber };
  }
}

function lineName({ level, holder }: LoanLine, loan: string): string {
  return `${level} ${holder} ${loan}`;
}

/** The keys of loans' deals, and of their lines by name. */
async function linesOf(
  transaction: Transaction,
  { source, lender }: ImportProfile,
  loans: readonly PlannedLoan[],
) {
  const rows = await transaction.query<LoanLine & { loan: string; deal: bigint; key: bigint }>(
    `SELECT x.value AS loan, l.deal_key AS deal, l.key,
       CASE WHEN l.contract_key = 0 THEN 'facility' ELSE 'contract' END AS level,
       CASE WHEN l.lender_key = 0 THEN 'global'
            WHEN p.id = x2.entity_id THEN 'lender' ELSE 'participants' END AS holder
     FROM external_id x
     JOIN deal d ON d.id = x.entity_id
     JOIN balance_line l ON l.deal_key = d.key
     LEFT JOIN party p ON p.key = l.lender_key
     LEFT JOIN external_id x2 ON x2.source = $1 AND x2.value = $2
     WHERE x.source = $1 AND x.value = ANY($3)`,
    [source, lender.externalId, loans.map(({ row }) => row.loanNumber)],
  );
  return {
    deals: new Map(rows.map(({ loan, deal }) => [loan, deal])),
    lines: new Map(rows.map(({ key, loan, ...line }) => [lineName(line, loan), key])),
  };
}

/** New loans with all that stands around them, a statement per table. */
async function insertLoans(
  transaction: Transaction,
  { profile, asOf }: StatementFile,
  loans: readonly PlannedLoan[],
  parties: ReadonlyMap<string, string>,
  bookedSeq: bigint,
): Promise<void> {
  if (loans.length === 0) return;
  const rows = loans.map(({ row }) => row);
  const { source, lender, participants, currency } = profile;
  const details = rows.map((row) => detailsOf(row, undefined));
  await transaction.query(INSERT_LOANS, [
    source,
    lender.externalId,
    participants.externalId,
    currency,
    rows.map((row) => row.loanNumber),
    details.map(({ name }) => name),
    details.map(({ borrower }) => partyIdOf(borrower, parties)),
    details.map(({ guarantor }) => (guarantor ? partyIdOf(guarantor, parties) : null)),
    rows.map((row) => row.countryCode),
    rows.map((row) => row.statuses[0]),
    rows.map((row) => row.statuses[1]),
    rows.map((row) => row.statuses[2]),
    rows.map((row) => row.dates.closingDate ?? null),
    rows.map((row) => row.dates.effectiveDate ?? null),
    rows.map((row) => row.dates.maturityDate ?? null),
    rows.map((row) => row.facilityType),
    rows.map((row) => row.allInRate ?? null),
    rows.map(() => newId('deal')),
    rows.map(() => newId('fac')),
    rows.map(() => newId('ctr')),
    rows.map(() => newId('pos')),
    rows.map(() => newId('pos')),
    asOf,
    bookedSeq,
  ] satisfies SqlValue[]);
}

const INSERT_LOANS = `
  WITH given AS (
    SELECT * FROM unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
      $11::text[], $12::text[], $13::date[], $14::date[], $15::date[], $16::text[],
      $17::numeric[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[])
      WITH ORDINALITY AS g(loan, name, borrower, guarantor, country, deal_status,
        facility_status, contract_status, closing, effective, maturity, facility_type, rate,
        deal_id, facility_id, contract_id, position_id, participation_id, number)
  ), holder AS (
    SELECT (SELECT p.key FROM party p JOIN external_id x ON x.entity_id = p.id
            WHERE x.source = $1 AND x.value = $2) AS lender_key,
           (SELECT p.key FROM party p JOIN external_id x ON x.entity_id = p.id
            WHERE x.source = $1 AND x.value = $3) AS participants_key
  ), new_deal AS (
    INSERT INTO deal (id, name, deal_number, borrower_key, agent_key, guarantor_key, country,
                      status, closing_date, booked_on, booked_seq, follows_journals)
    SELECT g.deal_id, g.name, g.loan, b.key, h.lender_key, gp.key, g.country, g.deal_status,
           g.closing, $23, $24, true
    FROM given g CROSS JOIN holder h
    JOIN party b ON b.id = g.borrower
    LEFT JOIN party gp ON gp.id = g.guarantor
    ORDER BY g.number
    RETURNING key, id
  ), named AS (
    INSERT INTO external_id (source, value, entity_id) SELECT $1, loan, deal_id FROM given
  ), new_facility AS (
    INSERT INTO facility (id, deal_key, name, type, currency, effective_date, maturity_date, status,
                          booked_on, booked_seq, follows_journals)
    SELECT g.facility_id, d.key, g.name, g.facility_type, $4, g.effective, g.maturity,
           g.facility_status, $23, $24, true
    FROM given g JOIN new_deal d ON d.id = g.deal_id ORDER BY g.number
    RETURNING key, id, deal_key
  ), new_contract AS (
    INSERT INTO loan_contract (id, deal_key, facility_key, contract_number, currency,
                               effective_date, maturity_date, all_in_rate, status, booked_on,
                               booked_seq, follows_journals)
    SELECT g.contract_id, f.deal_key, f.key, g.loan, $4, g.effective, g.maturity, g.rate,
           g.contract_status, $23, $24, true
    FROM given g JOIN new_facility f ON f.id = g.facility_id ORDER BY g.number
    RETURNING key, deal_key, facility_key
  ), positions AS (
    INSERT INTO lender_position (id, deal_key, facility_key, lender_key, kind, booked_on,
                                 booked_seq, follows_journals)
    SELECT g.position_id, f.deal_key, f.key, h.lender_key, 'assignment', $23::date, $24::bigint, true
    FROM given g JOIN new_facility f ON f.id = g.facility_id CROSS JOIN holder h
    UNION ALL
    SELECT g.participation_id, f.deal_key, f.key, h.participants_key, 'participation', $23, $24, true
    FROM given g JOIN new_facility f ON f.id = g.facility_id CROSS JOIN holder h
  )
  INSERT INTO balance_line (deal_key, facility_key, contract_key, lender_key, currency)
  SELECT f.deal_key, f.key, 0, holder_key, $4
  FROM new_facility f CROSS JOIN holder h CROSS JOIN LATERAL (VALUES (0), (h.lender_key)) v(holder_key)
  UNION ALL
  SELECT c.deal_key, c.facility_key, c.key, holder_key, $4
  FROM new_contract c CROSS JOIN holder h
  CROSS JOIN LATERAL (VALUES (0), (h.lender_key), (h.participants_key)) v(holder_key)`;

import type { Sql, SqlValue } from '@cls/shared/sql/database';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount } from '../../ledger/money.ts';
import type {
  DetailsRecord,
  JournalRecord,
  PostingRecord,
  RateRecord,
  SettlementRecord,
  TermsRecord,
} from '../record.ts';

/** A record as a file has it, which says nothing of what is not there. @param row named as in a file. */
export function present<T>(row: Readonly<Record<string, unknown>>): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;
}

/**
 * Journals `j` with all that became known with them. Those of type `records` are left out: who writes the
 * records again has others.
 */
export async function readJournals(
  sql: Sql,
  which: string,
  parameter: SqlValue,
): Promise<readonly { seq: bigint; record: JournalRecord }[]> {
  const rows = await sql.query<{ seq: bigint } & Record<string, unknown>>(
    `SELECT j.seq, j.id, (SELECT id FROM deal WHERE key = j.deal_key) AS deal, j.type,
       j.effective_date AS "effectiveDate", j.idempotency_key AS "idempotencyKey", j.reason,
       j.source_ref AS "sourceRef", j.created_by AS "createdBy", r.id AS reverses,
       b.id AS corrects, CASE WHEN j.overadvance THEN true END AS overadvance
     FROM (SELECT * FROM journal WHERE type <> 'records') j LEFT JOIN journal r ON r.seq = j.reverses_seq
     LEFT JOIN journal b ON b.seq = j.corrects_seq ${which}`,
    [parameter],
  );
  if (rows.length === 0) return [];
  const seqs = [rows.map(({ seq }) => seq)];
  const postings = await readPostings(sql, seqs);
  const terms = await bySeq<TermsRecord>(sql, TERMS, seqs);
  const details = await bySeq<DetailsRecord>(sql, DETAILS, seqs);
  const rates = await bySeq<RateRecord>(sql, RATES, seqs);
  const settlements = await bySeq<SettlementRecord>(sql, SETTLEMENTS, seqs);
  return rows.map(({ seq, ...row }) => ({
    seq,
    record: present<JournalRecord>({
      object: 'journal',
      ...row,
      postings: postings.get(seq) ?? [],
      terms: terms.get(seq) ?? [],
      details: details.get(seq) ?? null,
      rates: rates.get(seq) ?? [],
      settlements: settlements.get(seq) ?? [],
    }),
  }));
}

async function readPostings(
  sql: Sql,
  seqs: readonly SqlValue[],
): Promise<ReadonlyMap<bigint, PostingRecord[]>> {
  const rows = await sql.query<{
    seq: bigint;
    amount_minor: bigint;
    currency: string;
    [field: string]: unknown;
  }>(
    `SELECT p.journal_seq AS seq, f.id AS facility, c.id AS contract, y.id AS lender,
       p.account::text AS account, p.movement::text AS movement, p.amount_minor, l.currency,
       p.due_date AS "dueDate"
     FROM posting p
     JOIN balance_line l ON l.key = p.line_key
     JOIN facility f ON f.key = l.facility_key
     LEFT JOIN loan_contract c ON c.key = l.contract_key
     LEFT JOIN party y ON y.key = l.lender_key
     WHERE p.journal_seq = ANY($1) ORDER BY p.journal_seq, p.number`,
    seqs,
  );
  return grouped(
    rows.map(({ seq, amount_minor: minor, currency, dueDate, ...row }) => ({
      seq,
      fact: present<PostingRecord>({
        ...row,
        amount: formatAmount(minor, minorUnitDigits(currency) ?? 0),
        currency,
        dueDate,
      }),
    })),
  );
}

const TERMS = `
  SELECT t.known_seq AS seq, d.id AS deal, NULL AS facility, NULL AS contract, t.status,
    NULL::text AS "maturityDate", NULL::text AS "availabilityEndDate", NULL AS "allInRate"
  FROM deal_terms t JOIN deal d ON d.key = t.deal_key WHERE t.known_seq = ANY($1)
  UNION ALL
  SELECT t.known_seq, NULL, f.id, NULL, t.status, t.maturity_date::text,
    t.availability_end_date::text, NULL
  FROM facility_terms t JOIN facility f ON f.key = t.facility_key
  WHERE t.known_seq = ANY($1)
  UNION ALL
  SELECT t.known_seq, NULL, NULL, c.id, t.status, t.maturity_date::text, NULL,
    t.all_in_rate::text
  FROM contract_terms t JOIN loan_contract c ON c.key = t.contract_key
  WHERE t.known_seq = ANY($1)
  ORDER BY 1, 2, 3, 4`;
const DETAILS = `
  SELECT t.known_seq AS seq, d.id AS deal, NULL AS facility, NULL AS party, t.name,
    b.id AS borrower, g.id AS guarantor, t.country
  FROM deal_details t JOIN deal d ON d.key = t.deal_key JOIN party b ON b.key = t.borrower_key
  LEFT JOIN party g ON g.key = t.guarantor_key WHERE t.known_seq = ANY($1)
  UNION ALL
  SELECT t.known_seq, NULL, f.id, NULL, t.name, NULL, NULL, NULL
  FROM facility_details t JOIN facility f ON f.key = t.facility_key WHERE t.known_seq = ANY($1)
  UNION ALL
  SELECT t.known_seq, NULL, NULL, y.id, t.name, NULL, NULL, NULL
  FROM party_details t JOIN party y ON y.key = t.party_key WHERE t.known_seq = ANY($1)
  ORDER BY 1, 2, 3, 4`;
const RATES = `
  SELECT r.known_seq AS seq, f.id AS facility, c.id AS contract, r.component::text AS component,
    r.start_date::text AS "startDate", r.all_in_rate::text AS "allInRate",
    r.base_rate_index AS "baseRateIndex", r.base_rate::text AS "baseRate",
    r.spread::text AS spread, r.csa::text AS csa
  FROM rate_period r JOIN facility f ON f.key = r.facility_key
  LEFT JOIN loan_contract c ON c.key = r.contract_key
  WHERE r.known_seq = ANY($1)
  ORDER BY r.known_seq, r.facility_key, r.contract_key, r.component, r.start_date`;
const SETTLEMENTS = `
  SELECT s.known_seq AS seq, f.id AS facility, c.id AS contract, s.component::text AS component,
    s.settled_through::text AS "settledThrough"
  FROM accrual_settlement s JOIN facility f ON f.key = s.facility_key
  LEFT JOIN loan_contract c ON c.key = s.contract_key
  WHERE s.known_seq = ANY($1)
  ORDER BY s.known_seq, s.facility_key, s.contract_key, s.component`;

async function bySeq<T>(
  sql: Sql,
  statement: string,
  seqs: readonly SqlValue[],
): Promise<ReadonlyMap<bigint, T[]>> {
  const rows = await sql.query<{ seq: bigint } & Record<string, unknown>>(statement, seqs);
  return grouped(rows.map(({ seq, ...row }) => ({ seq, fact: present<T>(row) })));
}

function grouped<T>(
  rows: readonly { readonly seq: bigint; readonly fact: T }[],
): ReadonlyMap<bigint, T[]> {
  const groups = new Map<bigint, T[]>();
  for (const { seq, fact } of rows) {
    const group = groups.get(seq);
    if (group === undefined) groups.set(seq, [fact]);
    else group.push(fact);
  }
  return groups;
}

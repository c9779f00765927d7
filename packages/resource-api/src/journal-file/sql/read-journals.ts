import { groupBy } from '@cls/shared/group-by';
import type { Sql, SqlValue } from '@cls/shared/sql/database';
import { formatMoney } from '../../ledger/money.ts';
import { FACTS, type StoredFacts, selected } from '../../posting/stored-fields.ts';
import type { JournalRecord, PostingRecord } from '../record.ts';

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
  const terms = await readFacts(sql, 'terms', seqs);
  const details = await readFacts(sql, 'details', seqs);
  const rates = await readFacts(sql, 'rates', seqs);
  const settlements = await readFacts(sql, 'settlements', seqs);
  return rows.map(({ seq, ...row }) => ({
    seq,
    record: present<JournalRecord>({
      object: 'journal',
      ...row,
      postings: postings.get(seq)?.map(postingOf) ?? [],
      terms: terms.get(seq)?.map(factOf) ?? [],
      details: details.get(seq)?.map(factOf) ?? null,
      rates: rates.get(seq)?.map(factOf) ?? [],
      settlements: settlements.get(seq)?.map(factOf) ?? [],
    }),
  }));
}

type PostingRow = FactRow & { readonly amount_minor: bigint; readonly currency: string };

async function readPostings(
  sql: Sql,
  seqs: readonly SqlValue[],
): Promise<ReadonlyMap<bigint, readonly PostingRow[]>> {
  const rows = await sql.query<PostingRow>(
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
  return groupBy(rows, ({ seq }) => seq);
}

function postingOf({ amount_minor: minor, currency, dueDate, ...row }: PostingRow): PostingRecord {
  const amount = formatMoney(minor, currency);
  return factOf({ ...row, amount, currency, dueDate });
}

function factOf<T>({ seq: _, ...row }: FactRow): T {
  return present(row);
}

/** Where facts of one journal are in another order than that of the ids they are about. */
const FACT_ORDER: Readonly<Partial<Record<StoredFacts['list'], string>>> = {
  rates: 'facility_key, contract_key, t.component, start_date',
  settlements: 'facility_key, contract_key, t.component',
};
const FACT_STATEMENTS = FACTS.map(({ list, of, table, fields }) => ({
  list,
  sql: `SELECT t.known_seq AS seq, ${selected(fields)} FROM ${table} t
    WHERE t.known_seq = ANY($1) ORDER BY t.known_seq, ${FACT_ORDER[list] ?? of.name}`,
}));

type FactRow = { readonly seq: bigint } & Record<string, unknown>;

/** Facts that became known with journals, by the journal's sequence. */
async function readFacts(
  sql: Sql,
  list: StoredFacts['list'],
  seqs: readonly SqlValue[],
): Promise<ReadonlyMap<bigint, readonly FactRow[]>> {
  const rows: FactRow[][] = [];
  for (const statement of FACT_STATEMENTS.filter((one) => one.list === list)) {
    rows.push(await sql.query<FactRow>(statement.sql, seqs));
  }
  return groupBy(rows.flat(), ({ seq }) => seq);
}

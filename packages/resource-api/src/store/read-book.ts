import type { Sql, SqlValue, Transaction } from '@cls/shared/sql/database';
import type {
  BookRecord,
  IdentifiedRecord,
  JournalRecord,
  PostingRecord,
  RateRecord,
  SettlementRecord,
  TermsRecord,
} from '../journal-file/record.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import { formatAmount } from '../ledger/money.ts';

const BATCH = 2_000;
const FIRST = 1n;
const EXTERNAL_IDS = (id: string) =>
  `coalesce((SELECT jsonb_agg(jsonb_build_object('source', x.source, 'value', x.value)
     ORDER BY x.source, x.value) FROM external_id x WHERE x.entity_id = ${id}), '[]')`;
const BOOKED_SINCE = 'p.booked_seq >= $2';
const REF = (table: string, key: string) => `(SELECT id FROM ${table} WHERE key = ${key})`;

/** Records `p` with the names that they have in a journal file, and when they became known. */
const SUBJECTS: readonly {
  readonly object: string;
  readonly prefix: string;
  readonly sql: string;
  /** Of those that became known with `$2` or later. */
  readonly since: string;
}[] = [
  {
    object: 'party',
    prefix: 'pty',
    sql: `SELECT p.key, p.id, p.name, p.legal_name AS "legalName", p.lei, p.country,
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM party p`,
    since: `EXISTS (SELECT FROM deal d WHERE d.booked_seq >= $2
        AND p.key IN (d.borrower_key, d.agent_key, d.guarantor_key))
      OR EXISTS (SELECT FROM lender_position q
        WHERE q.lender_key = p.key AND q.booked_seq >= $2)`,
  },
  {
    object: 'deal',
    prefix: 'deal',
    sql: `SELECT p.key, p.id, p.name, p.deal_number AS "dealNumber",
      ${REF('party', 'p.borrower_key')} AS borrower, ${REF('party', 'p.agent_key')} AS agent,
      ${REF('party', 'p.guarantor_key')} AS guarantor, p.country, p.status,
      p.closing_date AS "closingDate", p.booked_on AS "bookedOn",
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM deal p`,
    since: BOOKED_SINCE,
  },
  {
    object: 'facility',
    prefix: 'fac',
    sql: `SELECT p.key, p.id, ${REF('deal', 'p.deal_key')} AS deal, p.name, p.type, p.currency,
      p.day_count AS "dayCount", p.status, p.effective_date AS "effectiveDate",
      p.maturity_date AS "maturityDate", p.availability_end_date AS "availabilityEndDate",
      p.pik_uses_commitment AS "pikUsesCommitment", p.booked_on AS "bookedOn",
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM facility p`,
    since: BOOKED_SINCE,
  },
  {
    object: 'contract',
    prefix: 'ctr',
    sql: `SELECT p.key, p.id, ${REF('facility', 'p.facility_key')} AS facility,
      p.contract_number AS "contractNumber", p.status, p.effective_date AS "effectiveDate",
      p.maturity_date AS "maturityDate", p.all_in_rate::text AS "allInRate",
      ${REF('loan_contract', 'p.rolled_from_key')} AS "rolledFrom", p.booked_on AS "bookedOn",
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM loan_contract p`,
    since: BOOKED_SINCE,
  },
  {
    object: 'position',
    prefix: 'pos',
    sql: `SELECT p.key, p.id, ${REF('facility', 'p.facility_key')} AS facility,
      ${REF('party', 'p.lender_key')} AS lender, p.kind,
      ${REF('lender_position', 'p.parent_key')} AS parent, p.booked_on AS "bookedOn"
      FROM lender_position p`,
    since: BOOKED_SINCE,
  },
];

/** Everything that became known with a sequence or later, in the order of a journal file. */
export async function readBook(
  transaction: Transaction,
  receive: (records: readonly BookRecord[]) => Promise<void>,
  fromSeq: bigint,
): Promise<void> {
  for (const { object, sql, since } of SUBJECTS) {
    // Parties that no deal names have no time at which they became known.
    const some = fromSeq > FIRST ? `AND (${since})` : 'AND $2::bigint IS NOT NULL';
    await inPages(receive, async (after) => {
      const rows = await transaction.query<SubjectRow>(
        `${sql} WHERE p.key > $1 ${some} ORDER BY p.key LIMIT ${BATCH}`,
        [after, fromSeq],
      );
      return rows.map((row) => ({ at: row.key, record: subjectOf(object, row) }));
    });
  }
  await inPages(
    receive,
    async (after) => {
      const range = `WHERE j.seq > $1 ORDER BY j.seq LIMIT ${BATCH}`;
      const journals = await readJournals(transaction, range, after);
      return journals.map(({ seq, record }) => ({ at: seq, record }));
    },
    fromSeq - FIRST,
  );
  await inPages(receive, async (after) => {
    const rows = await transaction.query<{ at: bigint } & Record<string, unknown>>(FX_RATES, [
      after,
      fromSeq,
    ]);
    return rows.map(({ at, ...row }) => ({ at, record: { object: 'fx_rate', ...row } as never }));
  });
}

/** What the book has under ids of any kind. */
export async function readByIds(
  sql: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, IdentifiedRecord>> {
  const found = new Map<string, IdentifiedRecord>();
  const of = (prefix: string) => ids.filter((id) => id.startsWith(`${prefix}_`));
  for (const { object, prefix, sql: select } of SUBJECTS) {
    const wanted = of(prefix);
    if (wanted.length === 0) continue;
    const rows = await sql.query<SubjectRow>(`${select} WHERE p.id = ANY($1)`, [wanted]);
    for (const row of rows) found.set(row.id, subjectOf(object, row));
  }
  const journals = of('jrn');
  if (journals.length === 0) return found;
  for (const { record } of await readJournals(
    sql,
    'WHERE j.id = ANY($1) ORDER BY j.seq',
    journals,
  )) {
    found.set(record.id, record);
  }
  return found;
}

type SubjectRow = { readonly key: bigint; readonly id: string } & Record<string, unknown>;

function subjectOf(object: string, { key: _, ...row }: SubjectRow): IdentifiedRecord {
  return { object, ...present(row) } as unknown as IdentifiedRecord;
}

/** Reads page after page, each from where the last one ended. */
async function inPages(
  receive: (records: readonly BookRecord[]) => Promise<void>,
  read: (after: bigint) => Promise<readonly { at: bigint; record: BookRecord }[]>,
  first = 0n,
): Promise<void> {
  for (let after = first; ; ) {
    const page = await read(after);
    const last = page.at(-1);
    if (last === undefined) return;
    await receive(page.map(({ record }) => record));
    if (page.length < BATCH) return;
    after = last.at;
  }
}

/** A file says nothing of what is not there. */
function present<T extends Record<string, unknown>>(row: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== null),
  ) as Partial<T>;
}

async function readJournals(
  sql: Sql,
  which: string,
  parameter: SqlValue,
): Promise<readonly { seq: bigint; record: JournalRecord }[]> {
  const rows = await sql.query<{ seq: bigint } & Record<string, unknown>>(
    `SELECT j.seq, j.id, ${REF('deal', 'j.deal_key')} AS deal, j.type,
       j.effective_date AS "effectiveDate", j.idempotency_key AS "idempotencyKey", j.reason,
       j.source_ref AS "sourceRef", j.created_by AS "createdBy", r.id AS reverses
     FROM journal j LEFT JOIN journal r ON r.seq = j.reverses_seq ${which}`,
    [parameter],
  );
  if (rows.length === 0) return [];
  const seqs = [rows.map(({ seq }) => seq)];
  const postings = await readPostings(sql, seqs);
  const terms = await bySeq<TermsRecord>(sql, TERMS, seqs);
  const rates = await bySeq<RateRecord>(sql, RATES, seqs);
  const settlements = await bySeq<SettlementRecord>(sql, SETTLEMENTS, seqs);
  return rows.map(({ seq, ...row }) => ({
    seq,
    record: {
      object: 'journal',
      ...present(row),
      postings: postings.get(seq) ?? [],
      terms: terms.get(seq) ?? [],
      rates: rates.get(seq) ?? [],
      settlements: settlements.get(seq) ?? [],
    } as unknown as JournalRecord,
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
      fact: {
        ...present(row),
        amount: formatAmount(minor, minorUnitDigits(currency) ?? 0),
        currency,
        ...present({ dueDate }),
      } as unknown as PostingRecord,
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

const FX_RATES = `
  SELECT number AS at, rate_date AS date, from_currency AS "from", to_currency AS "to",
    trim_scale(rate)::text AS rate, source
  FROM fx_rate WHERE number > $1
    AND known_at > coalesce((SELECT posted_at FROM journal WHERE seq = $2 - 1), '-infinity')
  ORDER BY number LIMIT ${BATCH}`;

async function bySeq<T>(
  sql: Sql,
  statement: string,
  seqs: readonly SqlValue[],
): Promise<ReadonlyMap<bigint, T[]>> {
  const rows = await sql.query<{ seq: bigint } & Record<string, unknown>>(statement, seqs);
  return grouped(rows.map(({ seq, ...row }) => ({ seq, fact: present(row) as unknown as T })));
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

import type { Database, Sql, SqlValue, Transaction } from '@cls/shared/sql/database';
import type { Described, JournalStore } from '../journal-file/journal-store.ts';
import type {
  BookRecord,
  JournalRecord,
  PostingRecord,
  RateRecord,
  SettlementRecord,
  TermsRecord,
} from '../journal-file/record.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { minorUnitDigits } from '../ledger/currency.ts';
import { formatAmount } from '../ledger/money.ts';
import { writeBook } from './write-book.ts';

/** The book as journal files know it. */
export function sqlJournals(database: Database): JournalStore {
  return {
    describe: (ids) => describe(database, ids),
    async postedKeys(keys) {
      if (keys.length === 0) return new Set();
      const rows = await database.query<{ key: string }>(
        'SELECT idempotency_key AS key FROM journal WHERE idempotency_key = ANY($1)',
        [keys],
      );
      return new Set(rows.map(({ key }) => key));
    },
    async closedThrough() {
      const [last] = await database.query<{ through: BusinessDate }>(
        'SELECT through FROM period_close ORDER BY number DESC LIMIT 1',
      );
      return last?.through;
    },
    async write(records, apply) {
      try {
        await database.transaction(async (transaction) => {
          await writeBook(transaction, records);
          if (!apply) throw new DryRun();
        });
      } catch (error) {
        if (!(error instanceof DryRun)) throw error;
      }
    },
    readAll: (receive) =>
      database.transaction((transaction) => readAll(transaction, receive), {
        isolation: 'repeatable read',
        readOnly: true,
      }),
  };
}

/** Rolls back what was written without `--apply`. */
class DryRun extends Error {}

async function describe(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, Described>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.query<{
    id: string;
    kind: Described['kind'];
    parent: string | null;
    currency: string | null;
    lenders: string[] | null;
  }>(
    `SELECT id, 'party' AS kind, NULL AS parent, NULL AS currency, NULL::text[] AS lenders
     FROM party WHERE id = ANY($1)
     UNION ALL SELECT id, 'deal', NULL, NULL, NULL FROM deal WHERE id = ANY($1)
     UNION ALL SELECT id, 'position', NULL, NULL, NULL FROM lender_position WHERE id = ANY($1)
     UNION ALL SELECT id, 'journal', NULL, NULL, NULL FROM journal WHERE id = ANY($1)
     UNION ALL SELECT c.id, 'contract', f.id, NULL, NULL
     FROM loan_contract c JOIN facility f ON f.key = c.facility_key WHERE c.id = ANY($1)
     UNION ALL SELECT f.id, 'facility', d.id, f.currency,
       ARRAY(SELECT y.id FROM lender_position p JOIN party y ON y.key = p.lender_key
             WHERE p.facility_key = f.key)
     FROM facility f JOIN deal d ON d.key = f.deal_key WHERE f.id = ANY($1)`,
    [ids],
  );
  return new Map(
    rows.map(({ id, kind, parent, currency, lenders }): [string, Described] => {
      const deal = parent ?? '';
      if (kind === 'contract') return [id, { kind, facility: deal }];
      if (kind !== 'facility') return [id, { kind }];
      return [id, { kind, deal, currency: currency ?? '', lenders: new Set(lenders) }];
    }),
  );
}

const BATCH = 2_000;
const ALL = '9223372036854775807';
const EXTERNAL_IDS = (id: string) =>
  `coalesce((SELECT jsonb_agg(jsonb_build_object('source', x.source, 'value', x.value)
     ORDER BY x.source, x.value) FROM external_id x WHERE x.entity_id = ${id}), '[]')`;
const REF = (table: string, key: string) => `(SELECT id FROM ${table} WHERE key = ${key})`;

/** Records by rising key, with the names that they have in a journal file. */
const SUBJECTS: readonly { readonly object: string; readonly sql: string }[] = [
  {
    object: 'party',
    sql: `SELECT p.key, p.id, p.name, p.legal_name AS "legalName", p.lei, p.country,
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM party p WHERE p.key > $1`,
  },
  {
    object: 'deal',
    sql: `SELECT p.key, p.id, p.name, p.deal_number AS "dealNumber",
      ${REF('party', 'p.borrower_key')} AS borrower, ${REF('party', 'p.agent_key')} AS agent,
      ${REF('party', 'p.guarantor_key')} AS guarantor, p.country, p.status,
      p.closing_date AS "closingDate", p.booked_on AS "bookedOn",
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM deal p WHERE p.key > $1`,
  },
  {
    object: 'facility',
    sql: `SELECT p.key, p.id, ${REF('deal', 'p.deal_key')} AS deal, p.name, p.type, p.currency,
      p.day_count AS "dayCount", p.status, p.effective_date AS "effectiveDate",
      p.maturity_date AS "maturityDate", p.availability_end_date AS "availabilityEndDate",
      p.pik_uses_commitment AS "pikUsesCommitment", p.booked_on AS "bookedOn",
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM facility p WHERE p.key > $1`,
  },
  {
    object: 'contract',
    sql: `SELECT p.key, p.id, ${REF('facility', 'p.facility_key')} AS facility,
      p.contract_number AS "contractNumber", p.status, p.effective_date AS "effectiveDate",
      p.maturity_date AS "maturityDate", p.all_in_rate::text AS "allInRate",
      ${REF('loan_contract', 'p.rolled_from_key')} AS "rolledFrom", p.booked_on AS "bookedOn",
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM loan_contract p WHERE p.key > $1`,
  },
  {
    object: 'position',
    sql: `SELECT p.key, p.id, ${REF('facility', 'p.facility_key')} AS facility,
      ${REF('party', 'p.lender_key')} AS lender, p.kind,
      ${REF('lender_position', 'p.parent_key')} AS parent, p.booked_on AS "bookedOn"
      FROM lender_position p WHERE p.key > $1`,
  },
];

async function readAll(
  transaction: Transaction,
  receive: (records: readonly BookRecord[]) => Promise<void>,
): Promise<void> {
  for (const { object, sql } of SUBJECTS) {
    let after = 0n;
    for (;;) {
      const rows = await transaction.query<{ key: bigint } & Record<string, unknown>>(
        `${sql} ORDER BY p.key LIMIT ${BATCH}`,
        [after],
      );
      const records = rows.map(({ key: _, ...row }) => ({ object, ...present(row) }));
      if (records.length > 0) await receive(records as unknown as readonly BookRecord[]);
      if (rows.length < BATCH) break;
      after = rows.at(-1)?.key ?? BigInt(ALL);
    }
  }
  let after = 0n;
  for (;;) {
    const journals = await readJournals(transaction, after);
    if (journals.length > 0) await receive(journals.map(({ record }) => record));
    if (journals.length < BATCH) break;
    after = journals.at(-1)?.seq ?? BigInt(ALL);
  }
}

/** A file says nothing of what is not there. */
function present<T extends Record<string, unknown>>(row: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== null),
  ) as Partial<T>;
}

async function readJournals(
  transaction: Transaction,
  after: bigint,
): Promise<readonly { seq: bigint; record: JournalRecord }[]> {
  const rows = await transaction.query<{ seq: bigint } & Record<string, unknown>>(
    `SELECT j.seq, j.id, ${REF('deal', 'j.deal_key')} AS deal, j.type,
       j.effective_date AS "effectiveDate", j.idempotency_key AS "idempotencyKey", j.reason,
       j.source_ref AS "sourceRef", r.id AS reverses
     FROM journal j LEFT JOIN journal r ON r.seq = j.reverses_seq
     WHERE j.seq > $1 ORDER BY j.seq LIMIT ${BATCH}`,
    [after],
  );
  const range = [rows[0]?.seq ?? 0n, rows.at(-1)?.seq ?? 0n];
  const postings = await readPostings(transaction, range);
  const terms = await bySeq<TermsRecord>(transaction, TERMS, range);
  const rates = await bySeq<RateRecord>(transaction, RATES, range);
  const settlements = await bySeq<SettlementRecord>(transaction, SETTLEMENTS, range);
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
  transaction: Transaction,
  range: readonly SqlValue[],
): Promise<ReadonlyMap<bigint, PostingRecord[]>> {
  const rows = await transaction.query<{
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
     WHERE p.journal_seq BETWEEN $1 AND $2 ORDER BY p.journal_seq, p.number`,
    range,
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
  FROM deal_terms t JOIN deal d ON d.key = t.deal_key WHERE t.known_seq BETWEEN $1 AND $2
  UNION ALL
  SELECT t.known_seq, NULL, f.id, NULL, t.status, t.maturity_date::text,
    t.availability_end_date::text, NULL
  FROM facility_terms t JOIN facility f ON f.key = t.facility_key
  WHERE t.known_seq BETWEEN $1 AND $2
  UNION ALL
  SELECT t.known_seq, NULL, NULL, c.id, t.status, t.maturity_date::text, NULL,
    t.all_in_rate::text
  FROM contract_terms t JOIN loan_contract c ON c.key = t.contract_key
  WHERE t.known_seq BETWEEN $1 AND $2
  ORDER BY 1, 2, 3, 4`;
const RATES = `
  SELECT r.known_seq AS seq, f.id AS facility, c.id AS contract, r.component::text AS component,
    r.start_date::text AS "startDate", r.all_in_rate::text AS "allInRate",
    r.base_rate_index AS "baseRateIndex", r.base_rate::text AS "baseRate",
    r.spread::text AS spread, r.csa::text AS csa
  FROM rate_period r JOIN facility f ON f.key = r.facility_key
  LEFT JOIN loan_contract c ON c.key = r.contract_key
  WHERE r.known_seq BETWEEN $1 AND $2
  ORDER BY r.known_seq, r.facility_key, r.contract_key, r.component, r.start_date`;
const SETTLEMENTS = `
  SELECT s.known_seq AS seq, f.id AS facility, c.id AS contract, s.component::text AS component,
    s.settled_through::text AS "settledThrough"
  FROM accrual_settlement s JOIN facility f ON f.key = s.facility_key
  LEFT JOIN loan_contract c ON c.key = s.contract_key
  WHERE s.known_seq BETWEEN $1 AND $2
  ORDER BY s.known_seq, s.facility_key, s.contract_key, s.component`;

async function bySeq<T>(
  transaction: Transaction,
  sql: string,
  range: readonly SqlValue[],
): Promise<ReadonlyMap<bigint, T[]>> {
  const rows = await transaction.query<{ seq: bigint } & Record<string, unknown>>(sql, range);
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

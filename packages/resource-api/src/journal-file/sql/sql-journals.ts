import { groupBy } from '@cls/shared/group-by';
import { valuesOf } from '@cls/shared/sql/array-literal';
import type { Database, Sql } from '@cls/shared/sql/database';
import { rollback, tentativeTransaction } from '@cls/shared/sql/tentative-transaction';
import { closedThrough } from '../../periods/sql-periods.ts';
import { lockJournal } from '../../posting/post-journals.ts';
import { writeBook } from '../../posting/write-book.ts';
import { SOLD_ACCOUNTS } from '../holdings.ts';
import type {
  DatedAmount,
  Described,
  DescribedFacility,
  JournalReader,
  JournalStore,
  LockedBook,
  Posted,
  PostedQuestion,
} from '../journal-store.ts';
import { readBook, readByIds } from './read-book.ts';

/** The book as journal files know it. */
export function sqlJournals(database: Database): JournalStore {
  return {
    ...readerOf(database),
    locked: (work, apply) =>
      tentativeTransaction(database, async (transaction) => {
        await lockJournal(transaction);
        const write: LockedBook['write'] = (records) => writeBook(transaction, records);
        const result = await work({ ...readerOf(transaction), write });
        return apply ? result : rollback(result);
      }),
    readAll: (receive, fromSeq) =>
      database.transaction((transaction) => readBook(transaction, receive, fromSeq), {
        isolation: 'repeatable read',
        readOnly: true,
      }),
  };
}

function readerOf(sql: Sql): JournalReader {
  return {
    async state() {
      // A party is no generation of the book.
      const [row] = await sql.query<{ state: string }>(
        `SELECT concat(generation, ' ', (SELECT max(key) FROM party)) AS state FROM book_state`,
      );
      return row?.state ?? '';
    },
    describe: (ids) => describe(sql, ids),
    read: (ids) => readByIds(sql, ids),
    async taken(names) {
      if (names.length === 0) return [];
      const parameters = valuesOf(names, 'kind', 'within', 'value');
      const rows = await sql.query<{ taken: boolean }>(TAKEN, parameters);
      return rows.map(({ taken }) => taken);
    },
    posted: (question) => posted(sql, question),
    undrawn: (facilities) => datedAmounts(sql, UNDRAWN, facilities),
    outstanding: (contracts) => datedAmounts(sql, OUTSTANDING, contracts),
    async holdings(holders) {
      if (holders.length === 0) return [];
      const rows = await sql.query<DatedAmount & { number: bigint }>(
        HOLDINGS,
        valuesOf(holders, 'facility', 'contract', 'lender', 'account'),
      );
      const held = holders.map((): DatedAmount[] => []);
      for (const { number, ...amount } of rows) held[Number(number) - 1]?.push(amount);
      return held;
    },
    volumes: () => volumesOf(sql),
    async countFxRates(rates) {
      if (rates.length === 0) return [];
      const rows = await sql.query<{ count: bigint }>(
        COUNT_FX_RATES,
        valuesOf(rates, 'date', 'from', 'to', 'rate', 'source'),
      );
      return rows.map(({ count }) => Number(count));
    },
    closedThrough: () => closedThrough(sql),
  };
}

async function describe(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, Described>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.query<{ id: string; described: StoredDescription }>(DESCRIBED, [ids]);
  return new Map(
    rows.map(({ id, described }) => [
      id,
      described.kind === 'facility'
        ? { ...described, lenders: new Set(described.lenders) }
        : described,
    ]),
  );
}

type StoredDescription =
  | Exclude<Described, DescribedFacility>
  | (Omit<DescribedFacility, 'lenders'> & { readonly lenders: readonly string[] });

const DESCRIBED = `
  SELECT id, jsonb_build_object('kind', 'party') AS described FROM party WHERE id = ANY($1)
  UNION ALL
  SELECT id, jsonb_strip_nulls(jsonb_build_object('kind', 'deal', 'closingDate', closing_date))
  FROM deal WHERE id = ANY($1)
  UNION ALL
  SELECT id, jsonb_build_object('kind', 'position') FROM lender_position WHERE id = ANY($1)
  UNION ALL
  SELECT c.id, jsonb_strip_nulls(jsonb_build_object('kind', 'contract', 'deal', d.id,
    'facility', f.id, 'effectiveDate', c.effective_date))
  FROM loan_contract c JOIN facility f ON f.key = c.facility_key
  JOIN deal d ON d.key = f.deal_key WHERE c.id = ANY($1)
  UNION ALL
  SELECT f.id, jsonb_strip_nulls(jsonb_build_object('kind', 'facility', 'deal', d.id,
    'currency', f.currency, 'type', f.type, 'pikUsesCommitment', f.pik_uses_commitment,
    'sublimitOf', (SELECT id FROM facility WHERE key = f.sublimit_of_key),
    'effectiveDate', f.effective_date,
    'lenders', ARRAY(SELECT y.id FROM lender_position p JOIN party y ON y.key = p.lender_key
                     WHERE p.facility_key = f.key)))
  FROM facility f JOIN deal d ON d.key = f.deal_key WHERE f.id = ANY($1)`;

async function posted(sql: Sql, { idempotencyKeys, reversed }: PostedQuestion): Promise<Posted> {
  const byKey = await sql.query<{ key: string; id: string }>(
    'SELECT idempotency_key AS key, id FROM journal WHERE idempotency_key = ANY($1)',
    [idempotencyKeys],
  );
  const there = await sql.query<{ id: string; reversed: boolean }>(
    `SELECT j.id, EXISTS (SELECT FROM journal r WHERE r.reverses_seq = j.seq) AS reversed
     FROM journal j WHERE j.id = ANY($1) AND j.type <> 'records'`,
    [reversed],
  );
  return {
    byKey: new Map(byKey.map(({ key, id }) => [key, id])),
    reversed: new Map(there.map((one) => [one.id, one.reversed])),
  };
}

async function datedAmounts(
  sql: Sql,
  statement: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly DatedAmount[]>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.query<DatedAmount & { id: string }>(statement, [ids]);
  return groupBy(rows, ({ id }) => id);
}

const UNDRAWN = `
  SELECT DISTINCT ON (f.key, b.effective_date) f.id, b.effective_date::text AS date,
    b.unfunded AS "amountMinor"
  FROM facility f
  JOIN balance_line l ON l.facility_key = f.key AND l.contract_key = 0 AND l.lender_key = 0
  JOIN balance b ON b.line_key = l.key
  WHERE f.id = ANY($1) AND EXISTS (SELECT FROM balance c
    WHERE c.line_key = l.key AND (c.original_commitment <> 0 OR c.unfunded <> 0))
  ORDER BY f.key, b.effective_date, b.known_seq DESC`;

const OUTSTANDING = `
  SELECT DISTINCT ON (c.key, b.effective_date) c.id, b.effective_date::text AS date,
    b.principal_cash + b.principal_pik AS "amountMinor"
  FROM loan_contract c
  JOIN balance_line l ON l.facility_key = c.facility_key AND l.contract_key = c.key AND l.lender_key = 0
  JOIN balance b ON b.line_key = l.key
  WHERE c.id = ANY($1)
  ORDER BY c.key, b.effective_date, b.known_seq DESC`;

const TAKEN = `
  SELECT CASE g.kind
    WHEN 'dealNumber' THEN EXISTS (SELECT FROM deal WHERE deal_number = g.value)
    WHEN 'contractNumber' THEN EXISTS (SELECT FROM loan_contract c
      JOIN facility f ON f.key = c.facility_key
      WHERE f.id = g.within AND c.contract_number = g.value)
    WHEN 'lender' THEN EXISTS (SELECT FROM lender_position p
      JOIN facility f ON f.key = p.facility_key JOIN party y ON y.key = p.lender_key
      WHERE f.id = g.within AND y.id = g.value)
    ELSE EXISTS (SELECT FROM external_id WHERE source = g.within AND value = g.value)
  END AS taken
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS g(kind, within, value, number)
  ORDER BY g.number`;

const SOLD = SOLD_ACCOUNTS.map((name) => `WHEN '${name}' THEN b.${name.toLowerCase()}`);
const HOLDINGS = `
  SELECT DISTINCT ON (g.number, b.effective_date) g.number, b.effective_date::text AS date,
    CASE g.account ${SOLD.join(' ')} END AS "amountMinor"
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
    AS g(facility, contract, lender, account, number)
  JOIN facility f ON f.id = g.facility JOIN party y ON y.id = g.lender
  LEFT JOIN loan_contract c ON c.id = g.contract
  JOIN balance_line l ON l.facility_key = f.key AND l.lender_key = y.key
    AND l.contract_key = CASE WHEN g.contract IS NULL THEN 0 ELSE c.key END
  JOIN balance b ON b.line_key = l.key
  ORDER BY g.number, b.effective_date, b.known_seq DESC`;

/** What all postings of the book come to by currency, signs aside. */
export async function volumesOf(sql: Sql): Promise<ReadonlyMap<string, bigint>> {
  const rows = await sql.query<{ currency: string; volume: string }>(VOLUMES);
  return new Map(rows.map(({ currency, volume }) => [currency, BigInt(volume)]));
}

const VOLUMES = `
  SELECT l.currency, sum(p.volume)::text AS volume
  FROM (SELECT line_key, sum(abs(amount_minor)) AS volume FROM posting GROUP BY line_key) p
  JOIN balance_line l ON l.key = p.line_key GROUP BY l.currency`;

const COUNT_FX_RATES = `
  SELECT (SELECT count(*) FROM fx_rate x
    WHERE x.rate_date = g.date AND x.from_currency = g.from_currency
      AND x.to_currency = g.to_currency AND x.rate = g.rate AND x.source = g.source) AS count
  FROM unnest($1::date[], $2::text[], $3::text[], $4::numeric[], $5::text[]) WITH ORDINALITY
    AS g(date, from_currency, to_currency, rate, source, number) ORDER BY g.number`;

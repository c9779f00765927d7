import { newId } from '@cls/shared/new-id';
import type { Database, Sql, Transaction } from '@cls/shared/sql/database';
import { rollback, tentativeTransaction } from '@cls/shared/sql/tentative-transaction';
import type { BookRecord } from '../../journal-file/record.ts';
import { volumesOf } from '../../journal-file/sql/sql-journals.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { PARTY_REF } from '../../ledger/external-id.ts';
import { closedThrough } from '../../periods/sql-periods.ts';
import { lockJournal } from '../../posting/post-journals.ts';
import { writeBook } from '../../posting/write-book.ts';
import { NOW, sinceOf } from '../../questions/ask/sql/balance-levels.ts';
import type { Book, BookReader, ImportHistory, StatementFile } from '../book.ts';
import type { KnownParties } from '../plan/known-deal.ts';
import { foldRef } from '../plan/plan-terms.ts';
import { knownDeals } from './known-deals.ts';
import { listImports, revertImport } from './revert-import.ts';

export function sqlBook(database: Database): Book {
  return {
    check: (file, work) => work(readerFor(file, database)),
    apply: (file, work) =>
      tentativeTransaction(database, async (transaction) => {
        await lockJournal(transaction);
        const { keep, result } = await work(readerFor(file, transaction), (records) =>
          writeImport(transaction, file, records),
        );
        return keep ? result : rollback(result);
      }),
    imports: () => listImports(database),
    mayPost: (source, customer) => mayPost(database, source, customer),
    async assignSource(source, customer) {
      if (customer === undefined) {
        await database.query('DELETE FROM import_source WHERE source = $1', [source]);
        return;
      }
      await database.query(
        `INSERT INTO import_source (source, customer_id) VALUES ($1, $2)
         ON CONFLICT (source) DO UPDATE SET customer_id = EXCLUDED.customer_id`,
        [source, customer],
      );
    },
    revert: (importId, apply) => revertImport(database, importId, apply),
  };
}

function readerFor(file: StatementFile, sql: Sql): BookReader {
  const { source } = file.profile;
  return {
    history: () => readHistory(sql, file),
    deals: (numbers) => knownDeals(sql, file, numbers),
    async taken(refs) {
      const rows = await sql.query<{ value: string }>(
        'SELECT value FROM external_id WHERE source = $1 AND value = ANY($2)',
        [source, refs],
      );
      return new Set(rows.map(({ value }) => value));
    },
    async elsewhere(numbers) {
      const deals = await sql.query<{ number: string; source: string }>(
        `SELECT d.deal_number AS number, coalesce(min(x.source), '') AS source
         FROM deal d LEFT JOIN external_id x ON x.entity_id = d.id
         WHERE d.deal_number = ANY($1) GROUP BY 1 HAVING coalesce(bool_and(x.source <> $2), true)`,
        [numbers, source],
      );
      return new Map(deals.map((deal) => [deal.number, deal.source]));
    },
    numbers: () => readNumbers(sql, file),
    parties: () => readParties(sql, file),
    volumes: () => volumesOf(sql),
  };
}

/** A source without a row is free while the book has nothing of it. */
async function mayPost(sql: Sql, source: string, customer: string): Promise<boolean> {
  const [row] = await sql.query<{ open: boolean }>(
    `SELECT coalesce((SELECT customer_id = $2 FROM import_source WHERE source = $1),
       NOT EXISTS (SELECT FROM import_batch WHERE source = $1)
       AND NOT EXISTS (SELECT FROM external_id WHERE source = $1)) AS open`,
    [source, customer],
  );
  return row?.open ?? false;
}

async function readHistory(
  sql: Sql,
  { profile, fileSha256, asOf, actor }: StatementFile,
): Promise<ImportHistory> {
  const customer = actor?.customer;
  const ofFile = await sql.query<{ id: string; asOf: BusinessDate; reverted: boolean }>(
    `SELECT id, as_of AS "asOf", reverted_at IS NOT NULL AS reverted FROM import_batch
     WHERE source = $1 AND profile = $2 AND file_sha256 = $3 ORDER BY as_of DESC, key DESC`,
    [profile.source, profile.name, fileSha256],
  );
  const same = ofFile.filter((one) => one.asOf === asOf);
  const [last] = await sql.query<{ id: string; asOf: BusinessDate }>(
    `SELECT id, as_of AS "asOf" FROM import_batch WHERE source = $1 AND reverted_at IS NULL
     ORDER BY as_of DESC, key DESC LIMIT 1`,
    [profile.source],
  );
  return {
    isOfAnother: customer !== undefined && !(await mayPost(sql, profile.source, customer)),
    appliedBefore: same.find(({ reverted }) => !reverted)?.id,
    otherDate: ofFile.find((one) => !one.reverted && one.asOf !== asOf)?.asOf,
    last,
    revertedBefore: same.filter(({ reverted }) => reverted).length,
    closedThrough: await closedThrough(sql),
  };
}

const NUMBERS_AT_ONCE = 20_000;
const NUMBERS = `
  SELECT x.value AS number, ${sinceOf('deal', 'd', NOW)} <= $2 AS present
  FROM external_id x JOIN deal d ON d.id = x.entity_id
  WHERE x.source = $1 AND x.value COLLATE "C" > $3
  ORDER BY x.value COLLATE "C" LIMIT ${NUMBERS_AT_ONCE}`;

async function* readNumbers(
  sql: Sql,
  { profile: { source }, asOf }: StatementFile,
): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const rows = await sql.query<{ number: string; present: boolean }>(NUMBERS, [
      source,
      asOf,
      after,
    ]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.filter(({ present }) => present).map(({ number }) => number);
    if (rows.length < NUMBERS_AT_ONCE) return;
    after = last.number;
  }
}

/**
 * A statement finds parties of its own source alone. If the name of another source's party were enough, a
 * poster could put loans into the view of everybody who was granted that party.
 */
async function readParties(
  sql: Sql,
  { profile: { source, lender, participants }, asOf }: StatementFile,
): Promise<KnownParties> {
  const own = [lender.externalId, ...(participants ? [participants.externalId] : [])];
  const found = await sql.query<{ ref: string; id: string; name: string; country: string | null }>(
    `SELECT x.value AS ref, y.id, y.name, y.country FROM external_id x
     JOIN party y ON y.id = x.entity_id
     WHERE x.source = $1 AND (x.value = ANY($2) OR x.value LIKE $3) ORDER BY y.id DESC`,
    [source, own, `${PARTY_REF}%`],
  );
  const renamed = await sql.query<{ id: string; country: string | null; name: string }>(
    `SELECT y.id, y.country, party_name(y.key, $1) AS name FROM party y
     WHERE EXISTS (SELECT FROM party_details t WHERE t.party_key = y.key)
       AND EXISTS (SELECT FROM external_id x WHERE x.entity_id = y.id AND x.source = $2)
     ORDER BY y.id`,
    [asOf, source],
  );
  // Of several that former releases took for different parties, the oldest one.
  const known = found.map(({ ref, ...party }) => ({ ref: foldRef(ref), ...party }));
  const named = known.map(({ ref, name, country }) => ({ ref, name, countryCode: country ?? '' }));
  return { byRef: new Map(known.map(({ ref, id }) => [ref, id])), named, renamed };
}

async function writeImport(
  transaction: Transaction,
  { profile, fileSha256, asOf, rows, controlTotals, accepted, withoutTotals, actor }: StatementFile,
  records: AsyncIterable<BookRecord>,
): Promise<string> {
  const id = newId('imp');
  const [batch] = await transaction.query<{ key: bigint }>(
    `INSERT INTO import_batch (id, profile, source, file_sha256, as_of, row_count, control_totals,
       accepted, without_totals, posted_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING key`,
    [
      ...[id, profile.name, profile.source, fileSha256, asOf, rows, JSON.stringify(controlTotals)],
      Object.keys(accepted).length === 0 ? null : JSON.stringify(accepted),
      ...[withoutTotals ?? null, actor?.name ?? null],
    ],
  );
  if (batch === undefined) throw new Error('the import has no key');
  if (actor?.customer !== undefined) {
    // The first customer that posts statements of a source keeps it.
    await transaction.query(
      'INSERT INTO import_source (source, customer_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [profile.source, actor.customer],
    );
  }
  await writeBook(transaction, records, { key: batch.key, date: asOf });
  return id;
}

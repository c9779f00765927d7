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
import type { Book, BookReader, ImportHistory, StatementFile } from '../book.ts';
import type { KnownParties } from '../plan/known-deal.ts';
import { foldRef } from '../plan/plan-terms.ts';
import { knownDeals } from './known-deals.ts';
import { listImports, revertImport } from './revert-import.ts';

/** The book of statements in SQL. */
export function sqlBook(database: Database): Book {
  return {
    check: (work) => work(readerOf(database)),
    apply: (work) =>
      tentativeTransaction(database, async (transaction) => {
        await lockJournal(transaction);
        const write = (file: StatementFile, records: AsyncIterable<BookRecord>) =>
          writeImport(transaction, file, records);
        const { keep, result } = await work(readerOf(transaction), write);
        return keep ? result : rollback(result);
      }),
    imports: () => listImports(database),
    revert: (importId, apply) => revertImport(database, importId, apply),
  };
}

function readerOf(sql: Sql): BookReader {
  return {
    history: (file) => readHistory(sql, file),
    deals: (file, numbers) => knownDeals(sql, file, numbers),
    taken: (numbers) => readTaken(sql, numbers),
    numbers: (file) => readNumbers(sql, file),
    parties: (file) => readParties(sql, file),
    volumes: () => volumesOf(sql),
  };
}

async function readHistory(
  sql: Sql,
  { profile, fileSha256 }: StatementFile,
): Promise<ImportHistory> {
  const same = await sql.query<{ id: string; reverted: boolean }>(
    `SELECT id, reverted_at IS NOT NULL AS reverted FROM import_batch
     WHERE profile = $1 AND file_sha256 = $2`,
    [profile.name, fileSha256],
  );
  const [last] = await sql.query<{ id: string; asOf: BusinessDate }>(
    `SELECT id, as_of AS "asOf" FROM import_batch WHERE source = $1 AND reverted_at IS NULL
     ORDER BY as_of DESC, key DESC LIMIT 1`,
    [profile.source],
  );
  return {
    appliedBefore: same.find(({ reverted }) => !reverted)?.id,
    last,
    revertedBefore: same.filter(({ reverted }) => reverted).length,
    closedThrough: await closedThrough(sql),
  };
}

async function readTaken(sql: Sql, numbers: readonly string[]): Promise<readonly string[]> {
  if (numbers.length === 0) return [];
  const rows = await sql.query<{ number: string }>(
    'SELECT deal_number AS number FROM deal WHERE deal_number = ANY($1)',
    [numbers],
  );
  return rows.map(({ number }) => number);
}

const NUMBERS_AT_ONCE = 20_000;

async function* readNumbers(
  sql: Sql,
  { profile: { source }, asOf }: StatementFile,
): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const rows = await sql.query<{ number: string; present: boolean }>(
      `SELECT x.value AS number, known_since('deal', d.key, 9223372036854775807) <= $2 AS present
       FROM external_id x JOIN deal d ON d.id = x.entity_id
       WHERE x.source = $1 AND x.value COLLATE "C" > $3
       ORDER BY x.value COLLATE "C" LIMIT ${NUMBERS_AT_ONCE}`,
      [source, asOf, after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.filter(({ present }) => present).map(({ number }) => number);
    if (rows.length < NUMBERS_AT_ONCE) return;
    after = last.number;
  }
}

async function readParties(
  sql: Sql,
  { profile: { source, lender, participants }, asOf }: StatementFile,
): Promise<KnownParties> {
  const named = [lender.externalId, ...(participants ? [participants.externalId] : [])];
  const known = await sql.query<{ ref: string; id: string }>(
    `SELECT value AS ref, entity_id AS id FROM external_id
     WHERE source = $1 AND (value = ANY($2) OR value LIKE $3) ORDER BY entity_id DESC`,
    [source, named, `${PARTY_REF}%`],
  );
  const renamed = await sql.query<{ id: string; country: string | null; name: string }>(
    `SELECT y.id, y.country, party_name(y.key, $1) AS name FROM party y
     WHERE EXISTS (SELECT FROM party_details t WHERE t.party_key = y.key) ORDER BY y.id`,
    [asOf],
  );
  // Of several that former releases took for different parties, the oldest one.
  return { byRef: new Map(known.map(({ ref, id }) => [foldRef(ref), id])), renamed };
}

async function writeImport(
  transaction: Transaction,
  { profile, fileSha256, asOf, rows, controlTotals }: StatementFile,
  records: AsyncIterable<BookRecord>,
): Promise<string> {
  const id = newId('imp');
  const [batch] = await transaction.query<{ key: bigint }>(
    `INSERT INTO import_batch (id, profile, source, file_sha256, as_of, row_count, control_totals)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING key`,
    [id, profile.name, profile.source, fileSha256, asOf, rows, JSON.stringify(controlTotals)],
  );
  if (batch === undefined) throw new Error('the import has no key');
  await writeBook(transaction, records, { key: batch.key, date: asOf });
  return id;
}

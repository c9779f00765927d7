import type { Sql, Transaction } from '@cls/shared/sql/database';
import type { BookRecord, IdentifiedRecord } from '../record.ts';
import { readJournals } from './read-journals.ts';
import { SUBJECT_STATEMENTS, type SubjectRow, subjectOf } from './subject-statements.ts';

const BATCH = 2_000;
const FIRST = 1n;
/**
 * Equal rates are distinguished by how often the file has them: a rate that was given again since
 * comes with those before it.
 */
const FX_RATES = `
  SELECT x.number AS at, x.rate_date AS date, x.from_currency AS "from", x.to_currency AS "to",
    trim_scale(x.rate)::text AS rate, x.source
  FROM fx_rate x WHERE x.number > $1 AND EXISTS (
    SELECT FROM fx_rate y
    WHERE y.from_currency = x.from_currency AND y.to_currency = x.to_currency
      AND y.rate_date = x.rate_date AND y.rate = x.rate AND y.source = x.source
      AND y.known_at > coalesce((SELECT posted_at FROM journal WHERE seq = $2 - 1), '-infinity'))
  ORDER BY x.number LIMIT ${BATCH}`;

/** Everything that became known with a sequence or later, in the order of a journal file. */
export async function readBook(
  transaction: Transaction,
  receive: (records: readonly BookRecord[]) => Promise<void>,
  fromSeq: bigint,
): Promise<void> {
  for (const { object, sql } of SUBJECT_STATEMENTS) {
    // Earlier builds booked what came without a journal with the last one before it.
    await inPages(receive, async (after) => {
      const rows = await transaction.query<SubjectRow>(
        `${sql} WHERE t.key > $1 AND t.booked_seq >= $2 - 1 ORDER BY t.key LIMIT ${BATCH}`,
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
  for (const { object, prefix, sql: select } of SUBJECT_STATEMENTS) {
    const wanted = of(prefix);
    if (wanted.length === 0) continue;
    const rows = await sql.query<SubjectRow>(`${select} WHERE t.id = ANY($1)`, [wanted]);
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

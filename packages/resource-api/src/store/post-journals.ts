import { newId } from '@cls/shared/new-id';
import { withArrayLiterals } from '@cls/shared/sql/array-literal';
import type { SqlValue, Transaction } from '@cls/shared/sql/database';
import type { Journal } from '../ledger/journal.ts';

/** A journal whose postings name balance lines by their keys. */
export interface LinedJournal extends Journal<bigint> {
  /** `jrn_…`; a new one when there is none. */
  readonly id?: string;
  readonly dealKey: bigint;
  readonly createdBy?: string;
}

/** Key of the advisory lock under which journals get their sequence. */
export const JOURNAL_LOCK = 7_204_312;
/** Postings per statement; a journal is never split. */
const CHUNK_POSTINGS = 20_000;

/**
 * Waits until no other transaction posts, and returns the next journal sequence: sequences have
 * no gaps, and become visible in their order.
 */
export async function lockJournal(transaction: Transaction): Promise<bigint> {
  // One transaction posts at a time, so it may have more memory than the others. Its plans are made while
  // tables are empty or small: what they are expected to cost would have them compiled, for seconds.
  await transaction.query(
    `SELECT pg_advisory_xact_lock($1), set_config('jit', 'off', true),
       set_config('work_mem', '32MB', true)`,
    [JOURNAL_LOCK],
  );
  // One posting time for all, later than the instant of any change before.
  const [row] = await transaction.query<{ next: bigint }>(
    `SELECT coalesce(max(seq), 0) + 1 AS next, set_config('cls.posted_at', greatest(
       clock_timestamp(), (SELECT changed_at FROM book_state) + interval '1 microsecond')::text,
       true)
     FROM (SELECT seq FROM journal ORDER BY seq DESC LIMIT 1) last`,
  );
  return row?.next ?? 1n;
}

/** Posts under the lock. The database checks that each journal balances. @throws {SqlError} */
export async function postJournals(
  transaction: Transaction,
  journals: readonly LinedJournal[],
  firstSeq: bigint,
  importKey: bigint | undefined,
): Promise<void> {
  let seq = firstSeq;
  // One chunk is written while the next is made ready.
  let writing = Promise.resolve();
  try {
    for (const chunk of chunksOf(journals)) {
      const columns = columnsOf(chunk, seq, importKey);
      await writing;
      writing = insertChunk(transaction, columns);
      // Awaited with the next chunk; until then its failure must not count as unhandled.
      writing.catch(() => undefined);
      seq += BigInt(chunk.length);
    }
  } finally {
    await writing;
  }
}

function chunksOf(journals: readonly LinedJournal[]): readonly (readonly LinedJournal[])[] {
  const chunks: LinedJournal[][] = [];
  let chunk: LinedJournal[] | undefined;
  let postings = 0;
  for (const journal of journals) {
    if (chunk === undefined || postings + journal.postings.length > CHUNK_POSTINGS) {
      chunk = [];
      chunks.push(chunk);
      postings = 0;
    }
    chunk.push(journal);
    postings += journal.postings.length;
  }
  return chunks;
}

interface Columns {
  readonly journals: readonly SqlValue[];
  readonly postings: readonly SqlValue[];
}

/** Each column as the one string that is sent. */
function columnsOf(
  journals: readonly LinedJournal[],
  firstSeq: bigint,
  importKey: bigint | undefined,
): Columns {
  const seqs: bigint[] = [];
  const numbers: number[] = [];
  const dates: string[] = [];
  const postings = journals.flatMap((journal, index) => {
    for (const number of journal.postings.keys()) {
      seqs.push(firstSeq + BigInt(index));
      numbers.push(number + 1);
      dates.push(journal.effectiveDate);
    }
    return journal.postings;
  });
  return {
    journals: withArrayLiterals([
      firstSeq,
      journals.map(({ id }) => id ?? newId('jrn')),
      journals.map(({ effectiveDate }) => effectiveDate),
      journals.map(({ type }) => type),
      journals.map(({ dealKey }) => dealKey),
      journals.map(({ idempotencyKey }) => idempotencyKey),
      journals.map(({ reason }) => reason ?? null),
      journals.map(({ sourceRef }) => sourceRef ?? null),
      journals.map(({ reversesSeq }) => reversesSeq ?? null),
      journals.map(({ createdBy }) => createdBy ?? null),
      journals.map(({ correctsSeq }) => correctsSeq ?? null),
      journals.map(({ overadvance }) => overadvance ?? false),
      importKey ?? null,
    ]),
    postings: withArrayLiterals([
      seqs,
      numbers,
      postings.map(({ line }) => line),
      postings.map(({ account }) => account),
      postings.map(({ movement }) => movement ?? null),
      postings.map(({ amountMinor }) => amountMinor),
      dates,
      postings.map(({ dueDate }) => dueDate ?? null),
    ]),
  };
}

async function insertChunk(transaction: Transaction, columns: Columns): Promise<void> {
  await transaction.query(
    `INSERT INTO journal (seq, id, effective_date, posted_at, type, deal_key, idempotency_key, reason,
       source_ref, reverses_seq, created_by, corrects_seq, overadvance, import_key)
     SELECT $1 + number - 1, id, effective_date, (SELECT posting_time()), type, deal_key,
       idempotency_key, reason, source_ref, reverses_seq, created_by, corrects_seq, overadvance, $13
     FROM unnest($2::text[], $3::date[], $4::text[], $5::bigint[], $6::text[], $7::text[],
         $8::text[], $9::bigint[], $10::text[], $11::bigint[], $12::boolean[])
       WITH ORDINALITY AS g(id, effective_date, type, deal_key, idempotency_key, reason,
         source_ref, reverses_seq, created_by, corrects_seq, overadvance, number)`,
    columns.journals,
  );
  await transaction.query(
    `INSERT INTO posting (journal_seq, number, line_key, account, movement, amount_minor,
       effective_date, due_date)
     SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::ledger_account[],
       $5::principal_movement[], $6::bigint[], $7::date[], $8::date[])`,
    columns.postings,
  );
}

import { newId } from '@cls/shared/new-id';
import { arrayLiteral } from '@cls/shared/sql/array-literal';
import type { SqlValue, Transaction } from '@cls/shared/sql/database';
import type { Journal } from '../ledger/journal.ts';

/** A journal that names its deal, other journals and balance lines, by whatever has their keys. */
export interface NamedJournal<Line, Name> extends Journal<Line> {
  /** `jrn_…`; a new one when there is none. */
  readonly id?: string;
  readonly createdBy?: string | undefined;
  readonly deal: Name;
  /** The journal that it takes back. */
  readonly reverses?: Name | undefined;
  /** The bill that it corrects. */
  readonly corrects?: Name | undefined;
}

/** The keys of what journals name. */
export interface KeysOf<Line, Name> {
  readonly deal: (name: Name) => bigint;
  readonly journal: (name: Name) => bigint;
  readonly line: (line: Line, deal: Name) => bigint;
}

/** Key of the advisory lock under which journals get their sequence. */
export const JOURNAL_LOCK = 7_204_312;
/** Postings per statement; a journal is never split. */
export const CHUNK_POSTINGS = 20_000;

/**
 * Waits until no other transaction posts, and returns the next journal sequence: sequences have
 * no gaps, and become visible in their order.
 */
export async function lockJournal(transaction: Transaction): Promise<bigint> {
  // One transaction posts at a time, so it may have more memory than the others.
  await transaction.query(
    `SELECT pg_advisory_xact_lock($1), set_config('work_mem', '32MB', true)`,
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

/** Posts journals that have the keys themselves, under the lock. The database checks that each journal balances. @throws {SqlError} */
export async function postJournals(
  transaction: Transaction,
  journals: readonly NamedJournal<bigint, bigint>[],
  firstSeq: bigint,
): Promise<void> {
  const itself = (key: bigint) => key;
  const keys = { deal: itself, journal: itself, line: itself };
  await postPrepared(transaction, prepareJournals(journals, firstSeq), keys);
}

/** The same with what was prepared before, or is prepared chunk by chunk. */
export async function postPrepared<Line, Name>(
  transaction: Transaction,
  prepared: Iterable<PreparedJournals<Line, Name>>,
  keys: KeysOf<Line, Name>,
  importKey?: bigint,
): Promise<void> {
  // One chunk is written while the next is made ready.
  let writing = Promise.resolve();
  try {
    for (const chunk of prepared) {
      const parameters = parametersOf(chunk, keys, importKey);
      await writing;
      writing = insertChunk(transaction, parameters);
      // Awaited with the next chunk; until then its failure must not count as unhandled.
      writing.catch(() => undefined);
    }
  } finally {
    await writing;
  }
}

/** Journals of one statement, with each column that has no keys as the one string that is sent. */
export interface PreparedJournals<Line, Name> {
  readonly firstSeq: bigint;
  readonly journals: readonly NamedJournal<Line, Name>[];
  readonly columns: ReturnType<typeof columnsOf>;
}

/**
 * What takes time and needs no key. Keys are known when the records are written; until then journals
 * can be prepared while the database writes something else.
 */
export function* prepareJournals<Line, Name>(
  journals: Iterable<NamedJournal<Line, Name>>,
  firstSeq: bigint,
): Generator<PreparedJournals<Line, Name>> {
  let seq = firstSeq;
  for (const chunk of chunksOf(journals)) {
    yield { firstSeq: seq, journals: chunk, columns: columnsOf(chunk, seq) };
    seq += BigInt(chunk.length);
  }
}

function* chunksOf<J extends Pick<Journal<unknown>, 'postings'>>(
  journals: Iterable<J>,
): Generator<readonly J[]> {
  let chunk: J[] = [];
  let postings = 0;
  for (const journal of journals) {
    if (chunk.length > 0 && postings + journal.postings.length > CHUNK_POSTINGS) {
      yield chunk;
      chunk = [];
      postings = 0;
    }
    chunk.push(journal);
    postings += journal.postings.length;
  }
  if (chunk.length > 0) yield chunk;
}

function columnsOf<Line, Name>(journals: readonly NamedJournal<Line, Name>[], firstSeq: bigint) {
  const seqs: bigint[] = [];
  const numbers: number[] = [];
  const dates: string[] = [];
  const postings = journals.flatMap((journal, index) => {
    const seq = firstSeq + BigInt(index);
    for (const number of journal.postings.keys()) {
      seqs.push(seq);
      numbers.push(number + 1);
      dates.push(journal.effectiveDate);
    }
    return journal.postings;
  });
  return {
    ids: arrayLiteral(journals.map(({ id }) => id ?? newId('jrn'))),
    effectiveDates: arrayLiteral(journals.map(({ effectiveDate }) => effectiveDate)),
    types: arrayLiteral(journals.map(({ type }) => type)),
    idempotencyKeys: arrayLiteral(journals.map(({ idempotencyKey }) => idempotencyKey)),
    reasons: arrayLiteral(journals.map(({ reason }) => reason ?? null)),
    sourceRefs: arrayLiteral(journals.map(({ sourceRef }) => sourceRef ?? null)),
    createdBy: arrayLiteral(journals.map(({ createdBy }) => createdBy ?? null)),
    overadvances: arrayLiteral(journals.map(({ overadvance }) => overadvance ?? false)),
    seqs: arrayLiteral(seqs),
    numbers: arrayLiteral(numbers),
    accounts: arrayLiteral(postings.map(({ account }) => account)),
    movements: arrayLiteral(postings.map(({ movement }) => movement ?? null)),
    amounts: arrayLiteral(postings.map(({ amountMinor }) => amountMinor)),
    dates: arrayLiteral(dates),
    dueDates: arrayLiteral(postings.map(({ dueDate }) => dueDate ?? null)),
  };
}

interface Parameters {
  readonly journals: readonly SqlValue[];
  readonly postings: readonly SqlValue[];
}

function parametersOf<Line, Name>(
  { firstSeq, journals, columns: given }: PreparedJournals<Line, Name>,
  keys: KeysOf<Line, Name>,
  importKey: bigint | undefined,
): Parameters {
  const seqOf = (name: Name | undefined) => (name === undefined ? null : keys.journal(name));
  const deals = arrayLiteral(journals.map(({ deal }) => keys.deal(deal)));
  const reversed = arrayLiteral(journals.map(({ reverses }) => seqOf(reverses)));
  const corrected = arrayLiteral(journals.map(({ corrects }) => seqOf(corrects)));
  const lines = journals.flatMap(({ deal, postings }) =>
    postings.map(({ line }) => keys.line(line, deal)),
  );
  return {
    journals: [
      firstSeq,
      ...[given.ids, given.effectiveDates, given.types, deals, given.idempotencyKeys],
      ...[given.reasons, given.sourceRefs, reversed, given.createdBy, corrected],
      ...[given.overadvances, importKey ?? null],
    ],
    postings: [
      ...[given.seqs, given.numbers, arrayLiteral(lines), given.accounts, given.movements],
      ...[given.amounts, given.dates, given.dueDates],
    ],
  };
}

async function insertChunk(transaction: Transaction, { journals, postings }: Parameters) {
  await transaction.query(
    `INSERT INTO journal (seq, id, effective_date, posted_at, type, deal_key, idempotency_key, reason,
       source_ref, reverses_seq, created_by, corrects_seq, overadvance, import_key)
     SELECT $1 + number - 1, id, effective_date, (SELECT posting_time()), type, deal_key,
       idempotency_key, reason, source_ref, reverses_seq, created_by, corrects_seq, overadvance, $13
     FROM unnest($2::text[], $3::date[], $4::text[], $5::bigint[], $6::text[], $7::text[],
         $8::text[], $9::bigint[], $10::text[], $11::bigint[], $12::boolean[])
       WITH ORDINALITY AS g(id, effective_date, type, deal_key, idempotency_key, reason,
         source_ref, reverses_seq, created_by, corrects_seq, overadvance, number)`,
    journals,
  );
  await transaction.query(
    `INSERT INTO posting (journal_seq, number, line_key, account, movement, amount_minor,
       effective_date, due_date)
     SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::ledger_account[],
       $5::principal_movement[], $6::bigint[], $7::date[], $8::date[])`,
    postings,
  );
}

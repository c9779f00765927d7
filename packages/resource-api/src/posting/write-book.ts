import { setImmediate } from 'node:timers/promises';
import { newId } from '@cls/shared/new-id';
import type { Transaction } from '@cls/shared/sql/database';
import {
  type BookRecord,
  type FacilityRecord,
  type FxRateRecord,
  type JournalRecord,
  minorOf,
  type PostingRecord,
} from '../journal-file/record.ts';
import { type Column, insertRows } from './insert-rows.ts';
import {
  CHUNK_POSTINGS,
  lockJournal,
  type NamedJournal,
  type PreparedJournals,
  postPrepared,
  prepareJournals,
} from './post-journals.ts';
import { columnsOf, inherited, type StoredField, SUBJECTS } from './stored-fields.ts';
import { writeDatedFacts } from './write-dated-facts.ts';

const CHUNK_RECORDS = 5_000;
/** A few: what the database answers about one chunk must not wait while the next is gathered. */
const RECORDS_PER_TURN = 25;

/** An import of a statement, whose journals all have its date. */
export interface ImportedStatement {
  readonly key: bigint;
  readonly date: string;
}

/**
 * Writes records in their order, in one transaction that holds the journal lock. Records stand
 * after those they name.
 *
 * @param statement the statement that the records come from, if they come from one
 * @throws {SqlError} when the database refuses one; the transaction is then lost.
 */
export async function writeBook(
  transaction: Transaction,
  records: AsyncIterable<BookRecord> | Iterable<BookRecord>,
  statement?: ImportedStatement,
): Promise<void> {
  const firstSeq = await lockJournal(transaction);
  let nextSeq = firstSeq;
  let recordCount = 0;
  let chunk: BookRecord[] = [];
  let named: NamedJournal<string, string>[] = [];
  let postings = 0;
  const lineKeys: LineKeys = new Map();
  // One chunk is written while the next is gathered and prepared.
  let writing = Promise.resolve();
  const flush = async () => {
    const records = chunk;
    const journals = records.filter((record) => record.object === 'journal');
    const prepared = [...prepareJournals(named, nextSeq)];
    const ready = { records, journals, prepared, firstSeq, nextSeq, lineKeys, statement };
    await writing;
    writing = writeChunk(transaction, ready);
    // Awaited with the next chunk; until then its failure must not count as unhandled.
    writing.catch(() => undefined);
    nextSeq += BigInt(journals.length);
    chunk = [];
    named = [];
    postings = 0;
  };
  try {
    for await (const record of records) {
      const posted = record.object === 'journal' ? record.postings.length : 0;
      // All of a chunk is posted by one statement.
      if (postings > 0 && postings + posted > CHUNK_POSTINGS) await flush();
      chunk.push(record);
      if (record.object === 'journal') named.push(namedJournal(record));
      recordCount += 1;
      postings += posted;
      if (chunk.length >= CHUNK_RECORDS) await flush();
      if (recordCount % RECORDS_PER_TURN === 0) await setImmediate();
    }
    await flush();
  } finally {
    await writing;
  }
  await postRecordJournals(transaction, firstSeq, nextSeq);
  // Checked now and not with the commit, so that what is rolled back was checked too.
  await transaction.query('SET CONSTRAINTS check_reversals IMMEDIATE');
  await transaction.query('SET CONSTRAINTS check_reversals DEFERRED');
}

interface Chunk {
  readonly records: readonly BookRecord[];
  readonly journals: readonly JournalRecord[];
  readonly prepared: readonly PreparedJournals<string, string>[];
  /** Of the first journal of the transaction, and of the chunk. */
  readonly firstSeq: bigint;
  readonly nextSeq: bigint;
  readonly lineKeys: LineKeys;
  readonly statement: ImportedStatement | undefined;
}

async function writeChunk(transaction: Transaction, chunk: Chunk): Promise<void> {
  // Known with the transaction, as its first journal is.
  await insertSubjects(transaction, chunk);
  if (chunk.journals.length > 0) await postRecords(transaction, chunk);
  const rates = chunk.records.filter((record) => record.object === 'fx_rate');
  await insertRows(transaction, 'fx_rate', FX_RATE, rates);
}

/** Deals with records of the transaction, and without a journal of it. */
const DEALS_WITHOUT_JOURNAL = `
  SELECT key FROM (
    SELECT key FROM deal WHERE booked_seq = $1
    UNION SELECT deal_key FROM facility WHERE booked_seq = $1
    UNION SELECT deal_key FROM loan_contract WHERE booked_seq = $1
    UNION SELECT deal_key FROM lender_position WHERE booked_seq = $1
    EXCEPT SELECT deal_key FROM journal WHERE seq >= $1) d
  ORDER BY key`;

/** A journal without date and postings for each of these deals: it says when the records became known. */
async function postRecordJournals(
  transaction: Transaction,
  firstSeq: bigint,
  nextSeq: bigint,
): Promise<void> {
  const deals = await transaction.query<{ key: bigint }>(DEALS_WITHOUT_JOURNAL, [firstSeq]);
  if (deals.length === 0) return;
  await transaction.query(
    `INSERT INTO journal (seq, id, posted_at, type, deal_key, idempotency_key)
     SELECT $1 + number - 1, id, (SELECT posting_time()), 'records', deal_key, id
     FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS g(id, deal_key, number)`,
    [nextSeq, deals.map(() => newId('jrn')), deals.map(({ key }) => key)],
  );
}

const FX_RATE: readonly Column<FxRateRecord>[] = [
  { name: 'rate_date', type: 'date', value: ({ date }) => date },
  { name: 'from_currency', type: 'text', value: ({ from }) => from },
  { name: 'to_currency', type: 'text', value: ({ to }) => to },
  { name: 'rate', type: 'numeric', value: ({ rate }) => rate },
  { name: 'source', type: 'text', value: ({ source }) => source },
];
const EXTERNAL_ID: readonly Column<{ id: string; source: string; value: string }>[] = [
  { name: 'source', type: 'text', value: ({ source }) => source },
  { name: 'value', type: 'text', value: ({ value }) => value },
  { name: 'entity_id', type: 'text', value: ({ id }) => id },
];
const DEAL_OF_FACILITY = 'd.key = (SELECT deal_key FROM facility WHERE id = g.facility_key)';
/** A deal that became known with the record has no journal yet. */
const sinceDeal = (which: string) =>
  `(SELECT CASE WHEN d.booked_seq = g.booked_seq THEN d.booked_on
      ELSE known_since('deal', d.key, g.booked_seq) END FROM deal d WHERE ${which})`;
/** Since when the book has a record without a date of its own: it follows its deal, and a deal its journals. */
const SINCE: Readonly<Record<string, string>> = {
  deal: `'infinity'::date`,
  facility: sinceDeal('d.id = g.deal_key'),
  contract: sinceDeal(DEAL_OF_FACILITY),
  position: sinceDeal(DEAL_OF_FACILITY),
};
/** What a record has of its facility. */
const INHERITED: Readonly<Record<string, readonly string[]>> = {
  contract: ['deal_key', 'currency'],
  position: ['deal_key'],
};

interface Subject {
  readonly id: string;
  readonly bookedOn?: string | undefined;
}

async function insertSubjects(
  transaction: Transaction,
  { records, firstSeq, statement }: Chunk,
): Promise<void> {
  const of = <K extends BookRecord['object']>(kind: K) =>
    records.filter(
      (record): record is Extract<BookRecord, { object: K }> => record.object === kind,
    );
  for (const { object, table, fields } of SUBJECTS) {
    // A record may name another of its kind. Sublimits stand in a later run; others are named at the end.
    const late = fields.filter(({ names, name }) => names === table && name !== 'sublimitOf');
    const inheriting = fields.filter(({ name }) => name === 'facility');
    const columns: readonly Column<Subject>[] = [
      ...columnsOf<Subject>(fields.filter((field) => !late.includes(field))),
      ...inheriting.flatMap((facility) =>
        (INHERITED[object] ?? []).map((column) => inherited<Subject>(column, facility)),
      ),
      ...bookedIn(SINCE[object], firstSeq, object === 'deal' ? statement?.date : undefined),
    ];
    const subjects = of(object as 'facility');
    for (const run of withoutSublimits(subjects)) {
      await insertRows(transaction, table, columns, run);
    }
    for (const field of late) await nameOwnKind(transaction, table, field, subjects);
  }
  const facilities = of('facility');
  const contracts = of('contract');
  const names = [...of('party'), ...of('deal'), ...facilities, ...contracts].flatMap(
    ({ id, externalIds }) => externalIds.map((external) => ({ id, ...external })),
  );
  await insertRows(transaction, 'external_id', EXTERNAL_ID, names);
  await addLines(transaction, [
    ...facilities.map(({ id }) => id),
    ...contracts.map(({ facility }) => facility),
    ...of('position').map(({ facility }) => facility),
  ]);
}

/** @param firstJournal the date of the first journal of each record, where all have the same */
function bookedIn(
  since: string | undefined,
  bookedSeq: bigint,
  firstJournal: string | undefined,
): readonly Column<Subject>[] {
  if (since === undefined) return [];
  return [
    {
      name: 'booked_on',
      type: 'date',
      value: ({ bookedOn }) => bookedOn ?? firstJournal ?? null,
      sql: `coalesce(g.booked_on, ${since})`,
    },
    { name: 'booked_seq', type: 'bigint', value: () => bookedSeq },
    {
      name: 'follows_journals',
      type: 'boolean',
      value: ({ bookedOn }) => bookedOn === undefined,
    },
  ];
}

/** Facilities in their order, so that one that a sublimit is carved out of stands in a run before. */
function withoutSublimits(
  facilities: readonly FacilityRecord[],
): readonly (readonly FacilityRecord[])[] {
  const runs: FacilityRecord[][] = [[]];
  let ids = new Set<string>();
  for (const facility of facilities) {
    if (facility.sublimitOf !== undefined && ids.has(facility.sublimitOf)) {
      runs.push([]);
      ids = new Set();
    }
    runs.at(-1)?.push(facility);
    ids.add(facility.id);
  }
  return runs;
}

/** A record may name another of its kind, which the same statement inserted. */
async function nameOwnKind(
  transaction: Transaction,
  table: string,
  { name, column }: StoredField,
  records: readonly Subject[],
): Promise<void> {
  const named = (record: object) => (record as Readonly<Record<string, string>>)[name];
  const some = records.filter((record) => named(record) !== undefined);
  if (some.length === 0) return;
  await transaction.query(
    `UPDATE ${table} t SET ${column} = o.key
     FROM unnest($1::text[], $2::text[]) AS g(id, named) JOIN ${table} o ON o.id = g.named
     WHERE t.id = g.id`,
    [some.map(({ id }) => id), some.map((record) => named(record) ?? null)],
  );
}

/** Every facility and contract has a line globally and for each lender of the facility. */
async function addLines(transaction: Transaction, facilities: readonly string[]): Promise<void> {
  if (facilities.length === 0) return;
  const ids = [...new Set(facilities)];
  // A sublimit's lines name those of the facility that it is carved out of.
  await transaction.query(addLinesOf('f.sublimit_of_key IS NULL'), [ids]);
  await transaction.query(addLinesOf('f.sublimit_of_key IS NOT NULL'), [ids]);
}

function addLinesOf(which: string): string {
  return `INSERT INTO balance_line (deal_key, facility_key, contract_key, lender_key, currency,
       parent_line_key)
     SELECT f.deal_key, f.key, c.key, p.key, f.currency,
       (SELECT key FROM balance_line b WHERE b.facility_key = f.sublimit_of_key
          AND b.contract_key = 0 AND b.lender_key = p.key)
     FROM facility f
     CROSS JOIN LATERAL (
       SELECT 0 AS key UNION ALL SELECT key FROM loan_contract WHERE facility_key = f.key) c
     CROSS JOIN LATERAL (
       SELECT 0 AS key UNION ALL
       SELECT lender_key FROM lender_position WHERE facility_key = f.key) p
     WHERE f.id = ANY($1) AND ${which}
     ORDER BY f.key, c.key, p.key
     ON CONFLICT (facility_key, contract_key, lender_key) DO NOTHING`;
}

/** Deals and journals by their ids, lines by their names. */
function namedJournal(record: JournalRecord): NamedJournal<string, string> {
  const postings = record.postings.map((posting) => ({
    line: lineName(posting),
    account: posting.account,
    movement: posting.movement,
    amountMinor: minorOf(posting),
    dueDate: posting.dueDate,
  }));
  return { ...record, postings };
}

async function postRecords(
  transaction: Transaction,
  { journals, prepared, nextSeq, lineKeys, statement }: Chunk,
): Promise<void> {
  const seqs = new Map(journals.map(({ id }, index) => [id, nextSeq + BigInt(index)]));
  await findLines(transaction, prepared, lineKeys);
  const dealIds = journals.map(({ deal }) => deal);
  const deals = await keysById(transaction, 'deal', 'key', dealIds);
  const others = journals.flatMap(({ reverses, corrects }) => [reverses ?? [], corrects ?? []]);
  const named = await keysById(transaction, 'journal', 'seq', others.flat());
  const keys = {
    deal: (id: string) => deals.get(id) ?? 0n,
    journal: (id: string) => seqs.get(id) ?? named.get(id) ?? 0n,
    line: (name: string) => lineKeys.get(name) ?? 0n,
  };
  await postPrepared(transaction, prepared, keys, statement?.key);
  await writeDatedFacts(
    transaction,
    journals.map((journal) => ({ ...journal, seq: seqs.get(journal.id) ?? 0n })),
  );
}

/** Of ids, which have no spaces. */
function lineName({ facility, contract = '', lender = '' }: PostingRecord): string {
  return `${facility} ${contract} ${lender}`;
}

/** Keys of balance lines by their names: of those that the journals so far post to. */
type LineKeys = Map<string, bigint>;

/** Lines that are kept: those of a statement's deals come together, and do not come again. */
const LINES_KEPT = 100_000;

/** Adds the lines that were not asked for before: a line never changes. */
async function findLines(
  transaction: Transaction,
  prepared: readonly PreparedJournals<string, string>[],
  lines: LineKeys,
): Promise<void> {
  if (lines.size > LINES_KEPT) lines.clear();
  const unknown = new Set<string>();
  for (const { journals } of prepared) {
    for (const { postings } of journals) {
      for (const { line } of postings) if (!lines.has(line)) unknown.add(line);
    }
  }
  if (unknown.size === 0) return;
  const names = [...unknown];
  const parts = names.map((name) => name.split(' '));
  const rows = await transaction.query<{ number: bigint; key: bigint }>(
    // By look-ups: a plan of joins goes by what the tables held before this transaction.
    `SELECT number, key FROM (
       SELECT g.number, (SELECT key FROM balance_line
         WHERE facility_key = (SELECT key FROM facility WHERE id = g.facility)
           AND contract_key = coalesce((SELECT key FROM loan_contract WHERE id = g.contract), 0)
           AND lender_key = coalesce((SELECT key FROM party WHERE id = g.lender), 0)) AS key
       FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
         AS g(facility, contract, lender, number)) l
     WHERE key IS NOT NULL`,
    [0, 1, 2].map((part) => parts.map((name) => name[part] || null)),
  );
  for (const { number, key } of rows) lines.set(names[Number(number) - 1] ?? '', key);
}

async function keysById(
  transaction: Transaction,
  table: string,
  column: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (ids.length === 0) return new Map();
  const rows = await transaction.query<{ id: string; key: bigint }>(
    `SELECT id, ${column} AS key FROM ${table} WHERE id = ANY($1)`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ id, key }) => [id, key]));
}

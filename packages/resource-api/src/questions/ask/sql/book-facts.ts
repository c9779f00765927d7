import type { Database } from '@cls/shared/sql/database';
import { EDITION, type ReplicatedDatabase } from '../../../database/read-replicas.ts';
import type { BusinessDate } from '../../../ledger/business-date.ts';
import { JOURNAL_LOCK } from '../../../posting/post-journals.ts';
import type {
  BalanceStore,
  KnownSequence,
  LedgerState,
  LostTime,
  ReportingRate,
} from '../balance-store.ts';
import { BY_LOOKUP } from './balance-levels.ts';
import { instant, LOOK_UPS, readAll, readAs } from './statement.ts';

const POSTED_AT = `SELECT seq, ${instant('posted_at')} AS posted_at FROM journal WHERE seq = ANY($1)`;

/** The snapshot's date, or the day when it became known. */
const REACHED = `greatest($1,
  (SELECT (posted_at AT TIME ZONE 'UTC')::date FROM journal WHERE seq = $2))`;

/** The first or the last date up to another on which a journal stands, as known at a sequence. */
function bookDate(order: 'ASC' | 'DESC', through: string, seq: string): string {
  return `(SELECT b.effective_date FROM book_date b
    WHERE b.effective_date <= ${through} AND b.known_seq <= ${seq} AND b.stands
      AND NOT EXISTS (SELECT FROM book_date n WHERE n.effective_date = b.effective_date
        AND n.known_seq > b.known_seq AND n.known_seq <= ${seq} ${BY_LOOKUP})
    ORDER BY b.effective_date ${order} LIMIT 1)`;
}

/** Sequences rise with posting times, so one look-up finds the last journal up to an instant. */
const KNOWLEDGE = `
  SELECT (SELECT ${instant('posted_at')} FROM journal WHERE seq = $2) AS known_at,
    ${bookDate('ASC', REACHED, '$2')} AS first_date,
    ${bookDate('DESC', REACHED, '$2')} AS data_through,
    reported.seq AS reported_seq, ${instant('reported.posted_at')} AS reported_at
  FROM (SELECT 1) one LEFT JOIN LATERAL (
    SELECT seq, posted_at FROM journal WHERE posted_at <= (
      SELECT greatest(($1::date + 1)::timestamp AT TIME ZONE 'UTC', r.posted_at)
      FROM (SELECT posted_at FROM reported_date WHERE effective_date >= $1
            ORDER BY effective_date LIMIT 1) r
      -- Reached later than what this snapshot knows: to it the date is not reported yet.
      WHERE r.posted_at <= (SELECT posted_at FROM journal WHERE seq = $2))
    ORDER BY posted_at DESC, seq DESC LIMIT 1) reported ON true`;

interface KnowledgeRow {
  readonly known_at: string | null;
  readonly first_date: BusinessDate | null;
  readonly data_through: BusinessDate | null;
  readonly reported_seq: bigint | null;
  readonly reported_at: string | null;
}

/** Where reads are shared out to replicas, it knows which state of the primary they must have. */
export type Facts = Database & Partial<Pick<ReplicatedDatabase, 'generation'>>;

/** What is asked of the book itself: where it stands, what was known when, rates, and external ids. */
export function bookFacts(database: Database, facts: Facts) {
  return {
    async generation() {
      if (facts.generation !== undefined) return facts.generation();
      const [row] = await facts.query<{ generation: string }>(
        `SELECT ${EDITION} AS generation FROM book_state s`,
        [],
        { prepared: true },
      );
      return row?.generation ?? '';
    },
    async ledgerState(today) {
      const state = await ledgerState(facts, today);
      await facts.generation?.();
      return state;
    },
    async grantsChangedAt(access) {
      // Full control sees every deal, whatever is granted to whom.
      if ('fullControl' in access) return undefined;
      const [row] = await facts.query<{ at: string }>(
        `SELECT ${instant('changed_at')} AS at FROM grant_change WHERE customer_id = $1`,
        [access.customer],
      );
      return row?.at;
    },
    async knowledge({ asOf, ledgerSeq }) {
      const statement = { sql: KNOWLEDGE, parameters: [asOf, ledgerSeq], planning: LOOK_UPS };
      const [row] = await readAll<KnowledgeRow>(facts, { ...statement, prepared: true });
      const knownAt = row?.known_at ?? undefined;
      const reported = row?.reported_seq ?? ledgerSeq;
      const wasReported = reported < ledgerSeq;
      return {
        knownAt,
        firstDate: row?.first_date ?? undefined,
        dataThrough: row?.data_through ?? undefined,
        reportedSeq: wasReported ? reported : ledgerSeq,
        reportedAt: wasReported ? (row?.reported_at ?? undefined) : knownAt,
      };
    },
    async sequenceAt(at) {
      const known = await sequenceAt(facts, at);
      await facts.generation?.();
      return known;
    },
    async postedAt(seqs) {
      type Row = { readonly seq: bigint; readonly posted_at: string };
      const rows = await database.query<Row>(POSTED_AT, [[...new Set(seqs)]]);
      return new Map(rows.map(({ seq, posted_at }) => [seq, posted_at]));
    },
    async fxRates(from, to, day, lastNumber) {
      if (from.length === 0) return new Map();
      const rows = await database.query<ReportingRate & { from: string }>(
        `SELECT DISTINCT ON (from_currency) from_currency AS "from",
           trim_scale(rate)::text AS rate, rate_date::text AS date, source
         FROM fx_rate
         WHERE from_currency = ANY($1) AND to_currency = $2 AND rate_date <= $3
           AND number <= $4
         ORDER BY from_currency, rate_date DESC, number DESC`,
        [from, to, day, lastNumber],
      );
      return new Map(rows.map(({ from: currency, ...rate }) => [currency, rate]));
    },
    async fxStateAt(at) {
      const [row] = await database.query<{ number: bigint; knownAt: string }>(
        `SELECT number, ${instant('known_at')} AS "knownAt" FROM fx_rate
         WHERE known_at <= $1 ORDER BY number DESC LIMIT 1`,
        [at],
      );
      return row ?? { number: 0n, knownAt: undefined };
    },
    async resolveExternalIds(names) {
      if (names.length === 0) return new Map();
      await facts.generation?.();
      const rows = await database.query<{ name: string; id: string }>(
        `SELECT n.name, x.entity_id AS id
         FROM unnest($1::text[]) n(name)
         JOIN external_id x ON x.source = split_part(n.name, ':', 1)
           AND x.value = substr(n.name, strpos(n.name, ':') + 1)`,
        [names],
      );
      return new Map(rows.map(({ name, id }) => [name, id]));
    },
    ready: async () => {
      const sql = 'SELECT 1 FROM deal LIMIT 1';
      await readAs(facts, { fullControl: true }, { sql, parameters: [] });
    },
  } satisfies Partial<BalanceStore>;
}

async function ledgerState(database: Database, today: BusinessDate): Promise<LedgerState> {
  const [row] = await database.query<{
    generation: string;
    changed_at: string | null;
    seq: bigint;
    fx_number: bigint | null;
    fx_known_at: string | null;
    first: BusinessDate | null;
    last: BusinessDate | null;
    lost: readonly LostTime[];
  }>(
    `SELECT ${EDITION} AS generation, CASE WHEN isfinite(s.changed_at) THEN ${instant('s.changed_at')} END
         AS changed_at,
       (SELECT coalesce(max(seq), 0) FROM journal) AS seq,
       fx.number AS fx_number, ${instant('fx.known_at')} AS fx_known_at,
       ${bookDate('ASC', '$1', '(SELECT max(seq) FROM journal)')} AS first,
       ${bookDate('DESC', '$1', '(SELECT max(seq) FROM journal)')} AS last,
       (SELECT coalesce(json_agg(json_build_object('after', ${instant('known_through')},
          'until', ${instant('restored_at')})), '[]') FROM book_restore) AS lost
     FROM book_state s
     LEFT JOIN LATERAL (SELECT number, known_at FROM fx_rate ORDER BY number DESC LIMIT 1) fx
       ON true`,
    [today],
  );
  return {
    generation: row?.generation ?? '',
    today,
    changedAt: row?.changed_at ?? undefined,
    fx: { number: row?.fx_number ?? 0n, knownAt: row?.fx_known_at ?? undefined },
    seq: row?.seq ?? 0n,
    firstDate: row?.first ?? undefined,
    lastDate: row?.last ?? undefined,
    lost: row?.lost ?? [],
  };
}

/**
 * A change takes its instant under the journal lock, and later than all instants before. So the
 * answer for an instant is final once a later instant was taken, or once the instant has passed while
 * nobody holds the lock.
 */
function sequenceAt(database: Database, at: string): Promise<KnownSequence> {
  return database.transaction(async (transaction): Promise<KnownSequence> => {
    const [lock] = await transaction.query<{ quiet: boolean; future: boolean }>(
      `SELECT pg_try_advisory_xact_lock_shared($1) AS quiet,
         $2::timestamptz > greatest(clock_timestamp(), changed_at) AS future
       FROM book_state`,
      [JOURNAL_LOCK, at],
    );
    if (lock?.future) return { refused: 'in_future' };
    const [row] = await transaction.query<{ seq: bigint | null; later: boolean }>(
      `SELECT (SELECT seq FROM journal WHERE posted_at <= $1
               ORDER BY posted_at DESC, seq DESC LIMIT 1) AS seq,
         changed_at >= $1 AS later
       FROM book_state`,
      [at],
    );
    if (!lock?.quiet && !row?.later) return { refused: 'posting' };
    return row?.seq == null ? { refused: 'before_book' } : { seq: row.seq };
  });
}

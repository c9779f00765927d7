import type { Database, Transaction } from '@cls/shared/sql/database';
import type { KnowledgeFacts, PageRequest, Snapshot } from '../balances/balance-store.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { BY_LOOKUP } from './balance-levels.ts';
import { instant, LOOK_UPS, type Statement } from './balance-statements.ts';
import { readAll } from './read-as.ts';

export const GENERATION = 'SELECT generation FROM book_state';
const GENERATION_ALONE: Statement = { sql: GENERATION, parameters: [] };
export interface GenerationRow {
  readonly generation: bigint;
}

/** The snapshot's date, or the day when it became known. */
const REACHED = `greatest($1,
  (SELECT (posted_at AT TIME ZONE 'UTC')::date FROM journal WHERE seq = $2))`;

/** The first or the last date up to another on which a journal stands, as known at a sequence. */
export function bookDate(order: 'ASC' | 'DESC', through: string, seq: string): string {
  return `(SELECT b.effective_date FROM book_date b
    WHERE b.effective_date <= ${through} AND b.known_seq <= ${seq} AND b.stands
      AND NOT EXISTS (SELECT FROM book_date n WHERE n.effective_date = b.effective_date
        AND n.known_seq > b.known_seq AND n.known_seq <= ${seq} ${BY_LOOKUP})
    ORDER BY b.effective_date ${order} LIMIT 1)`;
}

/** Sequences rise with posting times, so one look-up finds the last journal up to an instant. */
const KNOWLEDGE = `
  SELECT (${GENERATION}) AS generation,
    (SELECT ${instant('posted_at')} FROM journal WHERE seq = $2) AS known_at,
    ${bookDate('ASC', REACHED, '$2')} AS first_date,
    ${bookDate('DESC', REACHED, '$2')} AS data_through,
    (SELECT seq FROM journal WHERE posted_at <= (
       SELECT greatest(($1::date + 1)::timestamp AT TIME ZONE 'UTC', r.posted_at)
       FROM (SELECT posted_at FROM reported_date WHERE effective_date >= $1
             ORDER BY effective_date LIMIT 1) r
       -- Reached later than what this snapshot knows: to it the date is not reported yet.
       WHERE r.posted_at <= (SELECT posted_at FROM journal WHERE seq = $2))
     ORDER BY posted_at DESC, seq DESC LIMIT 1) AS reported_seq`;

interface KnowledgeRow extends GenerationRow {
  readonly known_at: string | null;
  readonly first_date: BusinessDate | null;
  readonly data_through: BusinessDate | null;
  readonly reported_seq: bigint | null;
}

function knowledgeStatement({ asOf, ledgerSeq }: Snapshot): Statement {
  const parameters = [asOf, ledgerSeq];
  return { sql: KNOWLEDGE, parameters, planning: LOOK_UPS, prepared: true };
}

function toKnowledge(row: KnowledgeRow | undefined, { ledgerSeq }: Snapshot): KnowledgeFacts {
  const reported = row?.reported_seq ?? ledgerSeq;
  return {
    knownAt: row?.known_at ?? undefined,
    firstDate: row?.first_date ?? undefined,
    dataThrough: row?.data_through ?? undefined,
    reportedSeq: reported < ledgerSeq ? reported : ledgerSeq,
  };
}

export async function readKnowledge(
  database: Database,
  snapshot: Snapshot,
): Promise<KnowledgeFacts> {
  const [row] = await readAll<KnowledgeRow>(database, knowledgeStatement(snapshot));
  return toKnowledge(row, snapshot);
}

/**
 * Asks what a page is to tell of the book, in the transaction of the page and ahead of it.
 *
 * @returns undefined where there is nothing to ask
 */
export function onTheWay(
  { snapshot, onTheWay: asked }: Pick<PageRequest, 'snapshot' | 'onTheWay'>,
  tellsGeneration: boolean,
): ((transaction: Transaction) => Promise<void>) | undefined {
  const generation = tellsGeneration ? asked?.generation : undefined;
  const knowledge = asked?.knowledge;
  if (generation === undefined && knowledge === undefined) return undefined;
  return async (transaction) => {
    const { sql, parameters } = knowledge ? knowledgeStatement(snapshot) : GENERATION_ALONE;
    const [row] = await transaction.query<KnowledgeRow>(sql, parameters);
    if (row) generation?.(row.generation);
    knowledge?.(toKnowledge(row, snapshot));
  };
}

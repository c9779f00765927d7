import { newId } from '@cls/shared/new-id';
import type { Database, Transaction } from '@cls/shared/sql/database';
import { rollback, tentativeTransaction } from '@cls/shared/sql/tentative-transaction';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { lockJournal } from '../../posting/post-journals.ts';
import { instant } from '../../questions/ask/sql/statement.ts';
import type { ImportRecord, RevertResult } from '../book.ts';

export function listImports(database: Database): Promise<ImportRecord[]> {
  return database.query<ImportRecord>(
    `SELECT b.id, b.profile, b.source, s.customer_id AS customer, b.as_of AS "asOf", b.row_count AS rows,
       ${instant('b.applied_at')} AS "appliedAt", ${instant('b.reverted_at')} AS "revertedAt",
       (SELECT count(*)::int FROM journal j WHERE j.import_key = b.key) AS journals,
       b.accepted, b.without_totals AS "withoutTotals", b.posted_by AS "postedBy"
     FROM import_batch b LEFT JOIN import_source s ON s.source = b.source ORDER BY b.key`,
  );
}

export function revertImport(
  database: Database,
  importId: string,
  apply: boolean,
): Promise<RevertResult> {
  return tentativeTransaction<RevertResult>(database, async (transaction) => {
    const firstSeq = await lockJournal(transaction);
    const key = await revertibleKey(transaction, importId);
    if (typeof key === 'object') return key;
    const journals = await reverse(transaction, importId, key, firstSeq);
    await transaction.query(
      'UPDATE import_batch SET reverted_at = clock_timestamp() WHERE key = $1',
      [key],
    );
    return apply ? { outcome: 'reverted', journals } : rollback({ outcome: 'valid', journals });
  });
}

async function revertibleKey(
  transaction: Transaction,
  importId: string,
): Promise<bigint | RevertResult> {
  const [batch] = await transaction.query<{ key: bigint; source: string; done: boolean }>(
    'SELECT key, source, reverted_at IS NOT NULL AS done FROM import_batch WHERE id = $1',
    [importId],
  );
  if (batch === undefined) return { outcome: 'unknown' };
  if (batch.done) return { outcome: 'reverted_before' };
  const [later] = await transaction.query<{ id: string }>(
    `SELECT id FROM import_batch WHERE source = $1 AND key > $2 AND reverted_at IS NULL
     ORDER BY key DESC LIMIT 1`,
    [batch.source, batch.key],
  );
  if (later !== undefined) return { outcome: 'stands_beneath', importId: later.id };
  const [closed] = await transaction.query<{ through: BusinessDate }>(
    `SELECT through FROM (SELECT through FROM period_close ORDER BY number DESC LIMIT 1) last
     WHERE through >= (SELECT min(effective_date) FROM journal WHERE import_key = $1)`,
    [batch.key],
  );
  if (closed !== undefined) return { outcome: 'period_closed', ...closed };
  return batch.key;
}

/**
 * Posts every journal of the import that stands once more, with its signs turned, on its own date. A
 * journal that was taken back and put back is taken back again at the end of its chain of reversals.
 * Dates, terms and names that became known with these journals no longer count from then on.
 */
async function reverse(
  transaction: Transaction,
  importId: string,
  key: bigint,
  firstSeq: bigint,
): Promise<number> {
  const made = await transaction.query<{ seq: bigint }>(
    `INSERT INTO journal (seq, id, effective_date, type, deal_key, idempotency_key, reason,
       reverses_seq)
     WITH RECURSIVE chain AS (
       SELECT seq AS first, seq AS last FROM journal
       WHERE import_key = $1 AND journal_stands(seq, $3)
       UNION ALL
       SELECT c.first, r.seq FROM chain c JOIN journal r ON r.reverses_seq = c.last
     )
     SELECT $3 + row_number() OVER (ORDER BY c.first) - 1, 'jrn_' || $4 ||
       lpad(row_number() OVER (ORDER BY c.first)::text, 10, '0'), j.effective_date, j.type,
       j.deal_key, 'revert:' || j.id, 'import ' || $2 || ' taken back', j.seq
     FROM (SELECT first, max(last) AS last FROM chain GROUP BY first) c
     JOIN journal j ON j.seq = c.last
     ORDER BY c.first RETURNING seq`,
    [key, importId, firstSeq, newId('x').slice(2, 18)],
  );
  await transaction.query(
    `INSERT INTO posting (journal_seq, number, line_key, account, movement, amount_minor,
       effective_date, due_date)
     SELECT j.seq, p.number, p.line_key, p.account, p.movement, -p.amount_minor,
       p.effective_date, p.due_date
     FROM journal j JOIN posting p ON p.journal_seq = j.reverses_seq
     WHERE j.seq >= $1 ORDER BY j.seq, p.number`,
    [firstSeq],
  );
  return made.length;
}

import type { Database } from '@cls/shared/sql/database';
import { JOURNAL_LOCK } from '../posting/post-journals.ts';
import { instant } from '../questions/ask/sql/statement.ts';
import type { BookRestores, Restored } from './book-restore.ts';

/** Whatever is known later gets a later instant. */
const RECORD = `
  WITH now AS (SELECT greatest(clock_timestamp(), s.changed_at) AS at, s.changed_at FROM book_state s),
  restore AS (INSERT INTO book_restore (restored_at, known_through)
    SELECT at, changed_at FROM now RETURNING restored_at, known_through),
  state AS (UPDATE book_state SET generation = generation + 1, changed_at = now.at FROM now)
  SELECT ${instant('restored_at')} AS "restoredAt", ${instant('known_through')} AS "knownThrough",
    (SELECT coalesce(max(seq), 0) FROM journal) AS "ledgerSeq"
  FROM restore`;

export function sqlBookRestores(database: Database): BookRestores {
  return {
    record: () =>
      database.transaction(async (transaction) => {
        // The lock of every change of the book.
        await transaction.query('SELECT pg_advisory_xact_lock($1)', [JOURNAL_LOCK]);
        const [restored] = await transaction.query<Restored>(RECORD);
        if (restored === undefined) throw new Error('the book has no state');
        return restored;
      }),
  };
}

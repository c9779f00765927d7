import type { Database, Sql, Transaction } from '@cls/shared/sql/database';
import {
  exportStore,
  importStore,
  StoreFileRefused,
  type StoreKind,
} from '@cls/shared/transfer/store-file';
import { BROKEN_LINKS } from '../reconcile/sql/chain.ts';
import type { WholeBook } from './whole-book.ts';

/**
 * Who read or posted what is about people, and what ran by itself about this installation: none of it is
 * the book.
 */
const LEFT_OUT = ['import_job', 'import_job_part', 'read_log', 'task_run'];
const KIND: StoreKind = {
  service: 'cls-api',
  leftOut: LEFT_OUT,
  seeded: ['book_state'],
  harmless: [
    '0051-validated-checks.sql',
    '0052-imports-over-http.sql',
    '0053-sources-of-customers.sql',
    '0054-statement-once-a-date.sql',
    '0055-numbers-in-searches.sql',
    '0056-shorter-steps-of-the-chain.sql',
  ],
};

/** Every table as it is: what triggers made is copied with what they made it from. */
export function sqlWholeBook(database: Database): WholeBook {
  return {
    async export(write) {
      let head: Head = {};
      const extra = async (transaction: Transaction) => {
        head = await headOf(transaction);
        return { ...head };
      };
      const summary = await exportStore(database, KIND, write, { extra });
      return { ...summary, ...head };
    },
    async import(lines) {
      let head: Head = {};
      const summary = await importStore(database, KIND, lines, {
        check: async (transaction) => {
          await transaction.query('SELECT renew_words()'); // A file of 0.5.0 has fewer.
          head = await headOf(transaction);
          await requireChain(transaction, head);
        },
      });
      return { ...summary, ...head };
    },
  };
}

interface Head {
  readonly head?: string;
}

async function headOf(sql: Sql): Promise<Head> {
  const [last] = await sql.query<{ head: string }>(
    `SELECT hash || ':' || seq AS head FROM journal_hash ORDER BY seq DESC LIMIT 1`,
  );
  return last ?? {};
}

async function requireChain(transaction: Transaction, { head }: Head): Promise<void> {
  const last = BigInt(head?.split(':')[1] ?? 0);
  const [broken] = await transaction.query<{ sequence: string }>(
    `SELECT * FROM (${BROKEN_LINKS}) links ORDER BY sequence::bigint LIMIT 1`,
    [last],
  );
  if (broken === undefined) return;
  throw new StoreFileRefused(`the chain of hashes is broken at sequence ${broken.sequence}`);
}

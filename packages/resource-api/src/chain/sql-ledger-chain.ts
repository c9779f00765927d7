import type { Database, TransactionOptions } from '@cls/shared/sql/database';
import { instant } from '../questions/ask/sql/statement.ts';
import { BREAKS_LISTED, type Break } from '../reconcile/reconciler.ts';
import { BROKEN_LINKS } from '../reconcile/sql/chain.ts';
import type { ChainHead, ChainLink, LedgerChain } from './ledger-chain.ts';

const BATCH = 1_000n;
const SNAPSHOT: TransactionOptions = { isolation: 'repeatable read', readOnly: true };

export function sqlLedgerChain(database: Database): LedgerChain {
  return {
    async head() {
      const [head] = await database.query<ChainHead>(
        `SELECT h.seq, h.hash, ${instant('j.posted_at')} AS "postedAt",
           (SELECT count(*) FROM journal) AS journals, (SELECT count(*) FROM posting) AS postings
         FROM journal_hash h JOIN journal j ON j.seq = h.seq ORDER BY h.seq DESC LIMIT 1`,
      );
      return head;
    },
    verify: ({ seq, hash }) =>
      database.transaction(async (transaction): Promise<readonly Break[]> => {
        const [link] = await transaction.query<{ found: string }>(
          'SELECT hash AS found FROM journal_hash WHERE seq = $1',
          [seq],
        );
        if (link?.found !== hash) {
          return [{ sequence: `${seq}`, found: link?.found ?? 'no hash', expected: hash }];
        }
        return transaction.query<Break>(
          `SELECT * FROM (${BROKEN_LINKS}) links ORDER BY sequence::bigint LIMIT ${BREAKS_LISTED}`,
          [seq],
        );
      }, SNAPSHOT),
    read: (fromSeq, receive) =>
      database.transaction(async (transaction) => {
        for (let first = fromSeq; ; first += BATCH) {
          const links = await transaction.query<ChainLink>(
            `SELECT c.journal_seq AS seq, h.hash, c.content
             FROM journal_content($1, $2) c JOIN journal_hash h ON h.seq = c.journal_seq
             ORDER BY c.journal_seq`,
            [first, first + BATCH - 1n],
          );
          if (links.length === 0) return;
          await receive(links);
        }
      }, SNAPSHOT),
  };
}

import { newId } from '@cls/shared/new-id';
import type { Database, Transaction } from '@cls/shared/sql/database';
import { rollback, tentativeTransaction } from '@cls/shared/sql/tentative-transaction';
import { closedThrough } from '../periods/sql-periods.ts';
import { lockJournal, postJournals } from '../posting/post-journals.ts';
import { writeDatedFacts } from '../posting/write-dated-facts.ts';
import type { NewPartyName, PartyNames, RenameResult } from './party-names.ts';

export function sqlPartyNames(database: Database): PartyNames {
  return {
    rename: (wanted, apply) =>
      tentativeTransaction(database, async (transaction) => {
        const result = await rename(transaction, wanted);
        if (apply || result.outcome !== 'renamed') return result;
        return rollback({ ...result, outcome: 'valid' });
      }),
  };
}

async function rename(
  transaction: Transaction,
  { party, name, from, reason }: NewPartyName,
): Promise<RenameResult> {
  const firstSeq = await lockJournal(transaction);
  const [known] = await transaction.query<{ key: bigint; name: string }>(
    'SELECT key, party_name(key, $2) AS name FROM party WHERE id = $1',
    [party, from],
  );
  if (known === undefined) return { outcome: 'unknown' };
  if (known.name === name) return { outcome: 'unchanged' };
  const through = await closedThrough(transaction);
  if (through !== undefined && from <= through) return { outcome: 'period_closed', through };
  const deals = await transaction.query<{ key: bigint }>(DEALS, [known.key]);
  if (deals.length === 0) return { outcome: 'in_no_deal' };
  const change = newId('rename');
  const journals = deals.map(({ key: deal }, index) => ({
    type: 'terms' as const,
    effectiveDate: from,
    idempotencyKey: `${change}:${index + 1}`,
    reason,
    deal,
    postings: [],
  }));
  await postJournals(transaction, journals, firstSeq);
  const details = [{ party, name }];
  await writeDatedFacts(transaction, [{ effectiveDate: from, seq: firstSeq, details }]);
  return { outcome: 'renamed', before: known.name, deals: deals.length };
}

/** Where a party takes part, at whatever date. */
const DEALS = `
  SELECT key FROM deal WHERE $1 IN (borrower_key, agent_key, guarantor_key)
  UNION SELECT deal_key FROM deal_details WHERE $1 IN (borrower_key, guarantor_key)
  UNION SELECT deal_key FROM lender_position WHERE lender_key = $1
  ORDER BY 1`;

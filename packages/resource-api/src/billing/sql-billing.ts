import type { Database, Transaction } from '@cls/shared/sql/database';
import { rollback, tentativeTransaction } from '@cls/shared/sql/tentative-transaction';
import type { BookRecord, JournalRecord } from '../journal-file/record.ts';
import { volumesOf } from '../journal-file/sql/sql-journals.ts';
import { BookIsFull, Volumes } from '../journal-file/volumes.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { lockJournal } from '../posting/post-journals.ts';
import { writeBook } from '../posting/write-book.ts';
import { accrualStatement } from '../questions/accruals/sql/accrual-statement.ts';
import { type StreamRow, toStreams } from '../questions/accruals/sql/accrual-streams.ts';
import type { BillingBook, FacilityAccruals } from './bill-accruals.ts';

const BATCH = 500;

export function sqlBilling(database: Database): BillingBook {
  return {
    bill: (through, bill, apply) =>
      tentativeTransaction<void>(database, async (transaction) => {
        const lastSeq = (await lockJournal(transaction)) - 1n;
        await writeBook(transaction, billed(transaction, { through, lastSeq }, bill));
        return apply ? undefined : rollback(undefined);
      }),
  };
}

async function* billed(
  transaction: Transaction,
  { through, lastSeq }: { through: BusinessDate; lastSeq: bigint },
  bill: (facility: FacilityAccruals) => readonly JournalRecord[],
): AsyncGenerator<BookRecord> {
  let after = 0n;
  const volumes = new Volumes({ volumes: () => volumesOf(transaction) });
  for (;;) {
    const facilities = await transaction.query<
      { key: bigint } & Pick<FacilityAccruals, 'dealId' | 'currency' | 'pikUsesCommitment'>
    >(
      `SELECT f.key, d.id AS "dealId", f.currency, f.pik_uses_commitment AS "pikUsesCommitment"
       FROM facility f JOIN deal d ON d.key = f.deal_key
       WHERE f.key > $1 AND EXISTS (SELECT FROM rate_period r WHERE r.facility_key = f.key)
       ORDER BY f.key LIMIT ${BATCH}`,
      [after],
    );
    const keys = facilities.map(({ key }) => key);
    const statement = accrualStatement('facility', keys, { asOf: through, ledgerSeq: lastSeq });
    const streams = toStreams(
      await transaction.query<StreamRow>(statement.sql, statement.parameters),
    );
    const settled = await settlementsOf(transaction, keys, { through, lastSeq });
    for (const { key, ...facility } of facilities) {
      const known = (streams.get(key) ?? []).map((stream) => {
        const { facilityId, contractId, component } = stream;
        const last = settled.get(streamName(facilityId, contractId, component));
        return { ...stream, settlement: last?.seq ?? 0n, billedBeyond: last?.beyond ?? false };
      });
      for (const journal of bill({ ...facility, streams: known, ledgerSeq: lastSeq })) {
        const [broken] = await volumes.add(journal);
        if (broken !== undefined) throw new BookIsFull(broken.message);
        yield journal;
      }
    }
    if (facilities.length < BATCH) return;
    after = keys.at(-1) ?? 0n;
  }
}

function streamName(facility: string, contract: string | null, component: string): string {
  return `${facility} ${contract ?? ''} ${component}`;
}

/** The last settlement of each stream, and whether one that stands goes beyond a day. */
async function settlementsOf(
  transaction: Transaction,
  keys: readonly bigint[],
  { through, lastSeq }: { through: BusinessDate; lastSeq: bigint },
): Promise<ReadonlyMap<string, { beyond: boolean; seq: bigint }>> {
  const rows = await transaction.query<{
    facility: string;
    contract: string | null;
    component: string;
    beyond: boolean;
    seq: bigint;
  }>(
    `SELECT f.id AS facility, c.id AS contract, s.component::text AS component,
       max(s.known_seq) AS seq,
       bool_or((s.effective_date > $2 OR s.settled_through > $2)
         AND s.settled_from IS DISTINCT FROM s.settled_through
         AND journal_stands(s.known_seq, $3)) AS beyond
     FROM accrual_settlement s
     JOIN facility f ON f.key = s.facility_key
     LEFT JOIN loan_contract c ON c.key = s.contract_key
     WHERE s.facility_key = ANY($1)
     GROUP BY f.id, c.id, s.component`,
    [keys, through, lastSeq],
  );
  return new Map(
    rows.map(({ facility, contract, component, beyond, seq }) => [
      streamName(facility, contract, component),
      { beyond, seq },
    ]),
  );
}

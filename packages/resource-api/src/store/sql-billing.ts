import type { Database, Transaction } from '@cls/shared/sql/database';
import type { BillingBook, FacilityAccruals } from '../billing/bill-accruals.ts';
import type { BookRecord, JournalRecord } from '../journal-file/record.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { accrualStatement } from './accrual-statement.ts';
import { type StreamRow, toStreams } from './accrual-streams.ts';
import { lockJournal } from './post-journals.ts';
import { writeBook } from './write-book.ts';

const BATCH = 500;

export function sqlBilling(database: Database): BillingBook {
  return {
    async bill(through, bill, apply) {
      try {
        await database.transaction(async (transaction) => {
          const lastSeq = (await lockJournal(transaction)) - 1n;
          await writeBook(transaction, billed(transaction, { through, lastSeq }, bill));
          if (!apply) throw new DryRun();
        });
      } catch (error) {
        if (!(error instanceof DryRun)) throw error;
      }
    },
  };
}

/** Rolls back what was written without `--apply`. */
class DryRun extends Error {}

async function* billed(
  transaction: Transaction,
  { through, lastSeq }: { through: BusinessDate; lastSeq: bigint },
  bill: (facility: FacilityAccruals) => readonly JournalRecord[],
): AsyncGenerator<BookRecord> {
  let after = 0n;
  for (;;) {
    const facilities = await transaction.query<{ key: bigint; deal: string; currency: string }>(
      `SELECT f.key, d.id AS deal, f.currency FROM facility f JOIN deal d ON d.key = f.deal_key
       WHERE f.key > $1 AND EXISTS (SELECT FROM rate_period r WHERE r.facility_key = f.key)
       ORDER BY f.key LIMIT ${BATCH}`,
      [after],
    );
    const keys = facilities.map(({ key }) => key);
    const statement = accrualStatement('facility', keys, { asOf: through, ledgerSeq: lastSeq });
    const streams = toStreams(
      await transaction.query<StreamRow>(statement.sql, statement.parameters),
    );
    const settled = await settlementsOf(transaction, keys);
    for (const { key, deal, currency } of facilities) {
      const open = (streams.get(key) ?? []).flatMap((stream) => {
        const last = settled.get(
          streamName(stream.facilityId, stream.contractId, stream.component),
        );
        // What is billed through a later day already is not billed again through an earlier one.
        if (last !== undefined && last.through >= through) return [];
        return [{ ...stream, settlement: last?.seq ?? 0n }];
      });
      yield* bill({ dealId: deal, currency, streams: open });
    }
    if (facilities.length < BATCH) return;
    after = keys.at(-1) ?? 0n;
  }
}

function streamName(facility: string, contract: string | null, component: string): string {
  return `${facility} ${contract ?? ''} ${component}`;
}

/** Through when each stream is settled, at whatever date that becomes effective. */
async function settlementsOf(
  transaction: Transaction,
  keys: readonly bigint[],
): Promise<ReadonlyMap<string, { through: BusinessDate; seq: bigint }>> {
  const rows = await transaction.query<{
    facility: string;
    contract: string | null;
    component: string;
    through: BusinessDate;
    seq: bigint;
  }>(
    `SELECT DISTINCT ON (s.facility_key, s.contract_key, s.component) f.id AS facility,
       c.id AS contract, s.component::text AS component, s.settled_through AS through,
       s.known_seq AS seq
     FROM accrual_settlement s
     JOIN facility f ON f.key = s.facility_key
     LEFT JOIN loan_contract c ON c.key = s.contract_key
     WHERE s.facility_key = ANY($1)
     ORDER BY s.facility_key, s.contract_key, s.component, s.effective_date DESC,
       s.known_seq DESC`,
    [keys],
  );
  return new Map(
    rows.map(({ facility, contract, component, through, seq }) => [
      streamName(facility, contract, component),
      { through, seq },
    ]),
  );
}

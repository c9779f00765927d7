import type { Transaction } from '@cls/shared/sql/database';
import { type AccrualStream, type WorkedAccrual, workOut } from '../ledger/billed-accruals.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { BREAKS_LISTED, type Break, type Check } from '../reconcile/reconciler.ts';
import { accrualStatement } from './accrual-statement.ts';
import { type StreamRow, toStreams } from './accrual-streams.ts';
import type { ReconcileStatement } from './sql-reconciler.ts';

const BATCH = 200;
const NOT_A_BILL = `settled_from IS NOT DISTINCT FROM settled_through`;

/** What a read of accruals relies on, besides journals. */
export const ACCRUAL_STATEMENTS: readonly ReconcileStatement[] = [
  {
    invariant: 'reversed_bills_accrue_again',
    states:
      'a bill settles days from where those that stood before it end; a reversed one settles none',
    checked: 'SELECT count(*) FROM accrual_settlement',
    breaks: `
      SELECT j.id AS journal, s.component::text AS component,
        coalesce(s.settled_from::text, 'the beginning') AS found,
        coalesce(settlement_start(s)::text, 'the beginning') AS expected
      FROM accrual_settlement s JOIN journal j ON j.seq = s.known_seq
      WHERE s.settled_from IS DISTINCT FROM settlement_start(s)`,
  },
  {
    invariant: 'late_facts_reopen_bills',
    states:
      'each fact that became known after a bill and changes the days of that bill is recorded',
    checked: `SELECT count(*) FROM accrual_settlement WHERE NOT ${NOT_A_BILL}`,
    breaks: `
      SELECT j.id AS journal, f.id AS facility, 'nothing' AS found,
        x.effective_date::text AS expected
      FROM (
        SELECT p.journal_seq AS seq, l.facility_key, l.contract_key, p.effective_date
        FROM posting p JOIN balance_line o ON o.key = p.line_key
        JOIN balance_line l ON l.key IN (o.key, o.parent_line_key) WHERE accrues_on(p.account)
        UNION
        SELECT k.seq, r.facility_key, r.contract_key, r.start_date
        FROM rate_period r CROSS JOIN LATERAL (
          SELECT r.known_seq AS seq UNION ALL SELECT reversals_of(r.known_seq)) k
        UNION
        SELECT k.seq, t.facility_key, 0, t.effective_date
        FROM facility_terms t CROSS JOIN LATERAL (
          SELECT t.known_seq AS seq UNION ALL SELECT reversals_of(t.known_seq)) k
      ) x
      JOIN journal j ON j.seq = x.seq JOIN facility f ON f.key = x.facility_key
      WHERE EXISTS (SELECT FROM accrual_settlement a
          WHERE a.facility_key = x.facility_key AND a.contract_key = x.contract_key
            AND a.known_seq < x.seq AND a.settled_through > x.effective_date)
        AND NOT EXISTS (SELECT FROM late_accrual_fact n
          WHERE n.facility_key = x.facility_key AND n.contract_key = x.contract_key
            AND n.known_seq = x.seq AND n.effective_date = x.effective_date)`,
  },
];

interface Difference {
  readonly facility: string;
  readonly contract: string | null;
  readonly component: string;
  readonly journal: string;
  readonly lender: string;
  readonly found: bigint;
  readonly expected: bigint;
}

/**
 * Works out every bill of the book again. A bill after which nothing became known must be what accrued
 * in its days, to the cent and for each lender. A bill of another system may be rounded differently,
 * and counts as explained.
 */
export async function checkBills(transaction: Transaction, ledgerSeq: bigint): Promise<Check> {
  const [last] = await transaction.query<{ day: BusinessDate | null; bills: bigint }>(
    `SELECT max(effective_date) AS day,
       (SELECT count(*) FROM accrual_settlement WHERE NOT ${NOT_A_BILL}) AS bills FROM journal`,
  );
  const found: Difference[] = [];
  if (last?.day) {
    for await (const keys of facilitiesInBatches(transaction)) {
      const snapshot = { asOf: last.day, ledgerSeq };
      const read = async (bills: 'corrected' | 'all') => {
        const { sql, parameters } = accrualStatement('facility', keys, snapshot, { bills });
        return toStreams(await transaction.query<StreamRow>(sql, parameters));
      };
      const [corrected, all] = [await read('corrected'), await read('all')];
      for (const [key, streams] of all) found.push(...differences(streams, corrected.get(key)));
    }
  }
  const ours = await madeHere(transaction, found);
  const broken = found.filter(({ journal }) => ours.has(journal));
  const breaks = broken.slice(0, BREAKS_LISTED).map(
    ({ found: billed, expected, ...where }): Break => ({
      ...where,
      found: `${billed}`,
      expected: `${expected}`,
    }),
  );
  return {
    invariant: 'bills_are_what_accrued',
    states:
      'a bill is what accrued in its days, or the difference accrues because something became known later',
    checked: Number(last?.bills ?? 0n),
    explained: found.length - broken.length,
    breakCount: broken.length,
    breaks,
  };
}

async function* facilitiesInBatches(transaction: Transaction): AsyncGenerator<readonly bigint[]> {
  for (let after = 0n; ; ) {
    const rows = await transaction.query<{ key: bigint }>(
      `SELECT DISTINCT facility_key AS key FROM accrual_settlement WHERE facility_key > $1
       ORDER BY facility_key LIMIT ${BATCH}`,
      [after],
    );
    if (rows.length === 0) return;
    yield rows.map(({ key }) => key);
    after = rows.at(-1)?.key ?? after;
  }
}

/** What working out every bill gives beyond what working out the corrected ones gives. */
function differences(
  all: readonly AccrualStream[],
  corrected: readonly AccrualStream[] = [],
): readonly Difference[] {
  const nameOf = ({ stream, corrects }: WorkedAccrual) =>
    `${stream.component} ${corrects?.bill.journalId}`;
  const shown = new Map(workOut(corrected).map((one) => [nameOf(one), one.amounts]));
  return workOut(all).flatMap((worked): Difference[] => {
    const { stream, amounts, corrects } = worked;
    if (corrects === undefined) return [];
    return [...amounts].flatMap(([lender, expected]): Difference[] => {
      const found = shown.get(nameOf(worked))?.get(lender) ?? 0n;
      if (found === expected) return [];
      const { facilityId: facility, contractId: contract, component } = stream;
      const { journalId: journal } = corrects.bill;
      return [{ facility, contract, component, journal, lender, found, expected }];
    });
  });
}

/** Those of the journals that CLS worked out, here or where the book was exported. */
async function madeHere(
  transaction: Transaction,
  found: readonly Difference[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ id: string }>(
    `SELECT id FROM journal WHERE id = ANY($1)
       AND split_part(idempotency_key, ':', 1) IN ('billing', 'generated')`,
    [[...new Set(found.map(({ journal }) => journal))]],
  );
  return new Set(rows.map(({ id }) => id));
}

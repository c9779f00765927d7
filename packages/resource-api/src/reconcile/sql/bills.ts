import type { Transaction } from '@cls/shared/sql/database';
import { type AccrualStream, type WorkedAccrual, workOut } from '../../ledger/billed-accruals.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { accrualStatement } from '../../questions/accruals/sql/accrual-statement.ts';
import { type StreamRow, toStreams } from '../../questions/accruals/sql/accrual-streams.ts';
import { BREAKS_LISTED, type Break, type CheckResult } from '../reconciler.ts';
import { IS_BILL, REPLAYED_STREAMS } from './replayed-streams.ts';

const BATCH = 100;
/** Of some deals (`$1`), or of all. */
const OF_DEALS = '($1::bigint[] IS NULL OR deal_key = ANY($1))';

/**
 * Works out everything that accrues in the book again, with every bill that CLS made, and compares it
 * with what a read answers: to the cent, and for each lender. A bill of another system stands as it
 * was billed, and is taken as reads have it.
 *
 * @param deals their keys; without them, all.
 */
export async function checkBills(
  transaction: Transaction,
  deals?: readonly bigint[],
): Promise<CheckResult> {
  const [last] = await transaction.query<{
    day: BusinessDate | null;
    ledgerSeq: bigint;
    bills: bigint;
  }>(
    `SELECT max(effective_date) AS day, coalesce(max(seq), 0) AS "ledgerSeq",
       (SELECT count(*) FROM accrual_settlement a WHERE ${IS_BILL} AND ${OF_DEALS}) AS bills
     FROM journal`,
    [deals ?? null],
  );
  const breaks: Break[] = [];
  const asOf = last?.day;
  if (asOf) {
    for await (const keys of facilitiesInBatches(transaction, deals)) {
      const read = accrualStatement('facility', keys, { asOf, ledgerSeq: last.ledgerSeq });
      const shown = toStreams(await transaction.query<StreamRow>(read.sql, read.parameters));
      const replayed = toStreams(
        await transaction.query<StreamRow>(REPLAYED_STREAMS, [keys, asOf]),
      );
      for (const key of keys) breaks.push(...differences(shown.get(key), replayed.get(key)));
    }
  }
  return {
    invariant: 'bills_are_what_accrued',
    states: 'what accrues, and what was billed of it, is what rates and postings make',
    checked: Number(last?.bills ?? 0n),
    explained: 0,
    breakCount: breaks.length,
    breaks: breaks.slice(0, BREAKS_LISTED),
  };
}

async function* facilitiesInBatches(
  transaction: Transaction,
  deals: readonly bigint[] | undefined,
): AsyncGenerator<readonly bigint[]> {
  for (let after = 0n; ; ) {
    const rows = await transaction.query<{ key: bigint }>(
      `SELECT DISTINCT facility_key AS key FROM rate_period WHERE ${OF_DEALS} AND facility_key > $2
       ORDER BY facility_key LIMIT ${BATCH}`,
      [deals ?? null, after],
    );
    if (rows.length === 0) return;
    yield rows.map(({ key }) => key);
    after = rows.at(-1)?.key ?? after;
  }
}

function differences(
  shown: readonly AccrualStream[] = [],
  replayed: readonly AccrualStream[] = [],
): readonly Break[] {
  const found = partsOf(shown);
  const expected = partsOf(withOthersBills(replayed, shown));
  if (found === undefined || expected === undefined) {
    const { facilityId: facility } = (shown[0] ?? replayed[0]) as AccrualStream;
    return [{ ...NOWHERE, facility, found: 'lenders’ parts', expected: 'parts that add up' }];
  }
  return [...new Set([...found.keys(), ...expected.keys()])].flatMap((name): Break[] => {
    const [one, other] = [found.get(name), expected.get(name)];
    const lenders = new Set([...(one?.amounts.keys() ?? []), ...(other?.amounts.keys() ?? [])]);
    return [...lenders].flatMap((lender): Break[] => {
      const amounts = [one, other].map((worked) => worked?.amounts.get(lender) ?? 0n);
      if (amounts[0] === amounts[1]) return [];
      const { stream, from, to, corrects } = (one ?? other) as WorkedAccrual;
      const { facilityId: facility, contractId: contract, component } = stream;
      const journal = corrects?.bill.journalId ?? null;
      const where = { facility, contract, component, journal, from, to, lender };
      return [{ ...where, found: `${amounts[0]}`, expected: `${amounts[1]}` }];
    });
  });
}

const NOWHERE = {
  contract: null,
  component: null,
  journal: null,
  from: null,
  to: null,
  lender: null,
};

/** Open days and corrections by their names; undefined where lenders’ lines are not the global one. */
function partsOf(
  streams: readonly AccrualStream[],
): ReadonlyMap<string, WorkedAccrual> | undefined {
  try {
    return new Map(workOut(streams).map((one) => [nameOf(one), one]));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const subjectOf = ({ contractId, component }: AccrualStream) => `${contractId} ${component}`;

function nameOf({ stream, from, to, corrects }: WorkedAccrual): string {
  return `${subjectOf(stream)} ${corrects?.bill.journalId ?? `${from} ${to}`}`;
}

/** Bills of other systems are worked out where reads do so, because they may move principal. */
function withOthersBills(
  replayed: readonly AccrualStream[],
  shown: readonly AccrualStream[],
): readonly AccrualStream[] {
  const own = new Set(replayed.flatMap(({ bills }) => bills.map(({ journalId }) => journalId)));
  const others = new Map(
    shown.map((stream) => [
      subjectOf(stream),
      stream.bills.filter(({ journalId }) => !own.has(journalId)),
    ]),
  );
  return replayed.map((stream) => ({
    ...stream,
    bills: [...stream.bills, ...(others.get(subjectOf(stream)) ?? [])],
  }));
}

import type { Transaction } from '@cls/shared/sql/database';
import type { SnapshotPoint } from '../reconciler.ts';
import { type DealScope, WHOLE_BOOK } from './part.ts';

/** The last journals of transactions: what was known is what whole transactions posted. */
const ENDS = `
  SELECT seq AS "ledgerSeq"
  FROM (SELECT seq, posted_at, lead(posted_at) OVER (ORDER BY seq) AS next FROM journal) j
  WHERE next IS DISTINCT FROM posted_at`;

/** The moment at or before a sequence that anyone could have known. */
export async function knownPoint(
  transaction: Transaction,
  { asOf, ledgerSeq }: SnapshotPoint,
): Promise<SnapshotPoint> {
  const [end] = await transaction.query<{ ledgerSeq: bigint }>(
    `${ENDS} AND seq <= $1 ORDER BY seq DESC LIMIT 1`,
    [ledgerSeq],
  );
  return { asOf, ledgerSeq: end?.ledgerSeq ?? 0n };
}

export async function randomPoints(
  transaction: Transaction,
  count: number,
  scope: DealScope | undefined,
): Promise<readonly SnapshotPoint[]> {
  const dates = await transaction.query<{ asOf: string }>(
    `${scope?.tables ?? WHOLE_BOOK}
     SELECT effective_date AS "asOf" FROM journal WHERE effective_date IS NOT NULL
     ORDER BY random() LIMIT $1`,
    [count],
  );
  const ends = await transaction.query<{ ledgerSeq: bigint }>(
    `${ENDS} ORDER BY random() LIMIT $1`,
    [count],
  );
  return dates.map(({ asOf }, index) => ({
    asOf,
    ledgerSeq: ends[index % ends.length]?.ledgerSeq ?? 0n,
  }));
}

/** Random moments of a young book are often the same. */
export function distinct(points: readonly SnapshotPoint[]): readonly SnapshotPoint[] {
  const named = points.map((point) => [`${point.asOf}:${point.ledgerSeq}`, point] as const);
  return [...new Map(named).values()];
}

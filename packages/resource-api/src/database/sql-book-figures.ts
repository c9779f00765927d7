import type { Database } from '@cls/shared/sql/database';

/** What a monitoring system asks of the book. */
export interface BookFigures {
  readonly sequence: bigint;
  /** Undefined in an empty book. */
  readonly newestAgeS: number | undefined;
  /** Undefined where this is no standby. */
  readonly replayLagS: number | undefined;
  readonly pending: number;
  readonly sending: number;
  readonly failed: number;
}

interface Row {
  readonly sequence: bigint;
  readonly age: number | null;
  readonly lag: number | null;
  readonly pending: number;
  readonly sending: number;
  readonly failed: number;
}

const FIGURES = `
  SELECT coalesce(j.seq, 0) AS sequence, j.age, n.*,
    CASE WHEN NOT pg_is_in_recovery() THEN NULL
      WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
      ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8 END AS lag
  FROM (SELECT count(*) FILTER (WHERE state = 'pending')::int AS pending,
          count(*) FILTER (WHERE state = 'sending')::int AS sending,
          count(*) FILTER (WHERE state = 'failed')::int AS failed
        FROM version_notice WHERE state IN ('pending', 'sending', 'failed')) n
  LEFT JOIN (SELECT seq, extract(epoch FROM now() - posted_at)::float8 AS age
             FROM journal ORDER BY seq DESC LIMIT 1) j ON true`;

/** Calls that come while the database is asked share its answer. */
export function bookFigures(database: Database): () => Promise<BookFigures> {
  let underWay: Promise<BookFigures> | undefined;
  const read = async (): Promise<BookFigures> => {
    const [row] = await database.query<Row>(FIGURES);
    if (row === undefined) throw new Error('the database gave no row');
    const { age, lag, ...figures } = row;
    return { ...figures, newestAgeS: age ?? undefined, replayLagS: lag ?? undefined };
  };
  return () => {
    underWay ??= read().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

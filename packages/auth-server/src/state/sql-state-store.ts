import type { Database, Sql } from '@cls/shared/sql/database';
import {
  END_TTL_S,
  SPENT_TTL_S,
  type SpentBy,
  type StateEntry,
  type StateStore,
} from './state-store.ts';
import { writeProbe } from './write-probe.ts';

const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_BATCH = 5_000;

const LIVE = `
  s.expires_at > now()
  AND NOT EXISTS (SELECT FROM revoked_grant r WHERE r.grant_id = s.grant_id)
  AND NOT EXISTS (SELECT FROM ended_account e
                  WHERE e.account_sha256 = s.account_sha256 AND e.ended_at >= s.created_at)`;

/** What an entry was spent for is a row of its own, with a shorter life. */
const FIND = `
  SELECT s.payload, extract(epoch FROM clock_timestamp() - s.created_at)::float8 AS "ageS",
         extract(epoch FROM s.consumed_at)::float8 AS consumed,
         extract(epoch FROM clock_timestamp() - s.consumed_at)::float8 AS "forS",
         spent.payload AS spent
  FROM protocol_state s
  LEFT JOIN protocol_state spent ON s.consumed_at IS NOT NULL
    AND spent.kind = s.kind || '.spent' AND spent.id_sha256 = s.id_sha256
    AND spent.expires_at > now()
  WHERE s.kind = $1 AND ${LIVE}`;

/** One statement: the entry is spent, and its answer kept, or neither. */
const CONSUME = `
  WITH won AS (
    UPDATE protocol_state s SET consumed_at = clock_timestamp()
    WHERE s.kind = $1 AND s.id_sha256 = $2 AND s.consumed_at IS NULL AND ${LIVE}
    RETURNING s.grant_id),
  kept AS (
    INSERT INTO protocol_state (kind, id_sha256, payload, grant_id, expires_at)
    SELECT $1 || '.spent', $2, $3::jsonb, grant_id,
           clock_timestamp() + make_interval(secs => $4)
    FROM won WHERE $3::jsonb IS NOT NULL
    ON CONFLICT (kind, id_sha256) DO UPDATE
    SET payload = excluded.payload, grant_id = excluded.grant_id, expires_at = excluded.expires_at)
  SELECT FROM won`;

const INDEX_COLUMN = { uid: 'uid', userCode: 'user_code' } as const;

const PUT = `
  INSERT INTO protocol_state AS s
    (kind, id_sha256, payload, grant_id, uid, user_code, account_sha256, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $8, now() + make_interval(secs => $7))
  ON CONFLICT (kind, id_sha256) DO UPDATE SET
    payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
    user_code = excluded.user_code, expires_at = excluded.expires_at,
    account_sha256 = excluded.account_sha256,
    created_at = CASE WHEN s.expires_at > now()
        AND s.account_sha256 IS NOT DISTINCT FROM excluded.account_sha256
      THEN s.created_at ELSE excluded.created_at END,
    consumed_at = CASE WHEN s.expires_at > now() THEN s.consumed_at END`;

/** Protocol state in SQL; expired rows are swept in the background. */
export function sqlStateStore(database: Database, onError: (error: unknown) => void): StateStore {
  const sweeper = setInterval(() => {
    sweep(database).catch(onError);
  }, SWEEP_INTERVAL_MS);
  sweeper.unref();

  return {
    async put(entry, { onlyIfAbsent } = {}) {
      const { kind, key, payload, grantId, uid, userCode, account, ttlS } = entry;
      // An expired row that was not swept yet does not count as present.
      const absent = onlyIfAbsent === true ? ' WHERE s.expires_at <= now()' : '';
      const rows = await database.query(`${PUT}${absent} RETURNING 1`, [
        kind,
        key,
        JSON.stringify(payload),
        grantId ?? null,
        uid ?? null,
        userCode ?? null,
        ttlS,
        account ?? null,
      ]);
      return rows.length === 1;
    },
    find: (kind, key) => first(database, `${FIND} AND s.id_sha256 = $2`, kind, key),
    findBy: (kind, index, value) =>
      first(database, `${FIND} AND s.${INDEX_COLUMN[index]} = $2`, kind, value),
    async consume(kind, key, spending) {
      const kept = spending === undefined ? null : JSON.stringify(spending);
      const won = await database.query(CONSUME, [kind, key, kept, SPENT_TTL_S]);
      if (won.length === 1) return 'won';
      const found = await first(database, `${FIND} AND s.id_sha256 = $2`, kind, key);
      if (found === undefined) return 'gone';
      const { attempt } = found.spent ?? {};
      return attempt !== undefined && attempt === spending?.attempt ? 'won' : 'already';
    },
    async settle(kind, key, keepS) {
      await database.query(
        keepS === 0
          ? 'DELETE FROM protocol_state WHERE kind = $1 AND id_sha256 = $2'
          : `UPDATE protocol_state SET payload = payload - 'attempt' || '{"settled": true}',
               expires_at = clock_timestamp() + make_interval(secs => $3)
             WHERE kind = $1 AND id_sha256 = $2`,
        [`${kind}.spent`, key, ...(keepS === 0 ? [] : [keepS])],
      );
    },
    async remove(kind, key) {
      await database.query('DELETE FROM protocol_state WHERE kind = $1 AND id_sha256 = $2', [
        kind,
        key,
      ]);
    },
    async revokeGrant(grantId) {
      await database.transaction(async (transaction) => {
        await transaction.query(
          `INSERT INTO revoked_grant VALUES ($1, now() + make_interval(secs => $2))
           ON CONFLICT DO NOTHING`,
          [grantId, END_TTL_S],
        );
        await transaction.query('DELETE FROM protocol_state WHERE grant_id = $1', [grantId]);
      });
    },
    async endAccount(account, keep) {
      await database.transaction(async (transaction) => {
        await transaction.query(
          `INSERT INTO ended_account
           VALUES ($1, clock_timestamp(), now() + make_interval(secs => $2))
           ON CONFLICT (account_sha256) DO UPDATE
           SET ended_at = greatest(ended_account.ended_at, excluded.ended_at),
               expires_at = excluded.expires_at`,
          [account, END_TTL_S],
        );
        if (keep === undefined) return;
        await transaction.query(
          `UPDATE protocol_state SET created_at = clock_timestamp() + interval '1 millisecond'
           WHERE kind = $1 AND id_sha256 = $2 AND account_sha256 = $3`,
          [keep.kind, keep.key, account],
        );
      });
    },
    async clear() {
      await database.query('DELETE FROM protocol_state');
    },
    ready: writeProbe(database),
    close: async () => clearInterval(sweeper),
  };
}

async function first(
  sql: Sql,
  statement: string,
  kind: string,
  value: string,
): Promise<StateEntry | undefined> {
  const [row] = await sql.query<Row>(statement, [kind, value]);
  if (row === undefined) return undefined;
  const { payload, ageS, consumed, forS, spent } = row;
  return {
    payload,
    ageS,
    ...(consumed === null ? {} : { consumedAtS: consumed }),
    ...(spent === null ? {} : { spent: { settled: false, ...spent, forS: forS ?? 0 } }),
  };
}

interface Row {
  readonly payload: Record<string, unknown>;
  readonly ageS: number;
  readonly consumed: number | null;
  readonly forS: number | null;
  readonly spent: Partial<SpentBy> | null;
}

async function sweep(database: Database): Promise<void> {
  let swept: unknown[];
  do {
    swept = await database.query(
      `DELETE FROM protocol_state WHERE (kind, id_sha256) IN
         (SELECT kind, id_sha256 FROM protocol_state WHERE expires_at <= now() LIMIT $1)
       RETURNING 1`,
      [SWEEP_BATCH],
    );
  } while (swept.length === SWEEP_BATCH);
  await database.query('DELETE FROM revoked_grant WHERE expires_at <= now()');
  await database.query('DELETE FROM ended_account WHERE expires_at <= now()');
}

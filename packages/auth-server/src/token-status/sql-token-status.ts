import { ACCESS_TOKEN_TTL_MAX_S } from '@cls/shared/access-token';
import type { Database, ListenGap, Sql } from '@cls/shared/sql/database';
import { CHANGE_CHANNEL } from '../state/change-channel.ts';
import type {
  Indices,
  Revocation,
  RevokedFor,
  TokenHolder,
  TokenStatusRecords,
  TokensOf,
} from './token-status.ts';

/** Verifiers tolerate clocks that differ: a token may be accepted for so long after its end. */
const MARGIN_S = 600;
/** More than any installation gives out in a second. */
const INDICES_A_SECOND = 2 ** 20;
/** More than one gives out between two backups. */
const UNKNOWN_MAX = 2 ** 32;

export function sqlTokenStatus(database: Database): TokenStatusRecords {
  return {
    lease: (holder, count, forS) =>
      database.transaction(async (transaction) => {
        // Whoever revokes changes or locks one of these rows first. It waits for this lease and revokes it, or this
        // one waits and finds, in the next statement, that the holder may have none.
        await lockHolder(transaction, holder);
        const [leased] = await transaction.query<Indices>(leaseOf(holder), [
          ...[holder.subject, holder.clientId, holder.secretId ?? null, holder.grant ?? null],
          ...[count, forS + ACCESS_TOKEN_TTL_MAX_S + MARGIN_S, holder.permissions ?? null],
        ]);
        return leased;
      }),
    revoke: (tokens, why) => revokeTokens(database, tokens, why),
    async revokeOne(index, { subject, clientId }, expiresAtS) {
      await database.query(
        `INSERT INTO token_status (first, last, subject, client_id, expires_at, revoked_at, revoked_for)
         VALUES ($1, $1, $2, $3, to_timestamp($4) + make_interval(secs => ${MARGIN_S}), now(), 'token_revoked')`,
        [index, subject, clientId, expiresAtS],
      );
    },
    hasLeased: async (index) =>
      (await database.query('SELECT FROM token_index WHERE next > $1', [index])).length === 1,
    revokedWithin: ({ first, last }) =>
      database.query<Indices>(
        `SELECT greatest(first, $1)::float8 AS first, least(last, $2)::float8 AS last FROM token_status
         WHERE revoked_at IS NOT NULL AND first <= $2 AND last >= $1 AND expires_at > now() ORDER BY 1, 2`,
        [first, last],
      ),
    async revocationOf(index) {
      const [row] = await database.query<{ ms: number; why: RevokedFor }>(
        `SELECT (extract(epoch FROM revoked_at) * 1000)::float8 AS ms, revoked_for AS why FROM token_status
         WHERE revoked_at IS NOT NULL AND first <= $1 AND last >= $1 ORDER BY revoked_at LIMIT 1`,
        [index],
      );
      return row && ({ at: new Date(row.ms), for: row.why } satisfies Revocation);
    },
    async onRevocation(listener) {
      const hear = (payload: string) => payload === 'revocations' && listener();
      const catchUp = (gap: ListenGap) => gap === 'resumed' && listener();
      await database.listen(CHANGE_CHANNEL, hear, catchUp);
    },
  };
}

const isServiceAccount = ({ subject }: TokenHolder) => subject.startsWith('svc_');
const isApplication = ({ clientId }: TokenHolder) => clientId.startsWith('app_');

async function lockHolder(sql: Sql, holder: TokenHolder): Promise<void> {
  const table = isServiceAccount(holder) ? 'service_account' : 'account';
  const lock = `SELECT FROM ${table} h JOIN customer c ON c.id = h.customer_id WHERE h.id = $1 FOR SHARE`;
  await sql.query(lock, [holder.subject]);
  if (!isApplication(holder)) return;
  await sql.query('SELECT FROM application WHERE id = $1 FOR SHARE', [holder.clientId]);
}

/** `now()` is when the transaction began: a secret may have ended since, while it waited for the lock. */
function leaseOf(holder: TokenHolder): string {
  const table = isServiceAccount(holder) ? 'service_account' : 'account';
  const secrets = isApplication(holder) ? 'application_secret' : 'service_account_secret';
  const mayHave = isApplication(holder)
    ? 'EXISTS (SELECT FROM application WHERE id = $2 AND disabled_at IS NULL)'
    : 'true';
  return `
    WITH holder AS (
      SELECT FROM ${table} h JOIN customer c ON c.id = h.customer_id
      WHERE h.id = $1 AND h.disabled_at IS NULL AND c.disabled_at IS NULL AND ${mayHave}
        AND ($7::text[] IS NULL OR h.permissions @> $7)
        AND ($3::text IS NULL OR EXISTS (
          SELECT FROM ${secrets} s WHERE s.id = $3
            AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())))
    ), taken AS (UPDATE token_index SET next = next + $5::bigint FROM holder RETURNING next)
    INSERT INTO token_status (first, last, subject, client_id, secret_id, grant_sha256, expires_at)
    SELECT next - $5::bigint, next - 1, $1, $2, $3, $4, now() + make_interval(secs => $6) FROM taken
    RETURNING first::float8 AS first, last::float8 AS last`;
}

/** In a transaction of the caller too: after it has changed or locked the row of the holder. */
export async function revokeTokens(sql: Sql, tokens: TokensOf, why: RevokedFor): Promise<number> {
  const [condition, value] = conditionOf(tokens);
  const rows = await sql.query(
    `UPDATE token_status SET revoked_at = now(), revoked_for = $1
     WHERE revoked_at IS NULL AND expires_at > now() AND ${condition} RETURNING 1`,
    [why, value],
  );
  return rows.length;
}

function conditionOf(tokens: TokensOf): readonly [condition: string, value: string] {
  if ('client' in tokens) {
    const { client } = tokens; // A service account is the subject of its tokens, by which there is an index.
    return [client.startsWith('svc_') ? 'subject = $2' : 'client_id = $2', client];
  }
  if ('grant' in tokens) return ['grant_sha256 = $2', tokens.grant];
  if ('secret' in tokens) return ['secret_id = $2', tokens.secret];
  if ('subject' in tokens) return ['subject = $2', tokens.subject];
  return [
    `subject IN (SELECT id FROM account WHERE customer_id = $2
       UNION ALL SELECT id FROM service_account WHERE customer_id = $2)`,
    tokens.customer,
  ];
}

/**
 * Revokes every token that was ever made, and makes indices from where none was given out: a store that a
 * backup brought back knows neither what was revoked since nor which indices are in use. It may be brought back
 * twice, so the time says where; or, where a clock is behind, what the store knows.
 */
export async function revokeAllTokens(sql: Sql): Promise<void> {
  await sql.query(
    `WITH begun AS (
       UPDATE token_index SET next = CASE WHEN next < at.index THEN at.index ELSE next + ${UNKNOWN_MAX} END
       FROM (SELECT (extract(epoch FROM clock_timestamp()) * ${INDICES_A_SECOND})::bigint AS index) AS at
       RETURNING next)
     INSERT INTO token_status (first, last, subject, client_id, expires_at, revoked_at, revoked_for)
     SELECT 0, next - 1, '', '', now() + make_interval(secs => ${ACCESS_TOKEN_TTL_MAX_S + MARGIN_S}),
       now(), 'restored' FROM begun`,
  );
}

/** For a store that an older one was loaded into. */
export async function beginTokenIndex(sql: Sql): Promise<void> {
  await sql.query('INSERT INTO token_index SELECT 0 WHERE NOT EXISTS (SELECT FROM token_index)');
}

/** Rows of tokens that have ended. */
export async function sweepTokenStatus(sql: Sql): Promise<void> {
  await sql.query('DELETE FROM token_status WHERE expires_at < now()');
}

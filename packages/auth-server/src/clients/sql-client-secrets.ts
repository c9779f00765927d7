import { newId } from '@cls/shared/new-id';
import {
  type Database,
  epochMs,
  recordOf,
  type Sql,
  type SqlValue,
} from '@cls/shared/sql/database';
import { type Undeletable, unlessReferred, useOfClient } from '../audit/never-used.ts';
import { revokeTokens } from '../token-status/sql-token-status.ts';
import type { ClientProof } from './client-proof.ts';
import { type ClientSecretHashes, canBeClientSecret, newClientSecret } from './client-secret.ts';
import {
  type ClientSecretOptions,
  type ClientSecretRecords,
  type ListedClientSecret,
  type NewClientSecret,
  SECRETS_MAX,
  TooManySecrets,
} from './client-secret-records.ts';

type ClientTable = 'service_account' | 'application';

const LIVE = '(expires_at IS NULL OR expires_at > now())';

/** SQL for the live secrets of the client whose id is `of`, as `ClientSecretHash[]`. */
export function liveSecrets(table: ClientTable, of: string): string {
  return `coalesce((
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'id', id, 'sha256', sha256, 'expiresAtMs', extract(epoch FROM expires_at) * 1000)) ORDER BY sha256)
    FROM ${table}_secret WHERE ${table}_id = ${of} AND ${LIVE}
  ), '[]')`;
}

function listed(table: ClientTable): string {
  return `SELECT s.id, s.${table}_id AS "clientId", c.name AS "clientName", s.name, s.created_at, s.expires_at,
      s.sha256, ${LIVE} AS live
    FROM ${table}_secret s JOIN ${table} c ON c.id = s.${table}_id`;
}

const LIST = `
  SELECT s.id, "clientId", "clientName", s.name, live, ${epochMs('s.created_at')} AS "createdAt",
    ${epochMs('s.expires_at')} AS "endsAt", ${epochMs('t.used_at')} AS "lastUsedAt",
    t.used_from AS "lastUsedFrom"
  FROM (${listed('service_account')} UNION ALL ${listed('application')}) AS s
  LEFT JOIN token_use t ON t.subject = s.id`;

/** In a transaction of the caller, for a client that is made in it. */
export type AddSecret = (
  sql: Sql,
  clientId: string,
  options?: ClientSecretOptions,
) => Promise<NewClientSecret>;

/** Ended secrets stay in the list, and so an application that had one never counts as public. */
export function sqlClientSecrets(
  database: Database,
  hashes: ClientSecretHashes,
): ClientSecretRecords & { readonly add: AddSecret } {
  const add: AddSecret = async (sql, clientId, { name, endsInS } = {}) => {
    const table = tableOf(clientId);
    const secret = newClientSecret();
    const id = newId('sec');
    await sql.query(
      `INSERT INTO ${table}_secret (sha256, ${table}_id, id, name, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [await hashes.ofNew(sql, secret.expose()), clientId, id, name ?? null, endsInS ?? null],
    );
    return { id, secret };
  };
  const addWithinLimit: AddSecret = async (sql, clientId, options) => {
    const table = tableOf(clientId);
    const live = await sql.query(`SELECT FROM ${table}_secret WHERE ${table}_id = $1 AND ${LIVE}`, [
      clientId,
    ]);
    if (live.length >= SECRETS_MAX) throw new TooManySecrets();
    return add(sql, clientId, options);
  };
  /** One change of a client's secrets after the other: of two replacements at once neither may miss the other's. */
  const changing = <T>(clientId: string, work: (sql: Sql) => Promise<T>) =>
    database.transaction(async (transaction) => {
      await transaction.query(`SELECT FROM ${tableOf(clientId)} WHERE id = $1 FOR UPDATE`, [
        clientId,
      ]);
      return work(transaction);
    });
  const list = async (where: string, values: SqlValue[]) =>
    (await database.query(`${LIST} WHERE ${where} ORDER BY s.created_at DESC, s.id`, values)).map(
      toListed,
    );
  return {
    add,
    list: (of) =>
      list('$1::text[] IS NULL OR s.id = ANY ($1) OR "clientId" = ANY ($1)', [
        of === undefined ? null : [of].flat(),
      ]),
    create: (clientId, options) =>
      changing(clientId, (sql) => addWithinLimit(sql, clientId, options)),
    replace: ({ clientId, id }, keepOldForS, options) =>
      changing(clientId, async (sql) => {
        await end(sql, { clientId, id }, keepOldForS);
        return addWithinLimit(sql, clientId, options);
      }),
    revoke: (secret) =>
      changing(secret.clientId, async (sql) => {
        await end(sql, secret, 0);
        await revokeTokens(sql, { secret: secret.id }, 'secret_revoked');
      }),
    async identify(text) {
      const hash = canBeClientSecret(text) ? await hashes.of(text) : undefined;
      return hash === undefined ? undefined : (await list('sha256 = $1', [hash]))[0];
    },
  };
}

/** Secrets that ended long ago, save the newest of each client: an application that had one never becomes public. */
export async function sweepClientSecrets(sql: Sql): Promise<void> {
  for (const table of ['service_account', 'application']) {
    await sql.query(
      `DELETE FROM ${table}_secret s WHERE expires_at < now() - interval '90 days' AND EXISTS (
         SELECT FROM ${table}_secret newer
         WHERE newer.${table}_id = s.${table}_id AND newer.created_at > s.created_at)`,
    );
  }
}

/** A client with its secrets. @returns why it was not deleted. @param auditDays see audit/never-used.ts. */
export async function deleteUnusedClient(
  database: Database,
  id: string,
  auditDays: number,
): Promise<Undeletable | undefined> {
  const table = tableOf(id);
  const use = await useOfClient(database, { id, table }, auditDays);
  if (use !== undefined) return use;
  return unlessReferred(() =>
    database.transaction(async (transaction) => {
      await transaction.query(`DELETE FROM ${table}_secret WHERE ${table}_id = $1`, [id]);
      await transaction.query(`DELETE FROM ${table} WHERE id = $1`, [id]);
    }),
  );
}

/** A method takes the place of the secrets, which end. */
export async function setProof(
  sql: Sql,
  clientId: string,
  proof: ClientProof | null,
): Promise<void> {
  const json = proof && JSON.stringify(proof);
  await sql.query(`UPDATE ${tableOf(clientId)} SET proof = $2::jsonb WHERE id = $1`, [
    clientId,
    json,
  ]);
  if (proof?.token_endpoint_auth_method !== undefined) await end(sql, { clientId }, 0);
}

/** One secret, or all of the client. */
async function end(
  sql: Sql,
  { clientId, id }: { readonly clientId: string; readonly id?: string | undefined },
  inS: number,
): Promise<void> {
  const table = tableOf(clientId);
  await sql.query(
    `UPDATE ${table}_secret SET expires_at = now() + make_interval(secs => $3)
     WHERE ${table}_id = $1 AND ($2::text IS NULL OR id = $2)
       AND (expires_at IS NULL OR expires_at > now() + make_interval(secs => $3))`,
    [clientId, id ?? null, inS],
  );
}

/** The kind of a client, by its id. */
export function tableOf(clientId: string): ClientTable {
  return clientId.startsWith('svc_') ? 'service_account' : 'application';
}

function toListed(row: object): ListedClientSecret {
  const secret = recordOf<ListedClientSecret>(row, 'createdAt', 'lastUsedAt', 'endsAt');
  return { ...secret, name: secret.name ?? null };
}

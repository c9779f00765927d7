import { createHash, randomBytes } from 'node:crypto';
import { newId } from '@cls/shared/new-id';
import { Secret } from '@cls/shared/secret';
import type { Database, Sql } from '@cls/shared/sql/database';
import { LRUCache } from 'lru-cache';
import type { ServiceAccount, ServiceAccountDirectory } from '../clients/service-account.ts';
import type { ServiceAccountRecords } from '../clients/service-account-records.ts';
import { CHANGE_CHANNEL } from './change-channel.ts';

const SELECT = `
  SELECT s.id, s.name, s.customer_id AS customer, s.permissions,
         (s.disabled_at IS NOT NULL OR c.disabled_at IS NOT NULL) AS disabled,
         coalesce((
           SELECT jsonb_agg(jsonb_build_object(
             'sha256', sha256, 'expiresAtS', extract(epoch FROM expires_at)) ORDER BY sha256)
           FROM service_account_secret
           WHERE service_account_id = s.id AND (expires_at IS NULL OR expires_at > now())
         ), '[]') AS secrets
  FROM service_account s JOIN customer c ON c.id = s.customer_id`;

interface Row extends Omit<ServiceAccount, 'secrets'> {
  readonly secrets: readonly { sha256: string; expiresAtS: number | null }[];
}

export function sqlServiceAccounts(database: Database): ServiceAccountRecords {
  return {
    list: async () => (await database.query<Row>(`${SELECT} ORDER BY s.name`)).map(toRecord),
    find: (id) => findById(database, id),
    create: ({ name, customer, permissions }) =>
      database.transaction(async (transaction) => {
        const id = newId('svc');
        await transaction.query(
          'INSERT INTO service_account (id, customer_id, name, permissions) VALUES ($1, $2, $3, $4)',
          [id, customer, name, permissions],
        );
        return { id, secret: await addSecret(transaction, id) };
      }),
    replaceSecret: (id, overlapS) =>
      database.transaction(async (transaction) => {
        await transaction.query(
          `UPDATE service_account_secret
           SET expires_at = least(coalesce(expires_at, 'infinity'), now() + make_interval(secs => $2))
           WHERE service_account_id = $1`,
          [id, overlapS],
        );
        await transaction.query(
          'DELETE FROM service_account_secret WHERE service_account_id = $1 AND expires_at <= now()',
          [id],
        );
        return addSecret(transaction, id);
      }),
    async setDisabled(id, disabled) {
      await database.query(
        'UPDATE service_account SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
        [id, disabled],
      );
    },
  };
}

/** Seconds that a cached record is used when, against all promises, no notice of a change comes. */
const CACHE_TTL_MS = 5_000;
const CACHE_MAX = 10_000;

/**
 * The token path's look-up: answers from memory, is told of every change by the database, and
 * reads through while it cannot be told. Unknown ids are remembered too, and as briefly.
 */
export async function cachedServiceAccountDirectory(
  database: Database,
): Promise<ServiceAccountDirectory> {
  const cache = new LRUCache<string, { account: ServiceAccount | undefined }>({
    max: CACHE_MAX,
    ttl: CACHE_TTL_MS,
  });
  let changes = 0;
  let hearing = true;
  const forget = () => {
    changes += 1;
    cache.clear();
  };
  const hear = (payload: string) => payload === 'callers' && forget();
  await database.listen(CHANGE_CHANNEL, hear, (state) => {
    hearing = state === 'resumed';
    forget();
  });
  return {
    async find(id) {
      if (!ID.test(id)) return undefined;
      const known = cache.get(id);
      if (known !== undefined) return known.account;
      const changesBefore = changes;
      const account = await findById(database, id);
      // A change that was announced while we read may not be in what we read.
      if (hearing && changes === changesBefore) cache.set(id, { account });
      return account;
    },
  };
}

/** SHA-256 in base64url: what is stored of a client secret. */
export function hashClientSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

async function addSecret(sql: Sql, serviceAccountId: string): Promise<Secret> {
  const secret = randomBytes(32).toString('base64url');
  await sql.query(
    'INSERT INTO service_account_secret (sha256, service_account_id) VALUES ($1, $2)',
    [hashClientSecret(secret), serviceAccountId],
  );
  return new Secret(secret);
}

const ID = /^svc_[0-9A-Z]{26}$/;

async function findById(sql: Sql, id: string): Promise<ServiceAccount | undefined> {
  const [row] = await sql.query<Row>(`${SELECT} WHERE s.id = $1`, [id]);
  return row === undefined ? undefined : toRecord(row);
}

function toRecord(row: Row): ServiceAccount {
  return {
    ...row,
    secrets: row.secrets.map(({ sha256, expiresAtS }) => ({
      sha256,
      ...(expiresAtS === null ? {} : { expiresAt: new Date(expiresAtS * 1000) }),
    })),
  };
}

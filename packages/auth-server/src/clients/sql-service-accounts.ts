import type { Permission } from '@cls/shared/access-token';
import { newId } from '@cls/shared/new-id';
import { type Database, epochMs, recordOf, type Sql } from '@cls/shared/sql/database';
import { LRUCache } from 'lru-cache';
import { CHANGE_CHANNEL } from '../state/change-channel.ts';
import { revokeTokens } from '../token-status/sql-token-status.ts';
import type { ServiceAccount, ServiceAccountDirectory } from './service-account.ts';
import type { ListedServiceAccount, ServiceAccountRecords } from './service-account-records.ts';
import { type AddSecret, deleteUnusedClient, liveSecrets, setProof } from './sql-client-secrets.ts';

const SELECT = `
  SELECT s.id, s.name, s.customer_id AS customer, s.permissions, s.proof,
         (s.disabled_at IS NOT NULL OR c.disabled_at IS NOT NULL) AS disabled,
         ${liveSecrets('service_account', 's.id')} AS secrets
  FROM service_account s JOIN customer c ON c.id = s.customer_id`;

const LIST = `
  SELECT listed.*, ${epochMs('a.created_at')} AS "createdAt",
         ${epochMs('t.used_at')} AS "lastUsedAt", t.used_from AS "lastUsedFrom"
  FROM (${SELECT}) AS listed JOIN service_account a USING (id)
  LEFT JOIN token_use t ON t.subject = listed.id`;

/** @param secrets makes the first secret of each. */
export function sqlServiceAccounts(
  database: Database,
  secrets: { readonly add: AddSecret },
): ServiceAccountRecords {
  return {
    list: async (customer) =>
      (
        await database.query(
          `${LIST} WHERE $1::text IS NULL OR customer = $1 ORDER BY listed.name`,
          [customer ?? null],
        )
      ).map(toListed),
    async listOf(customer, { after, limit }) {
      const rows = await database.query(
        `${LIST} WHERE customer = $1 AND ($2::text IS NULL OR id > $2) ORDER BY id LIMIT $3`,
        [customer, after ?? null, limit],
      );
      return rows.map(toListed);
    },
    find: (id) => findById(database, id),
    create: ({ name, customer, permissions, proof }) =>
      database.transaction(async (transaction) => {
        const id = newId('svc');
        await transaction.query(
          'INSERT INTO service_account (id, customer_id, name, permissions) VALUES ($1, $2, $3, $4)',
          [id, customer, name, permissions],
        );
        const { secret } = await secrets.add(transaction, id);
        if (proof) await setProof(transaction, id, proof);
        return { id, secret };
      }),
    setDisabled: (id, disabled) =>
      database.transaction(async (transaction) => {
        await transaction.query(
          'UPDATE service_account SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
          [id, disabled],
        );
        if (disabled) await revokeTokens(transaction, { subject: id }, 'service_account_changed');
      }),
    async retireOf(customer) {
      const rows = await database.query<{ id: string }>(
        `WITH own AS (SELECT id FROM service_account WHERE customer_id = $1),
         gone AS (DELETE FROM service_account_secret WHERE service_account_id IN (SELECT id FROM own)
                  RETURNING service_account_id AS id),
         disabled AS (UPDATE service_account
                      SET disabled_at = coalesce(disabled_at, now()), proof = NULL
                      WHERE customer_id = $1 AND (disabled_at IS NULL OR proof IS NOT NULL)
                      RETURNING id)
         SELECT id FROM gone UNION SELECT id FROM disabled ORDER BY id`,
        [customer],
      );
      return rows.map(({ id }) => id);
    },
    update: (id, { name, permissions, proof }) =>
      database.transaction(async (transaction) => {
        const [had] = await transaction.query<{ permissions: readonly Permission[] }>(
          'SELECT permissions FROM service_account WHERE id = $1 FOR UPDATE',
          [id],
        );
        await transaction.query(
          `UPDATE service_account
           SET name = coalesce($2, name), permissions = coalesce($3, permissions) WHERE id = $1`,
          [id, name ?? null, permissions ?? null],
        );
        const narrower = had?.permissions.some((one) => permissions?.includes(one) === false);
        if (narrower) await revokeTokens(transaction, { subject: id }, 'service_account_changed');
        if (proof !== undefined) await setProof(transaction, id, proof);
      }),
    deleteUnused: (id, auditDays) => deleteUnusedClient(database, id, auditDays),
  };
}

/** How old a kept record may be, also when no notification of a change arrives. */
export const SERVICE_ACCOUNT_AGE_MAX_MS = 5_000;
const CACHE_MAX = 10_000;

interface Kept {
  readonly account: ServiceAccount | undefined;
  /** Milliseconds: when its reading began. A change after that may not be in it. */
  readonly readAt: number;
}

/**
 * The token path's look-up: answers from memory, hears of changes by NOTIFY, and reads the database
 * while it cannot listen. When a notification is lost, an answer is at most five seconds old.
 * Unknown ids are remembered too, and as briefly. Callers that come while a record is being read
 * wait for that reading: under load, one reading each would open every connection of the pool.
 *
 * @param now milliseconds of a clock that is never set.
 */
export async function cachedServiceAccountDirectory(
  database: Database,
  now: () => number = () => performance.now(),
): Promise<ServiceAccountDirectory> {
  const cache = new LRUCache<string, Kept>({ max: CACHE_MAX });
  const readings = new Map<string, Promise<ServiceAccount | undefined>>();
  let hearing = true;
  const forget = () => {
    readings.clear();
    cache.clear();
  };
  const hear = (payload: string) => payload === 'callers' && forget();
  await database.listen(CHANGE_CHANNEL, hear, (state) => {
    hearing = state === 'resumed';
    forget();
  });
  const read = (id: string): Promise<ServiceAccount | undefined> => {
    if (!hearing) return findById(database, id);
    const readAt = now();
    const reading = findById(database, id)
      .then((account) => {
        // A change that was announced while we read may not be in what we read.
        if (readings.get(id) === reading) cache.set(id, { account, readAt });
        return account;
      })
      .finally(() => {
        if (readings.get(id) === reading) readings.delete(id);
      });
    readings.set(id, reading);
    return reading;
  };
  return {
    async find(id) {
      if (!ID.test(id)) return undefined;
      const known = cache.get(id);
      if (known !== undefined && now() - known.readAt < SERVICE_ACCOUNT_AGE_MAX_MS) {
        return known.account;
      }
      return readings.get(id) ?? read(id);
    },
  };
}

const ID = /^svc_[0-9A-Z]{26}$/;

async function findById(sql: Sql, id: string): Promise<ServiceAccount | undefined> {
  return (await sql.query<ServiceAccount>(`${SELECT} WHERE s.id = $1`, [id]))[0];
}

function toListed(row: object): ListedServiceAccount {
  const account = recordOf<ListedServiceAccount>(row, 'createdAt', 'lastUsedAt');
  return { ...account, proof: account.proof ?? null };
}

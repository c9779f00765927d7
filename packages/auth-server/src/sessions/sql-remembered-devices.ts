import { type Database, epochMs, recordOf, type Sql } from '@cls/shared/sql/database';
import type { RememberedDeviceRecords, StoredDevice } from './remembered-devices.ts';

/** What is known of the browser, from the columns `browser` and `system`. */
export const DEVICE = `json_strip_nulls(json_build_object('browser', browser, 'system', system)) AS device`;

const SELECT = `
  SELECT id, account_id AS "accountId", token_sha256 AS "tokenSha256",
    previous_sha256 AS "previousSha256", sign_in_sha256 AS "signInSha256",
    password_version AS "passwordVersion", factors_version AS "factorsVersion",
    ${DEVICE}, address, ${epochMs('remembered_at')} AS "rememberedAt",
    ${epochMs('last_used_at')} AS "lastUsedAt"
  FROM remembered_device`;

export function sqlRememberedDevices(database: Database): RememberedDeviceRecords {
  return {
    async find(id) {
      const [row] = await database.query(`${SELECT} WHERE id = $1`, [id]);
      return row && toDevice(row);
    },
    list: async (accountId) =>
      (
        await database.query(
          `${SELECT} WHERE account_id = $1 ORDER BY last_used_at DESC, id LIMIT 100`,
          [accountId],
        )
      ).map(toDevice),
    async add({ id, accountId, tokenSha256, signInSha256, device, rememberedAt, ...rest }) {
      const [row] = await database.query<{ id: string }>(
        `INSERT INTO remembered_device AS d (id, account_id, token_sha256, sign_in_sha256,
           password_version, factors_version, browser, system, address, remembered_at, last_used_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
         ON CONFLICT (sign_in_sha256) DO UPDATE SET last_used_at = d.last_used_at RETURNING id`,
        [
          ...[id, accountId, tokenSha256, signInSha256],
          ...[rest.passwordVersion ?? null, rest.factorsVersion ?? null],
          ...[device.browser ?? null, device.system ?? null, rest.address ?? null],
          rememberedAt.toISOString(),
        ],
      );
      return row?.id ?? id;
    },
    async replaceSecret(id, expectedSha256, { tokenSha256, signInSha256, lastUsedAt }) {
      const replaced = await database.query(
        `UPDATE remembered_device SET previous_sha256 = token_sha256, token_sha256 = $3,
           sign_in_sha256 = $4, last_used_at = $5
         WHERE id = $1 AND token_sha256 = $2 RETURNING 1`,
        [id, expectedSha256, tokenSha256, signInSha256, lastUsedAt.toISOString()],
      );
      return replaced.length === 1;
    },
    async remove(accountId, id) {
      const removed = await database.query(
        'DELETE FROM remembered_device WHERE account_id = $1 AND id = $2 RETURNING 1',
        [accountId, id],
      );
      return removed.length === 1;
    },
  };
}

/** All of an account, but for that of a session which stays. @param keptUid digest */
export async function forgetDevices(sql: Sql, accountId: string, keptUid = ''): Promise<void> {
  await sql.query(
    `DELETE FROM remembered_device d WHERE account_id = $1 AND NOT EXISTS (
       SELECT FROM signed_in_session s WHERE s.uid_sha256 = $2 AND s.remembered_device_id = d.id)`,
    [accountId, keptUid],
  );
}

/** @param uid digest */
export async function forgetDeviceOfSession(sql: Sql, uid: string): Promise<void> {
  await sql.query(
    `DELETE FROM remembered_device WHERE id = (
       SELECT remembered_device_id FROM signed_in_session WHERE uid_sha256 = $1)`,
    [uid],
  );
}

/** Drops those whose time is over. */
export async function sweepRememberedDevices(database: Database, lifeS: number): Promise<void> {
  await database.query(
    'DELETE FROM remembered_device WHERE remembered_at < now() - make_interval(secs => $1)',
    [lifeS],
  );
}

function toDevice(row: object): StoredDevice {
  return recordOf<StoredDevice>(row, 'rememberedAt', 'lastUsedAt');
}

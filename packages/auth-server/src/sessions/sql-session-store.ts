import { newId } from '@cls/shared/new-id';
import { type Database, epochMs, recordOf } from '@cls/shared/sql/database';
import type {
  AccountSession,
  ApplicationGrant,
  LogoutNotification,
  LogoutNotifications,
  SessionStore,
} from './session-store.ts';
import { DEVICE, forgetDeviceOfSession, forgetDevices } from './sql-remembered-devices.ts';

const SESSIONS = `
  SELECT id, uid_sha256 AS uid, ${DEVICE}, address, remembered_device_id AS "rememberedDeviceId",
    ${epochMs('started_at')} AS "startedAt", ${epochMs('last_seen_at')} AS "lastSeenAt"
  FROM signed_in_session WHERE account_id = $1 ORDER BY last_seen_at DESC, id LIMIT 100`;

const GRANTS = `
  SELECT grant_sha256 AS id, application_id AS "applicationId", scopes,
    ${epochMs('created_at')} AS "createdAt", ${epochMs('last_used_at')} AS "lastUsedAt"
  FROM application_grant WHERE account_id = $1 ORDER BY created_at, grant_sha256`;

/** Another person on the same browser is another session. */
const NOTE_SESSION = `
  INSERT INTO signed_in_session AS s
    (id, uid_sha256, account_id, browser, system, address, remembered_device_id)
  VALUES ($1, $2, $3, $4, $5, $6,
    (SELECT id FROM remembered_device WHERE id = $7 AND account_id = $3))
  ON CONFLICT (uid_sha256) DO UPDATE SET
    browser = excluded.browser, system = excluded.system, address = excluded.address,
    started_at = CASE WHEN s.account_id = excluded.account_id THEN s.started_at ELSE now() END,
    remembered_device_id = coalesce(excluded.remembered_device_id,
      CASE WHEN s.account_id = excluded.account_id THEN s.remembered_device_id END),
    account_id = excluded.account_id, last_seen_at = now()`;

const NOTE_GRANT = `
  INSERT INTO application_grant AS g
    (grant_sha256, account_id, application_id, session_uid_sha256, sid, scopes, survives_sign_out)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (grant_sha256) DO UPDATE SET
    scopes = excluded.scopes, last_used_at = now(), sid = excluded.sid,
    survives_sign_out = g.survives_sign_out OR excluded.survives_sign_out`;

/** Of the grants that the rest of the statement names. */
const TELL = `
  INSERT INTO logout_notice (application_id, account_id, sid)
  SELECT DISTINCT g.application_id, g.account_id, g.sid
  FROM application_grant g JOIN application a ON a.id = g.application_id
  WHERE a.backchannel_logout_uri IS NOT NULL AND `;

/** `due_at` is asked again with the lock, as another process may have taken the row meanwhile. */
const TAKE = `
  WITH waiting AS (
    SELECT id, row_number() OVER (PARTITION BY application_id ORDER BY due_at, id) AS nth
    FROM logout_notice WHERE due_at <= now()
  ), taken AS (
    SELECT n.id FROM logout_notice n JOIN waiting USING (id)
    WHERE n.due_at <= now() AND nth <= $2
    ORDER BY nth, n.due_at LIMIT $1 FOR UPDATE OF n SKIP LOCKED
  )
  UPDATE logout_notice SET attempts = attempts + 1,
    due_at = now() + make_interval(secs => $3 * power(4, attempts))
  WHERE id IN (SELECT id FROM taken)
  RETURNING id, application_id AS "applicationId", account_id AS "accountId", sid, attempts`;

export function sqlSessionStore(database: Database): SessionStore {
  return {
    async recordSession({ uid, accountId, device, address, rememberedDeviceId }) {
      const { browser = null, system = null } = device;
      const values = [
        ...[newId('ses'), uid, accountId, browser, system],
        ...[address ?? null, rememberedDeviceId ?? null],
      ];
      await database.query(NOTE_SESSION, values);
    },
    async recordGrant({ id, accountId, applicationId, sessionUid, sid, scopes, survivesSignOut }) {
      const values = [id, accountId, applicationId, sessionUid, sid, scopes, survivesSignOut];
      await database.query(NOTE_GRANT, values);
    },
    async recordUse(grantId) {
      await database.query(
        'UPDATE application_grant SET last_used_at = now() WHERE grant_sha256 = $1',
        [grantId],
      );
    },
    async sessions(accountId) {
      const rows = await database.query(SESSIONS, [accountId]);
      return rows.map((row) => recordOf<AccountSession>(row, 'startedAt', 'lastSeenAt'));
    },
    async sessionUids(accountId) {
      const rows = await database.query<{ uid: string }>(
        'SELECT uid_sha256 AS uid FROM signed_in_session WHERE account_id = $1',
        [accountId],
      );
      return rows.map(({ uid }) => uid);
    },
    async grants(accountId) {
      const rows = await database.query(GRANTS, [accountId]);
      return rows.map((row) => recordOf<ApplicationGrant>(row, 'createdAt', 'lastUsedAt'));
    },
    async grantsOfApplication(applicationId) {
      const rows = await database.query<{ id: string }>(
        'SELECT grant_sha256 AS id FROM application_grant WHERE application_id = $1',
        [applicationId],
      );
      return rows.map(({ id }) => id);
    },
    async grantsOfSession(uid, ending) {
      const rows = await database.query<{ id: string }>(
        `SELECT grant_sha256 AS id FROM application_grant
         WHERE session_uid_sha256 = $1 AND NOT (survives_sign_out AND $2)`,
        [uid, ending === 'signed_out'],
      );
      return rows.map(({ id }) => id);
    },
    forgetDevices: (accountId, keptUid) => forgetDevices(database, accountId, keptUid),
    forgetDeviceOfSession: (uid) => forgetDeviceOfSession(database, uid),
    forgetSession: (uid, ending, toldSids) =>
      database.transaction(async (transaction) => {
        const which =
          ending === 'ended'
            ? 'g.session_uid_sha256 = $1'
            : 'g.session_uid_sha256 = $1 AND NOT g.survives_sign_out';
        // Also for what stays without the session: it names a session that is over.
        await transaction.query(`${TELL} g.session_uid_sha256 = $1 AND g.sid <> ALL($2::text[])`, [
          uid,
          toldSids,
        ]);
        await transaction.query(`DELETE FROM application_grant g WHERE ${which}`, [uid]);
        await transaction.query('DELETE FROM signed_in_session WHERE uid_sha256 = $1', [uid]);
      }),
    forget: ({ uids, grants }, keptUid = '') =>
      database.transaction(async (transaction) => {
        // No notice for a session that stays, though its tokens have ended.
        await transaction.query(
          `${TELL} g.grant_sha256 = ANY($1::text[]) AND g.session_uid_sha256 <> $2`,
          [grants, keptUid],
        );
        await transaction.query(
          'DELETE FROM application_grant WHERE grant_sha256 = ANY($1::text[])',
          [grants],
        );
        await transaction.query(
          'DELETE FROM signed_in_session WHERE uid_sha256 = ANY($1::text[])',
          [uids],
        );
      }),
    forgetApplication: (accountId, applicationId) =>
      database.transaction(async (transaction) => {
        const which = 'g.account_id = $1 AND g.application_id = $2';
        const values = [accountId, applicationId];
        await transaction.query(`${TELL}${which}`, values);
        await transaction.query(`DELETE FROM application_grant g WHERE ${which}`, values);
      }),
  };
}

export function sqlLogoutNotifications(database: Database): LogoutNotifications {
  return {
    take: (limit, perApplication, retryAfterS) =>
      database.query<LogoutNotification>(TAKE, [limit, perApplication, retryAfterS]),
    async done(id) {
      await database.query('DELETE FROM logout_notice WHERE id = $1', [id]);
    },
    async again({ applicationId, accountId, sid }, retryAfterS) {
      await database.query(
        `INSERT INTO logout_notice (application_id, account_id, sid, attempts, due_at)
         VALUES ($1, $2, $3, 1, now() + make_interval(secs => $4))`,
        [applicationId, accountId, sid, retryAfterS],
      );
    },
    async waiting() {
      const [row] = await database.query<{ n: bigint }>('SELECT count(*) AS n FROM logout_notice');
      return Number(row?.n ?? 0n);
    },
  };
}

/** Drops what expired by itself. @param sessionS @param grantS how long each lives unused. */
export async function sweepSessions(
  database: Database,
  sessionS: number,
  grantS: number,
): Promise<void> {
  await database.query(
    'DELETE FROM signed_in_session WHERE last_seen_at < now() - make_interval(secs => $1)',
    [sessionS],
  );
  await database.query(
    'DELETE FROM application_grant WHERE last_used_at < now() - make_interval(secs => $1)',
    [grantS],
  );
}

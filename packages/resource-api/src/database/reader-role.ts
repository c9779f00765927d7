import { type Finding, findingsOf } from '@cls/shared/check/finding';
import { NotReady } from '@cls/shared/http/health';
import type { Log } from '@cls/shared/log';
import { databaseRole } from '@cls/shared/service/owner-role';
import { type Database, isPrivilegeMissing } from '@cls/shared/sql/database';

const REMEDY =
  'run the service as cls_api_service, or let an administrator GRANT cls_reader to its role: docs/guides/deployment.md, "Database roles"';

/** Whether the service's role may not take the role that reads balances. */
async function isReaderRoleRefused(database: Database): Promise<boolean> {
  try {
    await database.transaction(async () => undefined, {
      readOnly: true,
      setup: 'SET LOCAL ROLE cls_reader;',
    });
    return false;
  } catch (error) {
    if (isPrivilegeMissing(error)) return true;
    throw error;
  }
}

/** What `/readyz` says of a failed read of balances. */
export async function readinessError(error: unknown, database: Database): Promise<unknown> {
  const refused = isPrivilegeMissing(error) && (await isReaderRoleRefused(database));
  return refused ? new NotReady('reader_role_refused', { cause: error }) : error;
}

/** Says once at start why the service is not ready, and what to do. */
export async function reportRefusedReaderRole(database: Database, log: Log): Promise<void> {
  if (!(await isReaderRoleRefused(database))) return;
  const { name } = await databaseRole(database);
  log.error(
    { role: name },
    `the service’s database role may not read as cls_reader, so the service is not ready: ${REMEDY}`,
  );
}

/** For `cls-api check`. Before the first migration there is no such role. */
export async function reader(database: Database): Promise<readonly Finding[]> {
  const there = await database.query(`SELECT FROM pg_roles WHERE rolname = 'cls_reader'`);
  if (there.length === 0) return [];
  const { ok, failed } = findingsOf('database');
  const { name } = await databaseRole(database);
  return [
    (await isReaderRoleRefused(database))
      ? failed('reader', `${name} may not read as cls_reader`, REMEDY)
      : ok('reader', `${name} reads as cls_reader`),
  ];
}

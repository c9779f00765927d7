import type { Log } from '../log.ts';
import type { Database } from '../sql/database.ts';
import type { DatabaseLocation } from './open-database.ts';

/**
 * Warns once when the service's role could change its own schema: an attacker in the service could
 * then switch off the triggers that keep the ledger append-only. Embedded stores have no roles.
 */
export async function warnOfOwnerRole(
  database: Database,
  { kind }: DatabaseLocation,
  log: Log,
): Promise<void> {
  if (kind === 'embedded') return;
  const role = await databaseRole(database);
  if (!(role.superuser || role.owner)) return;
  log.warn(
    { role: role.name },
    `the service’s database role ${role.superuser ? 'is a superuser' : 'owns its schema'} and could change what protects the data: run the service as another role (docs/guides/deployment.md, "Database roles")`,
  );
}

export interface DatabaseRole {
  readonly name: string;
  readonly superuser: boolean;
  /** Of a table of the schema, by itself or through a role that it is a member of. */
  readonly owner: boolean;
}

/** As whom the database is used. */
export async function databaseRole(database: Database): Promise<DatabaseRole> {
  const [role] = await database.query<DatabaseRole>(
    `SELECT current_user AS name,
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
       EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace
         AND relkind = 'r' AND pg_has_role(relowner, 'MEMBER')) AS owner`,
  );
  if (role === undefined) throw new Error('the database does not name the current role');
  return role;
}

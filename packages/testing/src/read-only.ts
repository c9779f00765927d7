import { silentLog } from '@cls/shared/log';
import type { DatabaseLocation } from '@cls/shared/service/open-database';
import { openDatabaseAsOperator } from '@cls/shared/service/open-database';

/** Makes a PostgreSQL database read-only for its owner too, as a full primary or a standby is. */
export async function readOnly(location: DatabaseLocation, on: boolean): Promise<void> {
  const database = await openDatabaseAsOperator(location, 'read-only switch', silentLog);
  try {
    await database.transaction(async (transaction) => {
      await transaction.execute('SET TRANSACTION READ WRITE');
      const [row] = await transaction.query<{ name: string }>('SELECT current_database() AS name');
      await transaction.execute(
        `ALTER DATABASE ${row?.name} SET default_transaction_read_only = ${on ? 'on' : 'off'}`,
      );
    });
    // It holds for sessions that begin from now on. Nobody may end the server's own, such as
    // autovacuum's.
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND backend_type = 'client backend' AND usename = current_user`,
    );
  } finally {
    await database.close();
  }
}

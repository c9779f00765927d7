import type { Database } from '@cls/shared/sql/database';

/** Tells the text of each statement of a transaction before it is asked. */
export function listening(database: Database, heard: (sql: string) => void): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction(
        (inside) =>
          work({
            ...inside,
            query: (sql, parameters) => {
              heard(sql);
              return inside.query(sql, parameters);
            },
          }),
        options,
      ),
  };
}

import type { Database, Sql, Transaction } from '@cls/shared/sql/database';

/** A source without a row is free while the book has nothing of it. */
export async function mayPost(sql: Sql, source: string, customer: string): Promise<boolean> {
  const [row] = await sql.query<{ open: boolean }>(
    `SELECT coalesce((SELECT customer_id = $2 FROM import_source WHERE source = $1),
       NOT EXISTS (SELECT FROM import_batch WHERE source = $1)
       AND NOT EXISTS (SELECT FROM external_id WHERE source = $1)) AS open`,
    [source, customer],
  );
  return row?.open ?? false;
}

/** The first customer that posts statements of a source keeps it. */
export async function bindSource(
  transaction: Transaction,
  source: string,
  customer: string,
): Promise<void> {
  await transaction.query(
    'INSERT INTO import_source (source, customer_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [source, customer],
  );
}

export async function assignSource(
  database: Database,
  source: string,
  customer: string | undefined,
): Promise<void> {
  if (customer === undefined) {
    await database.query('DELETE FROM import_source WHERE source = $1', [source]);
    return;
  }
  await database.query(
    `INSERT INTO import_source (source, customer_id) VALUES ($1, $2)
     ON CONFLICT (source) DO UPDATE SET customer_id = EXCLUDED.customer_id`,
    [source, customer],
  );
}

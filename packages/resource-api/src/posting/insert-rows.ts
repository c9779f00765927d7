import type { SqlValue, Transaction } from '@cls/shared/sql/database';

/** A column of an insert: its value in each record, its type, and the SQL that stores it. */
export interface Column<R> {
  readonly name: string;
  readonly type: string;
  readonly value: (record: R) => SqlValue;
  /** SQL over the given value `g.<name>`; the value itself when undefined. */
  readonly sql?: string;
}

/** Inserts all records by one statement, in their order. Nothing for no records. */
export async function insertRows<R>(
  transaction: Transaction,
  table: string,
  columns: readonly Column<R>[],
  records: readonly R[],
): Promise<void> {
  if (records.length === 0) return;
  const names = columns.map(({ name }) => name);
  const given = columns.map(({ type }, index) => `$${index + 1}::${type}[]`);
  const values = columns.map(({ name, sql }) => sql ?? `g.${name}`);
  await transaction.query(
    `INSERT INTO ${table} (${names.join(', ')})
     SELECT ${values.join(', ')}
     FROM unnest(${given.join(', ')}) WITH ORDINALITY AS g(${names.join(', ')}, number)
     ORDER BY g.number`,
    columns.map(({ value }) => records.map(value)),
  );
}

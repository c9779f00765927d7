import { type Sealer, UnsealFailed } from '../seal.ts';
import type { Sql, Transaction } from './database.ts';

/** Where a table has sealed values. */
export interface SealedColumn {
  readonly column: string;
  /** SQL whose text names a row. */
  readonly key: string;
  /** SQL for what the context of a value is made from. */
  readonly owner: string;
  /** What a value is bound to (`Sealer`). */
  readonly context: (owner: string) => string;
}

export type SealedColumns = Readonly<Record<string, SealedColumn>>;

/**
 * Seals anew, with the current key, each value that another key sealed.
 *
 * @param current of the current key alone. @param any opens values of all keys.
 * @returns how many values that were.
 * @throws {UnsealFailed} when a value opens with no key; the transaction must not be kept.
 */
export async function reseal(
  transaction: Transaction,
  columns: SealedColumns,
  current: Sealer,
  any: Sealer,
): Promise<number> {
  let resealed = 0;
  for (const { table, at, id, sealed, context } of await sealedByOthers(
    transaction,
    columns,
    current,
  )) {
    // A value that was replaced meanwhile is the newer one.
    const changed = await transaction.query(
      `UPDATE ${table} SET ${at.column} = $3 WHERE ${at.key} = $1 AND ${at.column} = $2 RETURNING 1`,
      [id, sealed, current.seal(any.unseal(sealed, context), context)],
    );
    resealed += changed.length;
  }
  return resealed;
}

/** The values that do not open with the current key. */
export async function sealedByOthers(sql: Sql, columns: SealedColumns, current: Sealer) {
  const found = [];
  for (const [table, at] of Object.entries(columns)) {
    const rows = await sql.query<{ id: string; owner: string; sealed: string }>(
      `SELECT ${at.key} AS id, ${at.owner} AS owner, ${at.column} AS sealed FROM ${table}
       WHERE ${at.column} IS NOT NULL`,
    );
    for (const { id, owner, sealed } of rows) {
      const context = at.context(owner);
      if (!opens(current, sealed, context)) found.push({ table, at, id, sealed, context });
    }
  }
  return found;
}

function opens(sealer: Sealer, sealed: string, context: string): boolean {
  try {
    sealer.unseal(sealed, context);
    return true;
  } catch (error) {
    if (error instanceof UnsealFailed) return false;
    throw error;
  }
}

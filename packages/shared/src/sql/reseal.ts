import type { Log } from '../log.ts';
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

export interface Resealed {
  /** How many were sealed anew. */
  readonly values: number;
  /** Values that open with no key, by table and row; they stay as they are. */
  readonly unopened: readonly string[];
}

/**
 * Seals anew, with the current key, each value that another key sealed.
 *
 * @param current of the current key alone. @param any opens values of all keys.
 */
export async function reseal(
  transaction: Transaction,
  columns: SealedColumns,
  current: Sealer,
  any: Sealer,
): Promise<Resealed> {
  let values = 0;
  const unopened: string[] = [];
  for (const { table, at, id, sealed, context } of await sealedByOthers(
    transaction,
    columns,
    current,
  )) {
    const text = openedBy(any, sealed, context);
    if (text === undefined) {
      unopened.push(`${table} ${id}`);
      continue;
    }
    // A value that was replaced meanwhile is the newer one.
    const changed = await transaction.query(
      `UPDATE ${table} SET ${at.column} = $3 WHERE ${at.key} = $1 AND ${at.column} = $2 RETURNING 1`,
      [id, sealed, current.seal(text, context)],
    );
    values += changed.length;
  }
  return { values, unopened };
}

const NAMED_MAX = 20;

/** Says what cannot be opened. @param keyName as the operator knows the key. */
export function warnOfUnopened(
  log: Pick<Log, 'warn'>,
  { unopened }: Resealed,
  keyName: string,
): void {
  if (unopened.length === 0) return;
  log.warn(
    { values: unopened.length, rows: unopened.slice(0, NAMED_MAX) },
    `secrets open neither with ${keyName} nor with PREVIOUS_${keyName}, and stay as they are`,
  );
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
      if (openedBy(current, sealed, context) === undefined)
        found.push({ table, at, id, sealed, context });
    }
  }
  return found;
}

function openedBy(sealer: Sealer, sealed: string, context: string): string | undefined {
  try {
    return sealer.unseal(sealed, context);
  } catch (error) {
    if (error instanceof UnsealFailed) return undefined;
    throw error;
  }
}

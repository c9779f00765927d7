import type { SqlValue } from './database.ts';

/** What rows have in each of these fields, as parameters for `unnest`: NULL where a row has nothing. */
export function valuesOf<Field extends string>(
  rows: readonly { readonly [name in Field]?: string | null | undefined }[],
  ...fields: readonly Field[]
): SqlValue[] {
  return fields.map((field) => rows.map((row) => row[field] ?? null));
}

import type { SqlValue } from './database.ts';

const NEEDS_ESCAPE = /["\\]/;

/**
 * Parameters as a server reads them: an array of values becomes its literal, one string for a whole
 * column. The drivers would convert element by element, and a worker thread would copy each.
 */
export function withArrayLiterals(params: readonly SqlValue[]): SqlValue[] {
  return params.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value));
}

/** A value within a statement: text in quotes has the type that is expected where it stands. */
export function quotedLiteral(value: SqlValue): string {
  if (value === null) return 'NULL';
  const text = Array.isArray(value) ? arrayLiteral(value) : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/** `{1,2,NULL}`; texts are always quoted. */
export function arrayLiteral(values: readonly SqlValue[]): string {
  const parts: string[] = [];
  for (const value of values) parts.push(element(value));
  return `{${parts.join(',')}}`;
}

function element(value: SqlValue | undefined): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') {
    return NEEDS_ESCAPE.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;
  }
  return Array.isArray(value) ? arrayLiteral(value) : String(value);
}

/** What rows have in each of these fields, as parameters for `unnest`: NULL where a row has nothing. */
export function valuesOf<Field extends string>(
  rows: readonly { readonly [name in Field]?: string | null | undefined }[],
  ...fields: readonly Field[]
): SqlValue[] {
  return fields.map((field) => rows.map((row) => row[field] ?? null));
}

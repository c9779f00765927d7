import type { SqlValue } from '@cls/shared/sql/database';
import { z } from 'zod';
import { FACT_SHAPES, HELD, SUBJECT_SHAPES } from '../journal-file/record.ts';
import type { Column } from './insert-rows.ts';

/** How a field of a record is stored: `legalName` in `legal_name`, and `borrower` in `borrower_key`. */
export interface StoredField {
  readonly name: string;
  readonly column: string;
  readonly type: string;
  /** The table of the record that the field names: the column has that record's key. */
  readonly names: string | undefined;
}

/** By the prefix of ids. */
const TABLES: Readonly<Record<string, string>> = {
  pty: 'party',
  deal: 'deal',
  fac: 'facility',
  ctr: 'loan_contract',
  pos: 'lender_position',
};
const TYPES: Readonly<Record<string, string>> = {
  date: 'date',
  fraction: 'numeric',
  component: 'accrual_component',
  flag: 'boolean',
};
/** No columns of their own: `booked_on` has a rule, and external ids a table. */
const STORED_OTHERWISE: readonly string[] = ['object', 'bookedOn', 'externalIds'];

type Shape = Readonly<Record<string, z.ZodType>>;

function storedFields(shape: Shape): readonly StoredField[] {
  const fields = Object.keys(shape).filter((name) => !STORED_OTHERWISE.includes(name));
  return fields.map((name) => {
    const held = heldBy(shape[name]) ?? '';
    const names = name === 'id' ? undefined : TABLES[held];
    const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const type = TYPES[held] ?? 'text';
    return { name, column: names === undefined ? column : `${column}_key`, type, names };
  });
}

function heldBy(schema: unknown): string | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return heldBy(schema.unwrap());
  }
  return HELD.get(schema as z.ZodType)?.held;
}

/** A kind of record, with its fields in the order of a journal file. */
export interface StoredSubject {
  readonly object: string;
  /** Of its ids. */
  readonly prefix: string;
  readonly table: string;
  readonly fields: readonly StoredField[];
  readonly has: { readonly bookedOn: boolean; readonly externalIds: boolean };
}

/** Each kind stands after those that its records name. */
export const SUBJECTS: readonly StoredSubject[] = SUBJECT_SHAPES.map((shape) => {
  const prefix = HELD.get(shape.id)?.held ?? '';
  return {
    object: shape.object.value,
    prefix,
    table: TABLES[prefix] ?? '',
    fields: storedFields(shape),
    has: { bookedOn: 'bookedOn' in shape, externalIds: 'externalIds' in shape },
  };
});

/** Facts that became known with journals: items of a list of a journal that have the field `of`. */
export interface StoredFacts {
  readonly list: keyof typeof FACT_SHAPES;
  /** What names the record that a fact is about. */
  readonly of: StoredField;
  readonly table: string;
  readonly fields: readonly StoredField[];
}

const factsOf = (list: StoredFacts['list'], tableOf: (of: string) => string) =>
  FACT_SHAPES[list].map((shape): StoredFacts => {
    const fields = storedFields(shape);
    const [of] = fields as [StoredField];
    return { list, of, table: tableOf(of.name), fields };
  });

export const FACTS: readonly StoredFacts[] = [
  ...factsOf('terms', (of) => `${of}_terms`),
  ...factsOf('details', (of) => `${of}_details`),
  ...factsOf('rates', () => 'rate_period'),
  ...factsOf('settlements', () => 'accrual_settlement'),
];

/** The columns of an insert for fields of records. */
export function columnsOf<R extends object>(fields: readonly StoredField[]): readonly Column<R>[] {
  return fields.map(({ name, column, type, names }) => ({
    name: column,
    type,
    value: (record) => (record as Readonly<Record<string, SqlValue | undefined>>)[name] ?? null,
    ...(names === undefined ? {} : { sql: `(SELECT key FROM ${names} WHERE id = g.${column})` }),
  }));
}

/** A column whose value is that of a record which the field names. */
export function inherited<R extends object>(
  column: string,
  { name, names = '' }: StoredField,
): Column<R> {
  return {
    name: column,
    type: 'text',
    value: (record) => (record as Readonly<Record<string, string>>)[name] ?? null,
    sql: `(SELECT ${column} FROM ${names} WHERE id = g.${column})`,
  };
}

/** What selects fields of a row `t`, with the names that they have in a journal file. */
export function selected(fields: readonly StoredField[]): string {
  const values = fields.map(({ name, column, type, names }) => {
    const text = type === 'numeric' || type === 'accrual_component' ? '::text' : '';
    const value =
      names === undefined
        ? `t.${column}${text}`
        : `(SELECT id FROM ${names} WHERE key = t.${column})`;
    return `${value} AS "${name}"`;
  });
  return values.join(', ');
}

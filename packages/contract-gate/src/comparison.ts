import type { Direction } from './checks.ts';
import type { Report } from './finding.ts';
import type { FlatSchema } from './flat-schema.ts';
import type { SchemaNode, Schemas } from './schema-nodes.ts';

/** How values are written and who sends them. */
export interface Context {
  readonly direction: Direction;
  /** Values travel as text without a type, as in a query. */
  readonly textual: boolean;
  /** One value may stand for a list of one, as in `?id=a`. */
  readonly list: boolean;
  readonly xml: boolean;
  /** What is required is so in some cases only. */
  readonly conditional: boolean;
}

/** A comparison under way: what is to be looked at, what was, and what was found. */
export interface Run {
  readonly context: Context;
  readonly report: Report;
  /** Looks at two schemas later; a pair that was looked at is not looked at again. */
  later(before: SchemaNode, after: SchemaNode, pointer: string, change?: Partial<Context>): void;
  /** What two flat schemas would give. */
  trial(before: FlatSchema, after: FlatSchema, pointer: string): Trial | undefined;
  /** Whether two schemas say the same. */
  same(before: SchemaNode, after: SchemaNode): boolean;
  with(change: Partial<Context>): Run;
  readonly sides: readonly [Side, Side];
}

/** The schemas of one of the two documents. */
export interface Side {
  readonly schemas: Schemas;
  flats(node: SchemaNode): readonly FlatSchema[] | undefined;
}

export interface Trial {
  readonly outcome: 'same' | 'compatible' | 'incompatible';
  /** Takes over what the trial found. */
  accept(): void;
}

export type CompareSchemas = (
  before: readonly unknown[],
  after: readonly unknown[],
  pointer: string,
  context: Context,
  report: Report,
) => void;

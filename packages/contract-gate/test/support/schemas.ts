import fc from 'fast-check';
import { object } from './contracts.ts';

/** A schema object as these tests make it. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

const size = fc.integer({ min: 0, max: 3 });

function optional(keyword: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Schema> {
  return fc
    .option(value, { nil: undefined })
    .map((one) => (one === undefined ? {} : { [keyword]: one }));
}

function joined(...parts: fc.Arbitrary<Schema>[]): fc.Arbitrary<Schema> {
  return fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Schema);
}

const letters = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 });
const text = joined(
  fc.constant({ type: 'string' }),
  optional('minLength', size),
  optional('maxLength', size),
  optional('enum', letters),
);
const number = joined(
  fc.constantFrom({ type: 'integer' }, { type: 'number' }),
  optional('minimum', size),
  optional('exclusiveMaximum', size),
  optional('multipleOf', fc.constantFrom(1, 2, 0.5)),
);
const leaf = fc.oneof(
  text,
  number,
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: ['string', 'null'] }),
  fc.constant({ const: 1 }),
);

interface Kinds {
  /** Properties that an object may have; with `fixed` it has them all. */
  readonly names: readonly string[];
  readonly fixed: boolean;
  /** Components that may be referred to. */
  readonly components: readonly string[];
  /** Whether there is `allOf`: of anything, or with one choice at most among its members. */
  readonly allOf: 'of anything' | 'of one choice' | false;
  /** Whether a schema may allow anything. */
  readonly anything: boolean;
}

/** Schemas with these kinds of parts. */
export function schemas(kinds: Kinds): fc.Arbitrary<Schema> {
  return parts(kinds).schema;
}

/** Schemas for components: without a reference at the top, so that none leads to itself. */
export function components(kinds: Kinds): fc.Arbitrary<Schema> {
  return parts(kinds).guarded;
}

function parts({ names, fixed, components, allOf, anything }: Kinds) {
  return fc.letrec<{ schema: Schema; guarded: Schema }>((tie) => {
    const inner = tie('schema');
    const chosen = fixed
      ? fc.constant([...names])
      : fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 });
    const properties = chosen.chain((all) =>
      fc
        .record({
          properties: fc.tuple(...all.map(() => inner)),
          required: fc.subarray([...all]),
          flags: fc.tuple(
            ...all.map(() =>
              fixed
                ? fc.constant({})
                : fc.constantFrom({}, {}, { readOnly: true }, { writeOnly: true }),
            ),
          ),
        })
        .map((made) => {
          const entries = all.map((name, at) => [
            name,
            flagged(made.properties[at] ?? {}, made.flags[at] ?? {}),
          ]);
          return object(Object.fromEntries(entries), made.required);
        }),
    );
    const lists = joined(
      fc.record({ type: fc.constant('array'), items: inner }),
      optional('minItems', size),
      optional('maxItems', size),
    );
    const unions = unionOf(inner);
    const leaves = fc
      .dictionary(fc.constantFrom(...names), leaf, { maxKeys: 2, noNullPrototype: true })
      .map((properties) => object(properties));
    const second = allOf === 'of anything' ? inner : fc.oneof(leaf, leaves);
    const both = fc.tuple(inner, second).map((members) => ({ allOf: members }));
    const refs = components.map((name) => fc.constant({ $ref: `#/components/schemas/${name}` }));
    return {
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        properties,
        lists,
        unions,
        ...(anything ? [fc.constant({})] : []),
        ...(allOf ? [both] : []),
        ...refs,
      ),
      guarded: fc.oneof(leaf, properties, lists, unionOf(fc.oneof(leaf, properties, lists))),
    };
  });
}

function unionOf(branch: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc
    .tuple(fc.constantFrom('oneOf', 'anyOf'), fc.array(branch, { minLength: 2, maxLength: 3 }))
    .map(([kind, branches]) => ({ [kind]: branches }));
}

/** Beside a reference a flag has no effect in 3.0. */
function flagged(schema: Schema, flags: Schema): Schema {
  return '$ref' in schema || Object.keys(flags).length === 0 ? schema : { ...schema, ...flags };
}

/** The same schema with `change` made to every schema within it, from the inside out. */
export function mapSchema(schema: unknown, change: (schema: Schema) => Schema): Schema {
  const given = schema as Schema;
  const inside = Object.entries(given).map(([keyword, value]) => {
    if (keyword === 'properties') {
      const entries = Object.entries(value as Schema);
      return [
        keyword,
        Object.fromEntries(entries.map(([name, one]) => [name, mapSchema(one, change)])),
      ];
    }
    if (['oneOf', 'anyOf', 'allOf'].includes(keyword)) {
      return [keyword, (value as unknown[]).map((one) => mapSchema(one, change))];
    }
    return [keyword, keyword === 'items' ? mapSchema(value, change) : value];
  });
  return change(Object.fromEntries(inside));
}

/** What JSON Schema says of a value, worked out plainly, with `oneOf` read as `anyOf`. */
export function isValid(schema: unknown, value: unknown): boolean {
  const given = schema as Record<string, never>;
  const types =
    typeof given['type'] === 'string'
      ? [given['type']]
      : (given['type'] as unknown as string[] | undefined);
  const holds: Record<string, (bound: never) => boolean> = {
    type: () => types?.some((type) => isType(type, value)) ?? true,
    enum: (values: unknown[]) =>
      values.some((one) => JSON.stringify(one) === JSON.stringify(value)),
    const: (one: unknown) => JSON.stringify(one) === JSON.stringify(value),
    minLength: (bound: number) => typeof value !== 'string' || value.length >= bound,
    maxLength: (bound: number) => typeof value !== 'string' || value.length <= bound,
    minimum: (bound: number) => typeof value !== 'number' || value >= bound,
    exclusiveMaximum: (bound: number) => typeof value !== 'number' || value < bound,
    multipleOf: (bound: number) => typeof value !== 'number' || Number.isInteger(value / bound),
    minItems: (bound: number) => !Array.isArray(value) || value.length >= bound,
    maxItems: (bound: number) => !Array.isArray(value) || value.length <= bound,
    items: (one: Schema) => !Array.isArray(value) || value.every((item) => isValid(one, item)),
    required: (names: string[]) =>
      !isType('object', value) || names.every((name) => name in (value as Schema)),
    properties: (all: Schema) =>
      !isType('object', value) ||
      Object.entries(value as Schema).every(
        ([name, one]) => !(name in all) || isValid(all[name], one),
      ),
    allOf: (all: Schema[]) => all.every((one) => isValid(one, value)),
    anyOf: (all: Schema[]) => all.some((one) => isValid(one, value)),
    oneOf: (all: Schema[]) => all.some((one) => isValid(one, value)),
  };
  return Object.entries(given).every(([keyword, bound]) => holds[keyword]?.(bound) ?? true);
}

function isType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

import { canonical, isObject, textsOf } from './json.ts';
import type { Leaf } from './schema-leaf.ts';

/** Which keywords say something about which type. */
export const KEYWORDS_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  object: new Set([
    ...['properties', 'required', 'additionalProperties', 'unevaluatedProperties'],
    ...['patternProperties', 'propertyNames', 'minProperties', 'maxProperties'],
    ...['dependentRequired', 'dependentSchemas', 'discriminator'],
  ]),
  array: new Set([
    ...['items', 'prefixItems', 'unevaluatedItems', 'contains', 'minContains', 'maxContains'],
    ...['minItems', 'maxItems', 'uniqueItems'],
  ]),
  string: new Set([
    ...['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType'],
    'contentSchema',
  ]),
  number: new Set([
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ]),
  boolean: new Set(),
  null: new Set(),
};

/** Values that every `enum` allows. */
export function valuesOf(leaves: readonly Leaf[]): ReadonlyMap<string, unknown> | undefined {
  const lists = leaves
    .map(({ keywords }) => keywords.get('enum'))
    .filter((one) => Array.isArray(one))
    .map((one) => new Map(one.map((value) => [canonical(value), value])));
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  return new Map([...first].filter(([key]) => others.every((other) => other.has(key))));
}

const EVERY_TYPE = ['null', 'boolean', 'object', 'array', 'number', 'string'];

/** Types that every schema object allows; without a word about it, what the other keywords suggest. */
export function typesOf(
  leaves: readonly Leaf[],
  values: ReadonlyMap<string, unknown> | undefined,
): readonly string[] {
  const lists = leaves
    .map(({ keywords }) => textsOf(keywords.get('type')))
    .filter((types) => types.length > 0);
  const [first, ...others] = lists;
  if (first !== undefined) {
    const nullable = leaves.some(({ keywords }) => keywords.get('nullable') === true);
    const types = others.reduce(bothAllow, first);
    return withoutIntegerBesideNumber(nullable ? [...types, 'null'] : types);
  }
  if (values !== undefined) return EVERY_TYPE.filter((type) => hasValueOf(values, type));
  const named = leaves.flatMap(({ keywords }) => [...keywords.keys()]);
  const suggested = Object.keys(KEYWORDS_OF).filter((type) =>
    named.some((name) => KEYWORDS_OF[type]?.has(name)),
  );
  return suggested.length === 1 ? suggested : EVERY_TYPE;
}

function bothAllow(one: readonly string[], other: readonly string[]): readonly string[] {
  const integerOf = (type: string, types: readonly string[]) =>
    type === 'integer' ? types.includes('number') : type === 'number' && types.includes('integer');
  const common = one.filter((type) => other.includes(type));
  const integer = one.some((type) => !other.includes(type) && integerOf(type, other));
  return integer ? [...common, 'integer'] : common;
}

function withoutIntegerBesideNumber(types: readonly string[]): readonly string[] {
  const unique = [...new Set(types)];
  return unique.includes('number') ? unique.filter((type) => type !== 'integer') : unique;
}

function hasValueOf(values: ReadonlyMap<string, unknown>, type: string): boolean {
  return [...values.values()].some((value) => isOfType(value, type));
}

export function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type || (type === 'number' && typeof value === 'number');
}

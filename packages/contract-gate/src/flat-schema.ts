import { boundsOf } from './flat-bounds.ts';
import { isOfType, KEYWORDS_OF, typesOf, valuesOf } from './flat-types.ts';
import { canonical, entriesOf, isObject, listOf, textsOf } from './json.ts';
import type { Alternative } from './schema-alternatives.ts';
import type { SchemaNode, Schemas } from './schema-nodes.ts';

/** One alternative, for one type: what all its schema objects say together. */
export interface FlatSchema {
  readonly id: number;
  readonly type: string;
  readonly alternative: Alternative;
  readonly integer: boolean;
  /** By their canonical text; undefined: any value of the type. */
  readonly values: ReadonlyMap<string, unknown> | undefined;
  /** Values of a list that may grow; empty where `enum` itself is marked. */
  readonly extensible: readonly unknown[] | undefined;
  /** The strictest bound of each keyword. */
  readonly bounds: ReadonlyMap<string, number>;
  readonly multiples: readonly number[];
  /** Keywords that hold side by side, such as `pattern`, with the canonical text of each value. */
  readonly marks: ReadonlyMap<string, ReadonlySet<string>>;
  readonly required: ReadonlySet<string>;
  /** Required properties that list their values: by them alternatives are told apart. */
  readonly constants: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly patternProperties: ReadonlyMap<string, SchemaNode>;
  readonly dependentSchemas: ReadonlyMap<string, SchemaNode>;
  readonly dependentRequired: ReadonlyMap<string, unknown>;
  readonly prefix: readonly SchemaNode[];
  /** Such as `items`, `additionalProperties`, `contains`. */
  readonly inner: ReadonlyMap<string, SchemaNode>;
  readonly negated: readonly SchemaNode[];
  readonly conditions: readonly Condition[];
  readonly discriminator: string | undefined;
  readonly unknown: ReadonlyMap<string, unknown>;
}

export interface Condition {
  readonly if: SchemaNode;
  readonly then: SchemaNode;
  readonly else: SchemaNode;
}

const OF_ALL_TYPES = new Set([
  ...['type', 'enum', 'format', 'not', 'if', 'then', 'else', 'oneOf', 'anyOf', 'never'],
  ...['default', 'readOnly', 'writeOnly', 'x-extensible-enum', 'nullable'],
]);
const KNOWN = new Set([
  ...OF_ALL_TYPES,
  ...Object.values(KEYWORDS_OF).flatMap((keywords) => [...keywords]),
]);

const MARKS = ['pattern', 'format', 'contentEncoding', 'contentMediaType', 'uniqueItems'];
/** Left side: where the right side is kept, because it says the same once schemas are merged. */
const INNER = new Map([
  ['items', 'items'],
  ['unevaluatedItems', 'items'],
  ['additionalProperties', 'additionalProperties'],
  ['unevaluatedProperties', 'additionalProperties'],
  ['propertyNames', 'propertyNames'],
  ['contains', 'contains'],
  ['contentSchema', 'contentSchema'],
]);

let ids = 0;

/** An alternative as one schema for each type that it allows. */
export function flatten(schemas: Schemas, alternative: Alternative): readonly FlatSchema[] {
  const { leaves } = alternative;
  if (leaves.some(({ keywords }) => keywords.has('never'))) return [];
  const values = valuesOf(leaves);
  return typesOf(leaves, values).flatMap((name) => {
    const type = name === 'integer' ? 'number' : name;
    const ofType = values && new Map([...values].filter(([, value]) => isOfType(value, name)));
    if (ofType?.size === 0) return [];
    return [flattenAs(schemas, alternative, type, name === 'integer', ofType)];
  });
}

function flattenAs(
  schemas: Schemas,
  alternative: Alternative,
  type: string,
  integer: boolean,
  values: ReadonlyMap<string, unknown> | undefined,
): FlatSchema {
  const { leaves, pointer } = alternative;
  const own = KEYWORDS_OF[type] ?? KNOWN;
  const list = (name: string) =>
    leaves.flatMap(({ keywords }) =>
      keywords.has(name) && (own.has(name) || OF_ALL_TYPES.has(name)) ? [keywords.get(name)] : [],
    );
  const node = (raws: readonly unknown[], step: string) => schemas.node(raws, `${pointer}/${step}`);
  const nodeMap = (name: string) => {
    const raws = new Map<string, unknown[]>();
    for (const [key, raw] of list(name).flatMap(entriesOf)) {
      raws.set(key, [...(raws.get(key) ?? []), raw]);
    }
    return new Map([...raws].map(([key, all]) => [key, node(all, `${name}/${key}`)]));
  };
  const inner = new Map<string, unknown[]>();
  for (const [name, kept] of INNER) {
    const raws = list(name);
    if (raws.length > 0) inner.set(kept, [...(inner.get(kept) ?? []), ...raws]);
  }
  const prefixes = list('prefixItems').map(listOf);
  const length = Math.max(0, ...prefixes.map((one) => one.length));
  const required = new Set(list('required').flatMap(textsOf));
  const properties = nodeMap('properties');
  ids += 1;
  return {
    id: ids,
    type,
    alternative,
    integer,
    values: type === 'null' ? undefined : type === 'boolean' ? (values ?? BOTH) : values,
    extensible:
      list('x-extensible-enum').length > 0 ? list('x-extensible-enum').flatMap(listOf) : undefined,
    bounds: withContained(boundsOf(list, integer), list('contains').length > 0),
    multiples: [...new Set(list('multipleOf').filter((one) => typeof one === 'number'))],
    marks: new Map(
      MARKS.map((name) => [name, new Set(list(name).map(canonical))] as const).filter(
        ([, set]) => set.size > 0,
      ),
    ),
    required,
    constants: constantsOf(properties, required),
    properties,
    patternProperties: nodeMap('patternProperties'),
    dependentSchemas: nodeMap('dependentSchemas'),
    dependentRequired: new Map(
      list('dependentRequired')
        .flatMap(entriesOf)
        .map(([name, names]) => [name, [...textsOf(names)].sort()]),
    ),
    prefix: Array.from({ length }, (_, at) =>
      node(
        prefixes.map((one) => one[at]),
        `prefixItems/${at}`,
      ),
    ),
    inner: new Map([...inner].map(([name, raws]) => [name, node(raws, name)])),
    negated: list('not').map((raw) => node([raw], 'not')),
    conditions: leaves
      .filter(({ keywords }) => keywords.has('if'))
      .map(({ keywords }) => ({
        if: node([keywords.get('if')], 'if'),
        // biome-ignore lint/suspicious/noThenProperty: the keyword's name.
        then: node([keywords.get('then')], 'then'),
        else: node([keywords.get('else')], 'else'),
      })),
    discriminator: list('discriminator').flatMap((one) =>
      isObject(one) && typeof one['propertyName'] === 'string' ? [one['propertyName']] : [],
    )[0],
    unknown: new Map(
      leaves.flatMap(({ keywords }) => [...keywords].filter(([name]) => !KNOWN.has(name))),
    ),
  };
}

const BOTH: ReadonlyMap<string, unknown> = new Map([
  ['false', false],
  ['true', true],
]);

/** Without `minContains`, one item must match. */
function withContained(bounds: Map<string, number>, contains: boolean): Map<string, number> {
  if (!contains) {
    bounds.delete('minContains');
    bounds.delete('maxContains');
  } else if (!bounds.has('minContains')) {
    bounds.set('minContains', 1);
  }
  return bounds;
}

function constantsOf(
  properties: ReadonlyMap<string, SchemaNode>,
  required: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const constants = new Map<string, ReadonlyMap<string, unknown>>();
  for (const [name, node] of properties) {
    const values = required.has(name) ? valuesOf(node.leaves) : undefined;
    if (values !== undefined) constants.set(name, values);
  }
  return constants;
}

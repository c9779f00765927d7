/** Short ways to write down the shapes of answers. */
import type { JsonSchema } from './openapi.ts';

type Properties = Readonly<Record<string, JsonSchema>>;

/** @param optional members that not every such object has. */
export function object(properties: Properties, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: JsonSchema, description?: string): JsonSchema {
  return { type: 'array', items, ...described(description) };
}

/**
 * @param schema an object, or a simple value that is written out. For a reference to a simple value
 *   use a named schema such as `MoneyOrNull`: openapi-generator up to 7.17 loses the null of a choice
 *   between such a reference and null.
 */
export function nullable(schema: JsonSchema, description?: string): JsonSchema {
  const { type } = schema;
  return typeof type === 'string' && type !== 'object'
    ? { ...schema, type: [type, 'null'], ...described(description) }
    : { oneOf: [schema, { type: 'null' }], ...described(description) };
}

export function text(description?: string): JsonSchema {
  return { type: 'string', ...described(description) };
}

export function integer(description?: string): JsonSchema {
  return { type: 'integer', ...described(description) };
}

export function oneOf(values: readonly string[], description?: string): JsonSchema {
  return { type: 'string', enum: values, ...described(description) };
}

/** What kind of object it is. */
export function constant(value: string): JsonSchema {
  return { type: 'string', const: value, description: 'The kind of object.' };
}

export function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

/** The id of the version that answers, which a converted answer has its own of. */
export const VERSION_ID: JsonSchema = {
  type: 'string',
  format: 'api-version',
  pattern: '^v[1-9]\\d*$',
  description: 'The version that answered.',
};

export function matching(pattern: string, description?: string): JsonSchema {
  return { type: 'string', pattern, ...described(description) };
}

export function idOf(prefix: string, description?: string): JsonSchema {
  return matching(`^${prefix}_[0-9A-Z]{26}$`, description);
}

/** A reference with words of its own, which OpenAPI 3.1 allows beside it. */
export function as(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

/**
 * The shape with any of its members left out. Lists are whole or absent.
 *
 * @param always members of the outermost object that stay.
 */
export function sparse(
  schemas: Readonly<Record<string, JsonSchema>>,
  schema: JsonSchema,
  always: readonly string[] = [],
): JsonSchema {
  const name = schema.$ref?.replace('#/components/schemas/', '') ?? '';
  const target = schemas[name];
  if (target !== undefined) return target.properties ? sparse(schemas, target) : schema;
  const { required: _, ...open } = schema;
  return {
    ...open,
    ...(open.oneOf && { oneOf: open.oneOf.map((branch) => sparse(schemas, branch)) }),
    ...(open.properties && {
      properties: Object.fromEntries(
        Object.entries(open.properties).map(([key, value]) => [key, sparse(schemas, value)]),
      ),
    }),
    ...(always.length === 0 ? {} : { required: always }),
  };
}

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}

import type { VersionId } from '../lifecycle/release.ts';
import type { JsonSchema, OpenApiDocument } from './openapi.ts';

/** Keeps of a value what a version declares, in the order of its contract. */
export type Project = (schema: JsonSchema, value: unknown) => unknown;

/**
 * Without this an addition to a newer version would change the bytes of an older one. Where the
 * newest version names itself (`format: api-version`, or a link), the version is named instead.
 */
export function projector(
  contract: OpenApiDocument,
  { from, to }: { readonly from: VersionId; readonly to: VersionId },
): Project {
  const resolve = (schema: JsonSchema): JsonSchema => resolveRef(contract, schema);
  const project: Project = (given, value) => {
    const schema = branchFor(resolve(given), value, resolve);
    if (schema.format === 'api-version' && value === from) return to;
    if (typeof value === 'string' && schema.format === 'uri-reference') {
      return withVersion(value, from, to);
    }
    const { items, properties } = schema;
    if (Array.isArray(value) && items !== undefined) {
      return value.map((item) => project(items, item));
    }
    if (properties === undefined || !isObject(value)) return value;
    const kept = Object.entries(properties).flatMap(([name, property]): [string, unknown][] =>
      Object.hasOwn(value, name) ? [[name, project(property, value[name])]] : [],
    );
    return Object.fromEntries(kept);
  };
  return project;
}

/** A link to a path of this API, as a link to the same path of another version. */
export function withVersion(link: string, from: VersionId, to: VersionId): string {
  return link.startsWith(`/api/${from}/`) ? `/api/${to}/${link.slice(from.length + 6)}` : link;
}

/** The schema that a reference of a contract means. @throws {Error} for a reference to nothing. */
export function resolveRef(contract: OpenApiDocument, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = contract.components.schemas[name];
  if (found === undefined) throw new Error(`the contract has no ${schema.$ref}`);
  return resolveRef(contract, found);
}

/** Of several, the first that is of the value's type and has its constants. */
function branchFor(
  schema: JsonSchema,
  value: unknown,
  resolve: (schema: JsonSchema) => JsonSchema,
): JsonSchema {
  const branches = schema.anyOf?.map(resolve);
  if (branches === undefined) return schema;
  return branches.find((branch) => fits(branch, value, resolve)) ?? schema;
}

function fits(
  schema: JsonSchema,
  value: unknown,
  resolve: (schema: JsonSchema) => JsonSchema,
): boolean {
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.includes(typeOf(value))) return false;
  if (!isObject(value)) return true;
  return Object.entries(schema.properties ?? {}).every(([name, property]) => {
    const { const: constant } = resolve(property);
    return constant === undefined || !Object.hasOwn(value, name) || value[name] === constant;
  });
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

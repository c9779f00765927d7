import type { VersionId } from '../lifecycle/release.ts';
import type { JsonSchema, OpenApiDocument } from './openapi.ts';

/** Keeps of a value what a version declares, in the order of its contract. */
export type Project = (schema: JsonSchema, value: unknown) => unknown;

/** What is done with the values of one schema. */
type Step = (value: unknown) => unknown;

const asIs: Step = (value) => value;

/**
 * Without this an addition to a newer version would change the bytes of an older one. Where the
 * newest version names itself (`format: api-version`, or a link), the version is named instead.
 */
export function projector(
  contract: OpenApiDocument,
  versions: { readonly from: VersionId; readonly to: VersionId },
): Project {
  const steps = new Map<JsonSchema, Step>();
  const stepOf = (given: JsonSchema): Step => {
    const known = steps.get(given);
    if (known !== undefined) return known;
    // Made when it is first used: a schema may hold itself.
    let made: Step | undefined;
    const step: Step = (value) => {
      made ??= makeStep(resolveRef(contract, given), versions, stepOf, contract);
      return made(value);
    };
    steps.set(given, step);
    return step;
  };
  return (schema, value) => stepOf(schema)(value);
}

function makeStep(
  { oneOf, format, items, properties }: JsonSchema,
  { from, to }: { readonly from: VersionId; readonly to: VersionId },
  stepOf: (schema: JsonSchema) => Step,
  contract: OpenApiDocument,
): Step {
  if (oneOf !== undefined) {
    const branches = oneOf.map((branch) => ({
      fits: testOf(resolveRef(contract, branch), contract),
      step: stepOf(branch),
    }));
    return (value) => (branches.find(({ fits }) => fits(value))?.step ?? asIs)(value);
  }
  if (format === 'api-version') return (value) => (value === from ? to : value);
  if (format === 'uri-reference') {
    return (value) => (typeof value === 'string' ? withVersion(value, from, to) : value);
  }
  if (items !== undefined) {
    const step = stepOf(items);
    return (value) => (Array.isArray(value) ? value.map((one) => step(one)) : value);
  }
  if (properties === undefined) return asIs;
  const members = Object.entries(properties).map(([name, one]) => ({ name, step: stepOf(one) }));
  return (value) => {
    if (!isObject(value)) return value;
    const kept: Record<string, unknown> = {};
    for (const { name, step } of members) {
      if (Object.hasOwn(value, name)) kept[name] = step(value[name]);
    }
    return kept;
  };
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

/** Whether a value is of the schema's type and has its constants. */
function testOf(schema: JsonSchema, contract: OpenApiDocument): (value: unknown) => boolean {
  const types = [schema.type ?? []].flat();
  const constants = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const { const: constant } = resolveRef(contract, property);
    return constant === undefined ? [] : [{ name, constant }];
  });
  return (value) => {
    if (types.length > 0 && !types.includes(typeOf(value))) return false;
    if (!isObject(value)) return true;
    return constants.every(
      ({ name, constant }) => !Object.hasOwn(value, name) || value[name] === constant,
    );
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

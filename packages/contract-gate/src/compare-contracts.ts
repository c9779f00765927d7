import type { CheckId } from './checks.ts';
import { compareMembers } from './compare-members.ts';
import { compareOperation } from './compare-operations.ts';
import { schemaComparison } from './compare-schemas.ts';
import { compareDefaults, compareSchemes, schemeNames } from './compare-security.ts';
import { readContract } from './contract.ts';
import { type Difference, type Finding, type Report, toFinding } from './finding.ts';
import { isObject, type JsonObject, own } from './json.ts';
import type { Operation } from './operations.ts';

export interface CompareOptions {
  /** Two versions of an API stand at different paths; their servers are not compared. */
  readonly ignoreServers?: boolean;
}

/**
 * Every difference between two OpenAPI documents, by the six rules.
 *
 * @param older what callers know, as parsed JSON or YAML.
 * @param newer what they will meet.
 * @throws {ContractInvalid} when one of them cannot be compared; `older` or `newer` is named.
 */
export function compareContracts(
  older: unknown,
  newer: unknown,
  { ignoreServers = false }: CompareOptions = {},
): Finding[] {
  const before = readContract(older, 'older');
  const after = readContract(newer, 'newer');
  const found = new Map<string, Finding>();
  const add = (operation: string) => (difference: Difference) => {
    const finding = toFinding(operation, difference);
    found.set(finding.fingerprint, finding);
  };
  const names = schemeNames(before.document, after.document);
  const compare = schemaComparison(before.schemas, after.schemas);
  for (const [key, operation] of before.operations) {
    const other = after.operations.get(key);
    const report = add(operation.name);
    if (other === undefined) report(presence('operation-removed', operation));
    else
      compareOperation({ before, after, compare, report, names, ignoreServers }, operation, other);
  }
  for (const [key, operation] of after.operations) {
    if (!before.operations.has(key)) add(operation.name)(presence('operation-added', operation));
  }
  compareSchemes([before, after], names, (operation, difference) => add(operation)(difference));
  compareDefaults([before, after], names, add('*'));
  compareRoots(before.document.root, after.document.root, add('*'));
  return [...found.values()];
}

function presence(check: CheckId, { name, pointer, members }: Operation): Difference {
  const shown = own(members, 'operationId') ?? name;
  const side = check === 'operation-removed' ? { before: shown } : { after: shown };
  return { check, direction: 'none', pointer, ...side };
}

const ROOT_MEMBERS = new Set([
  ...['openapi', 'info', 'servers', 'paths', 'components', 'security', 'tags', 'externalDocs'],
  ...['webhooks', 'jsonSchemaDialect'],
]);
const COMPONENTS = new Set([
  ...['schemas', 'responses', 'parameters', 'examples', 'requestBodies', 'headers', 'links'],
  ...['securitySchemes', 'callbacks', 'pathItems'],
]);

/** Members that the gate does not know, and extensions that define permissions. */
function compareRoots(before: JsonObject, after: JsonObject, report: Report): void {
  compareMembers(before, after, ROOT_MEMBERS, '', report);
  const [old, next] = [before, after].map((root) => {
    const components = own(root, 'components');
    return isObject(components) ? components : {};
  }) as [JsonObject, JsonObject];
  compareMembers(old, next, COMPONENTS, '/components', report);
}

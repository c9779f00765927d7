import type { Change, OperationKey, VersionId } from '../lifecycle/release.ts';
import type { ApiVersion } from './api-version.ts';
import type { JsonSchema } from './openapi.ts';
import { type Project, withVersion } from './project.ts';

/** How an answer of the newest version becomes one of an older version. */
export interface Conversion {
  readonly version: ApiVersion;
  readonly operation: OperationKey;
  readonly project: Project;
  /** Newest first. */
  readonly changes: readonly Change[];
  readonly head: VersionId;
}

/** The next page is one of the same version. */
export function convertLinks(
  headers: Record<string, string>,
  head: VersionId,
  to: VersionId,
): Record<string, string> {
  const { Link: links } = headers;
  if (links === undefined) return headers;
  const converted = links.replaceAll(
    /<([^>]+)>/g,
    (_, target) => `<${withVersion(target, head, to)}>`,
  );
  return { ...headers, Link: converted };
}

/** @throws {Error} when the contract does not have it. */
export function responseSchema(
  { id, contract }: ApiVersion,
  operation: OperationKey,
  status: number,
  type: string,
): JsonSchema {
  const [method = '', path = ''] = operation.split(' ');
  const { responses } = contract.paths[path]?.[method.toLowerCase()] ?? {};
  const schema = responses?.[`${status}`]?.content?.[type]?.schema;
  if (schema === undefined) {
    throw new Error(`the contract of ${id} has no ${type} for ${operation}, ${status}`);
  }
  return schema;
}

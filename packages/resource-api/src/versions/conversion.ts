import type { Change, Exchange, OperationKey, VersionId } from '../lifecycle/release.ts';
import type { ApiVersion, VersionResponse } from './api-version.ts';
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

/** An answer of the newest version, after each change on its way down to the older one. */
export function goneDown(
  { operation, changes }: Pick<Conversion, 'operation' | 'changes'>,
  query: URLSearchParams,
  { status, headers, body }: Pick<VersionResponse, 'status' | 'headers'> & Pick<Exchange, 'body'>,
): Exchange {
  const exchange = { operation, query, status, headers: { ...headers }, body };
  for (const change of changes) change.down?.(exchange);
  return exchange;
}

/** The next page is one of the same version. */
export function convertLinks(
  { head, version }: Conversion,
  headers: Record<string, string>,
): Record<string, string> {
  const { Link: links } = headers;
  if (links === undefined) return headers;
  const converted = links.replaceAll(
    /<([^>]+)>/g,
    (_, target) => `<${withVersion(target, head, version.id)}>`,
  );
  return { ...headers, Link: converted };
}

/** @throws {Error} when the contract does not have it. */
export function responseSchema(
  { version: { id, contract }, operation }: Pick<Conversion, 'version' | 'operation'>,
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

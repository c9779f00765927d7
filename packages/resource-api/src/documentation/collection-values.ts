import type { Example } from '../versions/examples.ts';
import type { DescribedOperation } from './contract-reader.ts';

/**
 * The variable of a collection for each id of a path, by operation. A request that lists things
 * keeps the first one's id, so a collection runs from its first request to its last by itself.
 */
const PATH_VARIABLES: Readonly<Record<string, string>> = {
  ...{ getBalance: 'balanceId', getDeal: 'dealId', getImport: 'jobId' },
  ...{ getImportProfile: 'profileName', putImportProfile: 'profileName' },
  deleteImportProfile: 'profileName',
};

/** The value of the id in an operation's path. */
export function pathValue({ id }: DescribedOperation): string {
  const variable = PATH_VARIABLES[id];
  return variable === undefined ? '' : `{{${variable}}}`;
}

/** What is kept of an answer: the variable, and the place of its value. */
export const KEPT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  listBalances: { balanceId: 'data?.[0]?.id', dealId: 'data?.[0]?.deal?.id' },
  postImport: { jobId: 'data?.id' },
};

/** The profile that a collection registers, shows and removes again. */
export const PROFILE_NAME = 'example';

export interface CollectionSource {
  readonly version: string;
  /** The base URL of the deployment. */
  readonly issuer: string;
  readonly operations: readonly DescribedOperation[];
  readonly examples: Readonly<Record<string, readonly Example[]>>;
}

/** What the recorded request of the operation sent: its body, media type and query. */
export function sentBy(
  { method, path }: DescribedOperation,
  { examples }: CollectionSource,
): { readonly body: string; readonly type: string; readonly query: URLSearchParams } | undefined {
  const [first] = examples[`${method} ${path}`] ?? [];
  if (first?.sent === undefined) return undefined;
  const query = new URLSearchParams(first.path.split('?')[1]);
  return { body: first.sent, type: first.headers?.['content-type'] ?? '', query };
}

/** A profile is registered before it is shown: reads stand behind the writes that they need. */
export function inOrder(operations: readonly DescribedOperation[]): readonly DescribedOperation[] {
  const place = ({ id }: DescribedOperation) =>
    id === 'getImportProfile' || id === 'deleteImportProfile' ? 1 : 0;
  return [...operations].sort((a, b) => place(a) - place(b));
}

/** A client of the balances API, on web standards alone. */
export {
  type ClientOptions,
  type ClsClient,
  type CopiedResource,
  type CopyQuery,
  createClient,
  type Resource,
} from './client.ts';
export type { Copy } from './copy.ts';
export { ClsError, type ErrorCode, type ParameterError, type ProblemCode } from './errors.ts';
export type { Export, ExportLine } from './export.ts';
export type { components, paths } from './generated/v1.ts';
export type { RetryPolicy } from './retries.ts';
export type {
  ExportSummary,
  Item,
  List,
  Meta,
  Path,
  Query,
  RemovedItem,
  Schemas,
} from './types.ts';
export type { Walk } from './walk.ts';

/** Files that are posted into the book, as jobs. */
import { requirePermission } from '@cls/shared/access/require-permission';
import type { Book } from '../../import/book.ts';
import type { ImportJob, ImportJobs, ImportParameters } from '../../import/jobs/import-job.ts';
import { type ImportProfiles, profileOf } from '../../import/jobs/import-profiles.ts';
import { type ReceiveDeps, receiveImport } from '../../import/jobs/receive-import.ts';
import type {
  VersionRequest,
  VersionResponse,
  VersionRoute,
  WriteMethod,
  WriteRequest,
} from '../api-version.ts';
import { idOf, notFound } from './documents.ts';
import {
  deleteProfile,
  getProfile,
  listProfiles,
  putProfile,
  refuseBadProfile,
} from './import-profile-routes.ts';
import {
  demandTotals,
  idempotencyKeyOf,
  parseImportQuery,
  parseImportsQuery,
  parseNothing,
  unknownProfile,
} from './import-query.ts';
import {
  bodyTooLarge,
  DISABLED,
  refusalOfImport,
  refuseMediaType,
  SOURCE_CLOSED,
} from './import-refusals.ts';
import { jsonAnswer, mediaTypeOf } from './media-type.ts';
import { V1_JOURNALS_PERMISSIONS, V1_POST_PERMISSIONS } from './permissions.ts';
import { presentImport } from './present-import.ts';

export interface ImportDeps extends Omit<ReceiveDeps, 'jobs'> {
  readonly jobs: ReceiveDeps['jobs'] & Pick<ImportJobs, 'list'>;
  readonly profiles: ImportProfiles;
  readonly book: Pick<Book, 'mayPost'>;
  /** False where the deployment takes no files over HTTP. */
  readonly enabled: boolean;
  /** Of the scopes that permissions have in tokens. */
  readonly scopeBase: string;
  /** Called when a job waits. */
  readonly onQueued: () => void;
}

export const IMPORT_PATHS = {
  imports: '/cls/imports',
  import: '/cls/imports/{id}',
  profiles: '/cls/import-profiles',
  profile: '/cls/import-profiles/{name}',
} as const;
type ImportPath = keyof typeof IMPORT_PATHS;

/** What a file says of itself; how it is read follows from its bytes and its profile. */
export const FILE_TYPES = [
  ...['text/csv', 'text/plain', 'text/tab-separated-values', 'application/x-ndjson'],
  ...['application/gzip', 'application/zip', 'application/octet-stream'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

type Answer<R> = (deps: ImportDeps, request: R) => Promise<VersionResponse>;

const READS: Readonly<Record<ImportPath, Answer<VersionRequest>>> = {
  imports: listImports,
  import: getImport,
  profiles: listProfiles,
  profile: getProfile,
};
const WRITES: Readonly<
  Partial<Record<ImportPath, Readonly<Partial<Record<WriteMethod, Answer<WriteRequest>>>>>>
> = {
  imports: { POST: postImport },
  profile: { PUT: putProfile, DELETE: deleteProfile },
};

export function importRoutes(deps: ImportDeps): VersionRoute[] {
  const answer =
    <R extends VersionRequest>(make: Answer<R>) =>
    async (request: R) => {
      mediaTypeOf(request, ['application/json']);
      if (!deps.enabled) throw DISABLED;
      return make(deps, request);
    };
  return (Object.keys(IMPORT_PATHS) as ImportPath[]).map((name) => {
    const writes = Object.entries(WRITES[name] ?? {});
    return {
      path: IMPORT_PATHS[name],
      permissions: V1_POST_PERMISSIONS,
      question(request) {
        if (name === 'imports') parseImportsQuery(request.query);
        else parseNothing(request.query);
        return `${request.path.split('/cls/')[1]}?`;
      },
      handle: answer(READS[name]),
      writes: Object.fromEntries(writes.map(([method, make]) => [method, answer(make)])),
    };
  });
}

async function listImports(
  { jobs }: ImportDeps,
  { query, caller }: VersionRequest,
): Promise<VersionResponse> {
  const { limit, cursor } = parseImportsQuery(query);
  const found = await jobs.list(caller.customer, limit + 1, cursor);
  const page = found.slice(0, limit);
  const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null;
  const next = `/api/v1${IMPORT_PATHS.imports}?limit=${limit}&cursor=${nextCursor}`;
  const document = {
    ...{ object: 'list', data: page.map(presentImport) },
    page: { limit, hasMore: nextCursor !== null, nextCursor },
  };
  const headers = nextCursor === null ? {} : { Link: `<${next}>; rel="next"` };
  const read = { question: 'imports?', items: () => page.length };
  return { ...jsonAnswer(200, document, headers), read };
}

async function getImport({ jobs }: ImportDeps, request: VersionRequest): Promise<VersionResponse> {
  parseNothing(request.query);
  const id = idOf(request);
  const job = await jobs.find(request.caller.customer, id);
  if (job === undefined) throw notFound('import');
  const answer = jsonAnswer(200, { object: 'item', data: presentImport(job) });
  return { ...answer, read: { question: `imports/${id}`, items: () => 1 } };
}

async function postImport(deps: ImportDeps, request: WriteRequest): Promise<VersionResponse> {
  const { headers, body } = request;
  const parameters = parseImportQuery(request.query);
  if (parameters.kind === 'journals') {
    requirePermission(request.caller, V1_JOURNALS_PERMISSIONS, deps.scopeBase);
  }
  const idempotencyKey = idempotencyKeyOf(request);
  refuseMediaType(request, FILE_TYPES);
  if (Number(headers['content-length'] ?? 0) > deps.maxBytes) throw bodyTooLarge(deps.maxBytes);
  const { customer, subject, clientId } = request.caller;
  const poster = { customer, subject, clientId };
  const document = await profileFor(deps, customer, parameters);
  demandTotals(parameters, document);
  const received = await receiveImport(
    deps,
    { poster, idempotencyKey, parameters, document },
    body,
  );
  if (!('job' in received)) throw refusalOfImport(received, deps);
  if (received.outcome === 'new') deps.onQueued();
  const { job } = received;
  const Location = `/api/v1${IMPORT_PATHS.imports}/${job.id}`;
  const answer = jsonAnswer(202, { object: 'item', data: presentImport(job) }, { Location });
  return { ...answer, read: { question: questionOf(job), items: () => 0 } };
}

/** For the log of reads: what was posted, by its digest. */
function questionOf({ id, parameters, fileSha256 }: ImportJob): string {
  const { kind, apply, profile } = parameters;
  const asked = { id, kind, apply: `${apply}`, ...(profile && { profile }), sha256: fileSha256 };
  return `imports?${new URLSearchParams(asked)}`;
}

/** The profile as it is now: the job keeps it. @throws {Refusal} */
async function profileFor(
  { profiles, book }: Pick<ImportDeps, 'profiles' | 'book'>,
  customer: string,
  { profile: name }: ImportParameters,
): Promise<unknown> {
  if (name === undefined) return undefined;
  const found = await profiles.find(customer, name);
  if (found === undefined) throw unknownProfile(name);
  // An earlier build may have taken what this one refuses.
  refuseBadProfile(name, found.profile);
  const { source } = profileOf(found.profile);
  if (!(await book.mayPost(source, customer))) throw SOURCE_CLOSED;
  return found.profile;
}

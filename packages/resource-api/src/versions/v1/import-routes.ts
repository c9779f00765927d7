/** Files that are posted into the book, and the profiles that statements are read by. */
import { Refusal } from '@cls/shared/http/refusal';
import type { ImportJob, ImportJobs, ImportParameters } from '../../import/jobs/import-job.ts';
import { type ImportProfiles, profileFaults } from '../../import/jobs/import-profiles.ts';
import {
  type ReceiveDeps,
  type Received,
  receiveImport,
} from '../../import/jobs/receive-import.ts';
import type {
  VersionRequest,
  VersionResponse,
  VersionRoute,
  WriteRequest,
} from '../api-version.ts';
import {
  idempotencyKeyOf,
  parseImportQuery,
  parseImportsQuery,
  parseNothing,
  unknownProfile,
} from './import-query.ts';
import { bodyTooLarge, refusalOfImport, refuseMediaType } from './import-refusals.ts';
import { mediaTypeOf } from './media-type.ts';
import { V1_POST_PERMISSIONS } from './permissions.ts';
import { presentImport, presentProfile } from './present-import.ts';

export interface ImportDeps extends Omit<ReceiveDeps, 'jobs'> {
  readonly jobs: ReceiveDeps['jobs'] & Pick<ImportJobs, 'list'>;
  readonly profiles: ImportProfiles;
  /** False where the deployment takes no files over HTTP. */
  readonly enabled: boolean;
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

const PROFILE_MAX_BYTES = 262_144;
const JSON_ALONE = ['application/json'] as const;
/** What a file says of itself; how it is read follows from its bytes and its profile. */
export const FILE_TYPES = [
  ...['text/csv', 'text/plain', 'text/tab-separated-values', 'application/x-ndjson'],
  ...['application/gzip', 'application/zip', 'application/octet-stream'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

type Answer<R> = (deps: ImportDeps, request: R) => Promise<VersionResponse>;

export function importRoutes(deps: ImportDeps): VersionRoute[] {
  const answer =
    <R extends VersionRequest>(make: Answer<R>) =>
    async (request: R) => {
      mediaTypeOf(request, JSON_ALONE);
      if (!deps.enabled) throw DISABLED;
      return make(deps, request);
    };
  return (Object.keys(IMPORT_PATHS) as ImportPath[]).map((name) => {
    const writes = Object.entries(WRITES[name]);
    return {
      path: IMPORT_PATHS[name],
      permissions: V1_POST_PERMISSIONS,
      question(request) {
        mediaTypeOf(request, JSON_ALONE);
        if (name === 'imports') parseImportsQuery(request.query);
        else parseNothing(request.query);
        return `${request.path.split('/cls/')[1]}?`;
      },
      handle: answer(READS[name]),
      writes: Object.fromEntries(writes.map(([method, make]) => [method, answer(make)])),
    };
  });
}

const DISABLED = new Refusal({
  status: 403,
  code: 'imports_disabled',
  title: 'Imports are switched off',
  detail: 'This deployment takes no files over HTTP (IMPORTS=off); its operator can import them.',
});

const READS: Readonly<Record<ImportPath, Answer<VersionRequest>>> = {
  async imports({ jobs }, { query, caller }) {
    const { limit, cursor } = parseImportsQuery(query);
    const found = await jobs.list(caller.customer, limit + 1, cursor);
    const page = found.slice(0, limit);
    const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null;
    const next = `/api/v1${IMPORT_PATHS.imports}?limit=${limit}&cursor=${nextCursor}`;
    return {
      ...json(
        200,
        {
          object: 'list',
          data: page.map(presentImport),
          page: { limit, hasMore: nextCursor !== null, nextCursor },
        },
        nextCursor === null ? {} : { Link: `<${next}>; rel="next"` },
      ),
      read: { question: 'imports?', items: () => page.length },
    };
  },
  async import({ jobs }, { path, query, caller }) {
    parseNothing(query);
    const id = lastOf(path);
    const job = await jobs.find(caller.customer, id);
    if (job === undefined) throw notFound('import');
    const answer = json(200, { object: 'item', data: presentImport(job) });
    return { ...answer, read: { question: `imports/${id}`, items: () => 1 } };
  },
  async profiles({ profiles }, { query }) {
    parseNothing(query);
    return json(200, { object: 'list', data: (await profiles.list()).map(presentProfile) });
  },
  async profile({ profiles }, { path, query }) {
    parseNothing(query);
    const found = await profiles.find(lastOf(path));
    if (found === undefined) throw notFound('profile');
    return json(200, { object: 'item', data: presentProfile(found) });
  },
};

const WRITES: Readonly<Record<ImportPath, Readonly<Record<string, Answer<WriteRequest>>>>> = {
  imports: { POST: postImport },
  import: {},
  profiles: {},
  profile: {
    async PUT({ profiles }, request) {
      const { path, query, caller } = request;
      parseNothing(query);
      refuseMediaType(request, JSON_ALONE);
      const name = lastOf(path);
      const document = await readProfile(name, request.body);
      const stored = await profiles.put(name, document, caller.subject);
      const answer = json(200, { object: 'item', data: presentProfile(stored) });
      return { ...answer, read: { question: `import-profiles/${name}`, items: () => 1 } };
    },
    async DELETE({ profiles }, { path, query }) {
      parseNothing(query);
      const name = lastOf(path);
      if (!(await profiles.remove(name))) throw notFound('profile');
      const read = { question: `import-profiles/${name}`, items: () => 0 };
      return { status: 204, headers: {}, body: Buffer.alloc(0), read };
    },
  },
};

async function postImport(deps: ImportDeps, request: WriteRequest): Promise<VersionResponse> {
  const { caller, headers, body } = request;
  const parameters = parseImportQuery(request.query);
  const idempotencyKey = idempotencyKeyOf(request);
  refuseMediaType(request, FILE_TYPES);
  if (Number(headers['content-length'] ?? 0) > deps.maxBytes) throw bodyTooLarge(deps.maxBytes);
  const { customer, subject, clientId } = caller;
  const job = {
    ...{ poster: { customer, subject, clientId }, idempotencyKey, parameters },
    document: await profileFor(deps.profiles, parameters),
  };
  const received = await receiveImport(deps, job, body);
  return answerReceived(deps, received);
}

function answerReceived(deps: ImportDeps, received: Received): VersionResponse {
  if (!('job' in received)) throw refusalOfImport(received, deps);
  if (received.outcome === 'new') deps.onQueued();
  const { job } = received;
  const Location = `/api/v1${IMPORT_PATHS.imports}/${job.id}`;
  const answer = json(202, { object: 'item', data: presentImport(job) }, { Location });
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
  profiles: Pick<ImportProfiles, 'find'>,
  { profile: name }: ImportParameters,
): Promise<unknown> {
  if (name === undefined) return undefined;
  const found = await profiles.find(name);
  if (found === undefined) throw unknownProfile(name);
  // It was registered by an earlier build, perhaps.
  refuseProfile(profileFaults(name, found.profile));
  return found.profile;
}

/** @throws {Refusal} */
async function readProfile(name: string, body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > PROFILE_MAX_BYTES) throw bodyTooLarge(PROFILE_MAX_BYTES);
    parts.push(part);
  }
  let document: unknown;
  try {
    document = JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    refuseProfile(['expected JSON']);
  }
  refuseProfile(profileFaults(name, document));
  return document;
}

function refuseProfile(faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new Refusal({
    status: 422,
    code: 'invalid_profile',
    title: 'Profile not valid',
    detail: faults.slice(0, 20).join('; '),
  });
}

function json(
  status: number,
  document: object,
  headers: Readonly<Record<string, string>> = {},
): VersionResponse {
  const body = Buffer.from(JSON.stringify(document));
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    body,
  };
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The same for what there is not and for what belongs to another customer. */
function notFound(what: string): Refusal {
  return new Refusal({
    status: 404,
    code: 'not_found',
    title: 'Not found',
    detail: `There is no such ${what}.`,
  });
}

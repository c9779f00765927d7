/** The profiles that posted statements are read by. */
import { GatheredBytes } from '@cls/shared/http/gathered-bytes';
import { Refusal } from '@cls/shared/http/refusal';
import { parseStrictObject } from '@cls/shared/strict-json';
import {
  type ImportProfiles,
  profileFaults,
  weakenedChecks,
} from '../../import/jobs/import-profiles.ts';
import type { VersionRequest, VersionResponse, WriteRequest } from '../api-version.ts';
import { idOf, notFound } from './documents.ts';
import { parseNothing } from './import-query.ts';
import { bodyTooLarge, refuseMediaType } from './import-refusals.ts';
import { jsonAnswer } from './media-type.ts';
import { presentProfile } from './present-import.ts';

interface ProfileDeps {
  readonly profiles: ImportProfiles;
}

const PROFILE_MAX_BYTES = 262_144;

export async function listProfiles(
  { profiles }: ProfileDeps,
  { query, caller }: VersionRequest,
): Promise<VersionResponse> {
  parseNothing(query);
  const data = (await profiles.list(caller.customer)).map(presentProfile);
  return jsonAnswer(200, { object: 'list', data });
}

export async function getProfile(
  { profiles }: ProfileDeps,
  request: VersionRequest,
): Promise<VersionResponse> {
  parseNothing(request.query);
  const found = await profiles.find(request.caller.customer, idOf(request));
  if (found === undefined) throw notFound('profile');
  return jsonAnswer(200, { object: 'item', data: presentProfile(found) });
}

export async function putProfile(
  { profiles }: ProfileDeps,
  request: WriteRequest,
): Promise<VersionResponse> {
  parseNothing(request.query);
  refuseMediaType(request, ['application/json']);
  const name = idOf(request);
  const document = await readJson(request.body);
  refuseBadProfile(name, document);
  const weakened = weakenedChecks(document);
  if (weakened.length > 0) throw invalidProfile(weakened.join('; '));
  const { customer, subject } = request.caller;
  const stored = await profiles.put(customer, name, document, subject);
  const answer = jsonAnswer(200, { object: 'item', data: presentProfile(stored) });
  return { ...answer, read: { question: `import-profiles/${name}`, items: () => 1 } };
}

export async function deleteProfile(
  { profiles }: ProfileDeps,
  request: WriteRequest,
): Promise<VersionResponse> {
  parseNothing(request.query);
  const name = idOf(request);
  if (!(await profiles.remove(request.caller.customer, name))) throw notFound('profile');
  const read = { question: `import-profiles/${name}`, items: () => 0 };
  return { status: 204, headers: {}, body: Buffer.alloc(0), read };
}

/** @throws {Refusal} */
export function refuseBadProfile(name: string, document: unknown): void {
  const faults = profileFaults(name, document);
  if (faults.length > 0) throw invalidProfile(faults.slice(0, 20).join('; '));
}

/** @throws {Refusal} */
async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const bytes = new GatheredBytes();
  for await (const chunk of body) {
    bytes.add(chunk);
    if (bytes.length > PROFILE_MAX_BYTES) throw bodyTooLarge(PROFILE_MAX_BYTES);
  }
  const document = parseStrictObject(bytes.take());
  if (document !== undefined) return document;
  throw invalidProfile('expected a JSON object in UTF-8 in which no name stands twice');
}

function invalidProfile(detail: string): Refusal {
  return new Refusal({
    ...{ status: 422, code: 'invalid_profile', title: 'Profile not valid' },
    detail,
  });
}

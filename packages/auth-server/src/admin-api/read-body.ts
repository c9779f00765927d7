import type { IncomingMessage } from 'node:http';
import { parseStrictObject } from '@cls/shared/access/strict-json';
import type { ApiPermission } from '@cls/shared/access-token';
import { parameterRefusal, unknownParameter } from '@cls/shared/http/parameter-refusal';
import type { ParameterFault, Refusal } from '@cls/shared/http/refusal';
import { canonicalEmail, EMAIL } from '../accounts/account.ts';
import { asName, NAME_MAX_CHARS } from '../accounts/display-name.ts';
import { LANGUAGES, type Language } from '../audit/actor.ts';
import { readBody } from '../web/read-body.ts';
import { bodyTooLarge, unsupportedMediaType } from './refusals.ts';

const BODY_MAX_BYTES = 16_384;
const JSON_UTF8 = /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

type Members = Readonly<Record<string, unknown>>;

export interface InvitationInput {
  /** Canonical. */
  readonly email: string;
  readonly name?: string;
  readonly permissions: readonly ApiPermission[];
  /** Of the message; English without it. */
  readonly language?: Language;
}

/**
 * @param grantablePermissions permissions that the administrator may give.
 * @throws {Refusal} naming every fault of the body at once.
 */
export async function readInvitation(
  request: IncomingMessage,
  grantablePermissions: readonly ApiPermission[],
): Promise<InvitationInput> {
  const members = (await readMembers(request)) ?? {};
  const faults = unknownMembers(members, ['email', 'name', 'permissions', 'language']);
  const email = typeof members['email'] === 'string' ? canonicalEmail(members['email']) : '';
  if (!EMAIL.test(email)) faults.push(fault('email', 'expected an e-mail address'));
  const name = readName(members, faults);
  const permissions = readPermissions(members, grantablePermissions, faults);
  const asked = members['language'];
  const language = LANGUAGES.find((one) => one === asked);
  if (asked !== undefined && language === undefined) {
    faults.push(fault('language', `expected one of ${LANGUAGES.join(', ')}`));
  }
  if (faults.length > 0) throw parameterRefusal(faults);
  const named = name === undefined ? {} : { name };
  return { email, ...named, permissions, ...(language === undefined ? {} : { language }) };
}

/** The body that replaces an account's permissions. @throws {Refusal} naming every fault at once. */
export async function readPermissionsOnly(
  request: IncomingMessage,
  grantablePermissions: readonly ApiPermission[],
): Promise<readonly ApiPermission[]> {
  const members = (await readMembers(request)) ?? {};
  const faults = unknownMembers(members, ['permissions']);
  const permissions = readPermissions(members, grantablePermissions, faults);
  if (faults.length > 0) throw parameterRefusal(faults);
  return permissions;
}

/** The body that replaces an account's name; `null` takes it away. @throws {Refusal} */
export async function readNameOnly(request: IncomingMessage): Promise<string | undefined> {
  const members = (await readMembers(request)) ?? {};
  const faults = unknownMembers(members, ['name']);
  const name = members['name'] === null ? undefined : readName(members, faults);
  if (!Object.hasOwn(members, 'name')) faults.push(fault('name', `${A_NAME}, or null`));
  if (faults.length > 0) throw parameterRefusal(faults);
  return name;
}

const A_NAME = `expected 1 to ${NAME_MAX_CHARS} characters that show`;

/** Adds a fault where the member is there and no name. */
function readName({ name: value }: Members, faults: ParameterFault[]): string | undefined {
  const name = typeof value === 'string' ? asName(value) : undefined;
  if (value !== undefined && name === undefined) faults.push(fault('name', A_NAME));
  return name;
}

/** For what needs no body: none, or an empty object. @throws {Refusal} */
export async function readNothing(request: IncomingMessage): Promise<void> {
  const faults = unknownMembers((await readMembers(request)) ?? {}, []);
  if (faults.length > 0) throw parameterRefusal(faults);
}

/** Adds a fault, and returns none, where the member is not what it should be. */
function readPermissions(
  { permissions: value }: Members,
  grantablePermissions: readonly ApiPermission[],
  faults: ParameterFault[],
): readonly ApiPermission[] {
  const given = Array.isArray(value) ? value : [];
  const known = grantablePermissions.filter((permission) => given.includes(permission));
  if (known.length > 0 && known.length === given.length) return known;
  const expected = `expected a list of one or more of ${grantablePermissions.join(', ')}, each once`;
  faults.push(fault('permissions', expected));
  return [];
}

/** Undefined when there is no body. @throws {Refusal} 400, 413, 415 */
async function readMembers(request: IncomingMessage): Promise<Members | undefined> {
  const { headers } = request;
  const tooLarge = Number(headers['content-length'] ?? 0) > BODY_MAX_BYTES;
  const bytes = tooLarge ? undefined : await readBody(request, BODY_MAX_BYTES);
  if (bytes === undefined) throw bodyTooLarge(BODY_MAX_BYTES);
  if (bytes.length === 0) return undefined; // A proxy may send nothing in chunks.
  const plain = headers['content-encoding'] === undefined;
  if (!plain || !JSON_UTF8.test(headers['content-type'] ?? '')) throw unsupportedMediaType();
  const members = parseStrictObject(bytes);
  if (members === undefined) throw malformed();
  return members;
}

function malformed(): Refusal {
  return parameterRefusal([
    fault('body', 'expected a JSON object in UTF-8 that names no member twice'),
  ]);
}

function unknownMembers(members: Members, known: readonly string[]): ParameterFault[] {
  const names = Object.keys(members).filter((name) => !known.includes(name));
  return names.slice(0, 50).map((name) => unknownParameter(name, known));
}

function fault(parameter: string, message: string): ParameterFault {
  return { parameter, code: 'invalid_parameter', message };
}

import type { IncomingMessage } from 'node:http';
import { PERSON_PERMISSIONS, type PersonPermission } from '@cls/shared/access-token';
import { asName, NAME_MAX_CHARS } from '@cls/shared/display-name';
import { parameterRefusal } from '@cls/shared/http/parameter-refusal';
import type { Refusal } from '@cls/shared/http/refusal';
import { LOCALES } from '@cls/shared/pages/browser';
import { parseStrictObject } from '@cls/shared/strict-json';
import { isStorable } from '@cls/shared/text';
import { z } from 'zod';
import { asPersonName } from '../accounts/display-name.ts';
import { KEEP_OLD_MAX_S, SECRET_LIFE_MAX_S } from '../clients/manage-secrets.ts';
import { readBody } from '../web/read-body.ts';
import { bodyTooLarge, refusal } from './refusals.ts';
import { fault, NEW_EMAIL_ADDRESS, validate } from './validate.ts';

const BODY_MAX_BYTES = 16_384;
const JSON_UTF8 = /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const A_NAME = `expected 1 to ${NAME_MAX_CHARS} characters that show, without a web address`;
const NAME = z
  .string({ error: A_NAME })
  .refine((text) => asPersonName(text) !== undefined && isStorable(text), A_NAME)
  .transform((text) => asPersonName(text) ?? text);

const A_SECRET_NAME = `expected 1 to ${NAME_MAX_CHARS} characters that show`;
const seconds = (min: number, max: number) => {
  const error = `expected a whole number of seconds from ${min} to ${max}`;
  return z.int({ error }).min(min, error).max(max, error);
};
/** What makes a secret. */
export const NEW_SECRET = z.strictObject({
  name: z
    .string({ error: A_SECRET_NAME })
    .refine((text) => asName(text) !== undefined && isStorable(text), A_SECRET_NAME)
    .transform((text) => asName(text) ?? text)
    .exactOptional(),
  endsIn: seconds(1, SECRET_LIFE_MAX_S).exactOptional(),
});
/** What replaces a secret. */
export const REPLACEMENT = NEW_SECRET.extend({ keepOldFor: seconds(0, KEEP_OLD_MAX_S) });

const permissionsOf = (grantable: readonly PersonPermission[]) => {
  const error = `expected a list of one or more of ${grantable.join(', ')}, each once`;
  return z
    .array(z.unknown(), { error })
    .transform((given) => ({ given, known: grantable.filter((one) => given.includes(one)) }))
    .refine(({ given, known }) => known.length > 0 && known.length === given.length, error)
    .transform(({ known }): readonly PersonPermission[] => known)
    .meta({ items: { enum: grantable }, minItems: 1, uniqueItems: true });
};

/** @param grantable permissions that the administrator may give. */
export const invitation = (grantable: readonly PersonPermission[]) =>
  z.strictObject({
    email: NEW_EMAIL_ADDRESS,
    name: NAME.exactOptional(),
    permissions: permissionsOf(grantable),
    language: z.enum(LOCALES, { error: `expected one of ${LOCALES.join(', ')}` }).exactOptional(),
  });
export const permissionsOnly = (grantable: readonly PersonPermission[]) =>
  z.strictObject({ permissions: permissionsOf(grantable) });
const NAME_OR_NULL = `${A_NAME}, or null`;

/** Bodies that depend on the administrator, as the contract shows them. */
export const INVITATION = invitation(PERSON_PERMISSIONS);
export const PERMISSIONS = permissionsOnly(PERSON_PERMISSIONS);
/** What replaces an account's name. */
export const NAME_ONLY = z.strictObject({
  name: z.union([z.null(), NAME], {
    error: ({ input }) => (input === undefined ? NAME_OR_NULL : A_NAME),
  }),
});

/** For what needs no body: none, or an empty object. */
export const NOTHING = z.strictObject({});

/** @throws {Refusal} naming every fault of the body at once. */
export async function readBodyOf<T extends z.ZodObject>(
  schema: T,
  request: IncomingMessage,
): Promise<z.output<T>> {
  return validate(schema, await readMembers(request));
}

/** The same; a member that is `null` counts as left out. @throws {Refusal} */
export async function readGiven<T extends z.ZodObject>(
  schema: T,
  request: IncomingMessage,
): Promise<z.output<T>> {
  const members = Object.entries(await readMembers(request));
  return validate(schema, Object.fromEntries(members.filter(([, value]) => value !== null)));
}

/** Empty when there is no body. @throws {Refusal} 400, 413, 415 */
async function readMembers(request: IncomingMessage): Promise<object> {
  const { headers } = request;
  const tooLarge = Number(headers['content-length'] ?? 0) > BODY_MAX_BYTES;
  const bytes = tooLarge ? undefined : await readBody(request, BODY_MAX_BYTES);
  if (bytes === undefined) throw bodyTooLarge(BODY_MAX_BYTES);
  if (bytes.length === 0) return {}; // A proxy may send nothing in chunks.
  const plain = headers['content-encoding'] === undefined;
  if (!plain || !JSON_UTF8.test(headers['content-type'] ?? '')) {
    throw refusal('unsupported_media_type');
  }
  const members = parseStrictObject(bytes);
  if (members === undefined) throw malformed();
  return members;
}

function malformed(): Refusal {
  return parameterRefusal([
    fault('body', 'expected a JSON object in UTF-8 that names no member twice'),
  ]);
}

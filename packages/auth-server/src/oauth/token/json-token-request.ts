/**
 * The JSON form of `POST /oauth/token`. RFC 6749 §4 knows forms only, and so does the library: a
 * JSON request is read here and handed on as the form it stands for. Three shapes exist; anything
 * else is refused with the names that are allowed.
 */
import type { IncomingMessage } from 'node:http';
import { parseStrictObject } from '@cls/shared/strict-json';
import { isStorable, STORABLE_EXPECTED } from '@cls/shared/text';
import { ACCOUNT_GRANT } from '../../clients/grant-types.ts';
import { ACCOUNT_CLIENT_ID } from '../../library/client-metadata.ts';
import { errors } from '../../library/oidc.ts';
import { requestWith } from './request-with.ts';
import { passwordGrantRefused } from './token-error.ts';

/** An address of RFC 5321 fits, and no row of the audit log grows by more. */
const EMAIL_MAX_LENGTH = 254;

interface Shape {
  /** The member that distinguishes this shape from the others. */
  readonly key: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly form: Readonly<Record<string, string>>;
}

const ACCOUNT_FORM = { grant_type: ACCOUNT_GRANT, client_id: ACCOUNT_CLIENT_ID };
const SHAPES: readonly Shape[] = [
  { key: 'mfa_token', required: ['mfa_token', 'otp'], optional: [], form: ACCOUNT_FORM },
  { key: 'email', required: ['email', 'password'], optional: ['otp'], form: ACCOUNT_FORM },
  {
    key: 'client_id',
    required: ['client_id', 'client_secret'],
    optional: ['grant_type', 'scope', 'resource'],
    form: { grant_type: 'client_credentials' },
  },
];
/** Client authentication by HTTP Basic, the rest in the body. */
const WITH_BASIC: Shape = {
  key: 'grant_type',
  required: [],
  optional: ['grant_type', 'scope', 'resource'],
  form: { grant_type: 'client_credentials' },
};

/**
 * The form that a JSON body stands for.
 *
 * @param authorization the request's header.
 * @throws {errors.InvalidRequest} quoting no value.
 */
export function toForm(body: Uint8Array, authorization: string): string {
  const members = readTexts(body);
  if (typeof members === 'string') throw new errors.InvalidRequest(members);
  if (members.get('grant_type') === 'password' && !members.has('email'))
    throw passwordGrantRefused();
  const fields = toFormFields(members, /^basic /i.test(authorization));
  if (typeof fields === 'string') throw new errors.InvalidRequest(fields);
  return new URLSearchParams(fields).toString();
}

/** A member that is `null` is left out. */
function readTexts(body: Uint8Array): Map<string, string> | string {
  const object = parseStrictObject(body);
  if (object === undefined) return 'the body is not a JSON object in UTF-8 with each name once';
  const members = Object.entries(object).filter(([, value]) => value !== null);
  if (!members.every((member): member is [string, string] => typeof member[1] === 'string')) {
    return 'the body is not a JSON object whose values are all strings or null';
  }
  return new Map(members);
}

function toFormFields(
  given: Map<string, string>,
  hasBasic: boolean,
): Record<string, string> | string {
  // A parameter without a value is left out (RFC 6749 §3.1).
  const members = new Map([...given].filter(([, value]) => value !== ''));
  const shape =
    SHAPES.find(({ key }) => members.has(key)) ??
    (hasBasic || members.has(WITH_BASIC.key) ? WITH_BASIC : undefined) ??
    SHAPES.find(({ key }) => given.has(key));
  if (shape === undefined) {
    return 'expected {email, password}, {mfa_token, otp} or {client_id, client_secret}';
  }
  const { required, optional, form } = shape;
  if ((members.get('email') ?? '').length > EMAIL_MAX_LENGTH) return 'the e-mail is too long';
  const missing = required.filter((name) => !members.get(name));
  if (missing.length > 0) return `missing: ${missing.join(', ')}`;
  const known = [...required, ...optional];
  if ([...members.keys()].some((name) => !known.includes(name))) {
    const beside = required.length === 0 ? '' : `beside ${required.join(' and ')} `;
    return `${beside}only ${optional.join(', ') || 'nothing'} may be sent`;
  }
  const unstorable = known.find((name) => !isStorable(members.get(name) ?? ''));
  if (unstorable !== undefined) return `${unstorable}: ${STORABLE_EXPECTED}`;
  return { ...form, ...Object.fromEntries(members) };
}

/** The same request on the same connection, with the form as its body. */
export function formRequest(request: IncomingMessage, form: string): IncomingMessage {
  const { 'transfer-encoding': _, ...headers } = request.headers;
  const headersOfForm = {
    ...headers,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': `${Buffer.byteLength(form)}`,
  };
  return requestWith(request, headersOfForm, form);
}

/**
 * The JSON form of `POST /oauth/token`. RFC 6749 §4 knows forms only, and so does the library: a
 * JSON request is read here and handed on as the form it stands for. Three shapes exist; anything
 * else is refused with the names that are allowed.
 */
import { IncomingMessage } from 'node:http';
import { ACCOUNT_CLIENT_ID, ACCOUNT_GRANT } from '../provider/client-metadata.ts';
import { parseFlatObject } from './strict-json.ts';
import type { TokenRefusal } from './token-error.ts';

/** Bytes; the library's own limit for forms. */
export const BODY_MAX_BYTES = 56 * 1024;

interface Shape {
  /** The member that tells this shape from the others. */
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
    optional: ['grant_type', 'scope'],
    form: { grant_type: 'client_credentials' },
  },
  {
    // Client authentication by HTTP Basic, the rest in the body.
    key: 'grant_type',
    required: ['grant_type'],
    optional: ['scope'],
    form: {},
  },
];

const jsonRequests = new WeakSet<IncomingMessage>();

/** Whether this request came as JSON: the account grant is open to those alone. */
export function cameAsJson(request: IncomingMessage): boolean {
  return jsonRequests.has(request);
}

/** The request as a form, or why it is refused. */
export async function asForm(request: IncomingMessage): Promise<IncomingMessage | TokenRefusal> {
  const body = await readBody(request);
  if (typeof body !== 'string') return body;
  const members = parseFlatObject(body);
  if (typeof members === 'string') return refusal(members);
  const fields = toFormFields(members);
  if (typeof fields === 'string') return refusal(fields);
  return formRequest(request, new URLSearchParams(fields).toString());
}

function toFormFields(members: Map<string, string>): Record<string, string> | string {
  const shape = SHAPES.find(({ key }) => members.has(key));
  if (shape === undefined) {
    return 'expected {email, password}, {mfa_token, otp} or {client_id, client_secret}';
  }
  const { required, optional, form } = shape;
  if ([...members.values()].some((value) => value.includes('\0'))) {
    return 'a value holds a NUL character';
  }
  const missing = required.filter((name) => !members.get(name));
  if (missing.length > 0) return `missing: ${missing.join(', ')}`;
  const known = [...required, ...optional];
  if ([...members.keys()].some((name) => !known.includes(name))) {
    return `beside ${required.join(' and ')} only ${optional.join(', ') || 'nothing'} may be sent`;
  }
  return { ...form, ...Object.fromEntries(members) };
}

async function readBody(request: IncomingMessage): Promise<string | TokenRefusal> {
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    return refusal('the body must be in UTF-8');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) return tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    return refusal('the body must be in UTF-8');
  }
}

export function tooLarge(): TokenRefusal {
  const description = `the body is larger than ${BODY_MAX_BYTES} bytes`;
  return { status: 413, error: 'invalid_request', description };
}

function refusal(description: string): TokenRefusal {
  return { status: 400, error: 'invalid_request', description };
}

/** The same request on the same connection, with the form as its body. */
function formRequest(request: IncomingMessage, form: string): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  copy.method = request.method ?? 'POST';
  copy.url = request.url ?? '/';
  copy.httpVersion = request.httpVersion;
  copy.httpVersionMajor = request.httpVersionMajor;
  copy.httpVersionMinor = request.httpVersionMinor;
  const { 'transfer-encoding': _, ...headers } = request.headers;
  copy.headers = {
    ...headers,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': `${Buffer.byteLength(form)}`,
  };
  copy.push(form);
  copy.push(null);
  copy.complete = true;
  jsonRequests.add(copy);
  return copy;
}

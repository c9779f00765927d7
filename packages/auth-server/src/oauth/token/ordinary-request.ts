/**
 * The one form in which nearly every service account asks for its token: a small form with
 * `grant_type=client_credentials`, an id and a secret as this service makes them, and perhaps a
 * scope. Everything else, right or wrong, is left to the library.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { canBeClientSecret } from '../../clients/client-secret.ts';
import type { ServiceTokenRequest } from '../../library/service-token.ts';
import { requestWith } from './request-with.ts';

const FORM = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i;
/** An ordinary form has some two hundred bytes. */
const BODY_MAX_BYTES = 4_096;
/** These change what is answered. */
const UNUSUAL_HEADERS = [
  'content-encoding',
  'dpop',
  'expect',
  'oauth-client-attestation',
  'oauth-client-attestation-pop',
  'origin',
  'transfer-encoding',
];
const PARAMETERS = ['grant_type', 'scope', 'client_id', 'client_secret'];
const ID = /^svc_[0-9A-Z]{26}$/;
/** RFC 6749 §3.3. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/;

/** Whether the headers of a request to the endpoint are those of an ordinary one. */
export function hasOrdinaryHead(headers: IncomingHttpHeaders): boolean {
  const length = Number(headers['content-length']);
  if (!(length > 0 && length <= BODY_MAX_BYTES)) return false;
  if (!FORM.test(headers['content-type'] ?? '')) return false;
  return UNUSUAL_HEADERS.every((name) => headers[name] === undefined);
}

/**
 * Reads a body whose length is known to be small.
 *
 * @param then gets the whole body and what makes a request that has it unread, for another
 *   handler to answer.
 */
export function readSmallBody(
  request: IncomingMessage,
  then: (body: Buffer, unread: () => IncomingMessage) => void,
): void {
  const chunks: Buffer[] = [];
  const gone = () => {
    // Reading it ends in the middle of the body, as the connection did.
    const broken = requestWith(request, request.headers);
    setImmediate(() => broken.destroy(new Error('aborted')));
    then(Buffer.alloc(0), () => broken);
  };
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    request.off('close', gone);
    const [first = Buffer.alloc(0)] = chunks;
    const body = chunks.length === 1 ? first : Buffer.concat(chunks);
    then(body, () => requestWith(request, request.headers, body));
  });
  request.once('close', gone);
}

/** The request that head and body are; undefined for any other than an ordinary one. */
export function ordinaryRequest(
  headers: IncomingHttpHeaders,
  body: Buffer,
): ServiceTokenRequest | undefined {
  const form = parse(body.toString('latin1'));
  const { grant_type: grant, scope, client_id, client_secret } = form;
  if (grant !== 'client_credentials' || !Object.keys(form).every(isOrdinary)) return undefined;
  const { authorization } = headers;
  if (authorization !== undefined && (client_id ?? client_secret) !== undefined) return undefined;
  const pair = authorization === undefined ? [client_id, client_secret] : basicPair(authorization);
  const [clientId, clientSecret] = pair;
  if (typeof clientId !== 'string' || !ID.test(clientId)) return undefined;
  if (typeof clientSecret !== 'string' || !canBeClientSecret(clientSecret)) return undefined;
  if (scope !== undefined && !(typeof scope === 'string' && SCOPE.test(scope))) return undefined;
  return { clientId, clientSecret, scope };
}

function isOrdinary(parameter: string): boolean {
  return PARAMETERS.includes(parameter);
}

/** RFC 7617. Id and secret of an ordinary request have no character that a form would escape. */
function basicPair(authorization: string): readonly (string | undefined)[] {
  const [, encoded = ''] = /^Basic ([\w+/]+={0,2})$/i.exec(authorization) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return [];
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  return colon < 0 ? [] : [text.slice(0, colon), text.slice(colon + 1)];
}

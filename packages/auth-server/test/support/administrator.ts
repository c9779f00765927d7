import { ADMIN_PERMISSION, type AdminPermission, type Permission } from '@cls/shared/access-token';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { CompactSign, importJWK, type JWK } from 'jose';
import { sqlSigningKeyStore } from '../../src/keys/sql-signing-keys.ts';
import { expectAdminContract } from './admin-contract.ts';
import { basic, KEY, type TestAuthServer } from './auth-server.ts';
import { serviceAccountRecords } from './client-records.ts';

export const MANAGE = ADMIN_PERMISSION;
const GRANT = 'grant_type=client_credentials';

export interface TestCaller {
  readonly id: string;
  readonly secret: string;
}

export async function newCaller(
  { database }: TestAuthServer,
  permissions: readonly Permission[] = [MANAGE],
  customer = 'india',
): Promise<TestCaller> {
  const name = `Caller ${Math.random()}`;
  const { id, secret } = await serviceAccountRecords(database).create({
    name,
    customer,
    permissions,
  });
  return { id, secret: secret.expose() };
}

/** Asks the token endpoint for a token. @param parameters such as `scope` and `resource`. */
export function askForToken(
  server: TestAuthServer,
  { id, secret }: TestCaller,
  parameters: Readonly<Record<string, string>> | readonly (readonly [string, string])[] = {},
): Promise<Response> {
  const more = new URLSearchParams(parameters as Record<string, string>);
  return server.post(`${GRANT}&${more}`, basic(id, secret));
}

/** A token of the administrators' API, as its callers get theirs. */
export async function adminToken(
  server: TestAuthServer,
  caller: TestCaller,
  permission: AdminPermission = MANAGE,
): Promise<string> {
  const scope = `${server.config.scopeBase}/auth/${permission}`;
  const response = await askForToken(server, caller, { scope });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`no token: ${response.status}`);
  return token;
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of many shapes.
  readonly body: any;
}

export type AdminClient = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<AdminAnswer>;

/** Calls `/admin/v1…`; a body that is no text is sent as JSON. */
export function adminClient({ issuer }: TestAuthServer, token?: string): AdminClient {
  return async (method, path, body, headers = {}) => {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const response = await fetch(`${issuer}/admin/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    const parsed = answer === '' ? undefined : JSON.parse(answer);
    const received = { status: response.status, headers: response.headers, body: parsed };
    if (method !== 'HEAD') expectAdminContract(method, path, text, received);
    return received;
  };
}

/** Signs claims with the server's own key, which no caller can. */
export async function signAsIssuer(
  { database }: TestAuthServer,
  claims: object,
  header: object = {},
): Promise<string> {
  const store = sqlSigningKeyStore(database, aesGcmSealer(new Secret(KEY)), 2048);
  const [{ kid, jwk }] = await store.load();
  return signWith(jwk, claims, { kid, ...header });
}

export async function signWith(key: JWK, claims: object, header: object): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...header })
    .sign(await importJWK(key, 'RS256'));
}

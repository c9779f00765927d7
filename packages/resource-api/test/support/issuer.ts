/** An issuer for tests: real RSA keys, a real JWKS over HTTP that can misbehave, forged tokens. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { CompactSign, exportJWK, type JWK } from 'jose';

export const AUDIENCE = 'https://cls.test/api';
export const ISSUER = 'https://cls.test';
export const SERVICE_ACCOUNT = 'svc_00000000000000000000000001';

export interface TestKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: JWK;
}

export async function newKey(kid: string, bits = 2048): Promise<TestKey> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  return { kid, privateKey, publicKey, jwk };
}

export interface JwksServer {
  readonly url: string;
  /** How many times the key set was asked for. */
  readonly requests: () => number;
  serve(keys: readonly JWK[]): void;
  serveWith(handler: RequestListener): void;
  /** Stops answering connections; `start` takes the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startJwksServer(keys: readonly JWK[]): Promise<JwksServer> {
  let requests = 0;
  let handler: RequestListener;
  let server: Server;
  let port = 0;
  const serve = (list: readonly JWK[]) => {
    handler = (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: list }));
    };
  };
  const start = async () => {
    server = createServer((request, response) => {
      requests += 1;
      handler(request, response);
    });
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  };
  serve(keys);
  await start();
  return {
    url: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    requests: () => requests,
    serve,
    serveWith: (next) => {
      handler = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
    start,
  };
}

export type Claims = Record<string, unknown>;

/** The claims of a good token of a service account; `undefined` takes one away. */
export function goodClaims(changes: Claims = {}): Claims {
  const nowS = Math.floor(Date.now() / 1000);
  const claims: Claims = {
    iss: ISSUER,
    sub: SERVICE_ACCOUNT,
    aud: AUDIENCE,
    iat: nowS,
    exp: nowS + 3_600,
    jti: `jti-${Math.random()}`,
    client_id: SERVICE_ACCOUNT,
    scope: `${ISSUER}/auth/external-api.fullcontrol`,
    account_type: 'service_account',
    customer: 'platform',
    ...changes,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

export function signToken(
  key: TestKey,
  claims: Claims = goodClaims(),
  header: Claims = {},
): Promise<string> {
  return signBytes(key, Buffer.from(JSON.stringify(claims)), header);
}

/** Signs any payload, JSON or not. */
export async function signBytes(
  key: TestKey,
  payload: Uint8Array,
  header: Claims = {},
): Promise<string> {
  const full = { alg: 'RS256', typ: 'at+jwt', kid: key.kid, ...header };
  const protectedHeader = Object.fromEntries(
    Object.entries(full).filter(([, value]) => value !== undefined),
  );
  return new CompactSign(payload)
    .setProtectedHeader(protectedHeader as { alg: string })
    .sign(key.privateKey, { crit: { cls: true } });
}

/** Puts together parts that no library would sign. */
export function assemble(header: unknown, payload: unknown, signature: string): string {
  const encode = (part: unknown) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(payload)}.${signature}`;
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { LogoutTokenRefused, logoutTokens } from '../src/issuer/logout-token.ts';
import { IssuerUnavailable } from '../src/sessions/session.ts';

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const SETTINGS = { issuer: 'https://cls.test', clientId: 'app_1', clockToleranceS: 0 };

describe('logout tokens', () => {
  let server: Server;
  let keys: { privateKey: CryptoKey };
  let foreign: { privateKey: CryptoKey };
  let validate: ReturnType<typeof logoutTokens>;
  let jwks: URL;
  /** What answers in the place of the keys. */
  let instead: [number, string] | undefined;
  afterEach(() => {
    instead = undefined;
  });
  before(async () => {
    const made = await generateKeyPair('RS256', { extractable: true });
    keys = made;
    foreign = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(made.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
    server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      const [status, body] = instead ?? [200, JSON.stringify({ keys: [jwk] })];
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    jwks = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    validate = logoutTokens(SETTINGS, { jwksUrl: async () => jwks });
  });
  after(() => server.close());

  const now = () => Math.floor(Date.now() / 1_000);
  const good = (): JWTPayload => ({
    ...{ iss: SETTINGS.issuer, aud: SETTINGS.clientId, sub: 'acc_1', sid: 's1', jti: 'j1' },
    ...{ iat: now(), exp: now() + 60, events: EVENTS },
  });
  const sign = (claims: JWTPayload, header = {}, key = keys.privateKey) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'logout+jwt', ...header })
      .sign(key);

  it('name the session that ended', async () => {
    expect(await validate(await sign(good()))).to.deep.equal({ sid: 's1', jti: 'j1' });
  });

  const without = (name: string) => {
    const { [name]: _, ...rest } = good();
    return rest;
  };
  const faults: Readonly<Record<string, () => Promise<string>>> = {
    'of another issuer': () => sign({ ...good(), iss: 'https://else.test' }),
    'for another application': () => sign({ ...good(), aud: 'app_2' }),
    'without a session': () => sign(without('sid')),
    'with an empty session': () => sign({ ...good(), sid: '' }),
    'with an empty id': () => sign({ ...good(), jti: '' }),
    'without an id': () => sign(without('jti')),
    'without the event': () => sign({ ...good(), events: { 'urn:other': {} } }),
    'without events': () => sign(without('events')),
    'with a nonce, as an ID token has': () => sign({ ...good(), nonce: 'n' }),
    'with the type of another token': () => sign(good(), { typ: 'JWT' }),
    'that is older than two minutes': () => sign({ ...good(), iat: now() - 300 }),
    'that expired': () => sign({ ...good(), exp: now() - 10 }),
    'from the future': () => sign({ ...good(), iat: now() + 300, exp: now() + 400 }),
    'signed by another key': () => sign(good(), {}, foreign.privateKey),
    'with a key that is not the issuer’s': () => sign(good(), { kid: 'k2' }, foreign.privateKey),
    'that is none': async () => 'not.a.token',
    'that is empty': async () => '',
  };
  for (const [fault, token] of Object.entries(faults)) {
    it(`are refused: one ${fault}`, async () => {
      const refused = await validate(await token()).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(LogoutTokenRefused);
    });
  }

  it('are not judged while the issuer’s keys cannot be read', async () => {
    const away = logoutTokens(SETTINGS, { jwksUrl: async () => new URL('http://127.0.0.1:9/') });
    const failed = await away(await sign(good())).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(IssuerUnavailable);
  });

  const answers: Readonly<Record<string, [number, string]>> = {
    'an error': [502, '{}'],
    'no JSON': [200, '<h1>Bad Gateway</h1>'],
    'no key set': [200, '{}'],
  };
  for (const [what, [status, body]] of Object.entries(answers)) {
    it(`are not judged where a proxy answers with ${what} in place of the keys`, async () => {
      instead = [status, body];
      const asked = logoutTokens(SETTINGS, { jwksUrl: async () => jwks });
      const failed = await asked(await sign(good())).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(IssuerUnavailable);
    });
  }
});

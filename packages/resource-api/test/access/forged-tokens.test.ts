import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { explainToken } from '@cls/shared/access/explain-token';
import { usableKeys } from '@cls/shared/access/key-check';
import {
  ADMIN_PERMISSION,
  adminAudience,
  READ_PERMISSIONS,
  scopeOf,
} from '@cls/shared/access-token';
import { systemClock } from '@cls/shared/clock';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import fc from 'fast-check';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  AUDIENCE,
  assemble,
  type Claims,
  goodClaims,
  ISSUER,
  newKey,
  signBytes,
  signToken,
  type TestKey,
} from '../support/issuer.ts';

const PATH = '/api/v1/cls/balances?limit=1';
const nowS = () => Math.floor(Date.now() / 1000);
type Forge = (key: TestKey, foreign: TestKey) => string | Promise<string>;
type Row = readonly [given: string, code: string, forge: Forge];

/** A good token with other claims or another header. */
const claims =
  (changes: Claims | (() => Claims)): Forge =>
  (key) =>
    // Times are taken when the token is made, not when this file is read.
    signToken(key, goodClaims(typeof changes === 'function' ? changes() : changes));
const header =
  (changes: Claims): Forge =>
  (key) =>
    signToken(key, goodClaims(), changes);
/** A good token's text, changed. */
const text =
  (change: (token: string) => string): Forge =>
  async (key) =>
    change(await signToken(key));

const lastChar = (token: string, shift: number) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(token.at(-1) ?? '');
  return token.slice(0, -1) + alphabet[(last + shift) % 64];
};
const hs256 = (secret: string | Buffer): Forge => {
  return (key) => {
    const unsigned = assemble({ alg: 'HS256', typ: 'at+jwt', kid: key.kid }, goodClaims(), '');
    const mac = createHmac('sha256', secret).update(unsigned.slice(0, -1)).digest('base64url');
    return unsigned + mac;
  };
};
const publicPem = (key: TestKey) => key.publicKey.export({ type: 'spki', format: 'pem' });

const ROWS: readonly Row[] = [
  // Signatures and algorithms
  [
    'alg none, no signature',
    'token_invalid',
    () => assemble({ alg: 'none', typ: 'at+jwt', kid: 'test-key' }, goodClaims(), ''),
  ],
  [
    'alg none, some signature',
    'token_invalid',
    () => assemble({ alg: 'none', typ: 'at+jwt', kid: 'test-key' }, goodClaims(), 'AAAA'),
  ],
  [
    'alg NONE',
    'token_invalid',
    () => assemble({ alg: 'NONE', typ: 'at+jwt', kid: 'test-key' }, goodClaims(), 'AAAA'),
  ],
  [
    'alg rs256 in lower case',
    'token_invalid',
    () => assemble({ alg: 'rs256', typ: 'at+jwt', kid: 'test-key' }, goodClaims(), 'AAAA'),
  ],
  [
    'alg as an array',
    'token_invalid',
    () => assemble({ alg: ['RS256'], typ: 'at+jwt', kid: 'test-key' }, goodClaims(), 'AAAA'),
  ],
  [
    'no alg',
    'token_invalid',
    () => assemble({ typ: 'at+jwt', kid: 'test-key' }, goodClaims(), 'AAAA'),
  ],
  [
    'HS256 with the public key as secret',
    'token_invalid',
    (key, foreign) => hs256(publicPem(key))(key, foreign),
  ],
  [
    'HS256 with the public key after a newline',
    'token_invalid',
    (key, foreign) => hs256(`\n${publicPem(key)}`)(key, foreign),
  ],
  ['HS256 with an empty secret', 'token_invalid', hs256('')],
  ['RS384', 'token_invalid', (key) => resigned(key, 'RS384', 'sha384')],
  ['RS512', 'token_invalid', (key) => resigned(key, 'RS512', 'sha512')],
  ['PS256', 'token_invalid', (key) => signToken(key, goodClaims(), { alg: 'PS256' })],
  ['an all-zero signature', 'token_invalid', text((t) => replaceSignature(t, Buffer.alloc(256)))],
  ['an empty signature', 'token_invalid', text((t) => t.slice(0, t.lastIndexOf('.') + 1))],
  [
    'a signature of another token',
    'token_invalid',
    async (key) =>
      `${(await signToken(key)).split('.').slice(0, 2).join('.')}.${(await signToken(key)).split('.')[2]}`,
  ],
  [
    'a changed payload',
    'token_invalid',
    text((t) => replacePayload(t, goodClaims({ customer: 'other' }))),
  ],
  [
    'a foreign key under our kid',
    'token_invalid',
    (key, foreign) => signToken(foreign, goodClaims(), { kid: key.kid }),
  ],
  ['a cnf with a key itself', 'token_invalid', claims({ cnf: { jwk: { kty: 'RSA' } } })],
  ['an empty cnf', 'token_invalid', claims({ cnf: {} })],
  ['a cnf of null', 'token_invalid', claims({ cnf: null })],
  // Whose token it is
  ['an unknown kid', 'token_untrusted', (_, foreign) => signToken(foreign)],
  [
    'another issuer with its own key',
    'token_untrusted',
    (_, foreign) => signToken(foreign, goodClaims({ iss: 'https://evil.example' })),
  ],
  [
    'another issuer with its own key under our kid',
    'token_untrusted',
    (key, foreign) =>
      signToken(foreign, goodClaims({ iss: 'https://evil.example' }), { kid: key.kid }),
  ],
  ['another iss', 'token_untrusted', claims({ iss: 'https://evil.example' })],
  ['an iss with a slash', 'token_untrusted', claims({ iss: `${ISSUER}/` })],
  ['an iss that begins like ours', 'token_untrusted', claims({ iss: `${ISSUER}.evil.example` })],
  ['a part of our iss', 'token_untrusted', claims({ iss: 'https://cls' })],
  [
    'an iss array with ours in it',
    'token_untrusted',
    claims({ iss: [ISSUER, 'https://evil.example'] }),
  ],
  ['no iss', 'token_untrusted', claims({ iss: undefined })],
  ['another aud', 'token_untrusted', claims({ aud: 'https://other.test' })],
  [
    'the aud of the administrators’ API',
    'token_untrusted',
    claims({ aud: adminAudience(ISSUER), scope: scopeOf(ISSUER, ADMIN_PERMISSION) }),
  ],
  [
    'that aud, and a permission of ours',
    'token_untrusted',
    claims({ aud: adminAudience(ISSUER), scope: scopeOf(ISSUER, 'external-api.fullcontrol') }),
  ],
  [
    'the permission to administer alone',
    'insufficient_permission',
    claims({ scope: scopeOf(ISSUER, ADMIN_PERMISSION) }),
  ],
  [
    'two audiences, ours among them',
    'token_untrusted',
    claims({ aud: ['https://cls.test/api', 'https://other.test'] }),
  ],
  ['no aud', 'token_untrusted', claims({ aud: undefined })],
  // Header
  ['typ JWT', 'token_invalid', header({ typ: 'JWT' })],
  ['no typ', 'token_invalid', header({ typ: undefined })],
  ['typ logout+jwt', 'token_invalid', header({ typ: 'logout+jwt' })],
  ['no kid', 'token_invalid', header({ kid: undefined })],
  ['an empty kid', 'token_invalid', header({ kid: '' })],
  ['a kid that is a number', 'token_invalid', header({ kid: 7 })],
  ['a kid of a thousand characters', 'token_invalid', header({ kid: 'k'.repeat(1_000) })],
  ['a kid that is a path', 'token_untrusted', header({ kid: '../../etc/passwd' })],
  ['a kid that is SQL', 'token_untrusted', header({ kid: "' OR 1=1 --" })],
  ['the kid __proto__', 'token_untrusted', header({ kid: '__proto__' })],
  [
    'a key in the header',
    'token_invalid',
    (_, foreign) => signToken(foreign, goodClaims(), { jwk: foreign.jwk }),
  ],
  ['a key URL in the header', 'token_invalid', header({ jku: 'https://evil.example/jwks.json' })],
  ['an x5u', 'token_invalid', header({ x5u: 'https://evil.example/cert' })],
  ['an x5c', 'token_invalid', header({ x5c: ['AAAA'] })],
  ['an unknown crit', 'token_invalid', header({ crit: ['cls'], cls: true })],
  // Shape
  ['an empty token part', 'token_invalid', () => '..'],
  ['one part', 'token_invalid', () => 'abc'],
  ['two parts', 'token_invalid', text((t) => t.split('.').slice(0, 2).join('.'))],
  ['four parts', 'token_invalid', text((t) => `${t}.AAAA`)],
  ['five parts, as a JWE has', 'token_invalid', () => 'eyJhbGciOiJkaXIifQ..AAAA.AAAA.AAAA'],
  ['thousands of dots', 'token_invalid', () => '.'.repeat(7_000)],
  ['more than 8 KiB', 'token_invalid', claims({ scope: 'x'.repeat(9_000) })],
  ['padding', 'token_invalid', text((t) => `${t}=`)],
  ['bits that are not used in the last character', 'token_invalid', text((t) => lastChar(t, 1))],
  ['a plus and a slash', 'token_invalid', text((t) => `${t.slice(0, -4)}+/+/`)],
  [
    'a header that is no JSON',
    'token_invalid',
    text((t) => `AAAA.${t.split('.').slice(1).join('.')}`),
  ],
  ['a payload that is no JSON', 'token_invalid', (key) => signBytes(key, Buffer.from('hello'))],
  ['a payload that is an array', 'token_invalid', (key) => signBytes(key, Buffer.from('[]'))],
  ['a payload that is null', 'token_invalid', (key) => signBytes(key, Buffer.from('null'))],
  [
    'a byte order mark',
    'token_invalid',
    (key) => signBytes(key, Buffer.from(`\ufeff${JSON.stringify(goodClaims())}`)),
  ],
  [
    'bytes that are no UTF-8',
    'token_invalid',
    (key) => signBytes(key, Buffer.from([0x7b, 0xff, 0x7d])),
  ],
  [
    'a claim twice',
    'token_invalid',
    (key) =>
      signBytes(
        key,
        Buffer.from(JSON.stringify(goodClaims()).replace('{', '{"customer":"other",')),
      ),
  ],
  [
    'a claim twice, once escaped',
    'token_invalid',
    (key) =>
      signBytes(
        key,
        Buffer.from(JSON.stringify(goodClaims()).replace('{', '{"\\u0063ustomer":"other",')),
      ),
  ],
  // Times
  [
    'an exp that is past',
    'token_expired',
    claims(() => ({ iat: nowS() - 7_200, exp: nowS() - 3_600 })),
  ],
  ['an exp a second ago', 'token_expired', claims(() => ({ iat: nowS() - 60, exp: nowS() - 1 }))],
  [
    'a past exp and a changed payload',
    'token_invalid',
    async (key) =>
      replacePayload(
        await signToken(key, goodClaims({ exp: 2, iat: 1 })),
        goodClaims({ exp: 3, iat: 1 }),
      ),
  ],
  ['no exp', 'token_invalid', claims({ exp: undefined })],
  ['an exp as text', 'token_invalid', claims({ exp: `${nowS() + 60}` })],
  ['an exp with a fraction', 'token_invalid', claims(() => ({ exp: nowS() + 60.5 }))],
  ['an exp beyond any number', 'token_invalid', claims({ exp: 1e300 })],
  ['a life of more than a day', 'token_invalid', claims(() => ({ exp: nowS() + 90_000 }))],
  ['an exp before iat', 'token_invalid', claims(() => ({ iat: nowS(), exp: nowS() - 1 }))],
  ['no iat', 'token_invalid', claims({ iat: undefined })],
  [
    'an iat a minute ahead',
    'token_invalid',
    claims(() => ({ iat: nowS() + 60, exp: nowS() + 120 })),
  ],
  ['an nbf a minute ahead', 'token_invalid', claims(() => ({ nbf: nowS() + 60 }))],
  // Who it speaks of
  ['no sub', 'token_invalid', claims({ sub: undefined })],
  ['a sub that is an array', 'token_invalid', claims({ sub: ['svc_00000000000000000000000001'] })],
  ['the sub __proto__', 'token_invalid', claims({ sub: '__proto__' })],
  [
    'a person’s id as a service account',
    'token_invalid',
    claims({ sub: 'acc_00000000000000000000000001' }),
  ],
  ['a service account’s id as a person', 'token_invalid', claims({ account_type: 'account' })],
  ['an unknown account_type', 'token_invalid', claims({ account_type: 'admin' })],
  ['no customer', 'token_invalid', claims({ customer: undefined })],
  ['a customer that is SQL', 'token_invalid', claims({ customer: "x'; DROP TABLE deal; --" })],
  ['no client_id', 'token_invalid', claims({ client_id: undefined })],
  ['no jti', 'token_invalid', claims({ jti: undefined })],
  ['no scope', 'token_invalid', claims({ scope: undefined })],
  [
    'a scope array',
    'token_invalid',
    claims({ scope: [`${ISSUER}/auth/external-api.fullcontrol`] }),
  ],
  // What it may do
  [
    'a scope of another base',
    'insufficient_permission',
    claims({ scope: 'https://evil.example/auth/external-api.fullcontrol' }),
  ],
  [
    'a permission without its base',
    'insufficient_permission',
    claims({ scope: 'external-api.fullcontrol' }),
  ],
  [
    'a scope that begins like a permission',
    'insufficient_permission',
    claims({ scope: `${ISSUER}/auth/external-api.fullcontrol.not` }),
  ],
  [
    'a permission in another case',
    'insufficient_permission',
    claims({ scope: `${ISSUER}/auth/CLS-DEAL.VIEW` }),
  ],
];

function resigned(key: TestKey, alg: string, digest: string): string {
  const unsigned = assemble({ alg, typ: 'at+jwt', kid: key.kid }, goodClaims(), '').slice(0, -1);
  return `${unsigned}.${createSign(digest).update(unsigned).sign(key.privateKey, 'base64url')}`;
}

function replaceSignature(token: string, signature: Buffer): string {
  return `${token.split('.').slice(0, 2).join('.')}.${signature.toString('base64url')}`;
}

function replacePayload(token: string, payload: Claims): string {
  const [head, , signature] = token.split('.');
  return `${head}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`;
}

describe('a forged token', () => {
  let api: TestApi;
  let foreign: TestKey;
  before(async () => {
    api = await startTestApi(anyEngine, { CLOCK_TOLERANCE_S: '0' });
    foreign = await newKey('foreign-key');
  });
  after(() => api?.stop());

  for (const [given, code, forge] of ROWS) {
    it(`with ${given} is refused: 403 ${code}, and explained so`, async () => {
      const token = await forge(api.key, foreign);
      const response = await api.getWith(PATH, token);
      const keys = await usableKeys({ keys: [api.key.jwk] });
      const explained = await explainToken(token, {
        assertGood: async () => undefined,
        keys: { find: async (kid) => keys?.get(kid) },
        profile: { issuer: ISSUER, audience: AUDIENCE, scopeBase: ISSUER, clockToleranceS: 0 },
        permissions: READ_PERMISSIONS,
        clock: systemClock,
      });
      expect(explained).to.include({ accepted: false, code });
      expect(response.status).to.equal(403);
      expect(response.headers.get('content-type')).to.equal('application/problem+json');
      const error = code === 'insufficient_permission' ? 'insufficient_scope' : 'invalid_token';
      expect(response.headers.get('www-authenticate')).to.include(`error="${error}"`);
      expect(await response.json()).to.include({ status: 403, code });
    });
  }

  it('is never made by changing characters of a good one', async () => {
    const good = await api.token();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(good.length - 1),
        fc.constantFrom(...'ABCabc019-_.=+/ '),
        async (position, character) => {
          const changed = good.slice(0, position) + character + good.slice(position + 1);
          if (changed === good) return;
          const response = await api.getWith(PATH, changed);
          expect(response.status).to.be.oneOf([401, 403]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a good token', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(anyEngine, { CLOCK_TOLERANCE_S: '0' });
  });
  after(() => api?.stop());

  it('is accepted a thousand times', async () => {
    const token = await api.token();
    for (let n = 0; n < 1_000; n += 1) {
      expect((await api.getWith(PATH, token)).status).to.equal(200);
    }
  });

  it('is refused from the second on in which it expires, though it was good before', async () => {
    const token = await api.token({ exp: nowS() + 2 });
    expect((await api.getWith(PATH, token)).status).to.equal(200);
    await new Promise((done) => setTimeout(done, 2_100));
    const response = await api.getWith(PATH, token);
    expect(response.status).to.equal(403);
    expect(await response.json()).to.include({ code: 'token_expired' });
  });

  it('may name its type with the media type’s prefix, and its one audience in a list', async () => {
    const claimsWithList = { aud: ['https://cls.test/api'] };
    const token = await api.token(claimsWithList, { typ: 'application/at+jwt' });
    expect((await api.getWith(PATH, token)).status).to.equal(200);
  });

  for (const [given, authorization] of [
    ['no header', undefined],
    ['an empty header', ''],
    ['another scheme', 'Basic YTpi'],
    ['a scheme that begins alike', 'Bearerx abc'],
    ['nothing after the scheme', 'Bearer'],
    ['nothing but spaces after the scheme', 'Bearer   '],
  ] as const) {
    it(`is asked for when there is ${given}: 401 without an error code`, async () => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await api.getWith(PATH, undefined, headers);
      expect(response.status).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.match(
        /^Bearer resource_metadata="[^"]+"$/,
      );
      expect(await response.json()).to.include({ code: 'missing_token' });
    });
  }

  it('is not read from the query', async () => {
    const response = await api.getWith(`${PATH}&access_token=${await api.token()}`, undefined);
    expect(response.status).to.equal(401);
    const both = await api.getWith(`${PATH}&access_token=x`, await api.token());
    expect(both.status).to.equal(400);
  });

  it('needs one of the permissions, and the refusal names the scopes', async () => {
    for (const permission of ['cls-deal.view', 'external-api.fullcontrol']) {
      const response = await api.get(PATH, { scope: `${ISSUER}/auth/${permission}` });
      expect(response.status, permission).to.equal(200);
    }
    const refused = await api.get(PATH, { scope: 'openid' });
    expect(refused.headers.get('www-authenticate')).to.include(
      `Bearer error="insufficient_scope", scope="${ISSUER}/auth/cls-deal.view ${ISSUER}/auth/external-api.fullcontrol", `,
    );
  });

  it('does not verify with a key of another type under its kid', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const unsigned = assemble(
      { alg: 'ES256', typ: 'at+jwt', kid: api.key.kid },
      goodClaims(),
      '',
    ).slice(0, -1);
    const signature = createSign('sha256').update(unsigned).sign(privateKey, 'base64url');
    const response = await api.getWith(PATH, `${unsigned}.${signature}`);
    expect(await response.json()).to.include({ code: 'token_invalid' });
  });
});

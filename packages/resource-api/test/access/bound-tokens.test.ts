import { X509Certificate } from 'node:crypto';
import { explainToken } from '@cls/shared/access/explain-token';
import { usableKeys } from '@cls/shared/access/key-check';
import { memoryUsedProofs } from '@cls/shared/access/used-proofs';
import { READ_PERMISSIONS } from '@cls/shared/access-token';
import { systemClock } from '@cls/shared/clock';
import { newCertificate, type TestCertificate } from '@cls/testing/certificates';
import { anyEngine, requireServer } from '@cls/testing/engines';
import { findBinary, redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { exportJWK, generateKeyPair } from 'jose';
import { startTestApi, type TestApi } from '../support/api.ts';
import { AUDIENCE, type Claims, goodClaims, ISSUER, signToken } from '../support/issuer.ts';
import { newProof, newProofKey, type ProofChanges, type ProofKey } from '../support/proofs.ts';

const PATH = '/api/v1/cls/balances';
const QUERY = '?limit=1';
const URL_OF_CALLERS = `${ISSUER}${PATH}`;
const DPOP_CHALLENGE = 'DPoP error="invalid_dpop_proof", algs="ES256 PS256 EdDSA Ed25519"';
const nowS = () => Math.floor(Date.now() / 1_000);

describe('a token that is bound to a key (RFC 9449)', () => {
  let api: TestApi;
  let key: ProofKey;
  let other: ProofKey;
  let token: string;
  before(async () => {
    api = await startTestApi(anyEngine, { CLOCK_TOLERANCE_S: '0' });
    key = await newProofKey();
    other = await newProofKey();
    token = await api.token({ cnf: { jkt: key.jkt } });
  });
  after(() => api?.stop());

  const send = (
    proof: string | undefined,
    scheme = 'DPoP',
    sent = token,
    path = `${PATH}${QUERY}`,
  ) => {
    const proofs = proof === undefined ? {} : { dpop: proof };
    return api.getWith(path, undefined, { authorization: `${scheme} ${sent}`, ...proofs });
  };
  const proof = (changes: ProofChanges = {}, by = key, url = URL_OF_CALLERS) =>
    newProof(by, url, token, changes);
  const expectRefused = async (answer: Response, why: string) => {
    expect(answer.status).to.equal(403);
    expect(answer.headers.get('content-type')).to.equal('application/problem+json');
    expect(answer.headers.get('www-authenticate')).to.include(DPOP_CHALLENGE);
    const problem = (await answer.json()) as { code: string; detail: string };
    expect(problem.code).to.equal('token_invalid');
    expect(problem.detail).to.include(why);
  };

  it('opens the API with a proof for each request, of every algorithm that is offered', async () => {
    for (const alg of ['ES256', 'PS256', 'EdDSA', 'Ed25519']) {
      const own = await newProofKey(alg);
      const bound = await api.token({ cnf: { jkt: own.jkt } });
      for (let n = 0; n < 3; n += 1) {
        const made = await newProof(own, URL_OF_CALLERS, bound);
        expect((await send(made, 'DPoP', bound)).status, alg).to.equal(200);
      }
    }
  });

  it('is proven for the address as the caller writes it', async () => {
    for (const url of [
      URL_OF_CALLERS,
      `${URL_OF_CALLERS}${QUERY}`,
      `${URL_OF_CALLERS}#part`,
      'HTTPS://CLS.TEST:443/api/v1/cls/balances',
      'https://cls.test/api/x/../v1/cls/balances',
    ]) {
      expect((await send(await proof({}, key, url))).status, url).to.equal(200);
    }
    expect((await send(await proof(), 'dpop')).status).to.equal(200);
  });

  type Forge = () => Promise<string | undefined> | string | undefined;
  const forged: Record<string, readonly [forge: Forge, why: string]> = {
    'no proof': [() => undefined, 'there is none'],
    'an empty proof': [() => '', ''],
    'a text that is no JWT': [() => 'abc', 'Compact JWS'],
    'a proof of more than 8 KiB': [() => proof({ claims: { x: 'x'.repeat(8_000) } }), 'too long'],
    'two proofs in one header': [async () => `${await proof()}, ${await proof()}`, ''],
    'a proof of another key': [() => proof({}, other), 'its key is not that of the access token'],
    'a proof by another key with the token’s key in its header': [
      () => proof({ header: { jwk: key.jwk } }, other),
      'signature verification failed',
    ],
    'a proof without a key': [() => proof({ header: { jwk: undefined } }), 'must be a JSON object'],
    'a proof with a private key in its header': [
      async () => {
        const pair = await generateKeyPair('ES256', { extractable: true });
        const jwk = await exportJWK(pair.privateKey);
        return proof({ header: { jwk } }, { ...key, privateKey: pair.privateKey });
      },
      'must be a public key',
    ],
    'a proof by a secret': [
      () => {
        const secret = { alg: 'HS256', privateKey: new Uint8Array(32), jwk: key.jwk, jkt: '' };
        return proof({}, secret);
      },
      '"alg" (Algorithm) Header Parameter value not allowed',
    ],
    'a proof of no algorithm': [
      async () => {
        const [, payload] = (await proof()).split('.');
        const header = { alg: 'none', typ: 'dpop+jwt', jwk: key.jwk };
        return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.`;
      },
      '"alg" (Algorithm) Header Parameter value not allowed',
    ],
    'a proof by RS256, which is not offered': [
      async () => proof({}, await newProofKey('RS256')),
      '"alg" (Algorithm) Header Parameter value not allowed',
    ],
    'a proof whose signature was changed': [
      async () => {
        const [head, payload, signature = ''] = (await proof()).split('.');
        const flipped = Buffer.from(signature, 'base64url').map((byte, at) => (at ? byte : ~byte));
        return `${head}.${payload}.${Buffer.from(flipped).toString('base64url')}`;
      },
      'signature verification failed',
    ],
    'a proof whose payload was changed': [
      async () => {
        const [head, , signature] = (await proof()).split('.');
        const [, payload] = (await proof()).split('.');
        return `${head}.${payload}.${signature}`;
      },
      'signature verification failed',
    ],
    'a proof of another type': [() => proof({ header: { typ: 'JWT' } }), '"typ"'],
    'a proof without a type': [() => proof({ header: { typ: undefined } }), '"typ"'],
    'a proof with a parameter that must be understood': [
      async () => {
        const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: key.jwk, crit: ['cls'], cls: true };
        const [, payload] = (await proof()).split('.');
        return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.AAAA`;
      },
      '"cls" is not recognized',
    ],
    'the access token as its proof': [() => token, ''],
    'a proof for another method': [() => proof({ claims: { htm: 'POST' } }), 'htm is not'],
    'a proof for the method in lower case': [() => proof({ claims: { htm: 'get' } }), 'htm is not'],
    'a proof without a method': [() => proof({ claims: { htm: undefined } }), 'htm is not'],
    'a proof for another path': [() => proof({}, key, `${ISSUER}/api/v1/cls/deals`), 'htu is not'],
    'a proof for a longer path': [() => proof({}, key, `${URL_OF_CALLERS}/`), 'htu is not'],
    'a proof for another host': [
      () => proof({}, key, `https://evil.test${PATH}`),
      'htu is not the address',
    ],
    'a proof for our host without TLS': [
      () => proof({}, key, `http://cls.test${PATH}`),
      'htu is not the address',
    ],
    'a proof for the address behind the proxy': [
      () => proof({}, key, `${api.baseUrl}${PATH}`),
      'htu is not the address',
    ],
    'a proof whose address has a user': [
      () => proof({}, key, `https://user@cls.test${PATH}`),
      'htu is not the address',
    ],
    'a proof whose address is a path': [() => proof({}, key, PATH), 'htu is not the address'],
    'a proof without an address': [() => proof({ claims: { htu: undefined } }), 'htu is not'],
    'a proof for two addresses': [() => proof({ claims: { htu: [URL_OF_CALLERS] } }), 'htu is not'],
    'a proof for another token': [
      () => newProof(key, URL_OF_CALLERS, `${token}x`),
      'ath is not the hash',
    ],
    'a proof for no token': [() => proof({ claims: { ath: undefined } }), 'ath is not the hash'],
    'a proof without an id': [() => proof({ claims: { jti: undefined } }), 'jti is not'],
    'a proof with an empty id': [() => proof({ claims: { jti: '' } }), 'jti is not'],
    'a proof whose id is a number': [() => proof({ claims: { jti: 7 } }), 'jti is not'],
    'a proof with a very long id': [
      () => proof({ claims: { jti: 'x'.repeat(300) } }),
      'jti is not',
    ],
    'a proof of a minute ago': [() => proof({ claims: { iat: nowS() - 63 } }), 'iat is not'],
    'a proof of later': [() => proof({ claims: { iat: nowS() + 10 } }), 'iat is not'],
    'a proof without a time': [() => proof({ claims: { iat: undefined } }), 'iat is not'],
    'a proof whose time is a text': [() => proof({ claims: { iat: `${nowS()}` } }), '"iat"'],
    'a proof that ended': [() => proof({ claims: { exp: nowS() - 10 } }), '"exp"'],
  };
  for (const [given, [forge, why]] of Object.entries(forged)) {
    it(`is refused with ${given}`, async () => {
      await expectRefused(await send(await forge()), why);
    });
  }

  it('is refused as a plain bearer token, with a good proof too', async () => {
    await expectRefused(await send(undefined, 'Bearer'), 'the scheme is not DPoP');
    await expectRefused(await send(await proof(), 'Bearer'), 'the scheme is not DPoP');
  });

  it('is refused as a bearer token also after it opened the API, and its answer was cached', async () => {
    const path = `${PATH}?limit=2`;
    const plain = await api.token();
    for (const [bearer, status] of [
      [plain, 200],
      [plain, 200],
      [token, 403],
    ] as const) {
      if (bearer === token)
        expect((await send(await proof(), 'DPoP', token, path)).status).to.equal(200);
      expect((await api.getWith(path, bearer)).status).to.equal(status);
    }
  });

  it('is refused with a proof that was used, also where both requests come at once', async () => {
    const once = await proof();
    expect((await send(once)).status).to.equal(200);
    await expectRefused(await send(once), 'it was used before');
    const twice = await proof();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(twice)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(7).fill(403)]);
  });

  it('may have the id of another key’s proof', async () => {
    const claims = { jti: 'the same' };
    const bound = await api.token({ cnf: { jkt: other.jkt } });
    expect((await send(await proof({ claims }))).status).to.equal(200);
    const others = await newProof(other, URL_OF_CALLERS, bound, { claims });
    expect((await send(others, 'DPoP', bound)).status).to.equal(200);
  });

  it('keeps its other rules: its end, its audience, its permissions', async () => {
    const cnf = { jkt: key.jkt };
    for (const [claims, code] of [
      [{ cnf, iat: nowS() - 7_200, exp: nowS() - 3_600 }, 'token_expired'],
      [{ cnf, aud: 'https://other.test' }, 'token_untrusted'],
      [{ cnf, scope: 'openid' }, 'insufficient_permission'],
    ] as const) {
      const bound = await api.token(claims);
      const answer = await send(await newProof(key, URL_OF_CALLERS, bound), 'DPoP', bound);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).to.deep.equal([
        403,
        code,
      ]);
    }
  });

  it('needs its binding: a plain token as DPoP is refused, whatever proof comes along', async () => {
    const plain = await api.token();
    const answer = await send(await newProof(key, URL_OF_CALLERS, plain), 'DPoP', plain);
    expect(answer.status).to.equal(403);
    expect(await answer.json()).to.include({ code: 'token_invalid' });
  });

  it('is named by token explain, with the key', async () => {
    const explained = await explain(api, { cnf: { jkt: key.jkt } });
    expect(explained).to.include({ accepted: true });
    expect(explained.why).to.include(
      `takes this token with a DPoP proof of the key ${key.jkt} alone`,
    );
  });
});

describe('a token that is bound to a certificate (RFC 8705)', () => {
  let api: TestApi;
  let own: TestCertificate;
  let other: TestCertificate;
  let token: string;
  let x5t: string;
  before(async function () {
    requireServer(this, 'openssl', findBinary('openssl'));
    const settings = { MTLS_BASE_URL: 'https://mtls.cls.test', TRUSTED_PROXY_HOPS: '1' };
    api = await startTestApi(anyEngine, settings);
    [own, other] = [newCertificate('/CN=own'), newCertificate('/CN=other')];
    x5t = thumbprint(own);
    token = await api.token({ cnf: { 'x5t#S256': x5t } });
  });
  after(() => api?.stop());

  const escaped = ({ certificate }: TestCertificate) => encodeURIComponent(certificate);
  const withHeader = (header: string | undefined, sent = token) =>
    api.getWith(
      `${PATH}${QUERY}`,
      sent,
      header === undefined ? {} : { 'x-client-certificate': header },
    );

  it('opens the API over a connection with that certificate', async () => {
    for (let n = 0; n < 2; n += 1) expect((await withHeader(escaped(own))).status).to.equal(200);
  });

  it('is refused without it, with another one, and with what is none', async () => {
    const two = `${escaped(own)}, ${escaped(other)}`;
    for (const header of [
      undefined,
      escaped(other),
      '',
      'x',
      '%',
      two,
      own.certificate.split('\n')[1],
    ]) {
      const answer = await withHeader(header);
      expect(answer.status, header).to.equal(403);
      expect(answer.headers.get('www-authenticate')).to.include('Bearer error="invalid_token"');
      expect(await answer.json()).to.include({
        code: 'token_invalid',
        title: 'Client certificate missing',
      });
    }
  });

  it('is refused where no proxy is trusted with certificates', async () => {
    const open = await startTestApi(anyEngine, { TRUSTED_PROXY_HOPS: '1' });
    try {
      const bound = await open.token({ cnf: { 'x5t#S256': x5t } });
      const headers = { 'x-client-certificate': escaped(own) };
      const answer = await open.getWith(`${PATH}${QUERY}`, bound, headers);
      expect(answer.status).to.equal(403);
    } finally {
      await open.stop();
    }
  });

  it('needs both proofs where it is bound to both', async () => {
    const key = await newProofKey();
    const both = await api.token({ cnf: { 'x5t#S256': x5t, jkt: key.jkt } });
    const send = async (certificate: string, scheme: string) =>
      api.getWith(`${PATH}${QUERY}`, undefined, {
        authorization: `${scheme} ${both}`,
        dpop: await newProof(key, `https://mtls.cls.test${PATH}`, both),
        'x-client-certificate': certificate,
      });
    expect((await send(escaped(own), 'DPoP')).status).to.equal(200);
    expect((await send(escaped(other), 'DPoP')).status).to.equal(403);
    expect((await send(escaped(own), 'Bearer')).status).to.equal(403);
  });

  it('is refused for what it is bound to where the API cannot check that', async () => {
    const jkt = 'A'.repeat(43);
    for (const cnf of [
      {},
      null,
      [],
      'A',
      7,
      { jkt: 'A' },
      { jkt: [jkt] },
      { jkt: 7 },
      { jwk: { kty: 'RSA' } },
      { kid: 'x' },
      { jkt, kid: 'x' },
      { 'x5t#S256': x5t, jwe: 'x' },
      { x5t },
      { 'x5t#S256': `${x5t}=` },
      { ['__proto__']: x5t },
    ]) {
      const bound = await api.token({ cnf });
      const answer = await withHeader(escaped(own), bound);
      expect(answer.status, JSON.stringify(cnf)).to.equal(403);
      expect(await answer.json()).to.include({ code: 'token_invalid' });
      const explained = await explain(api, { cnf });
      expect(explained.why).to.include('It is bound to something that the API cannot check');
    }
  });

  it('is named by token explain, with the certificate', async () => {
    const { why } = await explain(api, { cnf: { 'x5t#S256': x5t } });
    expect(why).to.include(`takes this token with the client certificate ${x5t} alone`);
  });
});

describe('proofs of several replicas', () => {
  it('are good once at all of them where they share Redis', async function () {
    const redis = await redisServer();
    requireServer(this, 'Redis', redis);
    const env = { REDIS_URL: redis.url, CLOCK_TOLERANCE_S: '0' };
    const replicas = [await startTestApi(anyEngine, env), await startTestApi(anyEngine, env)];
    try {
      const key = await newProofKey();
      const token = await replicas[0]?.token({ cnf: { jkt: key.jkt } });
      const dpop = await newProof(key, URL_OF_CALLERS, token ?? '');
      const statuses = [];
      for (const { getWith } of replicas) {
        const headers = { authorization: `DPoP ${token}`, dpop };
        statuses.push((await getWith(`${PATH}${QUERY}`, undefined, headers)).status);
      }
      expect(statuses).to.deep.equal([200, 403]);
    } finally {
      for (const replica of replicas) await replica.stop();
    }
  });

  it('are refused with 503 while Redis does not answer', async () => {
    const api = await startTestApi(anyEngine, { REDIS_URL: 'redis://127.0.0.1:1' });
    try {
      const key = await newProofKey();
      const token = await api.token({ cnf: { jkt: key.jkt } });
      const dpop = await newProof(key, URL_OF_CALLERS, token);
      const headers = { authorization: `DPoP ${token}`, dpop };
      const answer = await api.getWith(`${PATH}${QUERY}`, undefined, headers);
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect((await api.get(`${PATH}${QUERY}`)).status).to.equal(200);
    } finally {
      await api.stop();
    }
  });

  it('take a bounded place in memory, and are forgotten when they are too old', async () => {
    let nowMs = 0;
    const proofs = memoryUsedProofs(() => nowMs, 8);
    const use = (id: string, customer: string) =>
      proofs.use(id, 60, customer).catch((error) => error.details.status as number);
    const customers = ['bank', 'fund', 'agency', 'state'];
    for (const customer of customers) {
      expect(await use(`1 ${customer}`, customer)).to.equal(true);
      expect(await use(`2 ${customer}`, customer), 'its share').to.equal(true);
      expect(await use(`3 ${customer}`, customer), 'beyond its share').to.equal(503);
      expect(await use(`1 ${customer}`, customer)).to.equal(false);
    }
    expect(await use('1 late', 'late'), 'no room').to.equal(503);
    nowMs = 60_000;
    for (const id of ['1 late', '2 late']) expect(await use(id, 'late')).to.equal(true);
    expect(await use('1 bank', 'bank')).to.equal(true);
    expect(proofs.size).to.equal(3);
  });
});

function thumbprint({ certificate }: TestCertificate): string {
  const { fingerprint256 } = new X509Certificate(certificate);
  return Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
}

async function explain(api: TestApi, claims: Claims) {
  const keys = await usableKeys({ keys: [api.key.jwk] });
  return explainToken(await signToken(api.key, goodClaims(claims)), {
    assertGood: async () => undefined,
    keys: { find: async (kid) => keys?.get(kid) },
    profile: { issuer: ISSUER, audience: AUDIENCE, scopeBase: ISSUER, clockToleranceS: 0 },
    permissions: READ_PERMISSIONS,
    clock: systemClock,
  });
}

import { expect } from 'chai';
import { compactVerify, importJWK, type JWK } from 'jose';
import { newRsaKey } from '../../src/keys/rsa-key.ts';
import { SIGNING_ALGS, type SigningKey } from '../../src/keys/signing-key.ts';
import { Provider } from '../../src/library/oidc.ts';
import { PooledSigningKey } from '../../src/library/pooled-signing-key.ts';

describe('a key that signs outside of the library', () => {
  let key: SigningKey;
  before(async () => {
    const privateJwk = await newRsaKey(2048);
    key = { kid: privateJwk.kid, state: 'active', privateJwk };
  });

  it('is published as the library publishes the same key', async () => {
    const published = async (jwk: object) => {
      const provider = new Provider('http://localhost', {
        jwks: { keys: [jwk] },
        features: {
          externalSigningSupport: { enabled: true, ack: 'experimental-01' },
          devInteractions: { enabled: false },
        },
      });
      const server = provider.listen(0);
      const { port } = server.address() as { port: number };
      const text = await (await fetch(`http://localhost:${port}/jwks`)).text();
      server.close();
      return text;
    };
    const ours = await published(new PooledSigningKey(key, 'RS256'));
    expect(ours).to.equal(await published(key.privateJwk));
    expect(ours).not.to.include('"d"');
    const kid = `${key.kid}.PS256`;
    expect(await published(new PooledSigningKey(key, 'PS256'))).to.equal(
      await published({ ...key.privateJwk, kid, alg: 'PS256' }),
    );
  });

  for (const alg of SIGNING_ALGS) {
    it(`signs ${alg}, off the main thread`, async () => {
      const header = Buffer.from(JSON.stringify({ alg })).toString('base64url');
      const signing = new PooledSigningKey(key, alg).sign(Buffer.from(`${header}.e30`));
      expect(signing).to.be.an.instanceOf(Promise);
      const signature = Buffer.from(await signing).toString('base64url');
      const { n, e } = key.privateJwk;
      const publicKey = await importJWK({ kty: 'RSA', n, e } as JWK, alg);
      await compactVerify(`${header}.e30.${signature}`, publicKey, { algorithms: [alg] });
    });
  }
});

import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { expect } from 'chai';
import { newRsaKey, publicHalf } from '../../src/keys/rsa-key.ts';
import type { SigningKey } from '../../src/keys/signing-key.ts';
import { Provider } from '../../src/library/oidc.ts';
import { PooledSigningKey } from '../../src/library/pooled-signing-key.ts';

describe('a key that signs outside of the library', () => {
  let key: SigningKey;
  before(async () => {
    const jwk = await newRsaKey(2048);
    key = { kid: jwk.kid, state: 'active', jwk };
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
    const ours = await published(new PooledSigningKey(key));
    expect(ours).to.equal(await published(key.jwk));
    expect(ours).not.to.include('"d"');
  });

  it('signs RS256, off the main thread', async () => {
    const data = Buffer.from('header.payload');
    const signing = new PooledSigningKey(key).sign(data);
    expect(signing).to.be.an.instanceOf(Promise);
    const publicKey = createPublicKey({ key: key.jwk as JsonWebKey, format: 'jwk' });
    expect(verify('sha256', data, publicKey, await signing)).to.equal(true);
  });

  it('is published, and does not sign, when it is retired', async () => {
    const { kid, jwk } = key;
    const retired = new PooledSigningKey({ kid, state: 'retiring', jwk: publicHalf(jwk) });
    expect(retired.keyObject().equals(new PooledSigningKey(key).keyObject())).to.equal(true);
    const outcome = await retired.sign(Buffer.from('')).catch((error: Error) => error.message);
    expect(outcome).to.equal(`${kid} is retired and does not sign`);
  });
});

import { expect } from 'chai';
import { generateKeyPair, SignJWT } from 'jose';
import { isOfRemovedKey } from '../../src/library/reliances/removed-key.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the library’s error for an ID token of a key that it does not have', () => {
  let bare: BareProvider;
  const errors: unknown[] = [];
  before(async () => {
    bare = await startBareProvider({
      prepare(provider) {
        provider.on('end_session.error' as 'grant.error', (_, error) => errors.push(error));
      },
    });
  });
  after(() => bare?.stop());

  for (const { alg, kid, is } of [
    { alg: 'RS256', kid: 'removed', is: true },
    { alg: 'PS256', kid: 'removed', is: true },
    { alg: 'HS256', kid: 'removed', is: false },
    { alg: 'RS256', kid: undefined, is: false },
  ]) {
    it(`${is ? 'is' : 'is not'} for one of ${alg} and ${kid ?? 'no key that it names'}`, async () => {
      const key = alg === 'HS256' ? new Uint8Array(32) : (await generateKeyPair(alg)).privateKey;
      const hint = await new SignJWT({ iss: bare.issuer, aud: 'portal', sub: 'person' })
        .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) })
        .sign(key);
      errors.length = 0;
      await fetch(`${bare.issuer}/session/end?id_token_hint=${hint}`);
      expect(errors).to.have.length(1);
      expect(isOfRemovedKey(errors[0], hint)).to.equal(is);
    });
  }
});

import { expect } from 'chai';
import { digest } from '../../src/crypto/digest.ts';
import { proveSecret, rememberProven } from '../../src/library/prove-secret.ts';
import { compareHashedSecrets } from '../../src/library/reliances/secret-comparison.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the library compares the secrets of clients', () => {
  let bare: BareProvider;
  before(async () => {
    const clock = { now: () => new Date() };
    const hashes = { of: async (text: string) => digest(text) };
    bare = await startBareProvider({
      configuration: { extraClientMetadata: { properties: ['secret_hashes'] } },
      prepare: (provider) =>
        compareHashedSecrets(provider, rememberProven(proveSecret(hashes, clock))),
    });
    const sha256 = digest('right');
    bare.clients.set('portal', {
      ...bare.clients.get('portal'),
      ...{ client_secret: 'hashed', secret_hashes: [{ id: 'sec_1', sha256 }] },
    });
  });
  after(() => bare?.stop());

  const tokenWith = (client_secret: string) =>
    bare.token({ grant_type: 'client_credentials', scope: 'read', client_secret });

  it('by the method that is replaced', async () => {
    expect(await tokenWith('right')).to.have.property('access_token');
    expect(await tokenWith('wrong')).to.have.property('error', 'invalid_client');
  });

  it('and never with what the client’s metadata calls the secret', async () => {
    expect(await tokenWith('hashed')).to.have.property('error', 'invalid_client');
  });
});

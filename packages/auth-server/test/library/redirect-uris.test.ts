import { expect } from 'chai';
import type { AdapterPayload } from '../../src/library/oidc.ts';
import { compareRedirectUris } from '../../src/library/request-parameters.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

const NATIVE: AdapterPayload = {
  client_id: 'native',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
};

describe('the library compares redirect URIs', () => {
  let bare: BareProvider;
  const plain = new Map<string, boolean>();
  const URIS = ['http://127.0.0.1:4321/callback', 'http://localhost:4321/callback'];
  before(async () => {
    bare = await startBareProvider();
    bare.clients.set('native', NATIVE);
    const client = await bare.provider.Client.find('native');
    for (const uri of URIS) plain.set(uri, client?.redirectUriAllowed(uri) === true);
    compareRedirectUris(bare.provider);
  });
  after(() => bare?.stop());

  const statusOf = async (redirect_uri: string) => {
    const url = bare.authorizationUrl({ client_id: 'native', redirect_uri });
    return (await fetch(url, { redirect: 'manual' })).status;
  };

  it('and itself gives native applications any port of this machine, by any of its names', () => {
    expect([...plain.values()]).to.deep.equal([true, true]);
  });

  it('by the method that is replaced, so that a port is free on the loopback address alone', async () => {
    expect(await statusOf('http://127.0.0.1/callback')).to.equal(303);
    expect(await statusOf('http://127.0.0.1:4321/callback')).to.equal(303);
    expect(await statusOf('http://localhost:4321/callback')).to.equal(400);
  });
});

import { expect } from 'chai';
import { adjustParameters, type Parameters } from '../../src/library/request-parameters.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the parameters of a request', () => {
  let bare: BareProvider;
  const seen: Parameters[] = [];
  before(async () => {
    bare = await startBareProvider({
      prepare: (provider) =>
        adjustParameters(provider, (params) => {
          seen.push({ ...params });
          if (params['scope'] === 'adjusted') params['scope'] = 'openid read';
        }),
    });
  });
  after(() => bare?.stop());

  it('can be changed before the library looks at them, at each endpoint', async () => {
    const code = await bare.signIn(new Browser(), { scope: 'adjusted', nonce: '' });
    expect(code).to.be.a('string');
    expect(seen[0]).to.include({ scope: 'adjusted', client_id: 'portal' });
    expect(seen[0]?.['nonce'], 'an empty one is left out').to.equal(undefined);
    const answer = await bare.token({ grant_type: 'client_credentials', scope: 'adjusted' });
    expect(answer).to.include({ scope: 'read' });
    const secret = { client_id: 'portal', client_secret: 'portal-secret' };
    const device = await bare.post('/device/auth', { ...secret, scope: 'adjusted' });
    expect(device.status).to.equal(200);
    const fields = { response_type: 'code', redirect_uri: 'https://portal.example/callback' };
    const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const pushed = await bare.post('/request', {
      ...secret,
      ...fields,
      ...pkce,
      scope: 'adjusted',
    });
    expect(pushed.status).to.equal(201);
  });
});

import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { setAskedScope } from '../../src/library/reliances/asked-scope.ts';
import { API, type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the scope of a request', () => {
  let bare: BareProvider;
  const seen: unknown[] = [];
  before(async () => {
    bare = await startBareProvider({
      configuration: {
        features: {
          resourceIndicators: {
            enabled: true,
            defaultResource: () => API,
            getResourceServerInfo(ctx) {
              seen.push(ctx.oidc.params?.['scope']);
              setAskedScope(ctx, 'read');
              return { scope: 'read', audience: API, accessTokenFormat: 'jwt' };
            },
          },
        },
      },
    });
  });
  after(() => bare?.stop());

  it('is read by the library after it has asked for the resource server', async () => {
    const answer = await bare.token({ grant_type: 'client_credentials' });
    expect(answer).to.include({ scope: 'read' });
    expect(decodeJwt(String(answer['access_token']))).to.include({ scope: 'read' });
    expect(seen).to.deep.equal([undefined]);
  });
});

import { expect } from 'chai';
import { handOverErrors } from '../../src/library/reliances/rendered-errors.ts';
import { unauthorizedClient } from '../../src/library/reliances/unauthorized-client.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the library’s refusal of a grant that the client may not use', () => {
  let bare: BareProvider;
  before(async () => {
    bare = await startBareProvider({
      prepare: handOverErrors,
      configuration: {
        renderError(ctx, { error }, thrown) {
          ctx.body = { error, named: unauthorizedClient(ctx, thrown)?.error };
        },
      },
    });
    const portal = bare.clients.get('portal') ?? {};
    bare.clients.set('portal', { ...portal, grant_types: ['authorization_code'] });
  });
  after(() => bare?.stop());

  const named = { error: 'invalid_request', named: 'unauthorized_client' };

  it('is an invalid request, with the client and its grants beside it', async () => {
    expect(await bare.token({ grant_type: 'client_credentials' })).to.deep.equal(named);
  });

  it('is an invalid request where a device begins, which can be named', async () => {
    const secret = { client_id: 'portal', client_secret: 'portal-secret', scope: 'openid' };
    const answer = await bare.post('/device/auth', secret);
    expect(await answer.json()).to.deep.equal(named);
  });

  it('is an invalid request where a request is pushed, which can be named', async () => {
    const portal = bare.clients.get('portal') ?? {};
    bare.clients.set('portal', {
      ...portal,
      grant_types: ['client_credentials'],
      response_types: [],
    });
    const secret = { client_id: 'portal', client_secret: 'portal-secret', scope: 'openid' };
    const answer = await bare.post('/request', secret);
    expect(await answer.json()).to.deep.equal(named);
  });

  it('leaves every other error as it is', async () => {
    const answer = await bare.token({});
    expect(answer).to.deep.equal({ error: 'invalid_request' });
  });
});

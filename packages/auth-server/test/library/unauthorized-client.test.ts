import { expect } from 'chai';
import {
  asUnauthorizedClient,
  nameUnauthorizedClients,
} from '../../src/library/reliances/unauthorized-client.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the library’s refusal of a grant that the client may not use', () => {
  let bare: BareProvider;
  let corrected = false;
  const told: unknown[] = [];
  before(async () => {
    bare = await startBareProvider({
      prepare: (provider) => {
        provider.on('grant.error', (ctx, error) => {
          told.push(error, asUnauthorizedClient(ctx, error));
        });
        provider.use((ctx, next) => (corrected ? nameUnauthorizedClients(ctx, next) : next()));
      },
    });
    const portal = bare.clients.get('portal') ?? {};
    bare.clients.set('portal', { ...portal, grant_types: ['authorization_code'] });
  });
  after(() => bare?.stop());

  it('is an invalid request, with the client and its grants beside it', async () => {
    const answer = await bare.token({ grant_type: 'client_credentials' });
    expect(answer).to.include({ error: 'invalid_request' });
    const [error, named] = told as { error: string }[];
    expect(error?.error).to.equal('invalid_request');
    expect(named?.error).to.equal('unauthorized_client');
  });

  it('is an invalid request where a device begins, whose answer can be named', async () => {
    const ask = async () => {
      const secret = { client_id: 'portal', client_secret: 'portal-secret', scope: 'openid' };
      const answer = await bare.post('/device/auth', secret);
      return (await answer.json()) as { error: string };
    };
    expect((await ask()).error).to.equal('invalid_request');
    corrected = true;
    expect((await ask()).error).to.equal('unauthorized_client');
  });
});

import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { startTestApi, type TestApi } from './support/api.ts';
import { AUDIENCE, ISSUER } from './support/issuer.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const PATH = `${WELL_KNOWN}${new URL(AUDIENCE).pathname}`;

describe('the metadata of the protected resource (RFC 9728)', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(anyEngine);
  });
  after(() => api?.stop());

  it('says without a token where tokens come from, and for what scopes', async () => {
    for (const path of [WELL_KNOWN, PATH]) {
      const answer = await api.getWith(path, undefined);
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=300');
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      expect(await answer.json()).to.deep.equal({
        resource: AUDIENCE,
        authorization_servers: [ISSUER],
        scopes_supported: [
          `${ISSUER}/auth/cls-deal.view`,
          `${ISSUER}/auth/external-api.fullcontrol`,
          `${ISSUER}/auth/cls-ledger.post`,
          `${ISSUER}/auth/cls-customer.administer`,
        ],
        bearer_methods_supported: ['header'],
        dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
        tls_client_certificate_bound_access_tokens: false,
        resource_documentation: `${ISSUER}/docs`,
      });
    }
  });

  it('is named in each challenge, where a client looks for it', async () => {
    const url = new URL(PATH, AUDIENCE).href;
    const challengeOf = async (token: string | undefined) =>
      (await api.getWith('/api/v1/cls/balances', token)).headers.get('www-authenticate');
    expect(await challengeOf(undefined)).to.equal(`Bearer resource_metadata="${url}"`);
    expect(await challengeOf('a.b.c')).to.equal(
      `Bearer error="invalid_token", resource_metadata="${url}"`,
    );
    const good = await api.getWith('/api/v1/cls/balances', await api.token());
    expect([good.status, good.headers.get('www-authenticate')]).to.deep.equal([200, null]);
  });

  it('is found by a standard client from a refusal alone', async () => {
    const refused = await api.getWith('/api/v1/cls/balances', undefined);
    const [, url = ''] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const { resourceDiscoveryRequest, processResourceDiscoveryResponse, customFetch } =
      await import('oauth4webapi');
    // The test's API listens elsewhere than its public address.
    const answer = await resourceDiscoveryRequest(new URL(AUDIENCE), {
      [customFetch]: (asked: string) => {
        expect(String(asked)).to.equal(url);
        return api.getWith(new URL(String(asked)).pathname, undefined);
      },
    });
    const found = await processResourceDiscoveryResponse(new URL(AUDIENCE), answer);
    expect(found.authorization_servers).to.deep.equal([ISSUER]);
  });

  it('is read only, and nothing else is at its name', async () => {
    const posted = await fetch(`${api.baseUrl}${PATH}`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    expect((await api.getWith(`${PATH}/other`, undefined)).status).to.equal(404);
  });
});

import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import * as client from 'openid-client';
import { PASSWORD, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

describe('an application that is registered without PKCE', () => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
  });
  after(() => server?.stop());
  const signIn = async (url: URL) => {
    const browser = new Browser();
    const page = await browser.follow(url);
    if (page.url.origin !== server.issuer) return page.url;
    const fields = { email: server.person.email, password: PASSWORD };
    return (await browser.submit(page, fields)).url;
  };
  const bare = async (party: RelyingParty, keep: readonly string[] = []) => {
    const flow = await authorizationUrl(party);
    for (const name of ['code_challenge', 'code_challenge_method']) {
      if (!keep.includes(name)) flow.url.searchParams.delete(name);
    }
    return flow;
  };
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: client.ResponseBodyError) => error.error,
    );

  it('signs in without it, and without a nonce', async () => {
    const party = await relyingParty(server, { withoutPkce: true });
    const flow = await bare(party);
    flow.url.searchParams.delete('nonce');
    const callback = await signIn(flow.url);
    const tokens = await client.authorizationCodeGrant(party.config, callback, {
      expectedState: flow.state,
    });
    expect(tokens.claims()?.sub).to.match(/^acc_/);
  });

  it('is held to a challenge that it sends: the verifier must fit', async () => {
    const party = await relyingParty(server, { withoutPkce: true });
    const flow = await authorizationUrl(party);
    const callback = await signIn(flow.url);
    const checks = { expectedState: flow.state, expectedNonce: flow.nonce };
    const bareExchange = client.authorizationCodeGrant(party.config, callback, checks);
    expect(await errorOf(bareExchange)).to.equal('invalid_grant');
  });

  it('is refused a verifier to which there was no challenge', async () => {
    const party = await relyingParty(server, { withoutPkce: true });
    const flow = await bare(party);
    const callback = await signIn(flow.url);
    expect(await errorOf(exchange(party, flow, callback))).to.equal('invalid_grant');
  });

  for (const [who, change] of [
    ['an application registered as usual', {}],
    ['a public one, whatever its record says', { confidential: false, withoutPkce: true }],
  ] as const) {
    it(`differs from ${who}: invalid_request without PKCE`, async () => {
      const party = await relyingParty(server, change);
      const callback = await signIn((await bare(party)).url);
      expect(callback.searchParams.get('error')).to.equal('invalid_request');
    });
  }
});

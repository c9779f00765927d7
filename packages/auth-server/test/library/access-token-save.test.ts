import { expect } from 'chai';
import { decodeJwt } from 'jose';
import {
  keepForUserinfo,
  replaceTokenSave,
} from '../../src/library/reliances/access-token-save.ts';
import { API, type BareProvider, startBareProvider, VERIFIER } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the method by which the library makes an access token', () => {
  let bare: BareProvider;
  let keep = true;
  before(async () => {
    bare = await startBareProvider({
      prepare: (provider) =>
        replaceTokenSave(provider, async (token, write, ctx) => {
          expect(ctx.oidc?.client?.clientId).to.equal('portal');
          const text = await write();
          token.scope = 'openid read';
          if (keep) await keepForUserinfo(token, text, decodeJwt(text));
          return text;
        }),
    });
  });
  after(() => bare?.stop());

  const signIn = async () => {
    const code = await bare.signIn(new Browser(), { scope: 'openid read' });
    return bare.token({
      ...{ grant_type: 'authorization_code', code, code_verifier: VERIFIER },
      redirect_uri: 'https://portal.example/callback',
    });
  };
  const userinfo = (token: unknown) =>
    fetch(`${bare.issuer}/me`, { headers: { authorization: `Bearer ${token}` } });

  it('is replaced: the scope that it leaves is the answer’s, and not the token’s', async () => {
    keep = true;
    const answer = await signIn();
    expect(answer['scope']).to.equal('openid read');
    expect(decodeJwt(String(answer['access_token']))).to.include({ aud: API, scope: 'read' });
  });

  it('may keep the token under its text: userinfo then finds it there', async () => {
    keep = true;
    const answer = await userinfo((await signIn())['access_token']);
    expect([answer.status, await answer.json()]).to.deep.equal([200, { sub: 'person' }]);
  });

  it('keeps no signed token by itself', async () => {
    keep = false;
    expect((await userinfo((await signIn())['access_token'])).status).to.equal(401);
  });
});

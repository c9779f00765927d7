import { expect } from 'chai';
import { errors } from '../../src/library/oidc.ts';
import {
  type BareProvider,
  CALLBACK,
  startBareProvider,
  VERIFIER,
} from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the library and its store', () => {
  let bare: BareProvider;
  let instead: (() => Promise<never>) | undefined;
  before(async () => {
    bare = await startBareProvider({
      adapter: (kind, name) =>
        kind === 'AuthorizationCode' && name === 'consume'
          ? async () => (instead === undefined ? (undefined as never) : instead())
          : undefined,
    });
  });
  after(() => bare?.stop());

  const exchange = async (code: string) =>
    bare.token({
      ...{ grant_type: 'authorization_code', code, code_verifier: VERIFIER },
      redirect_uri: CALLBACK,
    });

  it('answers with the error of the protocol that the store throws', async () => {
    instead = async () => {
      throw new errors.InvalidGrant('spent');
    };
    expect(await exchange(await bare.signIn(new Browser()))).to.have.property(
      'error',
      'invalid_grant',
    );
  });

  it('gives tokens for a code that the store leaves unspent: another step spends it', async () => {
    instead = undefined;
    const code = await bare.signIn(new Browser());
    expect(await exchange(code)).to.have.property('access_token');
    expect(await exchange(code)).to.have.property('access_token');
  });

  it('stores a code before the session in which it was made', async () => {
    bare.stored.clear();
    await bare.signIn(new Browser());
    const kinds = [...bare.stored.keys()].map((id) => id.split(' ')[0]);
    expect(kinds.indexOf('AuthorizationCode')).to.be.within(0, kinds.indexOf('Session'));
  });
});

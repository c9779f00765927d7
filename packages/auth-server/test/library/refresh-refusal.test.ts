import { expect } from 'chai';
import { errors } from '../../src/library/oidc.ts';
import { rotateUnless } from '../../src/library/reliances/refresh-refusal.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { refreshTokenOf } from '../support/bare-refresh.ts';

describe('a refresh that is refused where the library asks whether to rotate', () => {
  let bare: BareProvider;
  let refuse = false;
  before(async () => {
    bare = await startBareProvider({
      configuration: {
        rotateRefreshToken: rotateUnless((ctx) => {
          expect(ctx.oidc.entities.RefreshToken?.accountId).to.equal('person');
          if (refuse) throw new errors.InvalidTarget();
        }),
      },
    });
  });
  after(() => bare?.stop());

  it('gets that error, and the token is not spent', async () => {
    const refresh_token = await refreshTokenOf(bare);
    const refresh = () => bare.token({ grant_type: 'refresh_token', refresh_token });
    refuse = true;
    expect(await refresh()).to.have.property('error', 'invalid_target');
    refuse = false;
    const answer = await refresh();
    expect(answer).to.have.property('access_token');
    expect(answer['refresh_token']).to.not.equal(refresh_token);
    expect(await refresh()).to.have.property('error', 'invalid_grant');
  });
});

import { expect } from 'chai';
import { showInPlace } from '../../src/library/reliances/error-in-place.ts';
import { type BareProvider, CALLBACK, startBareProvider } from '../support/bare-provider.ts';

describe('an error of the authorization endpoint', () => {
  let bare: BareProvider;
  before(async () => {
    bare = await startBareProvider({
      prepare: (provider) =>
        showInPlace(provider, ({ oidc }) => oidc.params?.['state'] === 'shown here'),
    });
  });
  after(() => bare?.stop());

  const ask = (state: string) =>
    fetch(bare.authorizationUrl({ prompt: 'none', state }), { redirect: 'manual' });

  it('is sent to the application', async () => {
    const answer = await ask('anything');
    expect(answer.headers.get('location')).to.match(new RegExp(`^${CALLBACK}\\?error=login_req`));
  });

  it('is shown in its place where a listener says so', async () => {
    const answer = await ask('shown here');
    expect(answer.headers.get('location')).to.equal(null);
    expect(await answer.text()).to.include('"error":"login_required"');
  });
});

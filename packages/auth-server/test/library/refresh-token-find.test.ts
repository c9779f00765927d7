import { expect } from 'chai';
import { adjustRefreshScope } from '../../src/library/reliances/refresh-token-find.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { refreshTokenOf } from '../support/bare-refresh.ts';

describe('the library reads a refresh token', () => {
  let bare: BareProvider;
  before(async () => {
    bare = await startBareProvider({
      prepare: (provider) =>
        adjustRefreshScope(provider, (asked) => asked.replace(' unknown', '') || undefined),
    });
  });
  after(() => bare?.stop());

  const refresh = async (scope: string) =>
    bare.token({
      ...{ grant_type: 'refresh_token', refresh_token: await refreshTokenOf(bare), scope },
    });

  it('by the method that is replaced, before it compares the scope that is asked for', async () => {
    expect(await refresh('read unknown')).to.include({ scope: 'read' });
  });

  it('and refuses what the sign-in did not grant, as it is then asked for', async () => {
    const answer = await refresh('read other');
    expect(answer).to.include({ error: 'invalid_scope', scope: 'other' });
  });
});

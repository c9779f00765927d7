import { expect } from 'chai';
import { endWithBrowser, rememberLaterSignIns } from '../../src/library/session-lifetime.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';

describe('the library makes a session that outlives the browser', () => {
  let bare: BareProvider;
  const login = { accountId: 'person', amr: [], acr: '', loginTs: 1 };
  after(() => bare?.stop());

  it('of none that was to end with it, unless its sign-in method is replaced', async () => {
    bare = await startBareProvider();
    const session = new bare.provider.Session();
    session.loginAccount({ ...login, transient: true });
    session.loginAccount({ ...login, transient: false });
    expect(session.transient, 'the library alone').to.equal(true);
    rememberLaterSignIns(bare.provider);
    session.loginAccount({ ...login, transient: false });
    expect(session.transient).to.equal(undefined);
    endWithBrowser(session);
    expect(session.transient).to.equal(true);
  });
});

import { expect } from 'chai';
import { beforeSessionEnds, isDestroyed } from '../../src/library/reliances/session-end.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the library ends a session at a sign-out', () => {
  let bare: BareProvider;
  let fails = false;
  const ended: string[] = [];
  const successes: boolean[] = [];
  before(async () => {
    bare = await startBareProvider({
      prepare(provider) {
        beforeSessionEnds(provider, async (session) => {
          expect(isDestroyed(session)).to.equal(false);
          if (fails) throw new Error('the records do not answer');
          ended.push(...Object.keys(session.authorizations ?? {}));
        });
        provider.on('end_session.success', ({ oidc }) => {
          successes.push(oidc.session !== undefined && isDestroyed(oidc.session));
        });
        provider.on('server_error', () => undefined);
      },
    });
  });
  after(() => bare?.stop());

  const signOut = async (browser: Browser, fields: Record<string, string>) =>
    browser.submit(await browser.follow(`${bare.issuer}/session/end`), fields);
  const sessions = () => [...bare.stored.keys()].filter((id) => id.startsWith('Session '));

  it('by the method that is replaced, once, while it still knows its applications', async () => {
    const browser = new Browser();
    await bare.signIn(browser);
    expect(sessions()).to.have.length(1);
    await signOut(browser, { logout: 'yes' });
    expect(ended).to.deep.equal(['portal']);
    expect(successes).to.deep.equal([true]);
    expect(sessions()).to.deep.equal([]);
  });

  it('after the work that is put before it: when that fails, the person can sign out again', async () => {
    const browser = new Browser();
    await bare.signIn(browser);
    fails = true;
    expect((await signOut(browser, { logout: 'yes' })).response.status).to.equal(500);
    expect(sessions()).to.have.length(1);
    fails = false;
    await signOut(browser, { logout: 'yes' });
    expect(sessions()).to.deep.equal([]);
  });

  it('and not where the person stays signed in', async () => {
    const browser = new Browser();
    await bare.signIn(browser);
    ended.length = 0;
    await signOut(browser, {});
    expect([ended, sessions().length, successes.at(-1)]).to.deep.equal([[], 1, false]);
  });
});

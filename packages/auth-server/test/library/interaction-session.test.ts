import { expect } from 'chai';
import { leaveEndedSession } from '../../src/library/reliances/interaction-session.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('a sign-in whose earlier session has ended meanwhile', () => {
  let bare: BareProvider;
  let leave = false;
  before(async () => {
    bare = await startBareProvider({
      prepare(provider) {
        provider.on('server_error', () => undefined);
        provider.use(async (ctx, next) => {
          const [, uid] = /^\/interaction\/(.+)$/.exec(ctx.path) ?? [];
          if (uid !== undefined && leave) {
            for (const id of bare.stored.keys()) {
              if (id.startsWith('Session ')) bare.stored.delete(id);
            }
            await leaveEndedSession(provider, uid);
          }
          await next();
        });
      },
    });
  });
  after(() => bare?.stop());

  it('goes on as if nobody had been signed in', async () => {
    const browser = new Browser();
    leave = false;
    await bare.signIn(browser);
    leave = true;
    expect(await bare.signIn(browser, { prompt: 'login' })).to.be.a('string');
  });
});

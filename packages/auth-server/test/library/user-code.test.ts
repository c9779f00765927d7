import { expect } from 'chai';
import { whyCodeIsAsked } from '../../src/library/reliances/user-code.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('why the library asks for the code of a second device', () => {
  let bare: BareProvider;
  const reasons: string[] = [];
  before(async () => {
    bare = await startBareProvider({
      configuration: {
        features: {
          deviceFlow: {
            enabled: true,
            userCodeInputSource(ctx, form, out) {
              ctx.body = form;
              reasons.push(whyCodeIsAsked(ctx, out));
            },
            userCodeConfirmSource(ctx, form) {
              ctx.body = form;
            },
          },
        },
      },
    });
  });
  after(() => bare?.stop());
  beforeEach(() => {
    reasons.length = 0;
  });

  const type = async (browser: Browser, user_code: string) =>
    browser.submit(await browser.follow(`${bare.issuer}/device`), { user_code });

  it('is that nothing was typed yet, and then that it is no code', async () => {
    await type(new Browser(), 'no-such-code');
    expect(reasons).to.deep.equal(['asked', 'code_not_good']);
  });

  it('is that the person has denied the device, and then that its code is used up', async () => {
    const fields = { client_id: 'portal', client_secret: 'portal-secret', scope: 'openid' };
    const answer = (await (await bare.post('/device/auth', fields)).json()) as {
      user_code: string;
    };
    const browser = new Browser();
    const page = await type(browser, answer.user_code);
    await browser.submit(page, { confirm: '', abort: 'yes' });
    await type(browser, answer.user_code);
    expect(reasons).to.deep.equal(['asked', 'denied', 'asked', 'code_not_good']);
  });

  it('is a failure where the form is not the session’s own', async () => {
    await new Browser().open(`${bare.issuer}/device`, {
      method: 'POST',
      body: new URLSearchParams({ user_code: 'ABCD', xsrf: 'guessed' }),
    });
    expect(reasons).to.deep.equal(['failed']);
  });
});

import { expect } from 'chai';
import { forgetUnkept, isKept } from '../../src/library/reliances/kept-session.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('a session that the library has begun for a device’s form', () => {
  let bare: BareProvider;
  let forget = true;
  const kept: boolean[] = [];
  const failures: unknown[] = [];
  before(async () => {
    bare = await startBareProvider({
      configuration: {
        features: {
          deviceFlow: {
            enabled: true,
            userCodeInputSource(ctx, form, out) {
              ctx.body = form;
              if (out === undefined || ctx.oidc.session === undefined) return;
              kept.push(isKept(ctx.oidc.session));
              if (forget) forgetUnkept(ctx.oidc.session);
            },
          },
        },
      },
      prepare(provider) {
        provider.use(async (_, next) => {
          try {
            await next();
          } catch (error) {
            failures.push(error);
          }
        });
      },
    });
  });
  after(() => bare?.stop());
  beforeEach(() => {
    for (const list of [kept, failures]) list.length = 0;
  });

  const sendForm = (browser: Browser) =>
    browser.open(`${bare.issuer}/device`, {
      method: 'POST',
      body: 'too much '.repeat(10_000),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('has no end when the browser brought no cookie, and can be forgotten', async () => {
    forget = true;
    await sendForm(new Browser());
    expect({ kept, failures }).to.deep.equal({ kept: [false], failures: [] });
  });

  it('makes the request fail when it is not forgotten', async () => {
    forget = false;
    await sendForm(new Browser());
    expect(kept).to.deep.equal([false]);
    expect(String(failures[0])).to.match(/TypeError: persist can only be called/);
  });

  it('has an end when the form was shown before', async () => {
    forget = true;
    const browser = new Browser();
    await browser.open(`${bare.issuer}/device`);
    await sendForm(browser);
    expect({ kept, failures }).to.deep.equal({ kept: [true], failures: [] });
  });
});

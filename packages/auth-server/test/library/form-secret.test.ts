import { expect } from 'chai';
import type { KoaContextWithOIDC } from '../../src/library/oidc.ts';
import { formSecretOf } from '../../src/library/reliances/form-secret.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the secret of the library’s own forms', () => {
  let bare: BareProvider;
  const shown: (string | undefined)[] = [];
  before(async () => {
    bare = await startBareProvider({
      prepare: (provider) =>
        provider.use(async (ctx, next) => {
          await next();
          const { oidc } = ctx as unknown as Partial<KoaContextWithOIDC>;
          if (ctx.method === 'GET') shown.push(formSecretOf(oidc?.session));
        }),
    });
  });
  after(() => bare?.stop());

  for (const [form, path] of [
    ['to sign out', '/session/end'],
    ['for a device’s code', '/device'],
  ] as const) {
    it(`lies in the session when the form ${form} is shown`, async () => {
      const browser = new Browser();
      await bare.signIn(browser);
      const page = await browser.follow(`${bare.issuer}${path}`);
      const [, secret] = /name="xsrf" value="([^"]+)"/.exec(await page.response.text()) ?? [];
      expect(secret).to.match(/^[0-9a-f]{48}$/);
      expect(shown.at(-1)).to.equal(secret);
    });
  }

  it('is not there while no form was begun', () => {
    expect(formSecretOf(undefined)).to.equal(undefined);
  });
});

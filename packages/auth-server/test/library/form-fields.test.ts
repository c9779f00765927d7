import { expect } from 'chai';
import { FORM_FIELDS, signOutFormPath } from '../../src/library/reliances/form-fields.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the fields of the library’s forms', () => {
  let bare: BareProvider;
  before(async () => {
    bare = await startBareProvider();
  });
  after(() => bare?.stop());

  const fieldsOf = (html: string) =>
    [...html.matchAll(/name="([^"]+)"/g)].map(([, name]) => name).sort();
  const newCode = async () => {
    const fields = { client_id: 'portal', client_secret: 'portal-secret', scope: 'openid' };
    const answer = (await (await bare.post('/device/auth', fields)).json()) as {
      device_code: string;
      user_code: string;
    };
    return answer;
  };
  const confirmation = async (browser: Browser, userCode: string) =>
    browser.submit(await browser.follow(`${bare.issuer}/device`), {
      [FORM_FIELDS.userCode]: userCode,
    });

  it('to sign out are the secret and the wish, sent to the confirmation', async () => {
    const browser = new Browser();
    await bare.signIn(browser);
    const { response, url } = await browser.follow(`${bare.issuer}/session/end`);
    const html = await response.text();
    expect(html).to.include(`action="${bare.issuer}${signOutFormPath('/session/end')}"`);
    expect(fieldsOf(html)).to.deep.equal([FORM_FIELDS.secret]);
    const page = { response, url, text: html };
    const end = await browser.submit(page, { [FORM_FIELDS.signOut]: 'yes' });
    expect(await end.response.text()).to.equal('signed out');
  });

  it('to let a second device in are the secret, the code and the wish', async () => {
    const browser = new Browser();
    const { user_code } = await newCode();
    const page = await confirmation(browser, user_code);
    const text = await page.response.text();
    const { secret, userCode, allow } = FORM_FIELDS;
    expect(fieldsOf(text)).to.deep.equal([secret, userCode, allow].sort());
    const end = await browser.submit({ ...page, text }, {});
    expect(await end.response.text()).to.equal('connected');
  });

  it('to deny a second device hold the wish in place of the other', async () => {
    const browser = new Browser();
    const { user_code, device_code } = await newCode();
    const page = await confirmation(browser, user_code);
    await browser.submit(page, { [FORM_FIELDS.allow]: '', [FORM_FIELDS.deny]: 'yes' });
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    const answer = await bare.token({ grant_type, device_code });
    expect(answer).to.have.property('error', 'access_denied');
  });
});

import { expect } from 'chai';
import { callbackFormOf } from '../../src/library/reliances/callback-form.ts';
import { type BareProvider, CALLBACK, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('the form by which the library sends a browser on', () => {
  let bare: BareProvider;
  before(async () => {
    bare = await startBareProvider();
  });
  after(() => bare?.stop());

  const formAt = async (browser: Browser, url: string) => {
    const { response } = await browser.follow(url);
    return callbackFormOf(await response.text());
  };

  it('is read where an application asks for response_mode=form_post', async () => {
    const state = `"<&>'`;
    const url = bare.authorizationUrl({ response_mode: 'form_post', state });
    const form = await formAt(new Browser(), url);
    expect(form?.action).to.equal(CALLBACK);
    const fields = Object.fromEntries(form?.fields ?? []);
    expect(fields).to.have.keys('code', 'iss', 'state');
    expect(fields).to.include({ state, iss: bare.issuer });
  });

  it('is read where nobody is signed in who could sign out', async () => {
    const form = await formAt(new Browser(), `${bare.issuer}/session/end`);
    expect(form?.action).to.equal(`${bare.issuer}/session/end/confirm`);
    expect(Object.fromEntries(form?.fields ?? [])).to.include({ logout: 'yes' });
  });

  it('is read where somebody else signs in', async () => {
    const browser = new Browser();
    await bare.signIn(browser);
    bare.account = 'somebody-else';
    const form = await formAt(browser, bare.authorizationUrl({ prompt: 'login' }));
    expect(form?.action).to.equal(`${bare.issuer}/session/end/confirm`);
    expect(form?.fields.map(([name]) => name)).to.deep.equal(['xsrf', 'logout']);
  });

  it('is read where a link brings the code of a second device', async () => {
    const form = await formAt(new Browser(), `${bare.issuer}/device?user_code=ABCD`);
    expect(form?.action).to.equal(`${bare.issuer}/device`);
    expect(Object.fromEntries(form?.fields ?? [])).to.include({ user_code: 'ABCD' });
  });

  it('is nothing else', () => {
    const bodies = ['<form method="post" action="/x"></form>', { a: 1 }, undefined];
    expect(bodies.map(callbackFormOf)).to.deep.equal([undefined, undefined, undefined]);
  });
});

import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { PASSWORD } from '../support/auth-server.ts';
import {
  addPhone,
  enterCode,
  journeys,
  press,
  reach,
  type Site,
  saveCodes,
  signIn,
} from '../support/journeys.ts';

const WITHOUT: BrowserContextOptions = { javaScriptEnabled: false };

describe('without scripts, with Chromium', () => {
  const world = journeys({ MFA_POLICY: 'required' });
  let portal: Site;
  let stranger: Site;
  before(async () => {
    portal = await world.site('Portal');
    stranger = await world.site('Other Firm', false);
  });
  /** What is on the page and does nothing. */
  const dead = async (page: Page) =>
    page
      .locator('button[type=button]:visible, form[data-passkey] button:visible')
      .allTextContents();

  it('people set up an authenticator app, sign in, allow an application and sign out', async () => {
    const page = await world.open(WITHOUT);
    const email = await world.newPerson();
    const first = await portal.ask();
    await page.goto(first.url.href);
    expect(await dead(page)).to.deep.equal([]);
    await signIn(page, email);
    await page.getByRole('link', { name: /^Passkey/ }).click();
    await page.getByText('Passkeys need JavaScript').waitFor();
    expect(await dead(page)).to.deep.equal([]);
    await press(page, 'Cancel');
    await reach(page, 'Protect your account');
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    const app = await addPhone(page, 'Pixel');
    const [recoveryCode = ''] = await saveCodes(page);
    const tokens = await portal.arrive(page, first);

    await page.goto(portal.signOutUrl(tokens.id_token));
    await page.waitForURL(`${portal.portal.origin}/bye`);
    const flow = await stranger.ask();
    await page.goto(flow.url.href);
    await signIn(page, email);
    await enterCode(page, app);
    await reach(page, 'Allow access?');
    await press(page, 'Allow');
    expect((await stranger.arrive(page, flow)).claims()?.['amr']).to.include('mfa');

    const another = await world.open(WITHOUT);
    const again = await portal.ask();
    await another.goto(again.url.href);
    await signIn(another, email);
    await press(another, 'Use a recovery code');
    await another.getByLabel('Recovery code').fill(recoveryCode);
    await press(another, 'Continue');
    await portal.arrive(another, again);
  });

  it('the account pages do all that they do', async () => {
    const page = await world.open(WITHOUT);
    const { email, app } = await world.newGuardedPerson();
    const elsewhere = await world.open(WITHOUT);
    for (const each of [elsewhere, page]) {
      await each.goto(`${world.issuer}/account`);
      await signIn(each, email);
      await enterCode(each, app);
      await reach(each, 'Your account');
    }
    await press(page, 'Sessions');
    await press(page, 'End all other sessions');
    await page.getByText('All other sessions were ended.').waitFor();
    await press(page, 'Sign-in methods');
    await press(page, 'Rename Authenticator app');
    await page.getByLabel('Name').fill('Phone');
    await press(page, 'Save');
    await page.getByText('The sign-in method was renamed.').waitFor();
    await press(page, 'Add an authenticator app');
    await addPhone(page, 'Tablet');
    await saveCodes(page);
    await press(page, 'Remove Phone');
    await press(page, 'Remove');
    await page.getByText('The sign-in method was removed.').waitFor();
    await press(page, 'Password');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('a quiet river under seven bridges');
    await press(page, 'Change password');
    await page.getByText('Your password was changed.').waitFor();
    for (const place of ['Applications', 'Security log']) {
      await page.getByRole('navigation').getByRole('link', { name: place }).click();
      await reach(page, place);
      expect(await dead(page)).to.deep.equal([]);
    }
    await press(page, 'Sign out');
    await reach(page, 'Signed out');
  });
});

import {
  focusOf,
  focusReaches,
  NARROW,
  objections,
  objectionsToBoth,
  widthOf,
} from '@cls/testing/accessibility';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/auth-server.ts';
import {
  addPhone,
  ENDED,
  enterCode,
  journeys,
  press,
  reach,
  type Site,
  saveCodes,
  signIn,
} from '../support/journeys.ts';

describe('for everybody, with Chromium', () => {
  const world = journeys();
  let portal: Site;
  let stranger: Site;
  before(async () => {
    portal = await world.site('Portal');
    stranger = await world.site('Other Firm', false);
  });

  /** Opens every page and state that a person meets, and has each looked at. */
  const tour = async (page: Page, look: (name: string) => Promise<void>) => {
    const email = await world.newPerson();
    const at = async (title: string, state = '') => {
      await reach(page, title);
      await look(`${title}${state}`);
    };
    await page.goto((await stranger.ask({ acr_values: 'urn:cls:acr:mfa' })).url.href);
    await at('Sign in');
    await signIn(page, email, 'not my password');
    await page.getByRole('alert').waitFor();
    await at('Sign in', ', refused');
    await page.goto((await stranger.ask({ acr_values: 'urn:cls:acr:mfa' })).url.href);
    await signIn(page, email);
    await at('Protect your account');
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    await at('Add an authenticator app');
    await page.locator('input[name=code]').fill('000000');
    await press(page, 'Add');
    await page.locator('#code-problem').waitFor();
    await at('Add an authenticator app', ', refused');
    const app = await addPhone(page, 'Pixel');
    await at('Save your recovery codes');
    await saveCodes(page);
    await at('Allow access?');
    await press(page, 'Allow');
    await stranger.answer(page);
    await page.goto(`${world.issuer}/account`);
    await at('Your account');
    for (const place of [
      'Password',
      'Sign-in methods',
      'Sessions',
      'Applications',
      'Security log',
    ]) {
      await page.getByRole('navigation').getByRole('link', { name: place }).click();
      await at(place === 'Password' ? 'Change password' : place);
    }
    await press(page, 'Sign-in methods');
    await press(page, 'Add a passkey');
    await at('Add a passkey');
    await world.age(page, 400);
    await page.goBack();
    await press(page, 'Remove Pixel');
    await at('Confirm that it is you', ', on the account pages');
    await enterCode(page, app);
    await at('Remove this sign-in method?');
    await page.goto(`${world.issuer}/oauth/logout`);
    await at('Sign out?');
    await press(page, 'Sign out');
    await at('Signed out');
    await page.goto((await portal.ask()).url.href);
    await signIn(page, email);
    await at('Confirm that it is you');
    await press(page, 'Use a recovery code');
    await at('Confirm that it is you', ', by a recovery code');
    await page.context().clearCookies();
    await page.reload();
    await at(ENDED);
    await page.goto((await portal.ask({ redirect_uri: 'https://elsewhere.example/' })).url.href);
    await at('We stopped this sign-in');
    await page.goto(`${world.issuer}/no-such-page`);
    await at('There is nothing at this address');
    await page.goto(`${world.issuer}/password/reset`);
    await at('Reset your password');
    await page.getByLabel('E-mail address').fill(email);
    await press(page, 'Send the link');
    await at('Check your e-mail');
    const letter = await world.letter(email, 'token=');
    await page.goto(/https?:\/\/\S+token=[\w-]+/.exec(letter)?.[0] ?? '');
    await at('Set a new password');
    await page.getByLabel('New password').fill('a quiet river under seven bridges');
    await press(page, 'Set password');
    await at('Your password is set');
  };

  it('axe objects to no page, light or dark; none scrolls sideways at 320 px', async () => {
    const page = await world.open({ viewport: NARROW });
    const found: string[] = [];
    await tour(page, async (name) => {
      const all = await objectionsToBoth(page);
      found.push(...all.map((objection) => `${name}: ${objection}`));
      const width = await widthOf(page);
      if (width !== NARROW.width) found.push(`${name}: ${width} px wide`);
    });
    expect(found).to.deep.equal([]);
  });

  it('the keyboard alone signs in, with a mistake on the way', async () => {
    const page = await world.open();
    const { email, app } = await world.newGuardedPerson();
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    const { keyboard } = page;
    await focusReaches(page, 'email');
    await keyboard.type(email);
    await keyboard.press('Tab');
    await keyboard.type('not my password');
    await keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await focusReaches(page, 'notice problems');
    for (let stops = 0; (await focusOf(page)) !== 'password'; stops += 1) {
      expect(stops).to.be.lessThan(5);
      await keyboard.press('Tab');
    }
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await reach(page, 'Confirm that it is you');
    await focusReaches(page, 'code');
    await keyboard.type('000000');
    await keyboard.press('Enter');
    await page.locator('#code-problem').waitFor();
    await focusReaches(page, 'code');
    await keyboard.type(await app.code());
    await keyboard.press('Enter');
    await portal.arrive(page, flow);
  });

  it('the pages speak German where the browser does, and the language that is chosen', async () => {
    const page = await world.open({ locale: 'de-DE' });
    const email = await world.newPerson();
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    await reach(page, 'Anmelden');
    await page.locator('input[name=email]').fill(email);
    await page.locator('input[name=password]').fill('falsch');
    await press(page, 'Anmelden');
    await page.getByText('Die E-Mail-Adresse oder das Passwort').waitFor();
    await page.locator('input[name=password]').fill(PASSWORD);
    await press(page, 'Anmelden');
    await portal.arrive(page, flow);
    await page.goto(`${world.issuer}/account`);
    await reach(page, 'Ihr Konto');
    expect(await objections(page)).to.deep.equal([]);
    await press(page, 'English');
    await reach(page, 'Your account');
    await press(page, 'Sessions');
    await reach(page, 'Sessions');
    await press(page, 'Deutsch');
    await reach(page, 'Sitzungen');
    await page.goto(`${world.issuer}/no-such-page`);
    expect(await page.locator('html').getAttribute('lang')).to.equal('de');
  });
});

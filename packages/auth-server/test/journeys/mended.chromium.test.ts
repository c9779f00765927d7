import { focusReaches } from '@cls/testing/accessibility';
import { expect } from 'chai';
import { PASSWORD } from '../support/auth-server.ts';
import { journeys, press, reach, type Site, signIn } from '../support/journeys.ts';
import { virtualAuthenticator } from '../support/virtual-authenticator.ts';

describe('what people stumble over, with Chromium', () => {
  const world = journeys();
  let stranger: Site;
  before(async () => {
    stranger = await world.site('Other Firm', false);
  });

  for (const scripts of [true, false]) {
    it(`Back from a consent leads to the application, with its error, ${scripts ? 'with' : 'without'} scripts`, async () => {
      const page = await world.open({ javaScriptEnabled: scripts });
      const flow = await stranger.ask();
      await page.goto(flow.url.href);
      await signIn(page, await world.newPerson());
      await reach(page, 'Allow access?');
      await page.goBack();
      const answer = await stranger.answer(page);
      expect(answer.get('error')).to.equal('access_denied');
      expect([answer.get('state'), answer.get('iss')]).to.deep.equal([flow.state, world.issuer]);
      await page.goto((await stranger.ask()).url.href);
      await reach(page, 'Allow access?');
    });
  }

  it('a form of another person, or of this person’s earlier session, is refused with words', async () => {
    const page = await world.open();
    const [email, other] = [await world.newPerson(), await world.newPerson()];
    await page.goto(`${world.issuer}/account/password`);
    await signIn(page, email);
    await reach(page, 'Change password');
    const tab = await page.context().newPage();
    const changePassword = async () => {
      await page.getByLabel('Current password').fill(PASSWORD);
      await page.getByLabel('New password').fill('a quiet river under seven bridges');
      await press(page, 'Change password');
    };
    const signInAs = async (who: string) => {
      await tab.goto(`${world.issuer}/account`);
      await press(tab, 'Sign out');
      await tab.goto(`${world.issuer}/account`);
      await signIn(tab, who);
      await reach(tab, 'Your account');
    };
    await signInAs(other);
    await changePassword();
    await reach(page, 'Another account is signed in now');
    await press(page, 'Go to your account');
    await page.getByText(other).first().waitFor();
    await page.goto(`${world.issuer}/account/password`);
    await signInAs(other);
    await changePassword();
    await reach(page, 'Please do this once more');
  });

  it('a consent that another person finds open says so, and gives nothing', async () => {
    const page = await world.open();
    const [email, other] = [await world.newPerson(), await world.newPerson()];
    await page.goto((await stranger.ask()).url.href);
    await signIn(page, email);
    await reach(page, 'Allow access?');
    const tab = await page.context().newPage();
    await tab.goto(`${world.issuer}/account`);
    await press(tab, 'Sign out');
    await tab.goto(`${world.issuer}/account`);
    await signIn(tab, other);
    await reach(tab, 'Your account');
    await press(page, 'Allow');
    await reach(page, 'Another account is signed in now');
  });

  it('forms of one field have the focus in it', async () => {
    const page = await world.open();
    for (const [path, name] of [
      ['/password/reset', 'email'],
      ['/device', 'user_code'],
    ] as const) {
      await page.goto(`${world.issuer}${path}`);
      await focusReaches(page, name);
    }
  });

  it('a passkey has a name to start with, which says where it was made', async () => {
    const page = await world.open();
    await virtualAuthenticator(page);
    await page.goto(`${world.issuer}/account/factors/passkey`);
    await signIn(page, await world.newPerson());
    await press(page, 'Add a passkey');
    await reach(page, 'Add a passkey');
    expect(await page.getByLabel('Name of this passkey').inputValue()).to.match(/\bLinux$/);
    await press(page, 'Create passkey');
    await reach(page, 'Save your recovery codes');
  });

  it('times are in UTC, with the reader’s own beside them where there are scripts', async () => {
    const email = await world.newPerson();
    for (const javaScriptEnabled of [true, false]) {
      const page = await world.open({ timezoneId: 'Asia/Kolkata', javaScriptEnabled });
      await page.goto(`${world.issuer}/account/sessions`);
      await signIn(page, email);
      const text = (await page.locator('time').first().textContent()) ?? '';
      expect(text).to.match(/^\d+ \w+ \d{4}, \d\d:\d\d UTC/);
      expect(text.endsWith('GMT+5:30)')).to.equal(javaScriptEnabled);
    }
  });
});

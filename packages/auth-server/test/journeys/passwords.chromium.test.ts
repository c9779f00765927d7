import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { adminClient, adminToken, newCaller } from '../support/administrator.ts';
import { PASSWORD, VIEW } from '../support/auth-server.ts';
import { enterCode, journeys, press, reach, type Site, signIn } from '../support/journeys.ts';

const FRESH = 'a quiet river under seven bridges';

describe('passwords and invitations, with Chromium', () => {
  const world = journeys();
  let portal: Site;
  before(async () => {
    portal = await world.site('Portal');
  });
  const linkIn = (letter: string) => /https?:\/\/\S+token=[\w-]+/.exec(letter)?.[0] ?? 'no link';
  const chooses = async (page: Page, password: string, button: string) => {
    await page.getByLabel('New password').fill(password);
    await press(page, button);
  };

  it('changing one ends the other sessions, and the owner is told', async () => {
    const email = await world.newPerson();
    const [here, there] = [await world.open(), await world.open()];
    for (const page of [here, there]) {
      await page.goto(`${world.issuer}/account/password`);
      await signIn(page, email);
      await reach(page, 'Change password');
    }
    await here.getByLabel('Current password').fill('not my password');
    await chooses(here, FRESH, 'Change password');
    await here.getByText('That is not your current password.').first().waitFor();
    await here.getByLabel('Current password').fill(PASSWORD);
    await chooses(here, 'password123456789', 'Change password');
    await here.getByText('on a list of commonly used').first().waitFor();
    await here.getByLabel('Current password').fill(PASSWORD);
    await chooses(here, FRESH, 'Change password');
    await here.getByText('Your password was changed.').waitFor();
    await here.goBack();
    await reach(here, 'Change password');
    await here.goForward();
    await reach(here, 'Change password');
    expect(await world.letter(email, 'Your password was changed')).to.include('/account/log');
    await there.reload();
    await reach(there, 'Sign in');
    await signIn(there, email);
    await there.getByText('The e-mail address or the password is wrong.').waitFor();
    await signIn(there, email, FRESH);
    await reach(there, 'Change password');
    await here.getByRole('link', { name: 'Security log' }).click();
    await reach(here, 'Security log');
  });

  it('a forgotten one is set anew by a link that is good once; the second step is still asked for', async () => {
    const { email, app } = await world.newGuardedPerson();
    const page = await world.open();
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    await page.getByLabel('E-mail address').fill(email);
    await press(page, 'Forgot your password?');
    await reach(page, 'Reset your password');
    await page.getByLabel('E-mail address').fill(email);
    await press(page, 'Send the link');
    await reach(page, 'Check your e-mail');
    const link = linkIn(await world.letter(email, 'Reset your password'));

    // Opened where the mail was read: another browser.
    const mailbox = await world.open();
    await mailbox.goto(link);
    await reach(mailbox, 'Set a new password');
    await chooses(mailbox, 'short', 'Set password');
    expect(await mailbox.locator('input:invalid').count()).to.equal(1);
    await chooses(mailbox, FRESH, 'Set password');
    await reach(mailbox, 'Your password is set');
    await mailbox.reload();
    await reach(mailbox, 'Your password is set');
    await world.letter(email, 'password was changed');
    await mailbox.goto(link);
    await reach(mailbox, 'This link no longer works');
    await press(mailbox, 'Ask for a new link');
    await reach(mailbox, 'Reset your password');

    await page.goto(flow.url.href);
    await signIn(page, email, FRESH);
    await reach(page, 'Confirm that it is you');
    await enterCode(page, app);
    expect((await portal.arrive(page, flow)).claims()?.['amr']).to.deep.equal([
      'pwd',
      'otp',
      'mfa',
    ]);
  });

  it('a link opened where somebody else is signed in says so, and leads to the right account', async () => {
    const [email, somebodyElse] = [await world.newPerson(), await world.newPerson()];
    const page = await world.open();
    await page.goto(`${world.issuer}/password/reset`);
    await page.getByLabel('E-mail address').fill(email);
    await press(page, 'Send the link');
    await reach(page, 'Check your e-mail');
    await page.goto(`${world.issuer}/account`);
    await signIn(page, somebodyElse);
    await reach(page, 'Your account');
    await page.goto(linkIn(await world.letter(email, 'Reset your password')));
    await chooses(page, FRESH, 'Set password');
    await reach(page, 'Your password is set');
    await page.getByText(`${somebodyElse} is still signed in`).waitFor();
    await press(page, 'Sign out');
    await press(page, 'Sign out');
    await press(page, 'Sign in again');
    await signIn(page, email, FRESH);
    await reach(page, 'Your account');
    await page.getByText(email).first().waitFor();
  });

  it('somebody who was invited chooses the first one and signs in', async () => {
    const { server } = world;
    const admin = adminClient(server, await adminToken(server, await newCaller(server)));
    const email = 'new.colleague@india.example';
    const invited = await admin('POST', '/accounts', { email, permissions: [VIEW] });
    expect(invited.status).to.equal(201);
    const page = await world.open();
    await page.goto(linkIn(await world.letter(email, 'invites you')));
    await reach(page, 'Welcome to CLS');
    await page.getByText('India').first().waitFor();
    await chooses(page, 'password123456789', 'Accept and continue');
    await page.getByText('on a list of commonly used').first().waitFor();
    await chooses(page, FRESH, 'Accept and continue');
    await reach(page, 'Your password is set');
    await page.reload();
    await reach(page, 'Your password is set');
    await page.goBack();
    await page.getByText('If you have set a password, sign in with it.').waitFor();
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    await signIn(page, email, FRESH);
    expect((await portal.arrive(page, flow)).claims()?.sub).to.equal(invited.body.account.id);
    await page.goto(`${world.issuer}/account`);
    await reach(page, 'Your account');
    await page.getByText(email).first().waitFor();
  });
});

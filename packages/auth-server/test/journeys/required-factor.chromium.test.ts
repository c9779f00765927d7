import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { adminClient, adminToken, newCaller } from '../support/administrator.ts';
import { VIEW } from '../support/auth-server.ts';
import {
  addPhone,
  createPasskey,
  enterCode,
  journeys,
  press,
  reach,
  type Site,
  saveCodes,
  scan,
  signIn,
} from '../support/journeys.ts';
import { virtualAuthenticator } from '../support/virtual-authenticator.ts';

const MFA = 'urn:cls:acr:mfa';

describe('where the organisation demands a second factor, with Chromium', () => {
  const world = journeys({ MFA_POLICY: 'required' });
  let portal: Site;
  before(async () => {
    portal = await world.site('Portal');
  });
  const begin = async (page: Page, email: string) => {
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    await signIn(page, email);
    return flow;
  };

  it('sets up an authenticator app in the middle of signing in, by the key to type', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    const flow = await begin(page, email);
    await reach(page, 'Protect your account');
    await page.getByText('Your organisation requires a second step').waitFor();
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    const app = await addPhone(page, 'Pixel');
    expect(await saveCodes(page)).to.have.length(10);
    const claims = (await portal.arrive(page, flow)).claims();
    expect(claims).to.deep.include({ acr: MFA, amr: ['pwd', 'otp', 'mfa'] });
    expect(await world.letter(email, 'Pixel')).to.include('sign-in method');

    const next = await world.open();
    const again = await begin(next, email);
    await enterCode(next, app);
    await portal.arrive(next, again);
  });

  it('sets up a passkey in the middle of signing in, which opens the account from then on', async () => {
    const page = await world.open();
    const authenticator = await virtualAuthenticator(page);
    await authenticator.attend(false);
    const flow = await begin(page, await world.newPerson());
    await reach(page, 'Protect your account');
    await page.getByRole('link', { name: /^Passkey/ }).click();
    await authenticator.attend(true);
    await createPasskey(page, 'Laptop');
    await saveCodes(page);
    const claims = (await portal.arrive(page, flow)).claims();
    expect(claims?.['amr']).to.include.members(['pwd', 'mfa']);
    await page.context().clearCookies();
    const alone = await portal.ask();
    await page.goto(alone.url.href);
    expect((await portal.arrive(page, alone)).claims()).to.deep.include({
      acr: MFA,
      amr: ['hwk', 'user', 'mfa'],
    });
  });

  it('takes back what was entered wrong, changes the way, and lets the person leave', async () => {
    const page = await world.open();
    await begin(page, await world.newPerson());
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    await press(page, 'Cancel');
    await reach(page, 'Protect your account');
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    await page.locator('summary').click();
    const key = await page.locator('#secret').textContent();
    await page.locator('input[name=code]').fill('000000');
    await press(page, 'Add');
    await page.getByText('That code did not work.').first().waitFor();
    await page.locator('summary').click();
    expect(await page.locator('#secret').textContent()).to.equal(key);
    await page.goBack();
    await page.goBack();
    await reach(page, 'Protect your account');
    await press(page, 'Cancel');
    expect((await portal.answer(page)).get('error')).to.equal('access_denied');
  });

  it('takes an authenticator app that scanned before the page came back in another language', async () => {
    const page = await world.open();
    const flow = await begin(page, await world.newPerson());
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    const app = await scan(page);
    await press(page, 'Deutsch');
    await reach(page, 'Authenticator-App hinzufügen');
    await press(page, 'English');
    await page.reload();
    await enterCode(page, app);
    await saveCodes(page);
    await portal.arrive(page, flow);
  });

  it('adds one factor though the form is sent twice, and shows its codes until they are saved', async () => {
    const page = await world.open({ javaScriptEnabled: false });
    const email = await world.newPerson();
    const flow = await begin(page, email);
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    const app = await scan(page);
    await page.getByLabel('Name of this method').fill('Pixel');
    await page.locator('input[name=code]').fill(await app.code());
    await page.getByRole('button', { name: 'Add' }).dblclick();
    await reach(page, 'Save your recovery codes');
    // Back to where the sign-in stands: the codes are to be saved first.
    await page.goto(page.url().replace(/\/enrol.*/, ''));
    await saveCodes(page);
    await portal.arrive(page, flow);
    await page.goto(`${world.issuer}/account/factors`);
    expect(await page.getByRole('link', { name: /^Rename/ }).count()).to.equal(1);
    await press(page, 'Add an authenticator app');
    await addPhone(page, 'Tablet');
    await reach(page, 'Sign-in methods');
    await press(page, 'Make new codes');
    await press(page, 'Make new codes');
    await reach(page, 'Save your recovery codes');
    const codes = await page.locator('#codes').textContent();
    await page.reload();
    expect(await page.locator('#codes').textContent()).to.equal(codes);
    await saveCodes(page);
    await reach(page, 'Sign-in methods');
    await page.goBack();
    await reach(page, 'Sign-in methods');
  });

  it('lets somebody who was invited choose a password and set a factor up', async () => {
    const { server } = world;
    const admin = adminClient(server, await adminToken(server, await newCaller(server)));
    const email = 'new.colleague@india.example';
    await admin('POST', '/accounts', { email, permissions: [VIEW] });
    const letter = await world.letter(email, 'invites you');
    const page = await world.open();
    await page.goto(/https?:\/\/\S+token=[\w-]+/.exec(letter)?.[0] ?? '');
    await page.getByLabel('New password').fill('a quiet river under seven bridges');
    await press(page, 'Accept and continue');
    await press(page, 'Go to sign-in');
    await signIn(page, email, 'a quiet river under seven bridges');
    await reach(page, 'Protect your account');
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    await addPhone(page, 'Pixel');
    await saveCodes(page);
    await reach(page, 'Your account');
  });

  it('keeps the last factor, and lets others go', async () => {
    const page = await world.open();
    const { email, app } = await world.newGuardedPerson();
    await page.goto(`${world.issuer}/account/factors`);
    await signIn(page, email);
    await enterCode(page, app);
    await page.getByText('Your organisation requires at least one.').waitFor();
    expect(await page.getByRole('link', { name: /^Remove/ }).count()).to.equal(0);
    // As somebody would who kept the address, or has a second tab.
    const rename = await page.getByRole('link', { name: /^Rename/ }).getAttribute('href');
    await page.goto(`${world.issuer}${rename?.replace('rename', 'remove')}`);
    await press(page, 'Remove');
    await page.getByText('This is your last sign-in method').waitFor();
    await press(page, 'Add an authenticator app');
    await addPhone(page, 'Tablet');
    await saveCodes(page);
    await page.getByRole('link', { name: 'Remove Authenticator app' }).click();
    await press(page, 'Remove');
    await page.getByText('The sign-in method was removed.').waitFor();
    await page.getByText('Your organisation requires at least one.').waitFor();
  });
});

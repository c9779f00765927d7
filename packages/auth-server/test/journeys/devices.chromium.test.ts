import { expect } from 'chai';
import * as client from 'openid-client';
import type { Page } from 'playwright-core';
import { enterCode, journeys, press, reach, signIn } from '../support/journeys.ts';
import { type RelyingParty, relyingParty } from '../support/relying-party.ts';

describe('a second device, with Chromium', () => {
  const world = journeys();
  let tool: RelyingParty;
  before(async () => {
    const settings = { redirectUris: [], device: true, confidential: false };
    tool = await relyingParty(world.server, { name: 'Ledger Tool', ...settings });
  });
  const begin = () => client.initiateDeviceAuthorization(tool.config, { scope: 'openid email' });
  const poll = (begun: Awaited<ReturnType<typeof begin>>) =>
    client.pollDeviceAuthorizationGrant(tool.config, { ...begun, interval: 1 }).then(
      (tokens) => tokens.claims()?.sub,
      (error: client.ResponseBodyError) => error.error,
    );
  const type = async (page: Page, code: string) => {
    await page.getByLabel('Code on the device').fill(code);
    await press(page, 'Continue');
  };

  for (const javaScriptEnabled of [true, false]) {
    it(`is connected by its code and a sign-in with a second factor, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const page = await world.open({ javaScriptEnabled });
      const { email, app } = await world.newGuardedPerson();
      const begun = await begin();
      await page.goto(begun.verification_uri);
      await type(page, ' ');
      await page.getByText('Enter the code.').first().waitFor();
      await type(page, 'BBBB-BBBB');
      await page.getByText('That code isn’t valid.').first().waitFor();
      expect(await page.getByLabel('Code on the device').inputValue()).to.equal('BBBB-BBBB');
      await type(page, begun.user_code.replace('-', ' ').toLowerCase());
      await reach(page, 'Connect this device?');
      await page.getByText('Ledger Tool asks to be connected.').waitFor();
      await press(page, 'Allow');
      await signIn(page, email);
      await enterCode(page, app);
      await reach(page, 'Device connected');
      await page.reload();
      await page.getByText('Ledger Tool is connected to your account.').waitFor();
      expect(await poll(begun)).to.match(/^acc_/);
      // The code is done with, also behind the Back button.
      await page.goto(begun.verification_uri_complete ?? '');
      if (!javaScriptEnabled) await press(page, 'Continue');
      await page.getByText('That code isn’t valid.').first().waitFor();
    });
  }

  it('says which of two open pages is good, and leads to the code', async () => {
    const page = await world.open();
    const [one, two] = [await begin(), await begin()];
    await page.goto(`${world.issuer}/account`);
    await signIn(page, await world.newPerson());
    await reach(page, 'Your account');
    await page.goto(one.verification_uri_complete ?? '');
    await reach(page, 'Connect this device?');
    const other = await page.context().newPage();
    await other.goto(two.verification_uri_complete ?? '');
    await reach(other, 'Connect this device?');
    await press(page, 'Allow');
    await page.getByText('opened a newer one like it').waitFor();
    await press(page, 'Enter the code');
    await type(page, one.user_code);
    await press(page, 'Allow');
    await reach(page, 'Device connected');
    await press(other, 'Allow');
    await other.getByText('You used this page already').waitFor();
    await press(other, 'Enter the code');
    await type(other, two.user_code);
    await press(other, 'Allow');
    await reach(other, 'Device connected');
    expect([await poll(one), await poll(two)].join()).to.match(/^acc_\w+,acc_/);
  });

  it('is denied by somebody who was sent the code, and told so', async () => {
    const page = await world.open();
    const begun = await begin();
    await page.goto(`${world.issuer}/account`);
    await signIn(page, await world.newPerson());
    await reach(page, 'Your account');
    await page.goto(begun.verification_uri);
    await type(page, begun.user_code);
    await page.getByText('If somebody sent you the code, deny it.').waitFor();
    await page.getByText('See your e-mail address').waitFor();
    await page.getByText('The device asked from 127.0.0.1.').waitFor();
    await press(page, 'Deny');
    await reach(page, 'Device not connected');
    await page.reload();
    await page.getByText('Ledger Tool got no access to your account.').waitFor();
    await page.goBack();
    await reach(page, 'Connect a device');
    expect(await poll(begun)).to.equal('access_denied');
  });
});

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/auth-server.ts';
import type { AuthenticatorApp } from '../support/authenticator-app.ts';
import {
  addPhone,
  createPasskey,
  enterCode,
  journeys,
  press,
  reach,
  saveCodes,
  signIn,
} from '../support/journeys.ts';
import { virtualAuthenticator } from '../support/virtual-authenticator.ts';

/** Longer ago than a proof is good for. */
const STALE_S = 400;

describe('before a factor is changed, with Chromium', () => {
  const world = journeys();

  /** At the sign-in methods, having signed in a while ago. */
  const longSignedIn = async (page: Page, email: string, app?: AuthenticatorApp) => {
    await page.goto(`${world.issuer}/account/factors`);
    await signIn(page, email);
    if (app !== undefined) await enterCode(page, app);
    await reach(page, 'Sign-in methods');
    await world.age(page, STALE_S);
  };

  it('asks for the password where there is no second factor yet', async () => {
    const page = await world.open();
    await longSignedIn(page, await world.newPerson());
    await press(page, 'Add an authenticator app');
    await reach(page, 'Confirm that it is you');
    await page.locator('input[name=password]').fill('not the password');
    await press(page, 'Confirm');
    await page.getByText('That is not your current password.').first().waitFor();
    await page.locator('input[name=password]').fill(PASSWORD);
    await press(page, 'Confirm');
    await addPhone(page, 'Pixel');
    await reach(page, 'Save your recovery codes');
  });

  it('asks before sessions elsewhere are ended, and ends none before that', async () => {
    const [here, there] = [await world.open(), await world.open()];
    const email = await world.newPerson();
    await longSignedIn(there, email);
    await longSignedIn(here, email);
    await here.goto(`${world.issuer}/account/sessions`);
    await press(here, 'End all other sessions');
    await here.getByText('You are about to end sessions on other devices.').waitFor();
    await press(here, 'Cancel');
    await reach(here, 'Sessions');
    await here.getByRole('button', { name: /^End the session of/ }).click();
    await reach(here, 'Confirm that it is you');
    await there.reload();
    await reach(there, 'Sign-in methods');
    await here.locator('input[name=password]').fill(PASSWORD);
    await press(here, 'Confirm');
    await reach(here, 'Sessions');
    await press(here, 'End all other sessions');
    await here.getByText('All other sessions were ended.').waitFor();
    await there.reload();
    await reach(there, 'Sign in');
  });

  it('asks for a code, goes on to what was begun, and not again for a while', async () => {
    const page = await world.open();
    const { email, app } = await world.newGuardedPerson();
    await longSignedIn(page, email, app);
    await press(page, /^Rename/);
    await reach(page, 'Rename this sign-in method');
    await page.getByLabel('Name').fill('Old phone');
    await press(page, 'Save');
    await press(page, /^Remove Old phone/);
    await reach(page, 'Confirm that it is you');
    await page.locator('input[name=code]').fill('000000');
    await press(page, 'Confirm');
    await page.getByText('That code did not work.').first().waitFor();
    await enterCode(page, app);
    await reach(page, 'Remove this sign-in method?');
    await press(page, 'Remove');
    await page.getByText('The sign-in method was removed.').waitFor();
    await page.getByText('You have none yet.').waitFor();
    await press(page, 'Add an authenticator app');
    await addPhone(page, 'New phone');
    await reach(page, 'Save your recovery codes');
  });

  it('asks for the passkey first, and takes a code or a recovery code for it', async () => {
    const page = await world.open();
    const authenticator = await virtualAuthenticator(page);
    const { email, app } = await world.newGuardedPerson();
    await page.goto(`${world.issuer}/account/factors`);
    await signIn(page, email);
    await enterCode(page, app);
    await press(page, 'Add a passkey');
    await createPasskey(page, 'Laptop');
    let codes = await saveCodes(page);
    const proofs = {
      passkey: async () => {
        await authenticator.verify(false);
        await press(page, 'Use passkey');
        await page.getByText('The request was cancelled').waitFor();
        await authenticator.verify(true);
        await press(page, 'Use passkey');
      },
      totp: async () => {
        await press(page, 'Use a code from your authenticator app');
        await enterCode(page, app);
      },
      recovery: async () => {
        await press(page, 'Use a recovery code');
        await page.getByLabel('Recovery code').fill('not-a-code');
        await press(page, 'Confirm');
        await page.getByText('That recovery code did not work.').first().waitFor();
        await page.getByLabel('Recovery code').fill(codes[0] ?? '');
        await press(page, 'Confirm');
      },
    };
    for (const [way, prove] of Object.entries(proofs)) {
      await world.age(page, STALE_S);
      await press(page, 'Make new codes');
      await reach(page, 'Confirm that it is you');
      await prove();
      await reach(page, 'Make new recovery codes?');
      await press(page, 'Make new codes');
      codes = await saveCodes(page);
      expect(codes, way).to.have.length(10);
      await page.getByText('You have new recovery codes.').waitFor();
    }
    expect(await world.letter(email, 'A recovery code was used')).to.include('/account/log');
  });
});

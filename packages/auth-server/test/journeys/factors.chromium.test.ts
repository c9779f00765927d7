import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/auth-server.ts';
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

describe('second factors, with Chromium', () => {
  const world = journeys();
  let portal: Site;
  before(async () => {
    portal = await world.site('Portal');
  });
  const atFactors = async (page: Page, email: string) => {
    await page.goto(`${world.issuer}/account/factors`);
    await signIn(page, email);
    await reach(page, 'Sign-in methods');
  };
  /** A new person adds the browser's authenticator as their first factor; the codes are shown next. */
  const addLaptop = async (page: Page) => {
    const authenticator = await virtualAuthenticator(page);
    const email = await world.newPerson();
    await authenticator.attend(false);
    await atFactors(page, email);
    await authenticator.attend(true);
    await press(page, 'Add a passkey');
    await createPasskey(page, 'Laptop');
    return { authenticator, email };
  };
  const enterRecoveryCode = async (page: Page, code: string) => {
    await press(page, 'Use a recovery code');
    await page.getByLabel('Recovery code').fill(code);
    await press(page, 'Continue');
  };
  /** In a browser where nobody is signed in any more. */
  const signInAnew = async (page: Page, email: string) => {
    await page.context().clearCookies();
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    await signIn(page, email);
    return flow;
  };
  const amr = async (page: Page, flow: Awaited<ReturnType<typeof signInAnew>>) =>
    (await portal.arrive(page, flow)).claims()?.['amr'];

  it('an authenticator app is added on the account pages and asked for from then on', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    await atFactors(page, email);
    await press(page, 'Add an authenticator app');
    const app = await addPhone(page, 'Pixel');
    await saveCodes(page);
    await page.getByText('The sign-in method was added.').waitFor();
    await page.getByText('10 of 10 codes are left.').waitFor();
    const flow = await signInAnew(page, email);
    await page.locator('input[name=code]').fill('123 456');
    await press(page, 'Continue');
    await page.getByText('That code did not work.').first().waitFor();
    await enterCode(page, app);
    expect(await amr(page, flow)).to.deep.equal(['pwd', 'otp', 'mfa']);
  });

  it('an authenticator app is taken that scanned before the page came back, in another language, after a fresh proof', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    await atFactors(page, email);
    await press(page, 'Add an authenticator app');
    const app = await scan(page);
    await press(page, 'Deutsch');
    await press(page, 'English');
    await page.reload();
    await press(page, 'Cancel');
    await reach(page, 'Sign-in methods');
    await page.goBack();
    await world.age(page, 3_600);
    await page.reload();
    await reach(page, 'Confirm that it is you');
    await page.locator('input[name=password]').fill(PASSWORD);
    await press(page, 'Confirm');
    await enterCode(page, app);
    await saveCodes(page);
    await page.getByText('The sign-in method was added.').waitFor();
  });

  it('a recovery code lets in once, and its owner is told', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    await atFactors(page, email);
    await press(page, 'Add an authenticator app');
    await addPhone(page, 'Lost phone');
    const [code = ''] = await saveCodes(page);
    const flow = await signInAnew(page, email);
    await enterRecoveryCode(page, code.toUpperCase());
    expect(await amr(page, flow)).to.deep.equal(['pwd', 'otp', 'mfa']);
    expect(await world.letter(email, 'A recovery code was used')).to.include('no longer works');
    await signInAnew(page, email);
    await enterRecoveryCode(page, code);
    await page.getByText('Each code works once.').first().waitFor();
  });

  it('a passkey is added, and is the second step, the only one, or chosen in the e-mail field', async () => {
    const page = await world.open();
    const { authenticator, email } = await addLaptop(page);
    await saveCodes(page);
    expect(await authenticator.count()).to.equal(1);

    await authenticator.attend(false);
    const second = await signInAnew(page, email);
    await authenticator.attend(true);
    await press(page, 'Use passkey');
    expect(await amr(page, second)).to.deep.equal(['pwd', 'hwk', 'user', 'mfa']);

    await page.context().clearCookies();
    const chosen = await portal.ask();
    await page.goto(chosen.url.href);
    expect(await amr(page, chosen)).to.deep.equal(['hwk', 'user', 'mfa']);

    // As in browsers that suggest none.
    await page.addInitScript('delete PublicKeyCredential.isConditionalMediationAvailable');
    await page.context().clearCookies();
    const only = await portal.ask();
    await page.goto(only.url.href);
    await page.getByLabel('Remember this device').check();
    await press(page, 'Sign in with a passkey');
    expect(await amr(page, only)).to.deep.equal(['hwk', 'user', 'mfa']);
    const kept = (await page.context().cookies()).find(({ name }) => name === 'cls_device');
    const inDays = ((kept?.expires ?? 0) - Date.now() / 1000) / 86_400;
    expect(inDays, 'the device is remembered with whichever way is taken').to.be.within(364, 366);
    const device = (await page.context().cookies()).find(({ name }) => name === 'cls_remembered');
    expect(((device?.expires ?? 0) - Date.now() / 1000) / 86_400).to.be.within(29, 31);
  });

  it('a passkey that the person does not confirm opens nothing, and the password still does', async () => {
    const page = await world.open();
    const { authenticator, email } = await addLaptop(page);
    const [code = ''] = await saveCodes(page);
    await press(page, 'Add a passkey');
    await createPasskey(page, 'Laptop again');
    await page.getByText('This device already has a passkey').waitFor();
    await authenticator.verify(false);
    await page.context().clearCookies();
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    await press(page, 'Sign in with a passkey');
    await page.getByText('The request was cancelled').waitFor();
    await signIn(page, email);
    await enterRecoveryCode(page, code);
    expect(await amr(page, flow)).to.deep.equal(['pwd', 'otp', 'mfa']);
  });

  it('are set up on the way to an application that demands one, and proven for it', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    const plain = await portal.ask();
    await page.goto(plain.url.href);
    await signIn(page, email);
    expect(await amr(page, plain)).to.deep.equal(['pwd']);
    const left = await portal.ask({ acr_values: MFA });
    await page.goto(left.url.href);
    await signIn(page, email);
    await press(page, 'Cancel');
    expect((await portal.answer(page)).get('error')).to.equal('access_denied');
    const flow = await portal.ask({ acr_values: MFA });
    await page.goto(flow.url.href);
    await signIn(page, email);
    await page.getByText('The application requires a second step').waitFor();
    await page.getByRole('link', { name: /^Authenticator app/ }).click();
    await addPhone(page, 'Pixel');
    await saveCodes(page);
    expect((await portal.arrive(page, flow)).claims()?.['acr']).to.equal(MFA);
    const silent = await portal.ask({ acr_values: MFA, prompt: 'none' });
    await page.goto(silent.url.href);
    expect((await portal.arrive(page, silent)).claims()?.['acr']).to.equal(MFA);
  });

  it('are renamed and removed; without any the password is enough again', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    await atFactors(page, email);
    for (const name of ['Pixel', 'Tablet']) {
      await press(page, 'Add an authenticator app');
      await addPhone(page, name);
      if (name === 'Pixel') await saveCodes(page);
    }
    await press(page, 'Rename Tablet');
    await page.getByLabel('Name').fill('Pixel');
    await press(page, 'Save');
    await page.getByText('You already use this name.').first().waitFor();
    await page.getByLabel('Name').fill('Office tablet');
    await press(page, 'Save');
    await page.getByText('The sign-in method was renamed.').waitFor();
    await press(page, 'Remove Pixel');
    await page.getByText('You will no longer be able to sign in with Pixel.').waitFor();
    await press(page, 'Cancel');
    await page.getByText('not used yet').first().waitFor();
    for (const name of ['Pixel', 'Office tablet']) {
      await press(page, `Remove ${name}`);
      await reach(page, 'Remove this sign-in method?');
      const warned = await page.getByText('Your recovery codes go with it').count();
      expect(warned).to.equal(name === 'Pixel' ? 0 : 1);
      await press(page, 'Remove');
      await page.getByText('The sign-in method was removed.').waitFor();
    }
    await page.getByText('You have none yet.').waitFor();
    expect(await world.letter(email, 'Office tablet')).to.include('removed');
    const flow = await signInAnew(page, email);
    expect(await amr(page, flow)).to.deep.equal(['pwd']);
  });
});

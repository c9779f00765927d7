import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/auth-server.ts';
import {
  enterCode,
  type GuardedPerson,
  journeys,
  press,
  reach,
  type Site,
  signIn,
} from '../support/journeys.ts';

describe('sessions and applications, with Chromium', () => {
  const world = journeys();
  let first: Site;
  let second: Site;
  let stranger: Site;
  before(async () => {
    first = await world.site('First Portal');
    second = await world.site('Second Portal');
    stranger = await world.site('Other Firm', false);
  });

  const signedIn = async (page: Page, site: Site, email: string) => {
    const flow = await site.ask();
    await page.goto(flow.url.href);
    await signIn(page, email);
    return (await site.arrive(page, flow)).claims();
  };
  const letIn = async (page: Page, site: Site) => {
    const flow = await site.ask();
    await page.goto(flow.url.href);
    return (await site.arrive(page, flow)).claims();
  };
  /** The session whose end an application was notified of. */
  const told = (site: Site, sid: unknown) =>
    eventually(async () => {
      const tokens = site.portal.received
        .filter(({ path }) => path === '/backchannel')
        .map(({ body }) => decodeJwt(body.get('logout_token') ?? ''));
      expect(tokens.map((token) => token['sid'])).to.include(sid);
    });

  it('one is ended from another browser, which asks to sign in again; applications are told', async () => {
    const email = await world.newPerson();
    const [here, there] = [await world.open(), await world.open()];
    const claims = await signedIn(there, first, email);
    const others = await letIn(there, second);
    await there.goto(`${world.issuer}/account/log`);
    await here.goto(`${world.issuer}/account/sessions`);
    await signIn(here, email);
    await reach(here, 'Sessions');
    expect(await here.getByText('This device').count()).to.equal(1);
    await here.getByRole('button', { name: /^End the session of/ }).click();
    await here.getByText('The session was ended.').waitFor();
    await here.getByText('You are signed in nowhere else.').waitFor();
    await told(first, claims?.['sid']);
    await told(second, others?.['sid']);
    await press(there, 'Password');
    await reach(there, 'Sign in');
    await signIn(there, email);
    await reach(there, 'Change password');
    await here.reload();
    await reach(here, 'Sessions');
  });

  it('who is asked to prove it once more is told so, by name, and can be somebody else', async () => {
    const page = await world.open();
    const [email, other] = [await world.newPerson(), await world.newPerson()];
    const sub = (await signedIn(page, first, email))?.sub;
    for (const asked of [{ prompt: 'login' }, { max_age: '0' }]) {
      const flow = await first.ask(asked);
      await page.goto(flow.url.href);
      await page.getByText('Sign in again to confirm that it is you.').waitFor();
      expect(await page.locator('input[name=email]').inputValue()).to.equal(email);
      await page.locator('input[name=password]').fill(PASSWORD);
      await page.keyboard.press('Enter');
      expect((await first.arrive(page, flow)).claims()?.sub).to.equal(sub);
    }
    const flow = await first.ask({ acr_values: 'urn:cls:acr:mfa' });
    await page.goto(flow.url.href);
    await press(page, 'Use another account');
    expect(await page.locator('input[name=email]').inputValue()).to.equal('');
    expect(await page.getByText('Sign in again').count()).to.equal(0);
    await signIn(page, other);
    await reach(page, 'Protect your account');
  });

  it('all others are ended at once, and this one goes on', async () => {
    const email = await world.newPerson();
    const others = [await world.open(), await world.open()];
    for (const page of others) await signedIn(page, first, email);
    const here = await world.open();
    await here.goto(`${world.issuer}/account/sessions`);
    await signIn(here, email);
    expect(await here.getByRole('button', { name: /^End the session of/ }).count()).to.equal(2);
    await press(here, 'End all other sessions');
    await here.getByText('All other sessions were ended.').waitFor();
    for (const page of others) {
      await page.goto((await first.ask()).url.href);
      await reach(page, 'Sign in');
    }
    await letIn(here, first);
  });

  it('a form left open on an ended session says so, and leads back to where it was', async () => {
    const email = await world.newPerson();
    const [here, there] = [await world.open(), await world.open()];
    await here.goto(`${world.issuer}/account/password`);
    await there.goto(`${world.issuer}/account/sessions`);
    for (const page of [here, there]) await signIn(page, email);
    await reach(here, 'Change password');
    await there.reload();
    await press(there, 'End all other sessions');
    await there.getByText('All other sessions were ended.').waitFor();
    await here.getByLabel('Current password').fill(PASSWORD);
    await here.getByLabel('New password').fill('a quiet river under seven bridges');
    await press(here, 'Change password');
    await reach(here, 'Your session has ended');
    await press(here, 'Go to sign-in');
    await signIn(here, email);
    await reach(here, 'Change password');
  });

  it('an application of another firm is allowed once, withdrawn, and asks again', async () => {
    const email = await world.newPerson();
    const page = await world.open();
    const web = await world.webSite(page, 'Web Firm');
    const flow = await web.ask();
    await page.goto(flow.url.href);
    await signIn(page, email);
    await reach(page, 'Allow access?');
    await page.getByText('See your e-mail address').waitFor();
    await press(page, 'Allow');
    await web.arrive(page, flow);
    await letIn(page, web);
    await page.context().clearCookies();
    await signedIn(page, web, email);

    await page.goto(`${world.issuer}/account/applications`);
    await page.getByRole('link', { name: 'Withdraw access of Web Firm' }).click();
    await page.getByText('will no longer have access').waitFor();
    await press(page, 'Withdraw access');
    await page.getByText('The application no longer has access.').waitFor();
    await page.getByText('No application has access').waitFor();
    expect(await world.letter(email, 'Web Firm')).to.include(email);
    await page.goto((await web.ask()).url.href);
    await reach(page, 'Allow access?');
  });

  it('an application on the person’s own machine is asked about each time, with all that it would have', async () => {
    const page = await world.open();
    const desktop = await world.nativeApplication('Ledger desktop');
    const email = await world.newPerson();
    for (const scope of ['openid', 'openid email', 'openid email']) {
      const flow = await desktop.ask({ scope });
      await page.goto(flow.url.href);
      if (scope === 'openid') await signIn(page, email);
      await reach(page, 'Allow access?');
      expect(await page.locator('.permissions li').allTextContents()).to.deep.equal([
        scope === 'openid' ? 'Recognise you when you sign in' : 'See your e-mail address',
      ]);
      await press(page, 'Allow');
      await desktop.arrive(page, flow);
    }
  });

  it('a denial leads back with access_denied, and is asked about anew', async () => {
    const page = await world.open();
    await page.goto((await stranger.ask()).url.href);
    await signIn(page, await world.newPerson());
    await press(page, 'Deny');
    const answer = await stranger.answer(page);
    expect(answer.get('error')).to.equal('access_denied');
    expect(answer.get('iss')).to.equal(world.issuer);
    expect(answer.has('code')).to.equal(false);
    await page.goto((await stranger.ask()).url.href);
    await reach(page, 'Allow access?');
  });

  it('signing out of one application signs out of both, and the person may stay instead', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    await signedIn(page, first, email);
    const others = await letIn(page, second);
    await page.goto(first.signOutUrl());
    await reach(page, 'Sign out?');
    await press(page, 'Stay signed in');
    await page.waitForURL(`${first.portal.origin}/`);
    await letIn(page, second);
    await page.goto(first.signOutUrl());
    await press(page, 'Sign out');
    await page.waitForURL(`${first.portal.origin}/bye`);
    await told(second, others?.['sid']);
    for (const site of [first, second]) {
      await page.goto((await site.ask({ prompt: 'none' })).url.href);
      expect((await site.answer(page)).get('error')).to.equal('login_required');
    }
    await page.goto(`${world.issuer}/account`);
    await reach(page, 'Sign in');
  });

  it('signing out on the account pages ends on a page that says so and leads on', async () => {
    const page = await world.open();
    await page.goto(`${world.issuer}/account`);
    const email = await world.newPerson();
    await signIn(page, email);
    await press(page, 'Sign out');
    await reach(page, 'Signed out');
    await press(page, 'Sign in again');
    await reach(page, 'Sign in');
    // Nothing of it is left behind the Back button.
    for (let steps = 0; steps < 3; steps += 1) {
      await page.goBack();
      expect(await page.getByText(email).count(), page.url()).to.equal(0);
    }
  });
});

describe('a remembered device, with Chromium', () => {
  const world = journeys();
  let portal: Site;
  before(async () => {
    portal = await world.site('Portal');
  });

  const signInRemembered = async (page: Page, { email, app }: GuardedPerson) => {
    await page.goto(`${world.issuer}/account/sessions`);
    await page.getByLabel('Remember this device').check();
    await signIn(page, email);
    await enterCode(page, app);
    await reach(page, 'Sessions');
  };
  const asksForCode = async (page: Page, email: string) => {
    await page.goto(`${world.issuer}/account/sessions`);
    await signIn(page, email);
    await reach(page, 'Confirm that it is you');
  };

  it('says for how long, is listed, asks for no code after signing out, and can be forgotten', async () => {
    const [page, person] = [await world.open(), await world.newGuardedPerson()];
    await page.goto(`${world.issuer}/account/sessions`);
    await page.getByText('for 30 days: you stay signed in').waitFor();
    await page.getByText('to manage your account').waitFor();
    await signInRemembered(page, person);
    await page.getByText('Remembered until').waitFor();
    await press(page, 'Sign out');
    await reach(page, 'Signed out');
    await page.goto(`${world.issuer}/account/sessions`);
    expect(await page.getByLabel('Remember this device').isChecked()).to.equal(true);
    await signIn(page, person.email);
    await reach(page, 'Sessions');
    await page.getByRole('button', { name: /^Forget / }).click();
    await page.getByText('The device is no longer remembered.').waitFor();
    expect(await page.getByText('Remembered until').count()).to.equal(0);
    await press(page, 'Sign out');
    await asksForCode(page, person.email);
  });

  it('stays signed in for days, and is forgotten from another browser', async () => {
    const person = await world.newGuardedPerson();
    const [here, there] = [await world.open(), await world.open()];
    await signInRemembered(there, person);
    await world.age(there, 3 * 86_400);
    const flow = await portal.ask({ prompt: 'none' });
    await there.goto(flow.url.href);
    expect((await portal.arrive(there, flow)).claims()?.['acr']).to.equal('urn:cls:acr:mfa');
    await there.goto(`${world.issuer}/account/sessions`);
    await press(there, 'Sign out');
    await reach(there, 'Signed out');
    await here.goto(`${world.issuer}/account/sessions`);
    await signIn(here, person.email);
    await enterCode(here, person.app);
    await here.getByRole('heading', { name: 'Remembered devices' }).waitFor();
    await here.getByRole('button', { name: /^Forget / }).click();
    await here.getByText('The device is no longer remembered.').waitFor();
    await asksForCode(there, person.email);
  });

  it('sessions in browsers of one kind have names of their own', async () => {
    const email = await world.newPerson();
    const pages = [await world.open(), await world.open(), await world.open()];
    for (const page of pages) {
      await page.goto(`${world.issuer}/account/sessions`);
      await signIn(page, email);
      await reach(page, 'Sessions');
    }
    const [here] = pages;
    await here?.reload();
    const names = (await here?.locator('.records h2').allTextContents()) ?? [];
    expect(new Set(names).size).to.equal(3);
    const buttons = here?.getByRole('button', { name: /^End the session of .+ since / });
    expect(await buttons?.count()).to.equal(2);
  });
});

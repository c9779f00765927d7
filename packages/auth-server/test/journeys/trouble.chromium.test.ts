import { startBrowserWithoutCookies } from '@cls/testing/browser';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../support/auth-server.ts';
import {
  ENDED,
  enterCode,
  journeys,
  press,
  reach,
  type Site,
  signIn,
} from '../support/journeys.ts';

describe('what goes wrong on the way, with Chromium', () => {
  const world = journeys();
  let portal: Site;
  before(async () => {
    portal = await world.site('Portal');
  });
  const begin = async (page: Page) => {
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    return flow;
  };
  /** Back at the application by the page's own button. */
  const startAgain = async (page: Page, title: string) => {
    await reach(page, title);
    expect(await page.locator('.reference code').textContent()).to.match(/\S{8}/);
    await page.locator('a.button.primary').click();
  };

  it('a sign-in that was left open too long ends on a page that leads on', async () => {
    const page = await world.open();
    await begin(page);
    await world.server.database.query(
      `UPDATE protocol_state SET expires_at = now() - interval '1 minute' WHERE kind = 'Interaction'`,
    );
    await signIn(page, await world.newPerson());
    await startAgain(page, ENDED);
    await reach(page, 'Sign in');
  });

  it('a sign-in that is asked for again is taken, though the session ran out before it was sent', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    const first = await begin(page);
    await signIn(page, email);
    await portal.arrive(page, first);
    const flow = await portal.ask({ prompt: 'login' });
    await page.goto(flow.url.href);
    await reach(page, 'Sign in');
    await world.server.database.query(
      `UPDATE protocol_state SET expires_at = now() - interval '1 minute' WHERE kind = 'Session'`,
    );
    await signIn(page, email);
    await portal.arrive(page, flow);
  });

  it('the Back button after signing in leads to the application, and reloading to no error', async () => {
    const page = await world.open();
    const { email, app } = await world.newGuardedPerson();
    const flow = await begin(page);
    await signIn(page, email);
    await enterCode(page, app);
    await portal.arrive(page, flow);
    await page.goBack();
    await page.waitForURL(`${portal.portal.origin}/`);
    await page.reload();
    expect(page.url()).to.equal(`${portal.portal.origin}/`);
    // In the middle of it: back to the password, and on again.
    const other = await world.open();
    const second = await begin(other);
    await signIn(other, email);
    await reach(other, 'Confirm that it is you');
    await other.goBack();
    await other.goForward();
    await reach(other, 'Confirm that it is you');
    await enterCode(other, app);
    await portal.arrive(other, second);
  });

  for (const mistaken of ['the password', 'the code'] as const) {
    it(`the Back button after a mistake in ${mistaken} and a sign-in leads to no form that is sent again`, async () => {
      const page = await world.open();
      const { email, app } = await world.newGuardedPerson();
      const flow = await begin(page);
      if (mistaken === 'the password') {
        await signIn(page, email, 'not my password');
        await page.getByRole('alert').waitFor();
      }
      await signIn(page, email);
      if (mistaken === 'the code') {
        await page.locator('input[name=code]').fill('12');
        await press(page, 'Continue');
        await page.locator('#code-problem').waitFor();
      }
      await enterCode(page, app);
      await portal.arrive(page, flow);
      for (const _ of ['once', 'twice']) {
        await page.goBack();
        await page.waitForURL(`${portal.portal.origin}/`);
      }
    });
  }

  it('a form that is reloaded after it came back with a problem is asked for again', async () => {
    const page = await world.open();
    const email = await world.newPerson();
    const flow = await begin(page);
    await signIn(page, email, 'not my password');
    await page.getByRole('alert').waitFor();
    await page.reload();
    await reach(page, 'Sign in');
    expect(await page.getByRole('alert').count(), 'nothing was sent again').to.equal(0);
    // The address alone, as after closing and restoring the browser.
    await page.goto(page.url());
    await reach(page, 'Sign in');
    await signIn(page, email);
    await portal.arrive(page, flow);
  });

  it('a form that is sent twice signs in once', async () => {
    const page = await world.open();
    const { email, app } = await world.newGuardedPerson();
    const flow = await begin(page);
    await page.locator('input[name=email]').fill(email);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.locator('button.primary').dblclick();
    await reach(page, 'Confirm that it is you');
    await page.locator('input[name=code]').fill(await app.code());
    await page.locator('button.primary').dblclick();
    await portal.arrive(page, flow);
  });

  it('a form that is sent twice without scripts ends at the application, or on a page that leads on', async () => {
    const page = await world.open({ javaScriptEnabled: false });
    await begin(page);
    await page.locator('input[name=email]').fill(await world.newPerson());
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.locator('button.primary').dblclick();
    const ended = page.getByRole('heading', { name: ENDED });
    const arrived = page.getByRole('heading', { name: 'Portal' });
    await ended.or(arrived).waitFor();
    await page.goto((await portal.ask({ prompt: 'none' })).url.href);
    expect((await portal.answer(page)).has('code')).to.equal(true);
  });

  it('two tabs sign in at once, each for its own application', async () => {
    const page = await world.open();
    const other = await page.context().newPage();
    const email = await world.newPerson();
    const [first, second] = [await begin(page), await begin(other)];
    await signIn(page, email);
    await portal.arrive(page, first);
    await signIn(other, email);
    await portal.arrive(other, second);
  });

  it('two tabs share what is one sign-in, and the later one leads on', async () => {
    const page = await world.open();
    const other = await page.context().newPage();
    const email = await world.newPerson();
    const flow = await begin(page);
    await other.goto(page.url());
    await signIn(page, email);
    await portal.arrive(page, flow);
    await signIn(other, email);
    await startAgain(other, ENDED);
    await reach(other, 'Your account');
  });

  it('somebody else signs in while a first tab still waits for the code', async () => {
    const page = await world.open();
    const other = await page.context().newPage();
    const { email, app } = await world.newGuardedPerson();
    const flow = await begin(page);
    await signIn(page, email);
    const second = await begin(other);
    await signIn(other, await world.newPerson());
    const theirs = (await portal.arrive(other, second)).claims()?.sub;
    await enterCode(page, app);
    expect((await portal.arrive(page, flow)).claims()?.sub).to.not.equal(theirs);
  });

  it('signing out in two tabs ends in both on a page that says so', async () => {
    const page = await world.open();
    const other = await page.context().newPage();
    await page.goto(`${world.issuer}/account`);
    await signIn(page, await world.newPerson());
    await reach(page, 'Your account');
    await other.goto(`${world.issuer}/oauth/logout`);
    await page.goto(`${world.issuer}/oauth/logout`);
    // The question of the first tab is not the newest any more.
    await press(other, 'Sign out');
    await reach(other, 'We could not accept this form');
    await other.reload();
    await reach(other, 'Sign out?');
    await press(other, 'Sign out');
    await reach(other, 'Signed out');
    await press(page, 'Sign out');
    await reach(page, 'Signed out');
    await page.reload();
    await reach(page, 'Signed out');
  });

  it('a browser that keeps no cookies gets a page that says so, with a link that leads on', async function () {
    const context = await startBrowserWithoutCookies(this, temporaryDirectory('cls-profile-'));
    try {
      const page = await context.newPage();
      await begin(page);
      await page.getByText('your browser is blocking cookies').waitFor();
      await startAgain(page, ENDED);
      await page.getByText('your browser is blocking cookies').waitFor();
      await page.goto(`${world.issuer}/password/reset`);
      await page.getByLabel('E-mail address').fill('somebody@india.example');
      await press(page, 'Send the link');
      await page.getByText('cookies are switched off').waitFor();
      await startAgain(page, 'We could not accept this form');
      await reach(page, 'Reset your password');
      await page.goto(`${world.issuer}/device`);
      await page.locator('input[name=user_code]').fill('WDJB-MJHT');
      await press(page, 'Continue');
      await page.getByText('cookies are switched off').waitFor();
    } finally {
      await context.close();
    }
  });

  it('cookies that are deleted on the way cost no more than beginning again', async () => {
    const page = await world.open();
    await begin(page);
    await page.context().clearCookies();
    await signIn(page, await world.newPerson());
    await startAgain(page, ENDED);
    await reach(page, 'Sign in');
  });

  it('an application that makes a mistake, and an address that there is not, end on a page', async () => {
    const page = await world.open();
    await page.goto((await portal.ask({ redirect_uri: 'https://elsewhere.example/' })).url.href);
    await startAgain(page, 'We stopped this sign-in');
    await page.waitForURL(`${portal.portal.origin}/`);
    await page.goto(`${world.issuer}/account/no-such-page`);
    await startAgain(page, 'There is nothing at this address');
    await reach(page, 'Sign in');
  });

  it('too many wrong passwords say how long to wait', async () => {
    const page = await world.open();
    await begin(page);
    const email = await world.newPerson();
    for (let tries = 0; tries < 12; tries += 1) {
      await signIn(page, email, `wrong ${tries}`);
      await page.getByRole('alert').waitFor();
      if (await page.getByText('There were too many attempts').isVisible()) return;
    }
    expect.fail('never told to wait');
  });
});

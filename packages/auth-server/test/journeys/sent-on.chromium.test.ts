import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { Page } from 'playwright-core';
import { enterCode, journeys, press, reach, type Site, signIn } from '../support/journeys.ts';

describe('browsers that are sent on, with Chromium', () => {
  const world = journeys();
  let first: Site;
  let second: Site;
  before(async () => {
    first = await world.site('First Portal');
    second = await world.site('Second Portal');
  });
  const signedIn = async (page: Page, email: string) => {
    const flow = await first.ask();
    await page.goto(flow.url.href);
    await signIn(page, email);
    return first.arrive(page, flow);
  };

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without';
    /** The page without fields continues by itself where scripts run. */
    const redirectToDispatcher = async (page: Page) => {
      if (!javaScriptEnabled) await press(page, 'Continue');
    };

    it(`sign out where nobody is signed in any more, ${how} scripts`, async () => {
      const page = await world.open({ javaScriptEnabled });
      await page.goto(first.signOutUrl());
      await redirectToDispatcher(page);
      await page.waitForURL(`${first.portal.origin}/bye`);
    });

    it(`let somebody else sign in where a person is signed in, ${how} scripts`, async () => {
      const page = await world.open({ javaScriptEnabled });
      const before = (await signedIn(page, await world.newPerson())).claims();
      const { email, app } = await world.newGuardedPerson();
      const flow = await first.ask({ prompt: 'login' });
      await page.goto(flow.url.href);
      await signIn(page, email);
      await reach(page, 'Confirm that it is you');
      await enterCode(page, app);
      if (!javaScriptEnabled) await page.locator('form[data-submit-now] button').click();
      const claims = (await first.arrive(page, flow)).claims();
      expect(claims?.sub).to.not.equal(before?.sub);
    });

    it(`bring the answer by form where the application asks for that, ${how} scripts`, async () => {
      const page = await world.open({ javaScriptEnabled });
      const flow = await first.ask({ response_mode: 'form_post' });
      await page.goto(flow.url.href);
      await signIn(page, await world.newPerson());
      await redirectToDispatcher(page);
      await page.waitForURL(`${first.portal.origin}/callback`);
      const { body } = first.portal.received.findLast(({ method }) => method === 'POST') ?? {};
      expect([...(body?.keys() ?? [])].sort()).to.deep.equal(['code', 'iss', 'state']);
    });
  }

  it('sign out of two applications at once; the other one gets a token that says so', async () => {
    const page = await world.open();
    const tokens = await signedIn(page, await world.newPerson());
    const flow = await second.ask();
    await page.goto(flow.url.href);
    const others = await second.arrive(page, flow);
    await page.goto(first.signOutUrl(tokens.id_token));
    await page.waitForURL(`${first.portal.origin}/bye`);
    const told = await eventually(async () => {
      const found = second.portal.received.find(({ path }) => path === '/backchannel');
      if (found === undefined) throw new Error('not told');
      return found;
    });
    const keys = createRemoteJWKSet(new URL(`${world.issuer}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(
      told.body.get('logout_token') ?? '',
      keys,
      { issuer: world.issuer, audience: second.party.id },
    );
    expect(protectedHeader['typ']).to.equal('logout+jwt');
    expect(payload['sid']).to.equal(others.claims()?.['sid']);
    expect(payload['events']).to.have.property(
      'http://schemas.openid.net/event/backchannel-logout',
    );
  });
});

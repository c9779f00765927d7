import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { anyEngine } from '@cls/testing/engines';
import { freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sqlUpstreamProviders } from '../../src/organisations/sql-upstream.ts';
import {
  createPerson,
  KEY,
  startTestAuthServer,
  type TestAuthServer,
} from '../support/auth-server.ts';
import { applicationRecords } from '../support/client-records.ts';
import { journeys, press, reach, type Site, signIn } from '../support/journeys.ts';

const DOMAIN = 'abroad.example';
const EMAIL = `asha@${DOMAIN}`;

describe('through the organisation’s own provider, with Chromium', () => {
  const world = journeys();
  let upstream: TestAuthServer;
  let portal: Site;
  before(async () => {
    portal = await world.site('Portal');
    // Another host, so that the cookies of the two are apart.
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    upstream = await startTestAuthServer(anyEngine, { ISSUER: issuer, AUTH_PORT: `${port}` });
    world.allow(issuer);
    const { id, secret } = await applicationRecords(upstream.database).create({
      name: 'CLS',
      firstParty: true,
      confidential: true,
      redirectUris: [`${world.issuer}/upstream/${DOMAIN}`],
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
      device: false,
    });
    const { database } = world.server;
    await sqlUpstreamProviders(database, aesGcmSealer(new Secret(KEY))).add({
      domain: DOMAIN,
      customer: 'india',
      issuer,
      clientId: id,
      clientSecret: secret ?? new Secret(''),
      emailClaim: 'email',
      emailVerifiedClaim: 'email_verified',
    });
    for (const each of [database, upstream.database]) await createPerson(each, EMAIL);
  });
  after(() => upstream?.stop());

  const toOrganisation = async (page: Page) => {
    await press(page, 'Sign in through your organisation');
    await page.getByLabel('Work e-mail address').fill(EMAIL);
    await press(page, 'Continue');
    await press(page, /^Continue to/);
    await page.waitForURL((url) => url.origin === upstream.issuer);
  };

  for (const javaScriptEnabled of [true, false]) {
    it(`people come back to the application, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const page = await world.open({ javaScriptEnabled });
      const flow = await portal.ask();
      await page.goto(flow.url.href);
      await toOrganisation(page);
      await signIn(page, EMAIL);
      expect((await portal.arrive(page, flow)).claims()?.['amr']).to.deep.equal(['pwd']);
      await page.goto(`${world.issuer}/account`);
      await reach(page, 'Your account');
      await page.getByText('You sign in through India').waitFor();
    });
  }

  it('the e-mail address and Enter lead there; elsewhere the password is asked for', async () => {
    const page = await world.open();
    const flow = await portal.ask();
    await page.goto(flow.url.href);
    await page.locator('input[name=email]').fill('asha@nowhere.example');
    await page.keyboard.press('Enter');
    await page.getByText('Enter your password.').first().waitFor();
    await page.locator('input[name=email]').fill(EMAIL);
    await page.locator('input[name=email]').press('Enter');
    await press(page, /^Continue to/);
    await page.waitForURL((url) => url.origin === upstream.issuer);
    await signIn(page, EMAIL);
    await portal.arrive(page, flow);
  });

  it('two tabs that are there at once come back each to its own application, the first first', async () => {
    const page = await world.open();
    const other = await page.context().newPage();
    const [first, second] = [await portal.ask(), await portal.ask()];
    await page.goto(first.url.href);
    await toOrganisation(page);
    await other.goto(second.url.href);
    await toOrganisation(other);
    await signIn(page, EMAIL);
    await portal.arrive(page, first);
    await signIn(other, EMAIL);
    await portal.arrive(other, second);
    const cookies = await page.context().cookies(`${world.issuer}/upstream/${DOMAIN}`);
    expect(cookies.filter(({ name }) => name.includes('upstream'))).to.deep.equal([]);
  });

  it('an address of no such organisation is told apart, and the way back is there', async () => {
    const page = await world.open();
    await page.goto((await portal.ask()).url.href);
    await press(page, 'Sign in through your organisation');
    await page.getByLabel('Work e-mail address').fill('somebody@nowhere.example');
    await press(page, 'Continue');
    await page.getByText('is not set up for this address').first().waitFor();
    await press(page, 'Sign in with a password instead');
    await reach(page, 'Sign in');
  });
});

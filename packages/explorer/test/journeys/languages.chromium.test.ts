import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHROMIUM_FLAGS } from '@cls/testing/browser';
import { requireServer } from '@cls/testing/engines';
import { chromiumBinary, eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { type Browser, chromium, type Page } from 'playwright-core';
import {
  aBook,
  adminClient,
  adminToken,
  authorizationUrl,
  newCaller,
  relyingParty,
  type Services,
  startServices,
  totpCode,
  VIEW,
} from '../support/services.ts';

const PASSWORD = 'a quiet river under seven bridges';

/** An invited person, whose browser asks for the other language. */
const WAYS = [
  {
    language: 'de',
    browserAsks: 'en-GB',
    words: {
      ...{ accept: 'Annehmen und fortfahren', next: 'Zur Anmeldung', signIn: 'Anmelden' },
      ...{ app: /Authenticator-App/, add: 'Hinzufügen', saved: 'Ich habe diese Codes gesichert' },
      ...{ goOn: 'Weiter' },
      ...{ deny: 'Ablehnen', account: 'Ihr Konto', balances: 'Salden', signOut: 'Abmelden' },
    },
  },
  {
    language: 'en',
    browserAsks: 'de-DE',
    words: {
      ...{ accept: 'Accept and continue', next: 'Go to sign-in', signIn: 'Sign in' },
      ...{ app: /Authenticator app/, add: 'Add', saved: 'I saved these codes' },
      ...{ goOn: 'Continue' },
      ...{ deny: 'Deny', account: 'Your account', balances: 'Balances', signOut: 'Sign out' },
    },
  },
] as const;

describe('the language of an invitation, with Chromium', () => {
  let services: Services;
  let browser: Browser;
  before(async function () {
    const executablePath = chromiumBinary();
    requireServer(this, 'Chromium', executablePath);
    services = await startServices({ MFA_POLICY: 'required' });
    await services.post(aBook({ contracts: 3, seed: 5 }).records);
    browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
  });
  after(async () => {
    await browser?.close();
    await services?.stop();
  });

  const invite = async (email: string, language: string): Promise<string> => {
    const { auth } = services;
    const admin = adminClient(auth, await adminToken(auth, await newCaller(auth)));
    const asked = { email, permissions: [VIEW], language };
    expect((await admin('POST', '/accounts', asked)).status).to.equal(201);
    return eventually(async () => linkTo(email));
  };
  const linkTo = (email: string): string => {
    const { mailOutbox } = services.auth.config;
    const letters = readdirSync(mailOutbox).map((name) =>
      readFileSync(join(mailOutbox, name), 'utf8'),
    );
    const letter = letters.find((text) => text.includes(`To: ${email}\n`)) ?? '';
    const [link] = /https?:\/\/\S+token=\S+/.exec(letter) ?? [];
    if (link === undefined) throw new Error(`no invitation to ${email}`);
    return link;
  };
  const press = (page: Page, name: string) =>
    page.getByRole('main').getByRole('button', { name, exact: true }).click();

  for (const { language, browserAsks, words } of WAYS) {
    it(`stays ${language} up to the explorer and back, in a browser that asks for ${browserAsks}`, async () => {
      const email = `invited-${language}@india.example`;
      const context = await browser.newContext({ locale: browserAsks });
      const page = await context.newPage();
      const shown: (readonly [string, string | undefined])[] = [];
      page.on('response', (response) => {
        const { 'content-type': type = '', 'content-language': its } = response.headers();
        if (response.ok() && type.startsWith('text/html'))
          shown.push([new URL(response.url()).pathname, its]);
      });
      await page.goto(await invite(email, language));
      await page.locator('input[name=new_password]').fill(PASSWORD);
      await press(page, words.accept);
      // Signing in for the explorer.
      await page.getByRole('link', { name: words.next, exact: true }).click();
      await page.locator('input[name=email]').fill(email);
      await page.locator('input[name=password]').fill(PASSWORD);
      await press(page, words.signIn);
      await page.getByRole('link', { name: words.app }).click();
      const secret = (await page.locator('#secret').textContent())?.replaceAll(' ', '') ?? '';
      await page.locator('input[name=code]').fill(totpCode(secret));
      await press(page, words.add);
      await page.getByLabel(words.saved).check();
      await press(page, words.goOn);
      await page.waitForURL(`${services.url}/portfolio?**`);
      expect(page.url(), 'no address of the explorer keeps it').not.to.include('lang=');
      // The account pages, another party's application, and back.
      await page.getByRole('link', { name: words.account, exact: true }).click();
      await page.waitForURL(`${services.auth.issuer}/account?**`);
      const third = await relyingParty(services.auth, {
        firstParty: false,
        name: `Bank ${language}`,
      });
      await page.goto((await authorizationUrl(third)).url.href);
      await page.getByRole('button', { name: words.deny, exact: true }).waitFor();
      await page.goto(`${services.auth.issuer}/account`);
      await page.getByRole('link', { name: words.balances, exact: true }).click();
      await page.waitForURL(`${services.url}/portfolio?**`);
      await page.getByRole('button', { name: words.signOut, exact: true }).click();
      await page.waitForURL(`${services.url}/signed-out?**`);
      const paths = shown.map(([path]) => path.replace(/^(\/interaction)\/[^/]+/, '$1'));
      expect(paths).to.include.members([
        ...['/invitation', '/password/set', '/interaction', '/interaction/enrol/totp'],
        ...['/interaction/enrol/codes', '/portfolio', '/account', '/signed-out'],
      ]);
      expect(shown.filter(([, its]) => its !== language)).to.deep.equal([]);
      await context.close();
    });
  }
});

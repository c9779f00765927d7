import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { sharedBrowser } from '@cls/testing/browser';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { Secret as TotpSecret } from 'otpauth';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { sqlAccounts } from '../../src/accounts/sql-accounts.ts';
import { digest } from '../../src/crypto/digest.ts';
import { sqlTotpFactors } from '../../src/factors/sql-totp-factors.ts';
import { providerAdapter } from '../../src/library/provider-adapter.ts';
import { sqlStateStore } from '../../src/state/sql-state-store.ts';
import { KEY, PASSWORD, startTestAuthServer, type TestAuthServer, VIEW } from './auth-server.ts';
import { type AuthenticatorApp, authenticatorApp } from './authenticator-app.ts';
import { type Portal, startPortal } from './portal.ts';
import { quickHash } from './quick-hash.ts';
import {
  authorizationUrl,
  exchange,
  type Flow,
  type RelyingParty,
  relyingParty,
} from './relying-party.ts';

type Tokens = Awaited<ReturnType<typeof exchange>>;

/** An application with a web server of its own. */
export interface Site {
  readonly party: RelyingParty;
  readonly portal: Pick<Portal, 'origin' | 'received'>;
  ask(parameters?: Readonly<Record<string, string>>): Promise<Flow>;
  /** Waits until the browser is back, and exchanges the code that it brings. */
  arrive(page: Page, flow: Flow): Promise<Tokens>;
  /** What the browser was sent back with. */
  answer(page: Page): Promise<URLSearchParams>;
  signOutUrl(idToken?: string): string;
}

export interface GuardedPerson {
  readonly email: string;
  readonly app: AuthenticatorApp;
}

/** The title of what is over; its hyphen keeps a narrow line from breaking there. */
export const ENDED = 'This sign\u2011in has ended';

/** A server, a Chromium and people to send through its pages. */
export interface Journeys {
  readonly server: TestAuthServer;
  readonly issuer: string;
  /** A page in a browser of its own: nothing is known there. */
  open(options?: BrowserContextOptions): Promise<Page>;
  site(name: string, firstParty?: boolean): Promise<Site>;
  /** A public application of the platform that listens on a port of the person's own device. */
  nativeApplication(name: string): Promise<Site>;
  /** An application of another firm with a web server that is only pretended, for it is https. */
  webSite(page: Page, name: string): Promise<Site>;
  /** Pages may lead there. */
  allow(origin: string): void;
  /** Somebody with a password. @returns the e-mail address. */
  newPerson(): Promise<string>;
  /** Somebody with a password and an authenticator app. */
  newGuardedPerson(): Promise<GuardedPerson>;
  /** The text of the newest message to somebody that says this. */
  letter(email: string, saying: string | RegExp): Promise<string>;
  /** Lets the sign-in of a page's browser grow older; what was proven since then has lapsed. */
  age(page: Page, seconds: number): Promise<void>;
}

/**
 * For the body of a `describe`: one server and one Chromium for all its tests. A test fails in
 * which a page broke its policy, wrote an error to the console, asked for something from elsewhere
 * or in vain, or the server failed.
 */
export function journeys(env: Record<string, string> = {}): Journeys {
  let browser: Browser;
  let server: TestAuthServer;
  const portals: Portal[] = [];
  const origins: string[] = [];
  const contexts: BrowserContext[] = [];
  const trouble: string[] = [];
  let people = 0;
  let passwordHash: string | undefined;

  before(async function () {
    browser = await sharedBrowser(this);
    server = await startTestAuthServer(anyEngine, env);
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(trouble.splice(0), 'trouble in the browser').to.deep.equal([]);
  });
  after(async () => {
    await server?.stop();
    await Promise.all(portals.map((portal) => portal.stop()));
  });

  const watch = (context: BrowserContext): void => {
    const ours = (url: string) => {
      const { origin, protocol } = new URL(url);
      return /^(blob|data):$/.test(protocol) || [server.issuer, ...origins].includes(origin);
    };
    context.on('console', (message) => {
      // Of what could not be had the answers tell, below.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load')) return;
      trouble.push(`console: ${message.text()}`);
    });
    context.on('weberror', (error) => trouble.push(`script: ${error.error()}`));
    context.on('request', (request) => {
      if (!ours(request.url())) trouble.push(`asked elsewhere: ${request.url()}`);
    });
    context.on('response', (response) => {
      const { status, url } = { status: response.status(), url: response.url() };
      const part = response.request().resourceType() !== 'document';
      if (status >= 500 || (part && status >= 400)) trouble.push(`${status}: ${url}`);
    });
  };

  const newAccount = async () => {
    people += 1;
    const email = `asha.${people}@india.example`;
    passwordHash ??= await quickHash(PASSWORD);
    const account = { email, customer: 'india', permissions: [VIEW], passwordHash } as const;
    return { email, id: await sqlAccounts(server.database).create(account) };
  };

  const newPortal = async (name: string) => {
    const portal = await startPortal(name);
    portals.push(portal);
    origins.push(portal.origin);
    return portal;
  };

  return {
    get server() {
      return server;
    },
    get issuer() {
      return server.issuer;
    },
    async open(options = {}) {
      const context = await browser.newContext(options);
      contexts.push(context);
      context.setDefaultTimeout(300_000);
      watch(context);
      return context.newPage();
    },
    site: async (name, firstParty = true) =>
      siteOf(server, await newPortal(name), name, { firstParty }),
    nativeApplication: async (name) =>
      siteOf(server, await newPortal(name), name, { firstParty: true, confidential: false }),
    async webSite(page, name) {
      const origin = 'https://other-firm.example';
      origins.push(origin);
      await pretend(page, origin);
      return siteOf(server, { origin, received: [] }, name, { firstParty: false });
    },
    allow: (origin) => void origins.push(origin),
    newPerson: async () => (await newAccount()).email,
    async newGuardedPerson() {
      const { email, id } = await newAccount();
      const { base32 } = new TotpSecret({ size: 20 });
      const sealer = aesGcmSealer(new Secret(KEY));
      const clock = { now: () => new Date() };
      await sqlTotpFactors(server.database, sealer, clock).enrol(id, base32);
      return { email, app: authenticatorApp(base32) };
    },
    letter: (email, saying) => eventually(async () => letterIn(server, email, saying)),
    age: (page, seconds) => ageSession(server, page, seconds),
  };
}

async function siteOf(
  server: TestAuthServer,
  portal: Site['portal'],
  name: string,
  kind: { readonly firstParty: boolean; readonly confidential?: boolean },
): Promise<Site> {
  const { origin } = portal;
  const callback = `${origin}/callback`;
  const party = await relyingParty(server, {
    ...{ name, ...kind },
    redirectUris: [callback],
    postLogoutRedirectUris: [`${origin}/bye`],
    backchannelLogoutUri: `${origin}/backchannel`,
  });
  const back = async (page: Page) => {
    await page.waitForURL((url) => url.href.startsWith(callback));
    return new URL(page.url());
  };
  return {
    party,
    portal,
    ask: (parameters = {}) => authorizationUrl(party, { redirect_uri: callback, ...parameters }),
    arrive: async (page, flow) => exchange(party, flow, await back(page)),
    answer: async (page) => (await back(page)).searchParams,
    signOutUrl(idToken) {
      const url = new URL(`${server.issuer}/oauth/logout`);
      url.searchParams.set('client_id', party.id);
      url.searchParams.set('post_logout_redirect_uri', `${origin}/bye`);
      if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken);
      return url.href;
    },
  };
}

/** Answers in a site's place, also where a redirect leads to it. */
async function pretend(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const body = Buffer.from('<!doctype html><html lang="en"><title>Web</title>').toString('base64');
  const responseHeaders = [{ name: 'content-type', value: 'text/html' }];
  session.on('Fetch.requestPaused', ({ requestId }) => {
    const answer = { requestId, responseCode: 200, responseHeaders, body };
    void session.send('Fetch.fulfillRequest', answer);
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `${origin}/*` }] });
}

function letterIn({ config }: TestAuthServer, email: string, saying: string | RegExp): string {
  const found = readdirSync(config.mailOutbox)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .reverse()
    .map((name) => readFileSync(join(config.mailOutbox, name), 'utf8'))
    .find((text) => text.includes(`To: ${email}\n`) && text.search(saying) >= 0);
  if (found === undefined) throw new Error(`no message to ${email} that says ${saying}`);
  return found;
}

/** The session as the provider keeps it, with an earlier sign-in. */
async function ageSession(
  { database, config }: TestAuthServer,
  page: Page,
  seconds: number,
): Promise<void> {
  const cookies = await page.context().cookies();
  const id = cookies.find(({ name }) => name === 'cls_session')?.value ?? '';
  const store = sqlStateStore(database, () => undefined);
  const sessions = providerAdapter(store, 'Session');
  const session = await sessions.find(id);
  const loginTs = session?.['loginTs'];
  if (session === undefined || typeof loginTs !== 'number') throw new Error('no session');
  await sessions.upsert(id, { ...session, loginTs: loginTs - seconds }, config.sessionIdleS);
  await store.remove('FreshProof', digest(String(session.uid)));
  await store.close();
}

/** Fills the sign-in page in and sends it. */
export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill(password);
  await press(page, 'Sign in');
}

/** Presses the button, or follows the link that looks like one. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  const exact = typeof name === 'string';
  const button = page.getByRole('button', { name, exact });
  await button.or(page.getByRole('link', { name, exact })).first().click();
}

export async function enterCode(page: Page, app: AuthenticatorApp): Promise<void> {
  await page.locator('input[name=code]').fill(await app.code());
  await page.locator('form:has(input[name=code]) button.primary').click();
}

/** Waits for the page of this title. */
export async function reach(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

/** Keeps the recovery codes that the page shows, and continues. */
export async function saveCodes(page: Page): Promise<string[]> {
  await reach(page, 'Save your recovery codes');
  const codes = await page.locator('#codes li').allTextContents();
  await page.getByLabel('I saved these codes').check();
  await press(page, 'Continue');
  return codes.map((code) => code.trim());
}

/** Fills the page of a new passkey in; the browser's authenticator makes it. */
export async function createPasskey(page: Page, name: string): Promise<void> {
  await reach(page, 'Add a passkey');
  await page.getByLabel('Name of this passkey').fill(name);
  await press(page, 'Create passkey');
}

/** An app that has taken in the secret which the page shows. */
export async function scan(page: Page): Promise<AuthenticatorApp> {
  const key = (await page.locator('#secret').textContent()) ?? '';
  return authenticatorApp(key.replaceAll(' ', ''));
}

/** Sets an authenticator app up on its page, by the key that is there to be typed in. */
export async function addPhone(page: Page, name: string): Promise<AuthenticatorApp> {
  await reach(page, 'Add an authenticator app');
  await page.locator('summary').click();
  const app = await scan(page);
  await page.getByLabel('Name of this method').fill(name);
  await enterCode(page, app);
  return app;
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { atEndOfTests } from './end-of-tests.ts';
import { requireServer } from './engines.ts';
import { chromiumBinary, wholeChromiumBinary } from './servers.ts';

/**
 * Quiet, and without a request of the browser's own. A page lives for a second: to compile its scripts a second
 * time, or beside them, takes more of the processor than it saves.
 */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--js-flags=--single-threaded --no-opt --no-maglev',
  '--no-sandbox',
  '--renderer-process-limit=1',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser that keeps no cookie, as its settings say. Without one the suite is skipped, or fails. */
export async function startBrowserWithoutCookies(
  context: Mocha.Context,
  profile: string,
): Promise<BrowserContext> {
  const executablePath = wholeChromiumBinary();
  requireServer(context, 'Chromium', executablePath);
  const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
  mkdirSync(join(profile, 'Default'), { recursive: true });
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(settings));
  return chromium.launchPersistentContext(profile, { executablePath, args: [...CHROMIUM_FLAGS] });
}

let browser: Promise<Browser> | undefined;

/**
 * The Chromium that the suites of a process share, each with contexts of its own. Without one the
 * suite is skipped, or fails where it is demanded.
 */
export async function sharedBrowser(context: Mocha.Context): Promise<Browser> {
  const executablePath = chromiumBinary();
  requireServer(context, 'Chromium', executablePath);
  if (browser !== undefined && (await browser).isConnected()) return browser;
  browser = chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
  const launched = await browser;
  atEndOfTests(() => launched.close());
  return launched;
}

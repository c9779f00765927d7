import { requireServer } from '@cls/shared/testing/engines';
import { chromiumBinary } from '@cls/shared/testing/servers';
import { type Browser, chromium } from 'playwright-core';

/** Quiet, and without a request of the browser's own. */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** This machine's Chromium; without one the suite is skipped, or fails where it is demanded. */
export async function startBrowser(context: Mocha.Context): Promise<Browser> {
  const executablePath = chromiumBinary();
  requireServer(context, 'Chromium', executablePath);
  return chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
}

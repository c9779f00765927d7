import type { Locale } from '@cls/shared/pages/browser';

/**
 * Who caused a change, as far as the HTTP request or the command line shows. Every field may be
 * absent.
 */
export interface Actor {
  readonly address?: string;
  readonly requestId?: string;
  readonly device?: Device;
  /** The service account through which an administrator acts. */
  readonly clientId?: string;
  /** The language of messages that follow; English when absent. */
  readonly locale?: Locale;
  /** The value of the cookie by which a browser is known; see throttle/known-devices.ts. */
  readonly deviceCookie?: string;
}

/** What is known of a browser: `Firefox`, `Windows`. */
export interface Device {
  readonly browser?: string;
  readonly system?: string;
}

/** The first match wins: browsers also name the browsers that they descend from. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOPiOS\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const LENGTH_MAX = 1_000;

/** What a `User-Agent` tells a person about their own devices; it proves nothing. */
export function deviceOf(userAgent: string | undefined): Device {
  const text = (userAgent ?? '').slice(0, LENGTH_MAX);
  const named = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(text))?.[1];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  return { ...(browser && { browser }), ...(system && { system }) };
}

/** What an audit event stores about the actor. */
export function requestMetadata({ clientId, address, requestId, device }: Actor) {
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(address === undefined ? {} : { address }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(device === undefined ? {} : { device }),
  };
}

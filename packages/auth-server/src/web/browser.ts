/** What a request shows of the browser that sent it: our cookies, and for messages and the audit its sender. */
import { readCookie, requestLanguage } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import type { Actor, Device } from '../audit/actor.ts';

/** By which a browser is known: see throttle/known-devices.ts. */
export const DEVICE_COOKIE = { name: 'cls_device' } as const;
/** By which a remembered browser is recognised: see sessions/remembered-devices.ts. */
export const REMEMBERED_COOKIE = { name: 'cls_remembered' } as const;
export const LANGUAGE_COOKIE = { name: 'cls_language' } as const;

/**
 * `ui_locales` of the application's request (OpenID Connect Core §3.1.2.1), where it is not in the
 * address: every page and message that answers this request then follows it.
 */
export function rememberUiLocales(ctx: Context, uiLocales: unknown): void {
  if (typeof uiLocales === 'string') ctx.state['uiLocales'] = uiLocales;
}

/** A query that hands them on to a page that belongs to no sign-in. */
export function uiLocalesQuery(uiLocales: unknown): string {
  if (typeof uiLocales !== 'string' || uiLocales === '') return '';
  return `?${new URLSearchParams({ ui_locales: uiLocales })}`;
}

export function uiLocalesOf({ state }: Context): string | undefined {
  return state['uiLocales'] as string | undefined;
}

/** What an audit event stores about the sender of a request. */
export function senderOf(ctx: Context): Pick<Actor, 'address' | 'device' | 'requestId'> {
  const requestId = ctx.state['requestId'];
  return {
    address: ctx.ip,
    device: deviceOf(ctx.get('user-agent')),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  };
}

/** The sender of a request, as far as the request shows. */
export function actorOf(ctx: Context): Actor {
  const deviceCookie = readCookie(ctx, DEVICE_COOKIE);
  return {
    ...senderOf(ctx),
    locale: requestLanguage(ctx.req, ctx.secure, LANGUAGE_COOKIE, uiLocalesOf(ctx)),
    ...(deviceCookie === undefined ? {} : { deviceCookie }),
  };
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

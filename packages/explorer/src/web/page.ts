import type { IncomingMessage } from 'node:http';
import type { Assets } from '@cls/shared/pages/assets';
import { negotiateLanguage } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import { isLinkable, sameWith } from './address.ts';
import type { AssetName } from './assets.ts';
import { cookieOf, LANGUAGE_COOKIE, readCookie, writeCookie } from './browser.ts';
import type { Frame } from './layout.ts';
import { LOCALES, type Locale, type Text, textIn } from './text.ts';

const LANGUAGE_AGE_S = 365 * 86_400;

export interface Pages {
  frame(ctx: Context): Frame;
  /** A frame that belongs to no address. */
  frameIn(locale: Locale, requestId: string): Frame;
  /** Answers with a page. @param again false where no GET shows it again. */
  show(ctx: Context, status: number, render: (frame: Frame) => string): void;
}

export function pages(assets: Assets<AssetName>, supportUrl: string | undefined): Pages {
  const texts = new Map<Locale, Text>(LOCALES.map((locale) => [locale, textIn(locale)]));
  const frameIn = (locale: Locale, requestId: string): Frame => ({
    text: texts.get(locale) ?? textIn('en'),
    assetPath: (name) => assets.path(name),
    languages: [],
    ...(supportUrl === undefined ? {} : { supportHref: supportUrl }),
    requestId,
  });
  const frameOf = (ctx: Context): Frame => {
    const frame = frameIn(localeOf(ctx), `${ctx.state['requestId'] ?? ''}`);
    if (ctx.method !== 'GET' || ONCE.test(ctx.path) || !isLinkable(ctx.path)) return frame;
    const query = new URLSearchParams(ctx.querystring);
    return { ...frame, languages: languageLinks(ctx.path, query) };
  };
  return {
    frame: frameOf,
    frameIn,
    show(ctx, status, render) {
      const frame = frameOf(ctx);
      ctx.status = status;
      ctx.set('Content-Language', frame.text.locale);
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = render(frame);
    },
  };
}

/** Addresses that work once. */
const ONCE = /^\/callback$/;

function languageLinks(path: string, query: URLSearchParams): Frame['languages'] {
  return LOCALES.map((locale) => {
    const href = sameWith(path, query, {});
    return { locale, href: `${href}${href.includes('?') ? '&' : '?'}lang=${locale}` };
  });
}

/** The language of a request that is refused: nothing is remembered of it. */
export function requestLocale(request: IncomingMessage, baseUrl: string): Locale {
  const { url = '', headers } = request;
  const chosen = new URLSearchParams(url.split('?')[1]).get('lang');
  return negotiateLanguage(LOCALES, {
    cookie:
      LOCALES.find((locale) => locale === chosen) ?? cookieOf(request, baseUrl, LANGUAGE_COOKIE),
    acceptLanguage: headers['accept-language'],
  });
}

/** A language that was chosen on a page is remembered. */
function localeOf(ctx: Context): Locale {
  const chosen = LOCALES.find((locale) => locale === ctx.query['lang']);
  if (chosen === undefined) {
    const cookie = readCookie(ctx, LANGUAGE_COOKIE);
    return negotiateLanguage(LOCALES, { cookie, acceptLanguage: ctx.get('accept-language') });
  }
  writeCookie(ctx, LANGUAGE_COOKIE, chosen, LANGUAGE_AGE_S);
  return chosen;
}

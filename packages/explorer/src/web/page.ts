import type { Context } from 'koa';
import { sameWith } from './address.ts';
import type { Assets } from './assets.ts';
import { LANGUAGE_COOKIE, readCookie, writeCookie } from './browser.ts';
import type { Frame } from './layout.ts';
import { chooseLocale, LOCALES, type Locale, type Text, textIn } from './text.ts';

const LANGUAGE_AGE_S = 365 * 86_400;

export interface Pages {
  frame(ctx: Context): Frame;
  /** Answers with a page. @param again false where no GET shows it again. */
  show(ctx: Context, status: number, render: (frame: Frame) => string): void;
}

export function pages(assets: Assets, supportUrl: string | undefined): Pages {
  const texts = new Map<Locale, Text>(LOCALES.map((locale) => [locale, textIn(locale)]));
  const frameOf = (ctx: Context): Frame => {
    const text = texts.get(localeOf(ctx)) ?? textIn('en');
    const query = new URLSearchParams(ctx.querystring);
    const path = ctx.method === 'GET' && !ONCE.test(ctx.path) ? ctx.path : undefined;
    return {
      text,
      assetPath: (name) => assets.path(name),
      languages: path === undefined ? [] : languageLinks(path, query),
      ...(supportUrl === undefined ? {} : { supportHref: supportUrl }),
      requestId: `${ctx.state['requestId'] ?? ''}`,
    };
  };
  return {
    frame: frameOf,
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

/** A language that was chosen on a page is remembered. */
function localeOf(ctx: Context): Locale {
  const chosen = LOCALES.find((locale) => locale === ctx.query['lang']);
  if (chosen === undefined) {
    return chooseLocale(readCookie(ctx, LANGUAGE_COOKIE), ctx.get('accept-language'));
  }
  writeCookie(ctx, LANGUAGE_COOKIE, chosen, LANGUAGE_AGE_S);
  return chosen;
}

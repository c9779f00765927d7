import type { Assets } from '@cls/shared/pages/assets';
import { LOCALES, type Locale, pageLanguage } from '@cls/shared/pages/browser';
import { inEachLanguage } from '@cls/shared/pages/i18n';
import type { Context } from 'koa';
import { isLinkable, sameWith } from './address.ts';
import type { AssetName } from './assets.ts';
import { LANGUAGE_COOKIE } from './browser.ts';
import { DENSITIES, densityLink, densityOf } from './density.ts';
import type { Frame } from './layout.ts';
import { textIn } from './text.ts';

export interface Pages {
  frame(ctx: Context): Frame;
  /** A frame that belongs to no address. */
  frameIn(locale: Locale, requestId: string): Frame;
  /** Answers with a page. @param again false where no GET shows it again. */
  show(ctx: Context, status: number, render: (frame: Frame) => string): void;
}

export function pages(assets: Assets<AssetName>, supportUrl: string | undefined): Pages {
  const texts = inEachLanguage(textIn);
  const frameIn = (locale: Locale, requestId: string): Frame => ({
    text: texts[locale],
    assets: assets.paths,
    languages: [],
    density: DENSITIES[0],
    ...(supportUrl === undefined ? {} : { supportHref: supportUrl }),
    requestId,
  });
  const frameOf = (ctx: Context): Frame => {
    const frame = {
      ...frameIn(pageLanguage(ctx, LANGUAGE_COOKIE), `${ctx.state['requestId'] ?? ''}`),
      density: densityOf(ctx),
    };
    if (ctx.method !== 'GET' || ONCE.test(ctx.path) || !isLinkable(ctx.path)) return frame;
    const query = new URLSearchParams(ctx.querystring);
    return {
      ...frame,
      languages: languagesOf(ctx.path, query),
      atDensity: (density) => densityLink(ctx.path, query, density),
    };
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

function languagesOf(path: string, query: URLSearchParams): Frame['languages'] {
  return LOCALES.map((locale) => {
    const href = sameWith(path, query, {});
    return { locale, href: `${href}${href.includes('?') ? '&' : '?'}lang=${locale}` };
  });
}

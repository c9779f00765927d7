/** What a browser's request brings: our cookies, its reader's language, and the fields of a form. */
import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { GatheredBytes } from '../http/gathered-bytes.ts';

/** A cookie of ours: for every path of this host, or only for those below one. */
export interface Cookie {
  readonly name: string;
  readonly path?: string;
}

/** The languages of pages and messages. */
export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];
const LANGUAGE_AGE_MS = 365 * 86_400_000;

/**
 * Under https, the prefix of a cookie's name makes browsers enforce where it came from, so that no
 * sibling host can set it: `__Host-` ties it to this host and all its paths; a cookie for one path
 * can only have `__Secure-`. Browsers refuse both over http (RFC 6265bis §4.1.3), which the
 * configuration allows on a developer's machine only.
 */
export function cookieName(secure: boolean, { name, path }: Cookie): string {
  if (!secure) return name;
  return path === undefined ? `__Host-${name}` : `__Secure-${name}`;
}

/** The scheme is that of the service's own address: what is in front of Koa puts it into the request. */
export function readCookie(ctx: Context, cookie: Cookie): string | undefined {
  return ctx.cookies.get(cookieName(ctx.secure, cookie), { signed: false });
}

/** @param maxAgeMs without it the cookie lives until the browser is closed. */
export function writeCookie(
  ctx: Context,
  cookie: Cookie,
  value: string | null,
  maxAgeMs?: number,
): void {
  ctx.cookies.set(cookieName(ctx.secure, cookie), value, {
    ...(maxAgeMs === undefined ? {} : { maxAge: maxAgeMs }),
    ...(cookie.path === undefined ? {} : { path: cookie.path }),
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    signed: false,
    overwrite: true,
  });
}

export function dropCookie(ctx: Context, cookie: Cookie): void {
  writeCookie(ctx, cookie, null);
}

/** The language of a page. One that was chosen on a page, by the parameter `lang`, is remembered. */
export function pageLanguage(ctx: Context, cookie: Cookie, uiLocales?: string): Locale {
  const locale = requestLanguage(ctx.req, ctx.secure, cookie, uiLocales);
  if (chosenIn(new URLSearchParams(ctx.querystring)) === locale)
    writeCookie(ctx, cookie, locale, LANGUAGE_AGE_MS);
  return locale;
}

/**
 * The language of a request that need not reach Koa: nothing is remembered of it.
 *
 * @param uiLocales in place of those in the address.
 */
export function requestLanguage(
  { url = '', headers }: IncomingMessage,
  secure: boolean,
  cookie: Cookie,
  uiLocales?: string,
): Locale {
  const query = new URLSearchParams(/\?.*/.exec(url)?.[0]);
  // The value is one of ours: letters.
  const kept = new RegExp(`(?:^|;) ?${cookieName(secure, cookie)}=(\\w+)`).exec(
    headers.cookie ?? '',
  );
  return negotiateLanguage({
    cookie: chosenIn(query) ?? kept?.[1],
    uiLocales: uiLocales ?? query.get('ui_locales') ?? undefined,
    acceptLanguage: headers['accept-language'],
  });
}

/** An address of another service of ours, with the language that the person chose here, if any. */
export function handLanguageTo(href: string, ctx: Context, cookie: Cookie): string {
  const kept = readCookie(ctx, cookie);
  const chosen =
    chosenIn(new URLSearchParams(ctx.querystring)) ?? LOCALES.find((locale) => locale === kept);
  if (chosen === undefined) return href;
  return `${href}${href.includes('?') ? '&' : '?'}lang=${chosen}`;
}

/**
 * Keeps the chosen language over redirects: one that the address asks for by `lang` is remembered, and
 * a redirect to our other service with pages hands it on. Each service has a cookie of its own.
 *
 * @param other base URL of that service; without one, nothing is handed on.
 */
export function keepLanguage(cookie: Cookie, other: string | undefined): Middleware {
  return async (ctx, next) => {
    await next();
    const location = ctx.response.headers['location'];
    if (typeof location !== 'string' || Math.floor(ctx.status / 100) !== 3) return;
    const asked = chosenIn(new URLSearchParams(ctx.querystring));
    if (asked !== undefined) writeCookie(ctx, cookie, asked, LANGUAGE_AGE_MS);
    if (other !== undefined && location.startsWith(`${other}/`)) {
      ctx.set('Location', handLanguageTo(location, ctx, cookie));
    }
  };
}

function chosenIn(query: URLSearchParams): Locale | undefined {
  return LOCALES.find((locale) => locale === query.get('lang'));
}

/** What shows a reader's language, the most deliberate first. */
export interface LanguageWishes {
  /** What the reader chose on a page before. */
  readonly cookie?: string | undefined;
  /** `ui_locales` of the authorization request: tags in order, space separated (OIDC Core §3.1.2.1). */
  readonly uiLocales?: string | undefined;
  /** `Accept-Language`, RFC 9110 §12.5.4. */
  readonly acceptLanguage?: string | undefined;
}

/**
 * The first wish that can be met, by its primary language (`de-CH` is met by `de`); else English.
 */
export function negotiateLanguage(wishes: LanguageWishes): Locale {
  const tags = [
    wishes.cookie ?? '',
    ...(wishes.uiLocales ?? '').split(' '),
    ...byWeight(wishes.acceptLanguage ?? ''),
  ];
  for (const tag of tags) {
    const primary = tag.toLowerCase().split('-')[0];
    const met = LOCALES.find((language) => language === primary);
    if (met !== undefined) return met;
  }
  return LOCALES[0];
}

/** A header longer than any browser sends is not worth sorting. */
const RANGES_MAX = 20;

/** Those of equal weight in the order of the header. */
function byWeight(header: string): readonly string[] {
  const ranges = header.split(',', RANGES_MAX).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
    const weight = q === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? +q : 0;
    return { tag, weight };
  });
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

const FORM = 'application/x-www-form-urlencoded';
const BODY_MAX_BYTES = 16_384;

/** A form's fields, each as often as it was sent; undefined when the body is no form, or too large. */
export async function readFormBody(ctx: Context): Promise<URLSearchParams | undefined> {
  if (!ctx.is(FORM)) return undefined;
  const body = new GatheredBytes();
  let length = 0;
  for await (const part of ctx.req as AsyncIterable<Buffer>) {
    length += part.length;
    // Read to its end all the same: leaving early would cut the connection before the answer.
    if (length <= BODY_MAX_BYTES) body.add(part);
  }
  return length > BODY_MAX_BYTES ? undefined : new URLSearchParams(body.take().toString('utf8'));
}
